"""The facts of the title line about the open file, from its header and its first rows."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from logdump.session.session import Session
from trailformat import FileHeader, TrailFile
from trailformat.changes.encrypted import looks_encrypted
from trailformat.records.file_header import VENDORS


class Summary(NamedTuple):
    """Names and numbers of one file; empty or None where the header lacks them. Times in Julian microseconds."""

    name: str = ""
    source: str = ""
    release: str = ""
    size: int = 0
    first_csn: str = ""
    last_csn: str = ""
    first_time: int | None = None
    last_time: int | None = None
    looks_encrypted: bool = False


def summary_of(session: Session) -> Summary:
    """The summary of the open file."""
    trail = session.trail
    header = trail.file_header
    return _by_header(header, Summary(trail.path.name, size=trail.size, looks_encrypted=looks_encrypted(trail)))


def _by_header(header: FileHeader | None, bare: Summary) -> Summary:
    if header is None:
        return bare
    return bare._replace(
        source=_source(header),
        release=_release(header),
        first_csn=header.first_csn or "",
        last_csn=header.last_csn or "",
        first_time=header.first_time or None,
        last_time=header.last_time or None,
    )


def summary_of_file(path: Path) -> Summary:
    """The summary of a file by its header alone.

    Raises:
        TrailError, CannotRead: it is no trail, or cannot be read.
    """
    with TrailFile(path) as trail:
        return _by_header(trail.file_header, Summary(name=path.name, size=trail.size))


def _source(header: FileHeader) -> str:
    vendor = header.get("DatabaseInfo", "Vendor")
    return VENDORS.get(vendor, "").lower() if isinstance(vendor, int) else ""


def _release(header: FileHeader) -> str:
    major, minor = (header.get("ProducerInfo", name) for name in ("MajorVersion", "MinorVersion"))
    return f"{major}.{minor}" if isinstance(major, int) and isinstance(minor, int) else ""

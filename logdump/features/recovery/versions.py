"""Facts from file headers: who wrote a file, and which releases can read it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from logdump.features.recovery.model import ProducerChangeShown
from trailformat import FileHeader, TrailError, TrailFile
from trailformat.transactions.header_promises import HeaderMismatch, is_left_open, mismatches_of

VERSIONS = {"11.2": 3, "12.2": 5, "12.3": 6, "19.1": 7}
"""The highest version of a file (Compatibility) that each release writes, as seen in trails and transcripts."""
_COMPARED = (
    ("TrailInfo", ("Compatibility", "URI")),
    ("MachineInfo", ("Sysname", "Nodename", "Release", "Version", "Hardware")),
    ("DatabaseInfo", ("Vendor", "Name", "Instance")),
    (
        "ProducerInfo",
        ("Name", "DataSource", "MajorVersion", "MinorVersion", "MaintLevel", "BugFixLevel", "BuildNumber", "VerString"),
    ),
)


class FileFacts(NamedTuple):
    """A file of a trail: its size, its header, and the IO Time of its last record; None if there is none.

    ``mismatches`` are the values of the header that the file contradicts.
    """

    path: Path
    size: int
    header: FileHeader | None
    last_time: int | None
    mismatches: tuple[HeaderMismatch, ...] = ()

    def number(self, group: str, name: str) -> int | None:
        """Return a number in the header, None if there is none."""
        value = self.header.get(group, name) if self.header else None
        return value if isinstance(value, int) else None

    def text(self, name: str, group: str = "TrailInfo") -> str | None:
        """Return a text in a group of the header, None if there is none or it is empty."""
        value = self.header.get(group, name) if self.header else None
        return value if isinstance(value, str) and value else None

    @property
    def version(self) -> int | None:
        """Compatibility in the file header."""
        return self.number("TrailInfo", "Compatibility")

    @property
    def created(self) -> int | None:
        """CreationTime in the file header."""
        return self.number("TrailInfo", "CreationTime")

    @property
    def is_closed(self) -> bool:
        """True if the writer has closed the file."""
        return self.text("LastCSN") is not None

    @property
    def is_left_open(self) -> bool:
        """True if the header has the values of a closed file, and they are not set."""
        return self.header is not None and is_left_open(self.header)


def facts_of(trail: TrailFile) -> FileFacts:
    """Return the facts of an open file."""
    time = None
    with contextlib.suppress(TrailError):
        last = trail.record_before(trail.end_of_records())
        time = last.header.io_time if last is not None and not last.is_file_header else None
    return FileFacts(trail.path, trail.size, trail.file_header, time, mismatches_of(trail))


def release_number(text: str) -> int | None:
    """Return the file version up to which a release (``12.2``, ``12.2.0.1``, ``19c``) can read; None if unknown."""
    wanted = text.lower().removesuffix("c").split(".")
    versions = [version for release, version in VERSIONS.items() if release.split(".")[: len(wanted)] == wanted[:2]]
    return max(versions, default=None)


def changes_between(before: FileFacts, after: FileFacts) -> Iterator[ProducerChangeShown]:
    """Yield the differences between the headers of consecutive files about their writers."""
    if before.header is None or after.header is None:
        return
    for group, names in _COMPARED:
        if _payload(before.header, group) == _payload(after.header, group):
            continue
        for name in names:
            values = before.header.get(group, name), after.header.get(group, name)
            if values[0] != values[1]:
                yield ProducerChangeShown(after.path, f"{group}.{name}", *map(_shown, values))


def _payload(header: FileHeader, name: str) -> bytes | None:
    """Return the bytes of a group; groups with the same bytes have the same values."""
    return next((group.token.payload for group in header.groups if group.name == name), None)


def _shown(value: object) -> str | None:
    return None if value is None else value.decode("latin-1") if isinstance(value, bytes) else str(value)


def is_rollover(before: FileFacts, after: FileFacts) -> bool:
    """Return True if a restart has begun a file: the writer differs, or the file before it is older and not closed."""
    if before.header is None or after.header is None:
        return False
    if any(change.member != "TrailInfo.Compatibility" for change in changes_between(before, after)):
        return True
    created, last = after.created, before.last_time
    return not before.is_closed and created is not None and last is not None and created > last

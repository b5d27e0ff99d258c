"""FILES: what lies in a directory, and which of it are trails."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from logdump.render.escape import escape
from logdump.times import TimeOffset, format_timestamp
from logdump.trail_peek import peek
from logdump.wildcard import matches
from trailformat.timestamps import JULIAN_UNIX_EPOCH

_HEAD = ("Name", "Bytes", "Modified", "Seqno", "First CSN")
_RIGHT_ALIGNED = (1, 3)


class Row(NamedTuple):
    """The cells of one line."""

    name: str
    size: str
    modified: str
    seqno: str
    first_csn: str


def list_directory(directory: Path, pattern: str, offset: TimeOffset) -> list[str]:
    """The table of the entries whose name fits a wildcard, by name; no lines when there are none.

    Names that begin with a dot are listed when the wildcard does so too. Raises OSError.
    """
    with os.scandir(directory) as entries:
        names = sorted(entry.name for entry in entries if _is_wanted(entry.name, pattern))
    rows = [_row(directory / name, offset) for name in names]
    return list(_aligned(rows)) if rows else []


def _is_wanted(name: str, pattern: str) -> bool:
    if name.startswith(".") and not pattern.startswith("."):
        return False
    return matches(pattern, name, case_sensitive=True)


def _row(path: Path, offset: TimeOffset) -> Row:
    name = escape(path.name)
    try:
        status = path.stat()
    except OSError:
        return Row(name, "", "", "", "")
    modified = format_timestamp(status.st_mtime_ns // 1000 + JULIAN_UNIX_EPOCH, offset)
    if stat.S_ISDIR(status.st_mode):
        return Row(f"{name}/", "", modified, "", "")
    found = peek(path) if stat.S_ISREG(status.st_mode) else None
    seqno = "" if found is None or found.seqno is None else str(found.seqno)
    return Row(name, str(status.st_size), modified, seqno, escape(found.first_csn or "") if found else "")


def _aligned(rows: list[Row]) -> Iterator[str]:
    table = [_HEAD, *rows]
    widths = [max(len(row[column]) for row in table) for column in range(len(_HEAD))]
    for row in table:
        cells = [
            cell.rjust(width) if column in _RIGHT_ALIGNED else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  ".join(cells).rstrip()

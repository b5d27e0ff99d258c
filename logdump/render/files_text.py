"""FILES: a table of what lies in a directory."""

from __future__ import annotations

from collections.abc import Iterator

from logdump.notation.escape import escape
from logdump.notation.times import format_timestamp
from logdump.session.directory_listing import Entry
from logdump.session.events import FilesShown
from logdump.session.settings import Settings

_HEAD = ("Name", "Bytes", "Modified", "Seqno", "First CSN")
_RIGHT_ALIGNED = (1, 3)


def files_lines(shown: FilesShown, settings: Settings) -> Iterator[str]:
    """A heading, and a line for each entry."""
    table = [_HEAD, *(_row(entry, settings) for entry in shown.entries)]
    widths = [max(len(row[column]) for row in table) for column in range(len(_HEAD))]
    for row in table:
        cells = [
            cell.rjust(width) if column in _RIGHT_ALIGNED else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  ".join(cells).rstrip()


def _row(entry: Entry, settings: Settings) -> tuple[str, ...]:
    name = escape(entry.name) + "/" * entry.is_directory
    modified = "" if entry.modified is None else format_timestamp(entry.modified, settings.time_offset)
    numbers = ["" if one is None else str(one) for one in (entry.size, entry.seqno)]
    return name, numbers[0], modified, numbers[1], escape(entry.first_csn or "")

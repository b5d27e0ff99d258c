"""A page: neighbouring rows around the one that is looked for."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from logdump.tui.reading.rows import ListRow


class RowSource(Protocol):
    """Where rows come from: all of a file's, or those that pass a filter."""

    def after(self, row: ListRow) -> ListRow | None:
        """The next row."""

    def before(self, rba: int) -> ListRow | None:
        """The last row that begins before ``rba``."""

    def containing(self, rba: int) -> ListRow:
        """The row for an RBA."""

    def with_csn(self, rows: list[ListRow]) -> list[ListRow]:
        """RowSource that follow each other, with the CSNs of their transactions."""


class Page(NamedTuple):
    """RowSource that follow each other; ``at`` is the index of the one wanted. ``wanted`` tells what was asked for."""

    rows: list[ListRow]
    at: int
    is_first: bool
    is_last: bool


class PageRequest(NamedTuple):
    """The row ``step`` rows after (before) the one at ``rba``; None is the end of the file.

    ``around`` rows on either side come with it.
    """

    rba: int | None
    step: int = 0
    around: int = 100


def read_page(rows: RowSource, wanted: PageRequest, end: int) -> Page:
    """The page around the row wanted; ``end`` is the size of the file."""
    row = rows.containing(end if wanted.rba is None else wanted.rba)
    row = _stepped(rows, row, wanted.step)
    before, is_first = _before(rows, row, wanted.around)
    after, is_last = _after(rows, row, wanted.around)
    return Page(rows.with_csn([*before, row, *after]), len(before), is_first, is_last)


def _stepped(rows: RowSource, row: ListRow, step: int) -> ListRow:
    for _ in range(abs(step)):
        following = rows.after(row) if step > 0 else rows.before(row.rba)
        if following is None:
            break
        row = following
    return row


def _before(rows: RowSource, row: ListRow, count: int) -> tuple[list[ListRow], bool]:
    """At most so many rows before a row, and whether there are no more."""
    found: list[ListRow] = []
    earlier = rows.before(row.rba)
    while earlier is not None and len(found) < count:
        found.append(earlier)
        earlier = rows.before(earlier.rba)
    return found[::-1], earlier is None


def _after(rows: RowSource, row: ListRow, count: int) -> tuple[list[ListRow], bool]:
    """At most so many rows after a row, and whether there are no more."""
    found: list[ListRow] = []
    later = rows.after(row)
    while later is not None and len(found) < count:
        found.append(later)
        later = rows.after(later)
    return found, later is None

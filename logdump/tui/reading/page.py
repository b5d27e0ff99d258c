"""A page: neighbouring rows around the one that is looked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple, Protocol

from logdump.session.session import Session
from logdump.tui.reading.rows import ListRow, RowReader
from trailformat import CannotRead, TrailError, TrailFile


def with_neighbours(page: Page, request: PageRequest, session: Session) -> Page:
    """The page with the rows beyond the ends of the file that it reaches; a file that cannot be read has none."""
    if page.is_first and request.before is not None:
        before = _page_of(request.before, PageRequest(None, 0, request.around), session)
        page = page._replace(above=tuple(before.rows[: before.at + 1]))
    if page.is_last and request.after is not None:
        after = _page_of(request.after, PageRequest(0, 0, request.around), session)
        page = page._replace(below=tuple(after.rows))
    return page


def _page_of(path: Path, request: PageRequest, session: Session) -> Page:
    try:
        with TrailFile(path) as trail:
            return read_page(RowReader(trail, session.definitions_of(trail)), request, trail.size)
    except (TrailError, CannotRead, OSError):
        return Page([], 0, is_first=True, is_last=True)


class RowSource(Protocol):
    """A source of rows: all of a file's, or those that pass a filter."""

    def after(self, row: ListRow) -> ListRow | None:
        """The next row."""

    def before(self, rba: int) -> ListRow | None:
        """The last row that begins before ``rba``."""

    def containing(self, rba: int) -> ListRow:
        """The row for an RBA."""

    def for_screen(self, rows: list[ListRow]) -> list[ListRow]:
        """Rows that follow each other, with the CSNs of their transactions."""


class Page(NamedTuple):
    """Rows that follow each other; ``at`` is the index of the one requested.

    ``above`` are the last rows of the file before, its end among them, ``below`` the first of the file after.
    """

    rows: list[ListRow]
    at: int
    is_first: bool
    is_last: bool
    above: tuple[ListRow, ...] = ()
    below: tuple[ListRow, ...] = ()

    def row_at(self, at: int) -> ListRow:
        """A row, or one beyond them: under 0 of the file before, from their number on of the file after."""
        if at < 0:
            return self.above[at]
        return self.rows[at] if at < len(self.rows) else self.below[at - len(self.rows)]


class PageRequest(NamedTuple):
    """The row ``step`` rows after (before) the one at ``rba``; None is the end of the file.

    ``around`` rows on either side come with it, those of the files ``before`` and ``after`` too.
    """

    rba: int | None
    step: int = 0
    around: int = 100
    before: Path | None = None
    after: Path | None = None


def read_page(rows: RowSource, request: PageRequest, end: int) -> Page:
    """The page around the row requested; ``end`` is the size of the file."""
    row = rows.containing(end if request.rba is None else request.rba)

    def before(one: ListRow) -> ListRow | None:
        return rows.before(one.rba)

    steps = _neighbours(row, rows.after if request.step > 0 else before)
    row = [row, *islice(steps, abs(request.step))][-1]
    earlier = list(islice(_neighbours(row, before), request.around + 1))
    later = list(islice(_neighbours(row, rows.after), request.around + 1))
    is_first, is_last = len(earlier) <= request.around, len(later) <= request.around
    earlier = earlier[: request.around][::-1]
    return Page(rows.for_screen([*earlier, row, *later[: request.around]]), len(earlier), is_first, is_last)


def _neighbours(row: ListRow, following: Callable[[ListRow], ListRow | None]) -> Iterator[ListRow]:
    """The rows that follow a row one way, up to the last."""
    found = following(row)
    while found is not None:
        yield found
        found = following(found)

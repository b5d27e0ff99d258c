"""The rows of the files before and after the open one, next to its own."""

from __future__ import annotations

from pathlib import Path

from logdump.session.session import Session
from logdump.tui.reading.page import Page, PageRequest, read_page
from logdump.tui.reading.rows import RowReader
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

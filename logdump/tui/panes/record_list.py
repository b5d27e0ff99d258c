"""The record list: a window onto rows that are read as they are needed, whatever the size of the file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from textual.events import Click, MouseScrollDown, MouseScrollUp, Resize
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip

from logdump.display.record_row import RecordKind
from logdump.session.settings import Settings
from logdump.tui.keys.keys import Area, bindings
from logdump.tui.model.model import NO_TRAIL, Model
from logdump.tui.panes.row_text import (
    ColumnNeeds,
    ColumnWidths,
    columns_for,
    day_of,
    days_of,
    end_text,
    heading,
    row_pieces,
)
from logdump.tui.reading.rows import ListRow, Page, PageRequest, RowKind
from logdump.tui.reading.state import NeighbourFiles
from logdump.tui.text.styled import Glyphs, Piece, Styled

_NO_DATA = frozenset({RecordKind.FILE_HEADER, RecordKind.METADATA})
_PAGES_AROUND = 2
_LEAST_AROUND = 24
"""Rows that are read on either side of the cursor: two pages or the minimum; few, because each row is decoded."""


class RecordList(Styled, can_focus=True):
    """The rows around the cursor, below a heading.

    Args:
        model: has the RBA of the cursor; the list sets the row.
        settings: the settings of the session.
        glyphs: the characters of the terminal.
        stood: called when the user has moved to a row, before the next key, so that it finds the session there.
        crosses: called when the user moves over an end of the file: with the RBA in the neighbour file, None if its
            rows are not known, and True if that is the file before.
    """

    BINDINGS = bindings(Area.RECORDS)

    @dataclass(eq=False)
    class PageNeeded(Message):
        """Requests rows."""

        request: PageRequest

    def __init__(
        self,
        model: Model,
        settings: Settings,
        glyphs: Glyphs,
        stood: Callable[[ListRow], None],
        crosses: Callable[[int | None, bool], None],
    ) -> None:
        super().__init__(id="records")
        self._model = model
        self._tell_stood = stood
        self._cross = crosses
        self._settings = settings
        self._glyphs = glyphs
        self._page = Page([], 0, is_first=True, is_last=True)
        self._days: dict[int, str] = {}
        self._needs = ColumnNeeds()
        self._cursor = self._top = 0
        self._asked: PageRequest | None = None
        self._is_moving = False
        self._listing = self._file_size = self._landing_line = 0
        self._beyond: tuple[object, ...] = ()
        self._begins_after: int | None = None
        self._is_crossing = False
        self._onward = 0
        self.marks: dict[int, str] = {}
        self._drawn_with: tuple[object, ...] = ()
        self._show_or_hide()
        model.observe(self._show_or_hide, Model.upper)
        model.observe(self._draw_differently, Model.state, Model.lacks)
        model.observe(self._go_with_session, Model.listing, Model.state)
        model.observe(self._go_with_end, Model.follows)
        model.observe(self._end_crossing, Model.crossings, Model.listing)
        model.observe(self._show_neighbours, Model.neighbours, Model.state)
        model.observe(self._show_size, Model.summary)
        model.observe(self._repaint, Model.columns)
        model.observe(self._use_index, Model.indexed)
        model.observe(self._use_matches, Model.matched)

    def _show_or_hide(self) -> None:
        self.set_class(self._model.upper == self.id, "-shown")

    def _draw_differently(self) -> None:
        """Repaint the rows if marks, settings, definitions or the text of an empty list have changed."""
        state = self._model.state
        self.marks = {mark.rba: mark.name[:1] for mark in self._model.marks_here}
        drawn_with = state.source, self.marks, state.switches, self.hint, self._model.place_of_filter
        if drawn_with != self._drawn_with:
            if self._drawn_with and self._drawn_with[0] is not state.source:
                self._read_again()
            self._days = self._days_of(self._page)
            self._drawn_with = drawn_with
            self.refresh()

    def _go_with_session(self) -> None:
        """Move the cursor to the record of the session after a line, or to the end of a trail that is followed."""
        model = self._model
        is_other = model.listing != self._listing
        if is_other:
            self._listing = model.listing
            self._clear()
        if model.state.path is not None and (is_other or model.follows or not model.has_moved):
            self._show_position()

    def _go_with_end(self) -> None:
        """Move to the last row when following begins; when it ends, cancel a pending move there."""
        if self._model.follows or self.is_waiting:
            self._show_position()

    def _show_neighbours(self) -> None:
        """Read the rows of the neighbour files again if these have changed."""
        beyond = self._model.neighbours, self._model.state.across
        if beyond != self._beyond:
            self._beyond = beyond
            if self._page.is_first or self._page.is_last:
                self._read_again()
                self.refresh()

    def _show_position(self, *, fresh: bool = False) -> None:
        if self._model.follows:
            self.go_to(None, -1)
        else:
            self.go_to(self._model.rba, fresh=fresh)

    def _show_size(self) -> None:
        """Update RBAs and scroll bar for the size of the file; if it has grown, read further rows."""
        has_grown = 0 < self._file_size < self._model.summary.size
        self._file_size = self._model.summary.size
        self.refresh()
        if has_grown:
            self._show_more()

    def _show_more(self) -> None:
        """Read further rows: the cursor at the end may have to move on; a pending request is repeated."""
        is_after_records = self.row is None or self.row.kind in (RowKind.MORE, RowKind.END)
        if self._model.follows or (is_after_records and not self.is_waiting):
            self._show_position(fresh=True)
        elif self._is_at_end or self.is_waiting:
            self._read_again()

    def _use_index(self) -> None:
        """Read rows again that lack a table name or a CSN, which the index may have now."""
        lacks_names = not all(row.is_complete for row in self._page.rows)
        if self._model.indexed is not None and (lacks_names or self.is_waiting):
            self._read_again()

    def _use_matches(self) -> None:
        """Read further rows when the scan for the filter has progressed."""
        if self._model.matched is not None:
            self._show_more()

    @property
    def row(self) -> ListRow | None:
        """The row under the cursor."""
        return self._page.rows[self._cursor] if self._page.rows else None

    @property
    def hint(self) -> str:
        """The text of an empty list."""
        if self._model.state.path is None:
            return NO_TRAIL
        if self._model.state.filter_text:
            return "No record passes the filter. FILTER CLEAR ALL (F) shows all records again."
        return "The file has no record yet. w follows it as it grows."

    @property
    def _is_at_end(self) -> bool:
        """True if the rows that are read reach to the end, or to damage that may change when the file grows."""
        rows = self._page.rows
        return bool(rows) and (self._page.is_last or rows[-1].kind in (RowKind.BAD, RowKind.PARTIAL))

    @property
    def is_waiting(self) -> bool:
        """True if requested rows have not arrived."""
        return self._asked is not None

    @property
    def _height(self) -> int:
        return max(1, self.size.height - 1)

    @property
    def _around(self) -> int:
        return max(_LEAST_AROUND, _PAGES_AROUND * self._height)

    def _clear(self) -> None:
        """Show nothing until the rows of another file or filter arrive."""
        self._needs = ColumnNeeds()
        self._show(Page([], 0, is_first=True, is_last=True), 0)
        self._top = 0
        self._asked = None
        if not self._model.is_landing:  # until then the rows after the end of the file stay visible
            self.refresh()

    def _show(self, page: Page, cursor: int) -> None:
        """Set the rows and the cursor; the only method that changes either."""
        if page is not self._page:
            self._days = self._days_of(page)
        self._page, self._cursor = page, cursor
        self._model.row = self.row

    def _days_of(self, page: Page) -> dict[int, str]:
        """Return the days that begin on a page, by the index of their first row."""
        rows = (*page.above, *page.rows, *page.below)
        return {index - len(page.above): day for index, day in days_of(rows, self._settings).items()}

    @property
    def _day(self) -> str:
        """The day of the record under the cursor."""
        return day_of(self.row, self._settings) if self.row is not None else ""

    def _line_of(self, index: int) -> int:
        """Return the line of a row below the heading, after the lines of the days that begin."""
        return index - self._top + sum(self._top <= first <= index for first in self._days)

    def _lines(self) -> list[tuple[int, bool]]:
        """Return the lines below the heading: the index of a row, and True for the line of the day that it begins."""
        lines: list[tuple[int, bool]] = []
        index = self._top
        while len(lines) < self._height:
            lines += [(index, True), (index, False)] if index in self._days else [(index, False)]
            index += 1
        return lines

    def go_to(self, rba: int | None, step: int = 0, *, fresh: bool = False) -> None:
        """Move the cursor to the row at ``rba`` (None: the end of the file), or ``step`` rows from there.

        With ``fresh``, rows are read even if the row is known, because there may be more.
        """
        if rba is not None and not step and not fresh and self._asked is None:
            for index, row in enumerate(self._page.rows):
                if row.rba == rba:
                    self._put_cursor(index)
                    return
        self._ask(PageRequest(rba, step, self._around))

    def begin_on_data(self) -> None:
        """Begin on the first record of data instead of the file header when the rows of the next file arrive."""
        self._begins_after = self._model.listing

    def _find_data(self) -> None:
        """Move to the first record of data of the page, unless the user has moved meanwhile."""
        self._begins_after, row = None, self.row
        if row is None or row.kind is not RowKind.FILE_HEADER or self._model.has_moved:
            return
        data = (
            index
            for index, row in enumerate(self._page.rows)
            if row.facts is not None and row.facts.kind not in _NO_DATA
        )
        index = next(data, None)
        if index is not None:
            self._put_cursor(index)
            self._stood()

    def give_up(self) -> None:
        """Cancel a pending request, as the rows cannot be read."""
        self._asked = None
        self._is_moving = False

    def _read_again(self) -> None:
        """Read the rows around the cursor again, or repeat the pending request, as their contents may have changed."""
        if self._asked is not None:
            is_moving = self._is_moving
            self._ask(self._asked._replace())
            self._is_moving = is_moving
        elif self.row is not None:
            self._ask(PageRequest(self.row.rba, 0, self._around))

    def _end_crossing(self) -> None:
        """Accept steps again; those since the crossing are done when the rows of the next file arrive."""
        self._is_crossing = False
        if not self._model.is_landing:
            self._onward = 0

    def action_move(self, step: int) -> None:
        """Move the cursor by rows; further rows are read if necessary."""
        if self._is_crossing or (self._model.is_landing and not self._page.rows):
            self._onward += step
            return
        if self._asked is not None and (self._asked.step or self._is_moving):
            self._ask(self._asked._replace(step=self._asked.step + step))
            self._is_moving = True
            return
        if not self._page.rows:
            return
        target = self._cursor + step
        last = len(self._page.rows) - 1
        if (target < 0 and not self._page.is_first) or (target > last and not self._page.is_last):
            self._ask(PageRequest(self._page.rows[self._cursor].rba, step, self._around))
            self._is_moving = True
            return
        if self._goes_beyond(target):
            return
        self._put_cursor(min(max(0, target), last))
        self._stood()
        if self._asked is not None or self._is_near_an_edge():
            self._ask(PageRequest(self._page.rows[self._cursor].rba, 0, self._around))

    def _goes_beyond(self, target: int) -> bool:
        """Cross an end of the file to a known row beyond it, else only from the last row; return whether it crosses."""
        page, last = self._page, len(self._page.rows) - 1
        step = (target > last) - (target < 0)
        if not step or self._model.file_within_reach(step) is None:
            return False
        known = page.below if step > 0 else page.above[::-1]
        is_at_end = self.row is not None and self.row.kind is RowKind.END if step > 0 else self._cursor == 0
        if not known and not is_at_end:
            return False
        distance = target - last if step > 0 else -target
        self._landing_line = min(max(0, target - self._top), self._height - 1)
        steps = min(distance, max(1, len(known)))
        self._is_crossing, self._onward = True, step * (distance - steps)
        self._cross(known[steps - 1].rba if known else None, step < 0)
        return True

    def action_page(self, pages: int) -> None:
        """Move the cursor by pages."""
        self.action_move(pages * max(1, self._height - 1))

    def _is_near_an_edge(self) -> bool:
        page, reach = self._page, self._height
        near_top = not page.is_first and self._cursor < reach
        return near_top or (not page.is_last and self._cursor >= len(page.rows) - reach)

    def _ask(self, request: PageRequest) -> None:
        reach = self._model.file_within_reach
        self._asked = request._replace(before=reach(-1), after=reach(1))
        self._is_moving = False
        self.post_message(self.PageNeeded(self._asked))

    def _stood(self) -> None:
        if self.row is not None:
            self._tell_stood(self.row)

    def take(self, request: PageRequest, page: Page) -> ListRow | None:
        """Show a requested page; return the row under the cursor, None if the request is outdated."""
        if request is not self._asked:
            return None
        self._asked = None
        before, offset = self.row, self._cursor - self._top
        self._needs = self._needs.of((*page.above, *page.rows, *page.below), self._glyphs)
        self._show(page, page.at)
        if before is not None and not request.step and before.rba == request.rba:
            self._top = page.at - offset
        elif before is None and self._model.is_landing:
            self._top = page.at - self._landing_line
        else:
            self._top = page.at - self._height // 3
        self._keep_visible()
        self.refresh()
        if self._is_moving:
            self._is_moving = False
            self._stood()
        if self._begins_after is not None and self._model.listing > self._begins_after:
            self._find_data()
        row, onward, self._onward = self.row, self._onward, 0
        if onward and row is not None:
            self.action_move(onward)
        return row

    def _keep_visible(self) -> bool:
        """Scroll so that the cursor is visible; return whether that was necessary."""
        top = min(max(self._top, self._cursor - self._height + 1), self._cursor)
        page = self._page
        top = max(-len(page.above), min(top, len(page.rows) + len(page.below) - self._height))
        moved, self._top = top != self._top, top
        while self._line_of(self._cursor) >= self._height > 1 and self._top < self._cursor:
            self._top += 1
            moved = True
        return moved

    def _put_cursor(self, cursor: int) -> None:
        before, day = self._cursor, self._day
        self._show(self._page, cursor)
        if self._keep_visible() or self._day != day:
            self.refresh()
            return
        for index in (before, cursor):
            self.refresh(Region(0, 1 + self._line_of(index), self.size.width, 1))

    def render_line(self, y: int) -> Strip:
        """Return the heading, a row, or the text of an empty list."""
        width = self.size.width
        columns = columns_for(width, self._file_size, self._needs, self._model.columns)
        if y == 0:
            style = "focus" if self.has_focus else "title"
            return self.strip(((heading(columns, width - 1, self._day), ""),), width, style=style)
        index, is_day = self._lines()[y - 1]
        if is_day:
            return self._day_strip(index, columns, width, self._bar(y - 1))
        if index >= len(self._page.rows) + len(self._page.below):
            is_empty = all(row.kind in (RowKind.FILE_HEADER, RowKind.END) for row in self._page.rows[:3])
            text = self.hint if index == len(self._page.rows) and is_empty else ""
            return self.strip(((f"  {text}", ""),), width)
        return self._row_strip(index, columns, width, self._bar(y - 1))

    def _day_strip(self, index: int, columns: ColumnWidths, width: int, bar: Piece) -> Strip:
        """Return the line of the day that a row begins."""
        text = f"{' ' * columns.rba}   {self._glyphs.rule * 2} {self._days[index]} {self._glyphs.rule * 2}"
        return Strip([*self.strip(((text, "dim"),), width - 1), *self.strip((bar,), 1)])

    def _row_strip(self, index: int, columns: ColumnWidths, width: int, bar: Piece) -> Strip:
        row, is_own = self._page.row_at(index), 0 <= index < len(self._page.rows)
        is_here = index == self._cursor
        mark = self.marks.get(row.rba, " ") if is_own else " "
        sign = self._glyphs.cursor if is_here else mark
        end = self._model.place_of_filter if row.kind is RowKind.MORE else self._end_of_file(index)
        pieces = row_pieces(row, columns, self._settings, self._glyphs, end)
        style = ("cursor" if self.has_focus else "here") if is_here else "" if is_own else "dim"
        if style:
            pieces = tuple((text, style) for text, _ in pieces)
        text = self.strip(((sign, style), *pieces), width - 1, style=style)
        return Strip([*text, *self.strip((bar,), 1)])

    def _end_of_file(self, index: int) -> str:
        """Return the text of a row at the end of a file."""
        state, neighbours = self._model.state, self._model.neighbours
        if index >= len(self._page.rows) or state.path is None:
            return end_text("", NeighbourFiles(), state.across)
        if index < 0 and neighbours.before is not None:
            return end_text(neighbours.before.name, neighbours.to_this(state.path), state.across)
        return end_text(state.path.name, neighbours, state.across)

    def _bar(self, line: int) -> Piece:
        """Return a cell of the scroll bar; the thumb is the byte range of the visible rows in the file."""
        rows, size = self._page.rows, max(1, self._file_size)
        bottom = min(len(rows), self._top + self._height) - 1
        first = rows[max(0, self._top)].rba * self._height // size
        last = max(first, (rows[bottom].end * self._height - 1) // size)
        if first == 0 and last >= self._height - 1:
            return " ", ""
        is_thumb = min(first, self._height - 1) <= line <= last
        return (self._glyphs.thumb, "") if is_thumb else (self._glyphs.track, "dim")

    def _repaint(self) -> None:
        self.refresh()

    def on_focus(self) -> None:
        """Repaint with the focus."""
        self.refresh()

    def on_blur(self) -> None:
        """Repaint without the focus."""
        self.refresh()

    def on_resize(self, _event: Resize) -> None:
        """Keep the cursor visible."""
        if self._keep_visible():
            self.refresh()

    def on_mouse_scroll_down(self, _event: MouseScrollDown) -> None:
        """Move the cursor by three rows."""
        self.action_move(3)

    def on_mouse_scroll_up(self, _event: MouseScrollUp) -> None:
        """Move the cursor by three rows."""
        self.action_move(-3)

    def on_click(self, event: Click) -> None:
        """Move to the clicked row; on the scroll bar to a position in the file."""
        if event.y < 1 or not self._page.rows:
            return
        if event.x == self.size.width - 1:
            self._ask(PageRequest(self._file_size * (event.y - 1) // self._height, 0, self._around))
            self._is_moving = True
            return
        last = len(self._page.rows) + len(self._page.below) - 1
        index, _ = self._lines()[min(event.y, self._height) - 1]
        self.action_move(min(index, last) - self._cursor)

"""The record list: a window onto rows that are read as they are needed, whatever the size of the file."""

from __future__ import annotations

from collections.abc import Callable

from textual.events import Click, MouseScrollDown, MouseScrollUp, Resize
from textual.geometry import Region
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from logdump.session.settings import Settings
from logdump.tui.keys.keys import Area, bindings
from logdump.tui.panes.row_text import ColumnNeeds, ColumnWidths, columns_for, heading, row_pieces
from logdump.tui.reading.page import Page, PageRequest
from logdump.tui.reading.rows import ListRow, RowKind
from logdump.tui.text.glyphs import Glyphs
from logdump.tui.text.styled import Piece, Styled

_PAGES_AROUND = 4
_LEAST_AROUND = 40


class RecordList(Styled, can_focus=True):
    """RowSource around the cursor. The first line is the heading.

    Args:
        settings: the switches of the session.
        glyphs: the characters for what is more than text.
        stood: told at once when the user has put the cursor on a row, so that the next key finds the session there.

    Attributes:
        row: the row under the cursor; to be watched by whatever is about it.
        size_of_file: in bytes, for the width of RBAs and for the scroll bar.
        marks: letters by RBA.
        has_moved: whether the cursor has been moved, not by a command, since this was set to False.
        hint: what to do where there is no record to be seen.
    """

    BINDINGS = bindings(Area.RECORDS)

    class PageNeeded(Message):
        """RowSource have to be read."""

        def __init__(self, wanted: PageRequest) -> None:
            super().__init__()
            self.wanted = wanted

    row: reactive[ListRow | None] = reactive(None, repaint=False, init=False)

    def __init__(self, settings: Settings, glyphs: Glyphs, stood: Callable[[ListRow], None]) -> None:
        super().__init__(id="records")
        self._tell_stood = stood
        self._settings = settings
        self._glyphs = glyphs
        self._page = Page([], 0, is_first=True, is_last=True)
        self._needs = ColumnNeeds()
        self._cursor = self._top = 0
        self._asked: PageRequest | None = None
        self._is_moving = False
        self.size_of_file = 0
        self.has_moved = False
        self.marks: dict[int, str] = {}
        self.hint = ""

    @property
    def has_records(self) -> bool:
        """Whether there is anything but a file header and the end."""
        return any(row.kind in (RowKind.RECORD, RowKind.BAD, RowKind.PARTIAL) for row in self._page.rows[:3])

    @property
    def is_at_end(self) -> bool:
        """Whether the end of the rows is among those that are read, or what may reach to it and grow with the file."""
        rows = self._page.rows
        return bool(rows) and (self._page.is_last or rows[-1].kind in (RowKind.BAD, RowKind.PARTIAL))

    @property
    def lacks_names(self) -> bool:
        """Whether the name of a table or a CSN is missing that the index will tell."""
        return not all(row.is_complete for row in self._page.rows)

    @property
    def is_waiting(self) -> bool:
        """Whether rows have been asked for."""
        return self._asked is not None

    @property
    def _height(self) -> int:
        return max(1, self.size.height - 1)

    @property
    def _around(self) -> int:
        return max(_LEAST_AROUND, _PAGES_AROUND * self._height)

    @property
    def page_step(self) -> int:
        """RowSource that PgDn moves over."""
        return max(1, self._height - 1)

    def clear(self) -> None:
        """Show nothing: another file, or other rows of this one, are about to come."""
        self._needs = ColumnNeeds()
        self._show(Page([], 0, is_first=True, is_last=True), 0)
        self._top = 0
        self._asked = None
        self.refresh()

    def _show(self, page: Page, cursor: int) -> None:
        """Have these rows, and the cursor on one of them; nothing else changes either."""
        self._page, self._cursor = page, cursor
        self.row = page.rows[cursor] if page.rows else None

    def go_to(self, rba: int | None, step: int = 0, *, fresh: bool = False) -> None:
        """Put the cursor on the row at ``rba`` (None: the end of the file), or ``step`` rows from there.

        ``fresh`` reads rows even where there are some: there may be more of them.
        """
        if rba is not None and not step and not fresh and self._asked is None:
            for at, row in enumerate(self._page.rows):
                if row.rba == rba:
                    self._put_cursor(at)
                    return
        self._ask(PageRequest(rba, step, self._around))

    def give_up(self) -> None:
        """Wait no longer for rows: they cannot be read."""
        self._asked = None
        self._is_moving = False

    def read_again(self) -> None:
        """Read the rows around the cursor, or those that are awaited, again: what they show may have changed."""
        if self._asked is not None:
            is_moving = self._is_moving
            self._ask(self._asked._replace())
            self._is_moving = is_moving
        elif self.row is not None:
            self._ask(PageRequest(self.row.rba, 0, self._around))

    def move(self, step: int) -> None:
        """Move the cursor by rows, reading on where need be."""
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
        self._put_cursor(min(max(0, target), last))
        self._stood()
        if self._asked is not None or self._is_near_an_edge():
            self._ask(PageRequest(self._page.rows[self._cursor].rba, 0, self._around))

    def action_move(self, step: int) -> None:
        """A key: so many rows on."""
        self.move(step)

    def action_page(self, pages: int) -> None:
        """A key: so many pages on."""
        self.move(pages * self.page_step)

    def _is_near_an_edge(self) -> bool:
        page, reach = self._page, self._height
        near_top = not page.is_first and self._cursor < reach
        return near_top or (not page.is_last and self._cursor >= len(page.rows) - reach)

    def _ask(self, wanted: PageRequest) -> None:
        self._asked = wanted
        self._is_moving = False
        self.post_message(self.PageNeeded(wanted))

    def _stood(self) -> None:
        self.has_moved = True
        if self.row is not None:
            self._tell_stood(self.row)

    def take(self, wanted: PageRequest, page: Page) -> ListRow | None:
        """Show a page that was asked for; returns the row under the cursor, None when the page comes too late."""
        if wanted is not self._asked:
            return None
        self._asked = None
        before, offset = self.row, self._cursor - self._top
        self._needs = self._needs.of(page.rows, self._glyphs)
        self._show(page, page.at)
        if before is not None and not wanted.step and before.rba == wanted.rba:
            self._top = page.at - offset
        else:
            self._top = page.at - self._height // 3
        self._keep_visible()
        self.refresh()
        if self._is_moving:
            self._is_moving = False
            self._stood()
        return self.row

    def _keep_visible(self) -> bool:
        """Scroll so that the cursor is visible; tells whether anything moved."""
        top = min(max(self._top, self._cursor - self._height + 1), self._cursor)
        top = max(0, min(top, len(self._page.rows) - self._height))
        moved, self._top = top != self._top, top
        return moved

    def _put_cursor(self, at: int) -> None:
        before = self._cursor
        self._show(self._page, at)
        if self._keep_visible():
            self.refresh()
            return
        for index in (before, at):
            self.refresh(Region(0, 1 + index - self._top, self.size.width, 1))

    def render_line(self, y: int) -> Strip:
        """The heading, a row, or the text of an empty list."""
        width = self.size.width
        columns = columns_for(width, self.size_of_file, self._needs)
        if y == 0:
            return self.strip(((heading(columns), ""),), width, style="title")
        at = self._top + y - 1
        if at >= len(self._page.rows):
            text = self.hint if at == len(self._page.rows) and not self.has_records else ""
            return self.strip(((f"  {text}", ""),), width)
        return self._row_strip(at, columns, width, self._bar(y - 1))

    def _row_strip(self, at: int, columns: ColumnWidths, width: int, bar: Piece) -> Strip:
        row = self._page.rows[at]
        is_here = at == self._cursor
        sign = self._glyphs.cursor if is_here else self.marks.get(row.rba, " ")
        pieces = row_pieces(row, columns, self._settings, self._glyphs)
        style = ("cursor" if self.has_focus else "here") if is_here else ""
        if is_here:
            pieces = tuple((text, style) for text, _ in pieces)
        text = self.strip(((sign, style), *pieces), width - 1, style=style)
        return Strip([*text, *self.strip((bar,), 1)])

    def _bar(self, line: int) -> Piece:
        """The scroll bar's cell: where in the file, by bytes, the rows shown lie."""
        rows, size = self._page.rows, max(1, self.size_of_file)
        bottom = min(len(rows), self._top + self._height) - 1
        first = rows[self._top].rba * self._height // size
        last = max(first, (rows[bottom].end * self._height - 1) // size)
        if first == 0 and last >= self._height - 1:
            return " ", ""
        is_thumb = min(first, self._height - 1) <= line <= last
        return (self._glyphs.thumb, "") if is_thumb else (self._glyphs.track, "dim")

    def on_resize(self, _event: Resize) -> None:
        """Keep the cursor visible."""
        self._keep_visible()

    def on_focus(self) -> None:
        """Show the cursor as the one that keys move."""
        self.refresh()

    def on_blur(self) -> None:
        """Show that keys go elsewhere."""
        self.refresh()

    def on_mouse_scroll_down(self, _event: MouseScrollDown) -> None:
        """The wheel."""
        self.move(3)

    def on_mouse_scroll_up(self, _event: MouseScrollUp) -> None:
        """The wheel."""
        self.move(-3)

    def on_click(self, event: Click) -> None:
        """Stand on the row that is clicked; the scroll bar leads to a place in the file."""
        if event.y < 1 or not self._page.rows:
            return
        if event.x == self.size.width - 1:
            self._ask(PageRequest(self.size_of_file * (event.y - 1) // self._height, 0, self._around))
            self._is_moving = True
            return
        self.move(min(self._top + event.y - 1, len(self._page.rows) - 1) - self._cursor)

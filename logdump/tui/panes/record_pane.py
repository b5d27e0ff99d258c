"""Pages with a current line: text about a record, the output of commands; and the hex page, with a current field."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from textual.events import Click, Resize
from textual.message import Message
from textual.widget import Widget

from logdump.notation.text import amount, display_width
from logdump.tui.keys.keys import Area, bindings
from logdump.tui.panes.text_pane import TextPane
from logdump.tui.text.hex_text import HexText, RecordField, line_pieces
from logdump.tui.text.styled import Glyphs, Line, LineRole, from_cell
from logdump.tui.text.styled import line as text_line
from trailformat.trail.sequence import FilePosition

_NO_LINE = Line(())


class RecordPane(TextPane):
    """Lines about the record under the cursor. While the pane has the focus, one of them is current.

    Attributes:
        mark: the style of the current line.
    """

    mark = "here"

    @dataclass(eq=False)
    class Picked(Message):
        """A field was picked, by its line or by its bytes."""

        field: str

    def __init__(self, name: str, glyphs: Glyphs) -> None:
        super().__init__(name, glyphs)
        self.current = 0

    @property
    def current_line(self) -> Line:
        """The whole line that the current row is a part of."""
        index = bisect_right(self._starts, min(self.current, self.count - 1)) - 1
        return self.lines[index] if 0 <= index < len(self.lines) else _NO_LINE

    def _wrap(self) -> None:
        """Wrap the lines; the same line stays current."""
        index = bisect_right(self._starts, self.current) - 1
        within = self.current - self._starts[index] if index >= 0 else 0
        super()._wrap()
        if 0 <= index < len(self._starts):
            after = self._starts[index + 1] if index + 1 < len(self._starts) else self.count
            self.current = min(self._starts[index] + within, max(self._starts[index], after - 1))

    def pick(self, field: str) -> None:
        """Move to the line that shows a field, if there is one."""
        index = next((index for index, row in enumerate(self.rows) if field in row.fields), None)
        if index is not None:
            self._go_to(index)

    def action_lines(self, step: int) -> None:
        """Scroll by lines and move the current line too; at an end of the text only the current line moves."""
        before = self.shown_lines()
        self.on_focus()
        self.top = self.within(self.top + step)
        self.current = max(0, min(self.current + step, self.count - 1))
        self.repaint(before)
        fields = self.rows[self.current].fields if self.rows else ()
        if fields:
            self.post_message(self.Picked(fields[0]))

    def action_pages(self, pages: int) -> None:
        """Scroll by pages."""
        self.action_lines(pages * max(1, self.height - 1))

    def _go_to(self, index: int) -> None:
        before = self.shown_lines()
        self.current = max(0, min(index, self.count - 1))
        self.top = self.within(min(max(self.top, self.current - self.height + 1), self.current))
        self.repaint(before)

    def line_at(self, index: int) -> Line:
        """Return a line; the current one is highlighted while the pane has the focus."""
        row = self.rows[index]
        if index != min(self.current, self.count - 1) or not self.has_focus:
            return row
        return row._replace(
            pieces=tuple((text or " ", f"{style}+{self.mark}" if style else self.mark) for text, style in row.pieces)
        )

    def on_focus(self) -> None:
        """Move the current line into the visible ones, once the pane is laid out."""
        if self.size.height:
            self.current = min(max(self.current, self.top), self.top + self.height - 1)


class RowPane(RecordPane):
    """The page of a row: keys go from one changed column to the next, and hide the others.

    Attributes:
        hides_unchanged: True if columns that do not differ are left out, but for the key.
    """

    BINDINGS = bindings(Area.ROW)
    mark = "cursor"

    def __init__(self, name: str, glyphs: Glyphs) -> None:
        super().__init__(name, glyphs)
        self.hides_unchanged = False
        self._all: list[Line] = []

    @property
    def keys_places(self) -> tuple[Area, ...]:
        """The areas whose keys the footer shows while the pane has the keyboard."""
        return (Area.ROW,)

    def show(self, lines: list[Line], *, top: int | None = None) -> None:
        """Show other lines; the first one about a value is current, unless the line that was current is about one."""
        self._all = lines
        super().show(self._chosen(), top=top)
        if not self.current_line.fields:
            fields = (index for index, row in enumerate(self.rows[: self.height]) if row.fields)
            self.current = next(fields, self.current)
            self.refresh()

    def empty(self) -> None:
        """Show nothing."""
        self._all = []
        super().empty()

    def _chosen(self) -> list[Line]:
        """Return the lines, without columns that do not differ if these are hidden; a line says how many."""
        if not self.hides_unchanged:
            return self._all
        shown = [line for line in self._all if line.role is not LineRole.UNCHANGED]
        hidden = sum(line.role is LineRole.UNCHANGED and not line.is_rest for line in self._all)
        return (
            [*shown, text_line(f"{amount(hidden, 'column')} without a change: u shows all", "dim")] if hidden else shown
        )

    def action_changed(self, step: int) -> None:
        """Move to the next column that differs, or the one before."""
        rows = range(self.current + 1, self.count) if step > 0 else range(self.current - 1, -1, -1)
        stops = (index for index in rows if self.rows[index].role is LineRole.CHANGED and not self.rows[index].is_rest)
        index = next(stops, None)
        if index is not None:
            self._go_to(index)
            self.post_message(self.Picked(self.rows[index].fields[0]))

    def action_hide_unchanged(self) -> None:
        """Hide the columns that do not differ, or show them again."""
        self.hides_unchanged = not self.hides_unchanged
        super().show(self._chosen(), top=0)


class AnswerPane(RecordPane):
    """The output of the commands. Enter on a line about a place leads there.

    Lines of tables are not wrapped; keys scroll them sideways while one is too wide.

    Attributes:
        left: the first visible cell of the tables.
        has_places: True if a line of the newest answer is about a place.
    """

    BINDINGS = [*bindings(Area.PLACES), *bindings(Area.ANSWER)]  # noqa: RUF012 - Textual's own form
    mark = "cursor"

    @dataclass(eq=False)
    class Opened(Message):
        """The record of a line is wanted; None: the line is about no place."""

        position: FilePosition | None

    def __init__(self, name: str, glyphs: Glyphs) -> None:
        super().__init__(name, glyphs)
        self.left = 0
        self.has_places = False
        self._begin = self._widest = 0
        self._is_begun = True

    def line_at(self, index: int) -> Line:
        """Return a row as it is shown, scrolled sideways if it is of a table."""
        row = super().line_at(index)
        return row if row.wraps or not self.left else from_cell(row, self.left)

    def show(self, lines: list[Line], *, top: int | None = None) -> None:
        """Show other lines, with tables from their first cell on; the first command or place is current.

        An answer with places stays where it is when lines are added after it.
        """
        before = self.lines
        goes_on = self.has_places and top == self._begin and lines[: len(before)] == before
        if lines != before:
            self.left = 0
        self._widest = max((display_width(line.text) for line in lines if not line.wraps), default=0)
        self._begin = top or 0
        self.has_places = any(line.position is not None for line in lines[self._begin :])
        super().show(lines, top=None if goes_on else top)
        if self.has_places and not goes_on:
            self._begin_with_advice()

    @property
    def where(self) -> str:
        """The visible rows, and the visible cells of tables, if not all are visible."""
        cells = f"cells {self.left + 1}-{min(self._widest, self.left + self._room)}/{self._widest}"
        return " ".join(filter(None, (super().where, cells if self._is_wide else "")))

    @property
    def keys_places(self) -> tuple[Area, ...]:
        """The areas whose keys the footer shows: those of places and those of a wide table, if it has both."""
        areas = {Area.PLACES: self.has_places, Area.ANSWER: self._is_wide}
        return tuple(area for area, is_there in areas.items() if is_there) or (Area.PANES,)

    @property
    def _is_wide(self) -> bool:
        return self._widest > self._room

    @property
    def _room(self) -> int:
        """The width of the pane; while it is hidden, that of its parent."""
        return self.size.width or (self.parent.size.width if isinstance(self.parent, Widget) else 0)

    def _wrap(self) -> None:
        super()._wrap()
        self.place = self.keys_places[-1]
        self.left = self._within_width(self.left)

    def _within_width(self, left: int) -> int:
        return max(0, min(left, self._widest - self._room))

    def action_sideways(self, step: int) -> None:
        """Scroll tables by half the width of the pane."""
        before = self.shown_lines()
        self.left = self._within_width(self.left + step * max(1, self._room // 2))
        self.repaint(before)

    def _begin_with_advice(self) -> None:
        """Make the first command to be pasted current, else the first line about a place."""
        rows = range(self.top, self.count)
        placed = next((index for index in rows if self.rows[index].position is not None), self.top)
        self.current = next((index for index in rows if self.rows[index].is_advice), placed)
        self._is_begun = not (self.rows and self.rows[self.current].is_advice)
        self._scroll_to_advice()

    def _scroll_to_advice(self) -> None:
        """Scroll down to the command, once the page is laid out."""
        if not self._is_begun and self.size.height:
            self._is_begun = True
            self.scroll_to_line(max(self.top, self.current - self.height + 2))

    def on_resize(self, _event: Resize) -> None:
        """Scroll to the command after the lines are wrapped, which the base class does."""
        self.call_later(self._scroll_to_advice)

    def action_open_place(self) -> None:
        """Go to the record that the current line is about."""
        self.post_message(self.Opened(self.current_line.position))

    def on_click(self, event: Click) -> None:
        """Go to the record of the clicked line, if it is about one."""
        index = self.top + event.y
        if index < self.count and self.rows[index].position is not None:
            self.current = index
            self.action_open_place()


_NOTHING = HexText(0, [], [], 20)


class HexPane(TextPane):
    """The bytes of the record under the cursor; keys move from field to field. ``text`` is its content."""

    BINDINGS = bindings(Area.HEX)
    place = Area.HEX

    def __init__(self, name: str, glyphs: Glyphs) -> None:
        super().__init__(name, glyphs)
        self.text = _NOTHING
        self._picked = ""

    @property
    def count(self) -> int:
        """The number of lines."""
        return len(self.text.lines) or super().count

    @property
    def field(self) -> RecordField | None:
        """The picked field, None if this record does not have it."""
        return next((field for field in self.text.fields if field.name == self._picked), None)

    @property
    def where(self) -> str:
        """The picked field, else the visible lines."""
        field = self.field
        if field is None:
            return super().where
        size = field.end - field.start
        value = f" = {field.value}" if field.value else ""
        return f"{field.name}{value}, {size} byte{'s' * (size != 1)} at RBA {self.text.rba + field.start}"

    def show_record(self, text: HexText) -> None:
        """Show another record; a field with the picked name stays picked."""
        before = self.shown_lines()
        self.text = text
        self.lines = self.rows = []
        self.top = self.within(self.top)
        self.repaint(before)

    @property
    def whole_text(self) -> str:
        """All lines of the page."""
        return "".join(f"{self.line_at(index).text}\n" for index in range(self.count))

    def show(self, lines: list[Line], *, top: int | None = None) -> None:
        """Show lines in place of bytes."""
        self.empty()
        super().show(lines, top=top)

    def empty(self) -> None:
        """Show nothing; the next record is shown from the same line on."""
        before = self.shown_lines()
        self.text = _NOTHING
        self.lines = self.rows = []
        self.repaint(before)

    def line_at(self, index: int) -> Line:
        """Return a line; the bytes of the picked field are underlined."""
        text = self.text
        if not text.lines:
            return super().line_at(index)
        digits = len(str(text.rba + max(line.start for line in text.lines)))
        return Line(line_pieces(text, text.lines[index], digits, self.field))

    def pick(self, name: str) -> None:
        """Pick the field with a name and scroll to its first byte."""
        before = self.shown_lines()
        self._picked = name
        field = self.field
        if field is not None:
            index = self._line_of(field)
            if not self.top <= index < self.top + self.height:
                self.top = self.within(index - self.height // 3)
        self.repaint(before)

    def _line_of(self, field: RecordField) -> int:
        lines = self.text.lines
        ending = (index for index, line in enumerate(lines) if line.data and field.start < line.start + len(line.data))
        return next(ending, 0)

    def action_field(self, step: int) -> None:
        """Pick the next field, or the one before."""
        fields = self.text.fields
        index = next((index for index, field in enumerate(fields) if field.name == self._picked), -1 if step > 0 else 0)
        self._take(index + step)

    def action_field_line(self, step: int) -> None:
        """Pick the first field in another line, after or before."""
        field = self.field
        if field is None:
            self._take(0)
            return
        fields = self.text.fields
        index = fields.index(field)
        line = self._line_of(field)
        while 0 <= index + step < len(fields) and self._line_of(fields[index]) == line:
            index += step
        self._take(index)

    def _take(self, index: int) -> None:
        fields = self.text.fields
        if not fields:
            return
        name = fields[max(0, min(index, len(fields) - 1))].name
        self.pick(name)
        self.post_message(RecordPane.Picked(name))

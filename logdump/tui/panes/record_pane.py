"""A page of text about a record with a current line; and the hex page, with a current field."""

from __future__ import annotations

from dataclasses import dataclass

from textual.message import Message

from logdump.tui.keys.keys import Area, bindings
from logdump.tui.panes.text_pane import TextPane
from logdump.tui.text.hex_text import HexText, RecordField, line_pieces
from logdump.tui.text.styled import Glyphs, Line


class RecordPane(TextPane):
    """Lines about the record under the cursor. While the pane has the focus, one of them is current."""

    @dataclass(eq=False)
    class Picked(Message):
        """A field was picked, by its line or by its bytes."""

        field: str

    def __init__(self, name: str, glyphs: Glyphs) -> None:
        super().__init__(name, glyphs)
        self.current = 0

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
            pieces=tuple((text or " ", f"{style}+here" if style else "here") for text, style in row.pieces)
        )

    def on_focus(self) -> None:
        """Move the current line into the visible ones."""
        self.current = min(max(self.current, self.top), self.top + self.height - 1)


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

"""A value of a row as a whole: text, JSON and XML indented, or bytes; searched, and saved to a file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from textual.app import ComposeResult
from textual.message import Message
from textual.screen import ModalScreen
from textual.strip import Strip
from textual.widgets import Input

from logdump.notation.text import amount, escape
from logdump.tui.panes.text_pane import TextPane
from logdump.tui.text.row_copies import WholeValue
from logdump.tui.text.shown_value import Hit, ShownValue, ValuePart
from logdump.tui.text.styled import COMPONENTS, Glyphs, Line, Piece, Styled, line
from trailformat import CannotWrite
from trailformat.errors import reason_of
from trailformat.trail.whole_file import WholeFile

_KEYS = "Esc back  / search  > next  h hex  i as it is  y copy  s save"
_MATCH_STYLES = ("match", "field")


class ValueHead(Styled):
    """The name of the value and what is visible of it; below it the keys, or what is said of the last one."""

    def __init__(self) -> None:
        super().__init__(id="value-head")
        self._rows: list[Line] = []

    def show(self, name: str, parts: Sequence[Piece], where: str, told: str) -> None:
        """Show other lines."""
        first = Line(((f"{name}  ", "title"), *parts, (where, "dim")))
        self._rows = [first, line(told or _KEYS, "warn" if told else "dim")]
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Return a line."""
        return self.strip(self._rows[y].pieces if y < len(self._rows) else (), self.size.width)


class ValuePane(TextPane):
    """A window of a value. ``beyond`` is called with 1 or -1 where it is scrolled over its end or its beginning."""

    def __init__(self, glyphs: Glyphs, beyond: Callable[[int], bool]) -> None:
        super().__init__("value", glyphs)
        self._beyond = beyond

    def scroll_to_line(self, top: int) -> None:
        """Scroll to a row, or to the window after or before this one."""
        step = (top > self.top == self.within(top)) - (top < self.top == self.within(top))
        if not step or not self._beyond(step):
            super().scroll_to_line(top)


class ValueScreen(ModalScreen[None]):
    """The images of a column, or large objects, one after the other.

    The first one is chosen, Tab chooses another: it is what ``y`` copies and ``s`` saves. ``h`` shows bytes, ``i`` text
    without indentation, ``/`` searches, ``>`` goes to the next match, Esc leaves. Of a long value a window is shown:
    the keys that scroll go on to the next one.
    """

    COMPONENT_CLASSES = COMPONENTS
    BINDINGS = [  # noqa: RUF012 - Textual's own form
        ("escape,q", "leave", "back"),
        ("h", "toggle_hex", "hex"),
        ("i", "toggle_indented", "indented"),
        ("slash", "ask('search')", "search"),
        ("greater_than_sign", "next_match", "next match"),
        ("y", "copy", "copy"),
        ("tab", "next_part", "next image"),
        ("s", "ask('save')", "save"),
        ("home,g", "end(-1)", "beginning"),
        ("end,G", "end(1)", "end"),
    ]

    @dataclass(eq=False)
    class CopyWanted(Message):
        """Requests a copy of the value."""

        value: WholeValue
        part: ValuePart

    def __init__(self, value: WholeValue, glyphs: Glyphs) -> None:
        super().__init__()
        self._value = value
        self._glyphs = glyphs
        self._is_hex, self._is_indented = False, True
        self._purpose = self._needle = self._told = ""
        self._hit: Hit | None = None
        self._window = self._part = 0
        self._places: list[Hit] = []
        self._shown = self._read()

    def _read(self) -> ShownValue:
        return ShownValue(self._value.parts, is_hex=self._is_hex, is_indented=self._is_indented)

    def compose(self) -> ComposeResult:
        """Yield the text, and the line for a word or a file name."""
        yield ValueHead()
        yield ValuePane(self._glyphs, self._go_on)
        yield Input(id="of-value", compact=True)

    def on_mount(self) -> None:
        """Show the value."""
        page, field = self.query_one(ValuePane), self.query_one(Input)
        page.add_class("-shown")
        field.cursor_blink = field.display = False
        self._show(0)
        page.focus()

    def _show(self, top: int | None = None) -> None:
        """Show the window, from line ``top`` on; None: from the same row on."""
        shown = list(self._shown.lines(self._window, self._hit))
        self._places = [place for _, place in shown]
        self.query_one(ValuePane).show([text for text, _ in shown], top=top)
        self._head()

    def _head(self) -> None:
        value, windows = self._value, self._shown.windows
        window = f"window {self._window + 1:,} of {windows:,}  " if windows > 1 else ""
        name = f"{value.name}  {value.type}".rstrip()
        parts: list[Piece] = [
            (f"[{part.name}]  ", "strong") if part is self._chosen else (f"{part.name}  ", "dim")
            for part in value.parts
        ]
        parts = [*parts, ("Tab  ", "dim")] if len(parts) > 1 else []
        self.query_one(ValueHead).show(name, parts, f"{window}{self.query_one(ValuePane).where}", self._told)

    @property
    def _chosen(self) -> ValuePart:
        """The image or large object that is copied and saved."""
        return self._value.parts[self._part]

    def on_text_pane_scrolled(self, message: TextPane.Scrolled) -> None:
        """Show which rows are visible."""
        message.stop()
        self._head()

    def _go_on(self, step: int) -> bool:
        """Show the next window, or the end of the one before; return whether there is one."""
        if not 0 <= self._window + step < self._shown.windows:
            return False
        self._window += step
        self._show(0)
        if step < 0:
            self._go_to_row(self.query_one(ValuePane).count)
        return True

    def _go_to_row(self, top: int) -> None:
        """Scroll to a row of the window."""
        page = self.query_one(ValuePane)
        page.top = page.within(top)
        page.refresh()
        self._head()

    def _show_as(self, *, is_hex: bool, is_indented: bool) -> None:
        self._is_hex, self._is_indented = is_hex, is_indented
        self._hit, self._told, self._window = None, "", 0
        self._shown = self._read()
        self._show(0)

    def action_toggle_hex(self) -> None:
        """Show the bytes, or the value again."""
        self._show_as(is_hex=not self._is_hex, is_indented=self._is_indented)

    def action_toggle_indented(self) -> None:
        """Show JSON and XML as they are, or indented again."""
        self._show_as(is_hex=False, is_indented=not self._is_indented)

    def action_end(self, step: int) -> None:
        """Go to the end of the value, or to its beginning."""
        self._window = self._shown.windows - 1 if step > 0 else 0
        self._show(0)
        if step > 0:
            self._go_to_row(self.query_one(ValuePane).count)

    def action_copy(self) -> None:
        """Copy the value."""
        self.post_message(self.CopyWanted(self._value, self._chosen))

    def action_next_part(self) -> None:
        """Choose the next image or large object, and go to it."""
        self._part = (self._part + 1) % len(self._value.parts)
        self._window, self._told = self._shown.window_of(self._part, 0), ""
        self._show(0)
        at = next((index for index, place in enumerate(self._places) if place.part == self._part), 0)
        self._go_to_row(self.query_one(ValuePane).row_of(at))

    def action_ask(self, purpose: str) -> None:
        """Begin a line: the text that is searched, or the name of the file."""
        self._purpose = purpose
        field = self.query_one(Input)
        field.display, field.value = True, ""
        searched = "text, or pairs of hex digits" if self._is_hex or not self._shown.is_text else "text"
        field.placeholder = searched if purpose == "search" else "name of a file that is not there yet"
        field.focus()

    def action_leave(self) -> None:
        """Leave the line, or the screen."""
        if self.query_one(Input).display:
            self._end_line()
        else:
            self.dismiss(None)

    def _end_line(self) -> None:
        self.query_one(Input).display = False
        self.query_one(ValuePane).focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Search the text, or save the value."""
        event.stop()
        self._end_line()
        if not event.value:
            return
        if self._purpose == "save":
            self._told = self._saved(Path(event.value))
            self._head()
        else:
            self._needle, self._hit = event.value, None
            self.action_next_match()

    def action_next_match(self) -> None:
        """Go to the next match, after the last one to the first."""
        if not self._needle:
            return
        part, at = (self._hit.part, self._hit.start + 1) if self._hit is not None else self._first_visible()
        self._hit, is_again = self._shown.find(self._needle, part, at)
        if self._hit is None:
            self._told = f"Not found: {escape(self._needle)}"
            self._show()
            return
        self._told = "From the beginning again." if is_again else ""
        window, before = self._shown.window_of(self._hit.part, self._hit.start), self._window
        self._window, self._part = window, self._hit.part
        self._show(None if window == before else 0)
        self._scroll_to_match()

    def _first_visible(self) -> tuple[int, int]:
        """Return the part and the first character of the first visible line."""
        page = self.query_one(ValuePane)
        place = self._places[page.line_of(page.top)]
        return place.part, place.start

    def _scroll_to_match(self) -> None:
        """Scroll so that the match is visible."""
        page = self.query_one(ValuePane)
        rows = enumerate(page.rows)
        hits = (index for index, row in rows if any(style.endswith(_MATCH_STYLES) for _, style in row.pieces))
        at = next(hits, 0)
        if not page.top <= at < page.top + page.height:
            self._go_to_row(at - page.height // 3)

    def _saved(self, path: Path) -> str:
        """Write the value, or its bytes if they are shown, to a new file; return what is said of it."""
        part = self._chosen
        if part.refusal:
            return escape(f"{part.refusal} Nothing is saved.")
        data = part.data if self._is_hex else part.value.encode() if isinstance(part.value, str) else part.value
        try:
            with WholeFile(path) as file:
                file.write(data)
        except OSError as error:
            return escape(f"{path}: {reason_of(error)}")
        except CannotWrite as error:
            return escape(str(error))
        return escape(f"Saved {amount(len(data), 'byte')}{f' of {part.name}' * (len(self._value.parts) > 1)} to {path}")

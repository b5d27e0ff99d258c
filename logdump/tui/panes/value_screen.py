"""A value of a row as a whole: wrapped text, JSON indented, or hex; searched, and saved to a file."""

from __future__ import annotations

import json
from pathlib import Path

from textual.app import ComposeResult
from textual.screen import ModalScreen
from textual.widgets import Input

from logdump.notation.hexdump import hexdump
from logdump.notation.text import amount, escape
from logdump.tui.panes.text_pane import TextPane
from logdump.tui.text.row_copies import WholeValue
from logdump.tui.text.styled import COMPONENTS, Glyphs, Line, line
from trailformat import CannotWrite, Value
from trailformat.errors import reason_of
from trailformat.trail.whole_file import WholeFile

_MOST_JSON = 1 << 20
"""Characters of JSON that is indented."""
_MOST_SHOWN = 1 << 18
"""Characters, or bytes, of a value that are shown; a file gets all."""


class ValueScreen(ModalScreen[None]):
    """The value after the change, then the one before, if they differ.

    ``h`` shows bytes, ``/`` searches, ``>`` goes to the next match, ``s`` saves the bytes, Esc leaves.
    """

    COMPONENT_CLASSES = COMPONENTS
    BINDINGS = [  # noqa: RUF012 - Textual's own form
        ("escape,q", "leave", "back"),
        ("h", "toggle_hex", "hex"),
        ("slash", "ask('search')", "search"),
        ("greater_than_sign", "next_match", "next match"),
        ("s", "ask('save')", "save"),
    ]

    def __init__(self, value: WholeValue, glyphs: Glyphs) -> None:
        super().__init__()
        self._value = value
        self._glyphs = glyphs
        self._is_hex = False
        self._purpose = self._needle = ""

    def compose(self) -> ComposeResult:
        """Yield the text, and the line for a word or a file name."""
        yield TextPane("value", self._glyphs)
        yield Input(id="of-value", compact=True)

    def on_mount(self) -> None:
        """Show the value."""
        page, field = self.query_one(TextPane), self.query_one(Input)
        page.add_class("-shown")
        field.cursor_blink = field.display = False
        self._show()
        page.focus()

    def _show(self, told: str = "") -> None:
        value = self._value
        keys = "  h hex  / search  > next  s save  Esc back"
        lines = [Line(((f"{value.column}  {value.type}", "title"), (keys, "dim")))]
        lines += [line(told, "warn")] if told else []
        images = [("after", value.after), ("before", value.before)]
        shown = [(name, image) for name, image in images if image is not None]
        if len(shown) > 1 and shown[0][1] == shown[1][1]:
            shown = shown[:1]
        for name, image in shown:
            lines.append(line(f"{name}, {amount(len(image.data), 'byte')} in the trail", "strong"))
            lines += self._lines_of(image)
        self.query_one(TextPane).show(lines)

    def _lines_of(self, image: Value) -> list[Line]:
        if self._is_hex:
            return [line(text) for text in hexdump(image.data[:_MOST_SHOWN], _MOST_SHOWN)]
        text = text_of(image)
        lines = [line(escape(part)) for part in text[:_MOST_SHOWN].split("\n")]
        return (
            [*lines, line(f"{len(text) - _MOST_SHOWN:,} more characters", "dim")] if len(text) > _MOST_SHOWN else lines
        )

    def action_toggle_hex(self) -> None:
        """Show the bytes, or the text again."""
        self._is_hex = not self._is_hex
        self._show()

    def action_ask(self, purpose: str) -> None:
        """Begin a line: the text that is searched, or the name of the file."""
        self._purpose = purpose
        field = self.query_one(Input)
        field.display, field.value = True, ""
        field.placeholder = "text" if purpose == "search" else "name of a file that is not there yet"
        field.focus()

    def action_leave(self) -> None:
        """Leave the line, or the screen."""
        if self.query_one(Input).display:
            self._end_line()
        else:
            self.dismiss(None)

    def _end_line(self) -> None:
        self.query_one(Input).display = False
        self.query_one(TextPane).focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Search the text, or save the value."""
        event.stop()
        self._end_line()
        if not event.value:
            return
        if self._purpose == "save":
            self._show(self._saved(Path(event.value)))
        else:
            self._needle = event.value
            self.action_next_match()

    def action_next_match(self) -> None:
        """Scroll to the next line with the text, after the last one to the first."""
        page = self.query_one(TextPane)
        needle = self._needle.lower()
        hits = [index for index, row in enumerate(page.rows) if index and needle and needle in row.text.lower()]
        after = next((index for index in hits if index > page.top), hits[0] if hits else None)
        if after is not None:
            page.scroll_to_line(after)
        elif needle:
            self._show(f"Not found: {escape(self._needle)}")

    def _saved(self, path: Path) -> str:
        """Write the text of the value, or its bytes if they are shown, to a new file; return what is said of it."""
        image = self._value.newest
        if image is None:
            return "There is no value."
        data = image.data if self._is_hex or isinstance(image.value, bytes) else image.text.encode()
        data = image.value if isinstance(image.value, bytes) and not self._is_hex else data
        try:
            with WholeFile(path) as file:
                file.write(data)
        except OSError as error:
            return escape(f"{path}: {reason_of(error)}")
        except CannotWrite as error:
            return escape(str(error))
        return escape(f"Saved {amount(len(data), 'byte')} to {path}")


def text_of(value: Value) -> str:
    """Return a value as it is read: text that is JSON is indented."""
    text = value.text
    if isinstance(value.value, str) and text[:1] in ("{", "[") and len(text) <= _MOST_JSON:
        try:
            return json.dumps(json.loads(text), indent=2, ensure_ascii=False)
        except (ValueError, RecursionError):
            return text
    return text

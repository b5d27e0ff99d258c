"""The prompt: Logdump's, with its number, at the bottom of the screen."""

from __future__ import annotations

from textual.widgets import Input

from logdump.tui.keys import Area, bindings


class Prompt(Input):
    """Where commands are typed. Up and down recall the history.

    Attributes:
        lines: the history, oldest first.
    """

    BINDINGS = bindings(Area.PROMPT)

    def __init__(self) -> None:
        super().__init__(id="prompt", compact=True, select_on_focus=False)
        self.cursor_blink = False
        self.lines: list[str] = []
        self._at: int | None = None
        self._draft = ""

    def begin(self, text: str = "") -> None:
        """Start a line, with ``text`` in it."""
        self._at = None
        self.value = text
        self.cursor_position = len(text)

    def action_recall(self, step: int) -> None:
        """Go through the history; below its end is what had been typed."""
        at = (len(self.lines) if self._at is None else self._at) + step
        if not 0 <= at <= len(self.lines):
            return
        if self._at is None:
            self._draft = self.value
        self._at = at if at < len(self.lines) else None
        self.value = self._draft if self._at is None else self.lines[at]
        self.cursor_position = len(self.value)

"""The strip above the prompt: the last commands as typed, and what they answered in few words."""

from __future__ import annotations

from textual.strip import Strip

from logdump.render.escape import escape
from logdump.tui.glyphs import Glyphs
from logdump.tui.text import Looks
from logdump.tui.transcript import Entry, Transcript


class LogStrip(Looks):
    """A rule, then the end of the transcript; long answers only by the number of their lines."""

    def __init__(self, transcript: Transcript, glyphs: Glyphs) -> None:
        super().__init__(id="log")
        self._transcript = transcript
        self._glyphs = glyphs
        self._lines: list[str] = []

    def update_lines(self) -> None:
        """Show how the transcript ends."""
        lines: list[str] = []
        for entry in self._transcript.entries[-8:]:
            lines += strip_lines(entry, max(2, self.size.height - 1))
        if lines != self._lines:
            self._lines = lines
            self.refresh()

    def render_line(self, y: int) -> Strip:
        """The rule or a line."""
        width, room = self.size.width, self.size.height - 1
        if y == 0:
            return self.strip(((self._glyphs.rule * width, "dim"),), width)
        shown = self._lines[-room:]
        return self.strip(((shown[y - 1] if y <= len(shown) else "", ""),), width)


def strip_lines(entry: Entry, most: int) -> list[str]:
    """An entry in at most ``most`` lines."""
    shown = [text for text in entry.lines()[: most + 1] if text]
    if entry.printed < most:
        return [escape(text) for text in shown]
    return [escape(f"{entry.prompt}{entry.line}   ({entry.printed} lines)")]

"""The strip above the prompt: the last commands as typed, and what they answered in few words."""

from __future__ import annotations

from textual.strip import Strip

from logdump.notation.text import amount, escape
from logdump.tui.model.model import Model
from logdump.tui.reading.transcript import Transcript, TranscriptEntry
from logdump.tui.text.glyphs import Glyphs
from logdump.tui.text.styled import Line, Styled, cut_to, line, wrapped

_ENTRIES = 8
"""As many of the last commands as there may be rows."""


class LogStrip(Styled):
    """A rule, then the end of the transcript; an answer without room is replaced by the number of its lines.

    In a single row there is no rule.
    """

    def __init__(self, model: Model, transcript: Transcript, glyphs: Glyphs) -> None:
        super().__init__(id="log")
        self._transcript = transcript
        self._glyphs = glyphs
        self._rows: list[Line] = []
        model.observe(self.draw, Model.output)

    @property
    def room(self) -> int:
        """Rows for commands and answers."""
        return max(self.size.height - 1, min(1, self.size.height))

    def fits(self, entry: TranscriptEntry) -> bool:
        """Whether the strip has room for the whole answer of a command; in a strip without rows every answer fits."""
        return not self.room or len(self._answer(entry)) <= self.room

    def draw(self) -> None:
        """Show how the transcript ends."""
        rows: list[Line] = []
        for entry in self._transcript.entries[-_ENTRIES:]:
            rows += self._entry(entry)
        if rows != self._rows:
            self._rows = rows
            self.refresh()

    def on_resize(self) -> None:
        """Wrap at the new width."""
        self.draw()

    def _answer(self, entry: TranscriptEntry) -> list[Line]:
        return [row for text in entry.said for row in wrapped(line(escape(text)), self.size.width)]

    def _entry(self, entry: TranscriptEntry) -> list[Line]:
        """A command in one row, and its answer where it fits."""
        fits = self.fits(entry)
        note = f"   ({amount(entry.printed, 'line')})" if entry.records or not fits else ""
        typed = cut_to(((escape(f"{entry.prompt}{entry.line}"), ""),), self.size.width - len(note), self._glyphs.cut)
        command = [Line((*typed, (note, "")))] if entry.prompt or entry.line or note else []
        return [*command, *(self._answer(entry) if fits else ())]

    def render_line(self, y: int) -> Strip:
        """The rule or a row."""
        width = self.size.width
        at = y - (self.size.height - self.room)
        if at < 0:
            return self.strip(((self._glyphs.rule * width, "dim"),), width)
        shown = self._rows[-self.room :]
        return self.strip(shown[at].pieces if at < len(shown) else (), width)

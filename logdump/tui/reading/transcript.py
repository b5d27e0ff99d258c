"""The lines entered and their answers: the same that line mode would have printed."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

MOST_LINES = 20_000
MOST_SAID = 20
"""Lines of an answer that could be read at a glance."""
_SHORT = 2
"""Lines of what a line says that only moves the cursor; an ordinary screen has room for them above the prompt."""


class Answer(NamedTuple):
    """A line that a command requested, under the command's own prompt."""

    prompt: str
    line: str


class TableLine(str):
    """A line of a table, which is never wrapped."""

    __slots__ = ()


class TranscriptEntry:
    """One line entered under its prompt, and the lines that it printed.

    Attributes:
        output: the lines, of very many the last.
        printed: how many there were.
        said: the first lines that no pane shows, such as those of a record displayed; empty ones are left out.
        is_on_page: whether a page of its own shows the answer.
        records: RBAs of the records displayed last.
        has_failed: whether the line, or a part of it, could not be carried out.
    """

    def __init__(self, prompt: str, line: str) -> None:
        self.prompt = prompt
        self.line = line
        self.output: deque[str | Answer] = deque(maxlen=MOST_LINES)
        self.printed = 0
        self.said: list[str] = []
        self.is_on_page = self.has_failed = False
        self.records: deque[int] = deque(maxlen=2)

    def print(self, line: str | Answer, *, is_elsewhere: bool = False) -> None:
        """Take one more line of output in."""
        self.output.append(line)
        self.printed += 1
        if not is_elsewhere and len(self.said) < MOST_SAID and (text := _shown(line)):
            self.said.append(text)

    @property
    def is_long(self) -> bool:
        """Whether it says more than where the cursor has gone."""
        return len(self.said) > _SHORT

    @property
    def dropped(self) -> int:
        """Lines of output that are gone."""
        return self.printed - len(self.output)

    def lines(self) -> list[str]:
        """The entry as a terminal shows it."""
        gone = [f"({self.dropped} lines before are not kept; LOG <filename> keeps all.)"] if self.dropped else []
        return [f"{self.prompt}{self.line}", *gone, *map(_shown, list(self.output))]


def _shown(line: str | Answer) -> str:
    return line if isinstance(line, str) else f"{line.prompt}{line.line}"


class Transcript:
    """The entries of a session, oldest first; the newest lines are kept."""

    def __init__(self) -> None:
        self.entries: list[TranscriptEntry] = []

    def begin(self, prompt: str, line: str) -> TranscriptEntry:
        """Start an entry; the oldest go when there are too many lines."""
        while len(self.entries) > 1 and sum(len(one.output) + 1 for one in self.entries) > MOST_LINES:
            del self.entries[0]
        self.entries.append(TranscriptEntry(prompt, line))
        return self.entries[-1]

    @property
    def last(self) -> TranscriptEntry | None:
        """The newest entry."""
        return self.entries[-1] if self.entries else None

"""The lines entered and their answers, as line mode would have printed them."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

MOST_LINES = 20_000
MOST_SAID = 20
"""Number of lines of an answer that are kept in ``said``: more cannot be shown above the prompt."""
_SHORT = 2
"""Number of lines that a short answer may have; a usual screen has room for them above the prompt."""


class Answer(NamedTuple):
    """A line that a command requested, under the command's own prompt."""

    prompt: str
    line: str


class TableLine(str):
    """A line of a table, which is never wrapped."""

    __slots__ = ()


class TranscriptEntry:
    """A line entered under its prompt, and the lines that it printed.

    Attributes:
        output: the last MOST_LINES lines printed.
        printed: the number of lines printed.
        said: the first MOST_SAID lines that no pane shows, without empty ones.
        is_on_page: True if a page of its own shows the answer.
        records: RBAs of the last two records displayed.
        has_failed: True if a command of the line has failed.
        is_step: True if the line leads to a place of an earlier answer, which the output page goes on to show.
    """

    def __init__(self, prompt: str, line: str) -> None:
        self.prompt = prompt
        self.line = line
        self.output: deque[str | Answer] = deque(maxlen=MOST_LINES)
        self.printed = 0
        self.said: list[str] = []
        self.is_on_page = self.has_failed = self.is_step = False
        self.records: deque[int] = deque(maxlen=2)

    def print(self, line: str | Answer, *, is_elsewhere: bool = False) -> None:
        """Append a line of output; ``is_elsewhere`` if a pane shows it too."""
        self.output.append(line)
        self.printed += 1
        if not is_elsewhere and len(self.said) < MOST_SAID and (text := _shown(line)):
            self.said.append(text)

    @property
    def is_long(self) -> bool:
        """True if the answer has more lines than those that report a new position."""
        return len(self.said) > _SHORT

    @property
    def dropped(self) -> int:
        """The number of lines that are no longer kept."""
        return self.printed - len(self.output)

    def lines(self) -> list[str]:
        """Return the entry as a terminal shows it."""
        gone = [f"({self.dropped} lines before are not kept; LOG <filename> keeps all.)"] if self.dropped else []
        return [f"{self.prompt}{self.line}", *gone, *map(_shown, list(self.output))]


def _shown(line: str | Answer) -> str:
    return line if isinstance(line, str) else f"{line.prompt}{line.line}"


class Transcript:
    """The entries of a session, oldest first; about MOST_LINES lines are kept."""

    def __init__(self) -> None:
        self.entries: list[TranscriptEntry] = []

    def begin(self, prompt: str, line: str) -> TranscriptEntry:
        """Begin an entry; the oldest are dropped while there are too many lines."""
        while len(self.entries) > 1 and sum(len(entry.output) + 1 for entry in self.entries) > MOST_LINES:
            del self.entries[0]
        self.entries.append(TranscriptEntry(prompt, line))
        return self.entries[-1]

    @property
    def last(self) -> TranscriptEntry | None:
        """The newest entry, None if there is none."""
        return self.entries[-1] if self.entries else None

"""What was entered and what came back: the same lines that line mode would have printed."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

MOST_LINES = 20_000


class Answer(NamedTuple):
    """A line that a command asked for, under the command's own prompt."""

    prompt: str
    line: str


class Entry:
    """One line entered under its prompt, and the lines that it printed."""

    def __init__(self, prompt: str, line: str) -> None:
        self.prompt = prompt
        self.line = line
        self.output: deque[str | Answer] = deque(maxlen=MOST_LINES)
        self.printed = 0

    def print(self, line: str | Answer) -> None:
        """Take one more line of output in; of very many the last are kept."""
        self.output.append(line)
        self.printed += 1

    @property
    def dropped(self) -> int:
        """Lines of output that are gone."""
        return self.printed - len(self.output)

    def lines(self) -> list[str]:
        """The entry as a terminal shows it."""
        gone = [f"({self.dropped} lines before are not kept; LOG <filename> keeps all.)"] if self.dropped else []
        shown = [one if isinstance(one, str) else f"{one.prompt}{one.line}" for one in list(self.output)]
        return [f"{self.prompt}{self.line}", *gone, *shown]


class Transcript:
    """The entries of a session, oldest first; the newest lines are kept."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []

    def begin(self, prompt: str, line: str) -> Entry:
        """Start an entry; the oldest go when there are too many lines."""
        while len(self.entries) > 1 and sum(len(one.output) + 1 for one in self.entries) > MOST_LINES:
            del self.entries[0]
        self.entries.append(Entry(prompt, line))
        return self.entries[-1]

    @property
    def last(self) -> Entry | None:
        """The newest entry."""
        return self.entries[-1] if self.entries else None

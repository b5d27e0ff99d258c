"""Places on the screen: the lines that lead to them, the words of the cursor in lines, letters of marks, jumps."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from logdump.notation.times import iso_time
from trailformat import TrailName
from trailformat.trail.sequence import FilePosition

NO_PLACE = "This line is about no place."
NO_NAME = "The name of its file cannot be entered."


def open_line(path: Path) -> str:
    """Return the line that opens a file; empty if its name cannot be entered."""
    text = str(path)
    return f'OPEN "{text}"' if '"' not in text and text.isprintable() else ""


def line_to(position: FilePosition | None, here: Path | None) -> tuple[str, str]:
    """Return the line that goes to a record, with OPEN unless its file is ``here``; why there is none, or empty."""
    if position is None:
        return "", NO_PLACE
    if here is not None and position.path.absolute() == here.absolute():
        return f"POS {position.rba}", ""
    opening = open_line(position.path)
    return (f"{opening}; POS {position.rba}", "") if opening else ("", NO_NAME)


class WordsOfCursor(NamedTuple):
    """The record under the cursor of the list, and the Julian time under that of the timeline; None without one."""

    position: FilePosition | None
    time: int | None

    def filled(self, text: str) -> tuple[str, str]:
        """Return a line with its words replaced, and the first word that has no value, empty if all have."""
        name = TrailName.parse(self.position.path) if self.position is not None else None
        values = {
            "seqno": name and str(name.seqno),
            "rba": self.position and str(self.position.rba),
            "time": iso_time(self.time) if self.time is not None else None,
        }
        for word, value in values.items():
            if f"<{word}>" not in text:
                continue
            if value is None:
                return text, word
            text = text.replace(f"<{word}>", value)
        return text, ""


_BACK = "'"


class MarkLetters:
    """Waits for the letter of a mark, and keeps the position from which the last jump to a mark began."""

    def __init__(self) -> None:
        self._purpose = ""
        self.came_from: FilePosition | None = None

    def begin(self, purpose: str) -> None:
        """Expect the letter of a mark: with ``mark`` to mark a record, with ``go`` to go to one."""
        self._purpose = purpose

    def take(self, letter: str, here: FilePosition | None) -> str | FilePosition | None:
        """Return the line for a letter, empty if it is not valid; a place to go back to; None if none is expected."""
        purpose, self._purpose = self._purpose, ""
        if not purpose or here is None:
            return None
        if purpose == "mark":
            return f"MARK {letter}" if letter.isalnum() else ""
        if letter.isalnum():
            self.came_from = here
            return f"POSITION MARK {letter}"
        if letter == _BACK and self.came_from is not None:
            back, self.came_from = self.came_from, here
            return back
        return ""


_MOST = 100


class Jumps:
    """Keeps the position of the cursor before each line that moved it further than to the next row."""

    def __init__(self) -> None:
        self._places: list[FilePosition] = []
        self._waiting: dict[int, tuple[FilePosition, int]] = {}

    def begin(self, number: int, here: FilePosition | None, end: int) -> None:
        """Note the row of the cursor, from ``here`` to ``end``, when a line is entered."""
        if here is not None:
            self._waiting[number] = here, end

    def end(self, number: int, now: FilePosition | None) -> None:
        """Keep that position if the line has moved the cursor further than to the next row."""
        came_from, end = self._waiting.pop(number, (None, 0))
        if came_from is not None and now not in (None, came_from, came_from._replace(rba=end)):
            self._places = [*self._places[-_MOST:], came_from]

    def back(self) -> FilePosition | None:
        """Remove and return the last position, None if there is none."""
        return self._places.pop() if self._places else None

"""Places that keys go to or speak of: marks, jumps back, what is under the cursor."""

from __future__ import annotations

from typing import NamedTuple

from logdump.notation.times import iso_time
from trailformat import TrailName
from trailformat.trail.sequence import Spot


class WordsOfCursor(NamedTuple):
    """The record under the cursor of the list, and the time (Julian) under that of the timeline; None without."""

    spot: Spot | None
    time: int | None

    def filled(self, text: str) -> tuple[str, str]:
        """A line with its words replaced, and the first word for which there is nothing; else an empty one."""
        name = TrailName.parse(self.spot.path) if self.spot is not None else None
        values = {
            "seqno": name and str(name.seqno),
            "rba": self.spot and str(self.spot.rba),
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
    """Waits for the letter of a mark, and remembers from where a jump to a mark began."""

    def __init__(self) -> None:
        self._purpose = ""
        self.came_from: Spot | None = None

    def begin(self, purpose: str) -> None:
        """Have the next key be the letter of a mark: to ``mark`` a record, or to ``go`` to one."""
        self._purpose = purpose

    def take(self, letter: str, here: Spot | None) -> str | None:
        """The line for a letter typed at a place, empty where it means nothing; None where no letter is awaited."""
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
            return f"POS {back.rba}" if back.path == here.path else f'OPEN "{back.path}"; POS {back.rba}'
        return ""


_MOST = 100


class Jumps:
    """Remembers where the cursor was before each line that moved it further than to the next row."""

    def __init__(self) -> None:
        self._places: list[Spot] = []
        self._waiting: dict[int, tuple[Spot, int]] = {}

    def begin(self, number: int, here: Spot | None, end: int) -> None:
        """A line was entered, with the cursor on the row from here to ``end``."""
        if here is not None:
            self._waiting[number] = here, end

    def end(self, number: int, now: Spot | None) -> None:
        """That line has ended, with the cursor there."""
        came_from, end = self._waiting.pop(number, (None, 0))
        if came_from is not None and now not in (None, came_from, came_from._replace(rba=end)):
            self._places = [*self._places[-_MOST:], came_from]

    def back(self) -> Spot | None:
        """The last place, which is forgotten; None where there is none."""
        return self._places.pop() if self._places else None

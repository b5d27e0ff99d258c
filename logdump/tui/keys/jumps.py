"""The places from which lines have moved the cursor: Ctrl+O goes back to the last one."""

from __future__ import annotations

from logdump.language.words import first_word
from trailformat.trail.sequence import Spot

_MOST = 100
_STEPS = frozenset({"N", "NEXT"})
"""Commands whose moves are steps, not jumps."""


class Jumps:
    """Remembers where the cursor was before each line that moved it elsewhere."""

    def __init__(self) -> None:
        self._places: list[Spot] = []
        self._waiting: dict[int, Spot] = {}

    def begin(self, number: int, line: str, here: Spot | None) -> None:
        """A line was entered, with the cursor here."""
        if here is not None and first_word(line)[0].upper() not in _STEPS:
            self._waiting[number] = here

    def end(self, number: int, now: Spot | None) -> None:
        """That line has ended, with the cursor there."""
        came_from = self._waiting.pop(number, None)
        if came_from is not None and now is not None and came_from != now:
            self._places = [*self._places[-_MOST:], came_from]

    def back(self) -> Spot | None:
        """The last place, which is forgotten; None where there is none."""
        return self._places.pop() if self._places else None

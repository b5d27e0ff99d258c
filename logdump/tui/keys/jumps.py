"""The places from which lines have moved the cursor: Ctrl+O goes back to the last one."""

from __future__ import annotations

from trailformat.trail.sequence import Spot

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

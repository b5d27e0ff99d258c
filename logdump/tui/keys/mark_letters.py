"""The letter that follows ``m`` or ``'``: the line that it stands for."""

from __future__ import annotations

from trailformat.trail.sequence import Spot

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

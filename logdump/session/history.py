"""The history of entered lines, by number."""

from __future__ import annotations

from collections.abc import Iterable

MOST_KEPT = 1000


class History:
    """The entered lines; the newest 1000 are kept, and their numbers continue.

    Attributes:
        lines: oldest first.
        number: number of the next line.
    """

    def __init__(self, lines: Iterable[str] = (), number: int | None = None) -> None:
        self.lines = list(lines)[-MOST_KEPT:]
        self.number = len(self.lines) + 1 if number is None else number

    @property
    def first(self) -> int:
        """The number of the oldest line kept."""
        return self.number - len(self.lines)

    def append(self, line: str) -> None:
        """Append a line."""
        self.lines.append(line)
        self.number += 1
        del self.lines[:-MOST_KEPT]

    def replace_last(self, line: str) -> None:
        """Put a line in the place of the one entered last, under its number."""
        self.lines[-1:] = [line]

    def clear(self) -> None:
        """Forget all lines; the numbers start at 1 again."""
        self.lines.clear()
        self.number = 1

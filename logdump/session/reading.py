"""Completeness of a reading: only a complete one allows a verdict."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from logdump.notation.plural import amount
from logdump.session.errors import ExitStatus

if TYPE_CHECKING:
    from trailformat.transactions.whole_trail import WholeTrail


class Reading(NamedTuple):
    """The gaps of a reading.

    Attributes:
        is_stopped: True if Ctrl+C ended it; ``where`` it was then.
        damaged: number of places of damage; an incomplete record at the end of a growing trail does not count.
        unreadable: number of files that are not trail files.
        missing: number of gaps in the file numbers.
    """

    is_stopped: bool = False
    damaged: int = 0
    unreadable: int = 0
    missing: int = 0
    where: str = "before the end"

    @property
    def is_partial(self) -> bool:
        """True if anything is missing: there are findings then, and no verdict."""
        return bool(self.is_stopped or self.damaged or self.unreadable or self.missing)

    @property
    def status(self) -> ExitStatus:
        """The exit status that the gaps imply."""
        if self.is_stopped:
            return ExitStatus.INTERRUPTED
        return ExitStatus.BAD_DATA if self.is_partial else ExitStatus.OK

    @property
    def text(self) -> str:
        """The sentence that goes before the findings of a partial one."""
        reasons = "; ".join(self._reasons())
        return f"{reasons[:1].upper()}{reasons[1:]}: this is partial, without a verdict."

    def _reasons(self) -> Iterator[str]:
        if self.is_stopped:
            yield f"stopped {self.where}"
        if self.damaged:
            yield f"damage at {amount(self.damaged, 'place')}"
        if self.unreadable:
            yield f"{amount(self.unreadable, 'file')} not read"
        if self.missing:
            yield f"files missing at {amount(self.missing, 'place')}"


def reading_of(whole: WholeTrail, damaged: int) -> Reading:
    """Return the gaps of a reading of a whole trail with ``damaged`` places of damage."""
    return Reading(damaged=damaged, unreadable=len(whole.unreadable), missing=len(whole.gaps))

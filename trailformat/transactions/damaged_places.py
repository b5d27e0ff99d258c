"""Places of damage as a walk over the transactions of a trail comes to them, each once."""

from __future__ import annotations

from trailformat.transactions.extent import Damage, Extent, Restart
from trailformat.transactions.whole_trail import TrailPosition, WholeTrail


class DamagedPlaces:
    """Counts places of damage.

    A walk yields damage between transactions as it comes to it, and once more with a transaction whose beginning it
    may hide. Half a record is damage unless the trail ends with it.

    Attributes:
        number: the places so far.
    """

    def __init__(self, whole: WholeTrail) -> None:
        self._whole = whole
        self._last = TrailPosition(-1, 0)
        self.number = 0

    def take(self, one: Extent | Damage | Restart) -> list[Damage]:
        """Take in what the walk yields next; returns the damage that is new with it."""
        damages = [one] if isinstance(one, Damage) else one.damage if isinstance(one, Extent) else ()
        found = []
        for damage in damages:
            place = TrailPosition(self._whole.ordinals[damage.path], damage.rba)
            if place > self._last and not (damage.is_partial and self._whole.is_newest(place.ordinal)):
                self._last = place
                found.append(damage)
        self.number += len(found)
        return found

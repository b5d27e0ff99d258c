"""Positions around an RBA at which a Replicat can be restarted, and the transactions that it then applies.

A transaction that a restart of Extract has cut is not applied at its begin: Extract writes it again, whole. To skip it,
a Replicat must start after its whole copy:

    RBA 2722  first   begin              to apply it: start here
        2913  middle
        3083  RestartAbend   marker      a Replicat drops the records before
        3130  first                      the same transaction, from its begin
        3502  last
        3691                             to skip it: start here

CSNs rise along a trail, and a Replicat skips transactions with a CSN not above the last one that it has applied
(FILTERDUPTRANSACTIONS, its default). So copies matter only up to the first whole transaction with a greater CSN.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from trailformat.trail.file import TrailFile
from trailformat.trail.sequence import FilePosition, next_file
from trailformat.transactions.applied import TransactionName
from trailformat.transactions.around import check_reader_may_begin, start_at
from trailformat.transactions.extent import Damage, Ended, Extent, Restart, Walked
from trailformat.transactions.extents import TransactionWalk
from trailformat.transactions.not_applied import NotApplied
from trailformat.transactions.whole_trail import WholeTrail

MOST_LISTED = 100
"""Maximum number of further occurrences of the transaction that are kept."""
MOST_BETWEEN = 10_000
"""Maximum number of other transactions whose positions are kept."""

_DROPPED = frozenset({Ended.CUT, Ended.OVERTAKEN})


class RestartPlaces(NamedTuple):
    """The positions around an RBA of a file at which a Replicat can be started.

    Attributes:
        asked: the given position.
        extent: the transaction that is open or begins there; None between two transactions.
        again: further occurrences of that transaction, in trail order, cut or whole.
        whole: the first whole occurrence, which may be ``extent`` itself; None if none was found.
        leave_out: the position from which a Replicat does not apply it; None if its end has not been written.
        others: number of other transactions that a Replicat started at ``leave_out`` misses, but would apply otherwise.
        damage: the first damage at or after the given position, up to the end of the transaction that is open there, or
            without one up to the next row.
    """

    asked: FilePosition
    extent: Extent | None = None
    again: tuple[Extent, ...] = ()
    whole: Extent | None = None
    leave_out: FilePosition | None = None
    others: int = 0
    damage: Damage | None = None

    @property
    def is_begin(self) -> bool:
        """True if a transaction begins at the given position."""
        return self.extent is not None and self.extent.begin == self.asked

    @property
    def is_dropped(self) -> bool:
        """True if a Replicat drops the transaction there, because it is never completed: it was cut."""
        return self.extent is not None and self.extent.ended in _DROPPED

    @property
    def is_safe(self) -> bool:
        """True if a Replicat started at the given position applies no transaction in part and misses none.

        This is so between two transactions, at the begin of one, and after the last record of a cut one; but not before
        damage, at which the Replicat abends.
        """
        extent = self.extent
        if self.damage is not None:
            return False
        return extent is None or self.is_begin or (extent.before == extent.records and extent.after is not None)


class RestartSearch:
    """The search for the restart positions around an RBA.

    Args:
        trail: the file; other files of its trail are opened when needed.
        rba: the RBA of a record, of damage or of the end of the file.

    Raises:
        BadRecord: ``rba`` is inside a record, complete or not, or outside the file.
    """

    def __init__(self, trail: TrailFile, rba: int) -> None:
        self._trail = trail
        self._asked = FilePosition(trail.path, rba)
        check_reader_may_begin(trail, rba)
        self._start = start_at(trail, rba)
        self._extent: Extent | None = None
        self._name: TransactionName | None = None
        self._again: list[Extent] = []
        self._whole: Extent | None = None
        self._leave_out: FilePosition | None = None
        self._is_at_edge = False
        self._between: list[FilePosition] = []
        self._others = 0
        self._damage: Damage | None = None
        self._files: dict[Path, int] = {}

    def run(self) -> Iterator[Walked]:
        """Read as far as the answer requires; yield the progress.

        Raises:
            NotATrail: a file is not a trail file.
            CannotRead: a file cannot be read.
        """
        spot = self._start.spot
        self._files[spot.path] = 0
        missing, following = self._start.missing, self._following
        walk = TransactionWalk(self._trail, spot, asked=self._asked, missing=missing, following=following)
        steps = walk.steps()
        for item in steps:
            if isinstance(item, Walked):
                yield item
            elif self._begin(item):
                break
        if self._extent is not None and self._extent.after is not None:
            yield from self._look_ahead(steps)

    def places(self) -> RestartPlaces:
        """Return the result; valid after ``run``."""
        return RestartPlaces(
            self._asked,
            self._extent,
            tuple(self._again),
            self._whole,
            self._leave_out,
            self._others,
            self._damage,
        )

    def _begin(self, item: Extent | Damage | Restart) -> bool:
        """Add the next item at the given position; return True once the transaction there, or its absence, is known."""
        if isinstance(item, Damage):
            if self._damage is None and self._is_ahead(item):
                self._damage = item
            return False
        if isinstance(item, Restart) or not self._start.holds(item):
            return True
        self._extent, self._leave_out, self._is_at_edge = item, item.after, True
        self._whole = item if item.is_whole else None
        self._damage = next((damage for damage in item.damage if self._is_ahead(damage)), None)
        self._name = TransactionName.of(*item.transaction)
        return True

    def _following(self, path: Path) -> tuple[Path | None, Path | None]:
        """Return the result of ``next_file`` and note the order of the files."""
        following, missing = next_file(path)
        if following is not None:
            self._files[following] = len(self._files)
        return following, missing

    def _is_ahead(self, damage: Damage) -> bool:
        """Return True if damage is at or after the given position; an incomplete record is no damage."""
        if damage.path == self._asked.path:
            return damage.rba >= self._asked.rba and not damage.is_partial
        ordinal = self._files.get(self._asked.path)
        return ordinal is not None and self._files[damage.path] > ordinal and not damage.is_partial

    def _look_ahead(self, steps: Iterator[Extent | Damage | Restart | Walked]) -> Iterator[Walked]:
        """Read the items directly after the transaction, and its copies."""
        for item in steps:
            if isinstance(item, Walked):
                yield item
            elif self._takes_last(item):
                return

    def _takes_last(self, item: Extent | Damage | Restart) -> bool:
        """Add the next item; return True if no later item can change the answer."""
        if isinstance(item, Restart):
            self._is_at_edge = False
        elif isinstance(item, Damage):
            self._move_over(item)
        elif item.begin is None:
            self._leave_out = item.after if self._is_at_edge else self._leave_out
        elif self._name is not None and self._name.names(item.transaction):
            self._take_copy(item)
        else:
            self._is_at_edge = False
            return self._name is None or self._take_other(item, self._name)
        return False

    def _move_over(self, damage: Damage) -> None:
        if self._is_at_edge and not damage.is_partial:
            self._leave_out = FilePosition(damage.path, damage.rba + damage.length)

    def _take_copy(self, extent: Extent) -> None:
        self._is_at_edge = extent.is_whole
        if len(self._again) < MOST_LISTED:
            self._again.append(extent)
        if extent.is_whole:
            self._whole = self._whole or extent
            self._leave_out = extent.after
            self._others += self._applied_between()

    def _take_other(self, extent: Extent, name: TransactionName) -> bool:
        if not extent.is_whole or extent.begin is None:
            return False
        if len(self._between) < MOST_BETWEEN:
            self._between.append(extent.begin)
        is_awaited = self._whole is None and self._extent is not None and self._extent.ended in _DROPPED
        return name.is_passed_at(extent.transaction.csn) and not is_awaited

    def _applied_between(self) -> int:
        """Return the number of transactions since the last occurrence that are not copies, by a pass over the trail."""
        between, self._between = self._between, []
        if not between:
            return 0
        not_applied = NotApplied(WholeTrail.around(self._trail.path), past_damage=True)
        return sum(not not_applied.holds(spot) for spot in between)


def restart_places(trail: TrailFile, rba: int) -> RestartPlaces:
    """Return the restart positions around an RBA. Raises like RestartSearch and its ``run``."""
    search = RestartSearch(trail, rba)
    for _ in search.run():
        pass
    return search.places()

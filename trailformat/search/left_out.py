"""Where a trail holds transactions that a Replicat does not apply, as ranges of RBAs in its files."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from pathlib import Path
from typing import NamedTuple

from trailformat.scan import Workers
from trailformat.search.effective import EffectiveTrail
from trailformat.search.lots import Lot
from trailformat.search.whole_trail import FIRST_PLACE, TrailPlace, WholeTrail
from trailformat.search.whole_walk import lots_of
from trailformat.trail.sequence import Spot

END_OF_FILE = (1 << 63) - 1
MOST_TOLD = 10_000
"""Of so many copies it is known where the first one stands."""


class Ranges(NamedTuple):
    """Ranges of RBAs in one file, in order: the rows of transactions in them are not applied."""

    starts: array[int]
    stops: array[int]

    def hold(self, rba: int) -> bool:
        """Whether an RBA lies in one of them."""
        at = bisect_right(self.starts, rba) - 1
        return at >= 0 and rba < self.stops[at]

    def within(self, start: int, stop: int) -> Ranges:
        """Those that reach into the RBAs from ``start`` to before ``stop``."""
        first, end = bisect_right(self.stops, start), bisect_left(self.starts, stop)
        return Ranges(self.starts[first:end], self.stops[first:end])


NO_RANGES = Ranges(array("q"), array("q"))


class LeftOut:
    """The ranges of a whole trail, found by one pass; neighbours are one range, so that a copied file is one.

    The pass goes as far as an answer needs.

    Args:
        whole: the trail.
        workers: threads that help.
    """

    def __init__(self, whole: WholeTrail, workers: Workers | None = None) -> None:
        self._whole = whole
        self._ranges: dict[int, Ranges] = {}
        self._run: tuple[TrailPlace, TrailPlace] | None = None
        self._firsts: dict[TrailPlace, TrailPlace] = {}
        self._judge = EffectiveTrail(whole)
        self._lots = lots_of(whole, FIRST_PLACE, workers)
        self._reached = TrailPlace(-1, 0)

    def of(self, path: Path) -> Ranges:
        """The ranges of a file."""
        for lot in self._lots:
            self._take(lot)
        self._end_run()
        return self._ranges.get(self._whole.ordinals.get(path, -1), NO_RANGES)

    def holds(self, spot: Spot) -> bool:
        """Whether the transaction that begins at a place is not applied; the trail is read up to there."""
        ordinal = self._whole.ordinals.get(spot.path)
        if ordinal is None:
            return False
        place = TrailPlace(ordinal, spot.rba)
        while self._reached < place and (lot := next(self._lots, None)) is not None:
            self._take(lot)
        if self._run is not None and self._run[0] <= place < self._run[1]:
            return True
        return self._ranges.get(ordinal, NO_RANGES).hold(spot.rba)

    def first_copy(self, spot: Spot) -> Spot | None:
        """Where a copy that begins at a place stands first, whole; None where that is not known."""
        first = self._firsts.get(TrailPlace(self._whole.ordinals.get(spot.path, -1), spot.rba))
        return Spot(self._whole.paths[first.ordinal], first.rba) if first is not None else None

    def _take(self, lot: Lot) -> None:
        copies = {one.row: one.copy_of for one in self._judge.judge(lot) if one.copy_of is not None}
        for row, first in copies.items():
            if len(self._firsts) < MOST_TOLD:
                self._firsts[lot.first(row)] = first
        before = -1
        for row in sorted({*lot.not_whole(), *copies}):
            if row != before + 1:
                self._end_run()
            first, after = lot.first(row), lot.after(row) or TrailPlace(len(self._whole), 0)
            self._run = (self._run[0] if self._run else first, after)
            before = row
        if before != lot.rows - 1:
            self._end_run()
        if lot.rows:
            self._reached = lot.first(lot.rows - 1)

    def _end_run(self) -> None:
        """Note the run of transactions that are not applied, from the first record to behind the last."""
        if self._run is None:
            return
        (start, after), self._run = self._run, None
        for ordinal in range(start.ordinal, min(after.ordinal, len(self._whole) - 1) + 1):
            ranges = self._ranges.setdefault(ordinal, Ranges(array("q"), array("q")))
            ranges.starts.append(start.rba if ordinal == start.ordinal else 0)
            ranges.stops.append(after.rba if ordinal == after.ordinal else END_OF_FILE)

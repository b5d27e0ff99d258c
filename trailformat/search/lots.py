"""Transactions of a whole trail as columns: where each begins and ends, how it ended, its CSN.

    for lot in lots_of(WholeTrail.around("dirdat/lt000000000")):
        for row in range(len(lot)):
            print(lot.begin(row), lot.ended(row), lot.csns[row])

The rule is that of :mod:`trailformat.search.transaction_walk`, which does the work in plain Python; with numpy it is
done by columns, and the tests hold the two together.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from trailformat.records.io_types import RESTARTS
from trailformat.scan import Column, Engine, Texts, Workers
from trailformat.search.transaction_walk import Damage, Ended, Extent, Restart, TransactionWalk
from trailformat.search.whole_trail import FIRST_PLACE, Place, WholeTrail
from trailformat.trail.sequence import Spot

ENDINGS = tuple(Ended)
"""What the numbers in the column ``endings`` mean."""
LAST = ENDINGS.index(Ended.LAST)
NOWHERE = -1
"""In place of an RBA that is not there."""
_MOST_ROWS = 4096


class Mark(NamedTuple):
    """What stands between transactions or in them: a restart record, a file's beginning, or damage.

    Attributes:
        place: where it begins.
        after: the RBA behind it.
        io_type: of a restart record; 0 for a file's beginning, -1 for damage, -2 for half a record at the very end.
        time: IO Time of a restart record (Julian).
    """

    place: Place
    after: int
    io_type: int
    time: int = 0

    @property
    def is_restart(self) -> bool:
        """Whether it says that Extract was started again."""
        return self.io_type in RESTARTS


BEGIN_OF_FILE, DAMAGE, HALF_A_RECORD = 0, -1, -2


class Columns(NamedTuple):
    """One row for each transaction of a lot.

    Attributes:
        first_file, first_rba: its first record that was found.
        has_begin: whether that is where it begins.
        after_file, after_rba: the first place behind it, and behind the marker that cut it; NOWHERE while it is open.
        records, sizes: how many records it has, and their bytes.
        endings: how it ended, by ENDINGS.
    """

    first_file: Column
    first_rba: Column
    has_begin: Column
    after_file: Column
    after_rba: Column
    records: Column
    sizes: Column
    endings: Column


class Lot(NamedTuple):
    """Transactions in the order in which they ended, and what stands among them.

    Attributes:
        columns: of them.
        csns, xids: LOGCSN and TRANID of the first record of each.
        marks: in the order of the trail; a transaction that has ended before one is in this lot or an earlier one.
        carried: so many of the first transactions began in an earlier lot.
        texts: LOGCSN of the others, where they are a column.
    """

    columns: Columns
    csns: Sequence[str | None]
    xids: Sequence[str | None]
    marks: Sequence[Mark]
    carried: int = 0
    texts: Texts | None = None

    @property
    def rows(self) -> int:
        """How many transactions there are."""
        return len(self.csns)

    def first(self, row: int) -> Place:
        """The first record of a transaction that was found."""
        return Place(int(self.columns.first_file[row]), int(self.columns.first_rba[row]))

    def begin(self, row: int) -> Place | None:
        """Its first record; None when that is not there."""
        return self.first(row) if self.columns.has_begin[row] else None

    def after(self, row: int) -> Place | None:
        """The first place behind it; None while it is open."""
        rba = int(self.columns.after_rba[row])
        return Place(int(self.columns.after_file[row]), rba) if rba != NOWHERE else None

    def ended(self, row: int) -> Ended:
        """How it ended."""
        return ENDINGS[self.columns.endings[row]]

    def is_whole(self, row: int) -> bool:
        """Whether its first and its last record are there, and nothing between was lost."""
        return bool(self.columns.has_begin[row]) and self.columns.endings[row] == LAST


def lots_of(whole: WholeTrail, start: Place = FIRST_PLACE, workers: Workers | None = None) -> Iterator[Lot]:
    """The transactions from a place on, where a record begins and none is open.

    Raises:
        NotATrail: a file cannot be read any more.
    """
    if whole.engine is Engine.NUMBA:
        from trailformat.search.lots_by_columns import lots_by_columns  # noqa: PLC0415 - it needs numpy

        return lots_by_columns(whole.batches(start, workers))
    return _RowWalk(whole, start).lots()


class _Rows:
    """A lot while it is gathered."""

    def __init__(self) -> None:
        self._columns = [array(code) for code in "qqBqqqqB"]
        self._csns: list[str | None] = []
        self._xids: list[str | None] = []
        self.marks: list[Mark] = []

    def __len__(self) -> int:
        return len(self._csns)

    def add(self, whole: WholeTrail, extent: Extent) -> None:
        """Take a transaction in, and the damage in it."""
        if extent.first is None:
            return
        first, after = _place(whole, extent.first), _place(whole, extent.after) if extent.after else None
        ending = ENDINGS.index(extent.ended)
        values = (*first, extent.begin is not None, *(after or (NOWHERE, NOWHERE)), extent.records, extent.size, ending)
        for column, value in zip(self._columns, values, strict=True):
            column.append(value)
        self._csns.append(extent.transaction.csn)
        self._xids.append(extent.transaction.xid)

    def lot(self) -> Lot:
        """What there is."""
        return Lot(Columns(*self._columns), self._csns, self._xids, self.marks)


def _place(whole: WholeTrail, spot: Spot) -> Place:
    return Place(whole.ordinals[spot.path], spot.rba)


class _RowWalk:
    """The lots in plain Python: one walk for each stretch of files."""

    def __init__(self, whole: WholeTrail, start: Place) -> None:
        self._whole, self._start = whole, start
        self._rows = _Rows()
        self._ordinal = start.ordinal

    def lots(self) -> Iterator[Lot]:
        """All of them."""
        ordinal = self._start.ordinal
        while ordinal < len(self._whole):
            self._ordinal = ordinal
            yield from self._stretch(ordinal)
            ordinal = self._ordinal + 1

    def _stretch(self, ordinal: int) -> Iterator[Lot]:
        trail = self._whole.open(ordinal)
        if trail is None:
            return
        with trail:
            start = Spot(trail.path, self._start.rba if ordinal == self._start.ordinal else 0)
            self._rows.marks.append(Mark(Place(ordinal, 0), 0, BEGIN_OF_FILE))
            for one in TransactionWalk(trail, start, following=self._following):
                self._take(one)
                is_cut = isinstance(one, Extent) and one.marker is not None
                if len(self._rows) >= _MOST_ROWS and not is_cut:
                    yield self._lot()
        yield self._lot()

    def _following(self, path: Path) -> tuple[Path | None, Path | None]:
        following, missing = self._whole.following(path)
        if following is not None:
            self._ordinal = self._whole.ordinals[following]
            self._rows.marks.append(Mark(Place(self._ordinal, 0), 0, BEGIN_OF_FILE))
        return following, missing

    def _take(self, one: Extent | Damage | Restart) -> None:
        if isinstance(one, Extent):
            self._rows.add(self._whole, one)
            for damage in one.damage:
                self._mark_damage(damage)
        elif isinstance(one, Damage):
            self._mark_damage(one)
        else:
            self._rows.marks.append(Mark(_place(self._whole, one.spot), one.after, one.io_type, one.time))

    def _mark_damage(self, damage: Damage) -> None:
        place = _place(self._whole, Spot(damage.path, damage.rba))
        is_half = damage.is_partial and self._whole.is_newest(place.ordinal)
        mark = Mark(place, damage.rba + damage.length, HALF_A_RECORD if is_half else DAMAGE)
        if mark not in self._rows.marks:
            self._rows.marks.append(mark)

    def _lot(self) -> Lot:
        rows, self._rows = self._rows, _Rows()
        rows.marks.sort()
        return rows.lot()

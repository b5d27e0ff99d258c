"""Transactions of two trails that have the same bytes, found by columns, many at a time."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, zip_longest
from typing import TYPE_CHECKING, NamedTuple

from logdump.features.diff.model import DiffLevel
from logdump.features.diff.side import NOT_FINISHED, Side, SideTransactions
from trailformat.codec.on_demand import on_demand
from trailformat.transactions.batches import ENDINGS, NOWHERE, TransactionBatch
from trailformat.transactions.whole_trail import TrailPosition

with on_demand:
    import numpy as np

if TYPE_CHECKING:
    from trailformat.scan import StringColumn
    from trailformat.scan.rows.row_bytes import Array

_MOST_PAIRS = 1 << 14
"""Maximum number of pairs that are looked at together."""
_MOST_BYTES = 8 << 20
"""Bytes up to which several pairs are looked at together."""

_LONGEST_NAME = 64
"""Bytes of a name, longer than those of any known source; a longer one is compared by itself."""


class _Ahead(NamedTuple):
    """Transactions of a side by columns: of one file, except for those that are odd.

    Attributes:
        ordinal: the file.
        firsts, afters: the RBA of each, and the first RBA after it.
        facts: what must be equal of two transactions, a row for each fact.
        is_irregular: a mask of those that are compared one by one.
        csns, xids: their names.
    """

    ordinal: int
    firsts: Array
    afters: Array
    facts: Array
    is_irregular: Array
    csns: StringColumn
    xids: StringColumn

    def part(self, stop: int) -> _Ahead:
        """Return the transactions before an index."""
        columns = self.firsts[:stop], self.afters[:stop], self.facts[:, :stop], self.is_irregular[:stop]
        return _Ahead(self.ordinal, *columns, self.csns.part(0, stop), self.xids.part(0, stop))

    @property
    def place(self) -> TrailPosition:
        """The position of the first transaction."""
        return TrailPosition(self.ordinal, int(self.firsts[0]))


def _ahead(batch: TransactionBatch, rows: Array) -> _Ahead | None:
    """Return transactions of a batch by columns; None if it has no columns of all names, or one began before it."""
    if batch.texts is None or batch.xid_texts is None or rows[0] < batch.carried:
        return None
    columns = [np.asarray(column)[rows] for column in batch.columns]
    first_file, firsts, _, after_file, afters, records, sizes, endings = columns
    csns, xids = (texts.take(rows - batch.carried) for texts in (batch.texts, batch.xid_texts))
    is_cut = np.isin(endings, [ENDINGS.index(ended) for ended in NOT_FINISHED])
    is_irregular = (after_file != first_file) | (afters == NOWHERE)
    is_irregular |= (np.asarray(csns.sizes) > _LONGEST_NAME) | (np.asarray(xids.sizes) > _LONGEST_NAME)
    is_irregular[[*csns.known, *xids.known]] = True
    facts = np.stack([np.asarray(fact) for fact in (records, sizes, afters - firsts, is_cut, csns.sizes, xids.sizes)])
    return _Ahead(int(first_file[0]), firsts, afters, facts, is_irregular, csns, xids)


class EqualRuns:
    """Finds the transactions that come next on both sides and are equal, each to its counterpart.

    Args:
        a, b: the sides, of which all records are compared.
        level: the level of the comparison; for BYTES the definitions do not matter.
    """

    def __init__(self, a: Side, b: Side, level: DiffLevel) -> None:
        self._rows = a.rows, b.rows
        self._has_meaning = level is not DiffLevel.BYTES
        self._looked: tuple[_Place, _Place] | None = None
        self._are_equal: Array | None = None

    def count(self, a: SideTransactions, b: SideTransactions) -> int:
        """Return the number of the next transactions that are equal; if it is not 0, more may be.

        Both sides must be ready. What was found out is kept while both go on by the same number.

        Raises:
            TrailError: a file can no longer be read.
        """
        known = self._known(a, b)
        if known is None or not len(known):
            known = self._are_equal = self._look(a, b)
            self._looked = _Place(a.batch, a.place), _Place(b.batch, b.place)
        return len(known) if known.all() else int(known.argmin())

    def _known(self, a: SideTransactions, b: SideTransactions) -> Array | None:
        """Return what is known of the next pairs."""
        if self._looked is None or self._are_equal is None:
            return None
        before, other = self._looked
        index = a.place - before.place
        is_same = before.batch is a.batch and other.batch is b.batch and index == b.place - other.place
        return self._are_equal[index:] if is_same else None

    def _look(self, a: SideTransactions, b: SideTransactions) -> Array:
        """Return a mask of the equal ones of some of the next pairs."""
        count = min(len(a.rows) - a.place, len(b.rows) - b.place, _MOST_PAIRS)
        ahead, other = (_next_ones(side, count) for side in (a, b))
        if ahead is None or other is None:
            return np.zeros(1, bool)
        count = min(_number_together(ahead), _number_together(other))
        if self._has_meaning:
            count = min(self._unchanged(0, ahead.part(count)), self._unchanged(1, other.part(count)))
            if self._rows[0].meaning_at(ahead.place) != self._rows[1].meaning_at(other.place):
                return np.zeros(count, bool)
        ahead, other = ahead.part(count), other.part(count)
        is_equal: Array = ~(ahead.is_irregular | other.is_irregular) & (ahead.facts == other.facts).all(axis=0)
        for texts, others in ((ahead.csns, other.csns), (ahead.xids, other.xids)):
            is_equal[is_equal] = _are_same(texts, others, np.flatnonzero(is_equal))
        self._compare(ahead, other, is_equal)
        return is_equal

    def _unchanged(self, side: int, ahead: _Ahead) -> int:
        """Return the number of transactions before which the definitions are those before the first one."""
        stop = self._rows[side].same_meaning_to(ahead.place, int(ahead.firsts[-1]))
        return max(int(np.searchsorted(ahead.firsts, stop, "right")), 1)

    def _compare(self, ahead: _Ahead, other: _Ahead, is_equal: Array) -> None:
        """Compare the bytes of the pairs of a mask, and drop from it those that differ."""
        pairs = np.flatnonzero(is_equal)
        apart = other.firsts[pairs] - ahead.firsts[pairs]
        bounds = np.flatnonzero(np.diff(apart, prepend=apart[:1] - 1, append=apart[-1:] + 1)).tolist()
        for begin, end in pairwise(bounds):
            own = pairs[begin:end]
            start, stop, away = int(ahead.firsts[own[0]]), int(ahead.afters[own].max()), int(apart[begin])
            runs = (
                (self._rows[0], TrailPosition(ahead.ordinal, start)),
                (
                    self._rows[1],
                    TrailPosition(other.ordinal, start + away),
                ),
            )
            if is_same_run(*(rows.run_at(place, stop - start) for rows, place in runs)):
                continue
            data, like = (b"".join(rows.run_at(place, stop - start)) for rows, place in runs)
            if len(data) != len(like):
                is_equal[own] = False
                continue
            places = start + np.flatnonzero(np.frombuffer(data, np.uint8) != np.frombuffer(like, np.uint8))
            before, after = (np.searchsorted(places, bound[own]) for bound in (ahead.firsts, ahead.afters))
            is_equal[own] = before == after


class _Place(NamedTuple):
    """A batch, and the index of a transaction among those of it that are compared."""

    batch: TransactionBatch | None
    place: int


def _next_ones(side: SideTransactions, count: int) -> _Ahead | None:
    """Return some of the next transactions of a side."""
    rows = np.array(side.rows[side.place : side.place + count])
    return _ahead(side.batch, rows) if side.batch is not None else None


def _number_together(ahead: _Ahead) -> int:
    """Return the number of transactions that have not too many bytes together, at least one."""
    return max(int(np.searchsorted(np.maximum.accumulate(ahead.afters) - ahead.firsts[0], _MOST_BYTES, "right")), 1)


def _are_same(texts: StringColumn, others: StringColumn, numbers: Array) -> Array:
    """Return a mask of the texts with these numbers that are the same; their sizes are."""
    (data, starts), (like, other_starts) = (
        (np.frombuffer(column.data, np.uint8), np.asarray(column.starts)[numbers]) for column in (texts, others)
    )
    sizes, mask = np.asarray(texts.sizes)[numbers], np.ones(len(numbers), bool)
    for place in range(int(sizes.max(initial=0))):
        longer = np.flatnonzero(sizes > place)
        mask[longer] &= data[starts[longer] + place] == like[other_starts[longer] + place]
    return mask


def is_same_run(run: Iterator[bytes] | None, other: Iterator[bytes] | None) -> bool:
    """Return True if two transactions are contiguous runs of the same bytes, other records between included."""
    return run is not None and other is not None and all(a == b for a, b in zip_longest(run, other))

"""The comparison of two transactions that belong together, row by row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator
from itertools import zip_longest

from logdump.features.diff.alignment import AlignedStretch, Alignment, longest_common
from logdump.features.diff.model import DifferenceKind, DifferenceShown, DiffLevel
from logdump.features.diff.rows import ComparedRow, RowOptions, differences_of, every_record
from logdump.features.diff.side import Side
from logdump.features.diff.side_by_side import SideBySide
from trailformat.transactions.batches import TransactionSummary

MOST_ROWS = 4096
"""Maximum number of rows of each transaction examined to find a pair."""
MOST_COUNTED = 1 << 17
"""Maximum number of rows of a transaction counted at a time if their order is ignored."""


class RowComparison:
    """Compares transactions of two trails.

    Attributes:
        kinds: differences found so far.
        by_records: rows that were compared by their records for want of a definition.
        has_rows: whether the last two transactions had any row to be compared.
        is_lost: whether rows were too different for an alignment.
    """

    def __init__(
        self, a: Side, b: Side, options: RowOptions, *, is_any_order: bool, view: SideBySide | None = None
    ) -> None:
        self._sides = a, b
        self._view = view
        self._options = options
        self._is_any_order = is_any_order
        self._takes_all = options.takes is every_record
        self._depth = 1 if options.ignores_absent else 0
        self.kinds: Counter[DifferenceKind] = Counter()
        self.by_records = 0
        self.has_rows = self.is_lost = False

    def count(self, side: Side, one: TransactionSummary) -> int:
        """Return the number of records of a transaction that are compared."""
        if self._takes_all:
            return one.records
        return sum(len(row.places) for row in side.rows.of(one))

    def differences(self, a: TransactionSummary, b: TransactionSummary) -> Iterator[DifferenceShown]:
        """Yield the differences of two transactions."""
        self.has_rows = False
        if self._has_same_bytes(a, b):
            return
        find = self._in_any_order if self._is_any_order else self._in_order
        for difference in find(a, b):
            self.kinds[difference.kind] += 1
            yield difference._replace(csn=a.csn or b.csn, xid=a.xid or b.xid)

    def _has_same_bytes(self, a: TransactionSummary, b: TransactionSummary) -> bool:
        """Return True if two transactions have the same bytes and the same definitions; most do."""
        if (a.records, a.size) != (b.records, b.size):
            return False
        one, other = (side.rows for side in self._sides)
        if self._takes_all and self._is_alike(a, b) and _is_same_run(one.run(a), other.run(b)):
            self.has_rows = True
            return True
        for record, like in zip(one.records(a), other.records(b), strict=False):
            if not record.is_same(like, with_columns=self._options.level is DiffLevel.VALUES):
                return False
            self.has_rows = self.has_rows or self._options.takes(record)
        return True

    def _is_alike(self, a: TransactionSummary, b: TransactionSummary) -> bool:
        """Return True if the same bytes of two transactions are no difference."""
        one, other = (side.rows for side in self._sides)
        return self._options.level is DiffLevel.BYTES or one.meaning_of(a) == other.meaning_of(b)

    def _in_order(self, a: TransactionSummary, b: TransactionSummary) -> Iterator[DifferenceShown]:
        streams = self._rows(0, a), self._rows(1, b)
        alignment = Alignment(*streams, lambda row: row.keys[self._depth], MOST_ROWS)
        for stretch in alignment:
            yield from self._stretch(stretch, self._depth)
        self.is_lost = self.is_lost or alignment.is_lost

    def _rows(self, side: int, one: TransactionSummary) -> Iterator[ComparedRow]:
        for row in self._sides[side].rows.of(one):
            self.has_rows = True
            self.by_records += row.by_record
            yield row

    def _stretch(self, stretch: AlignedStretch[ComparedRow], depth: int) -> Iterator[DifferenceShown]:
        """Pair rows by their finest key, then align those between the pairs by the next key."""
        for alone, others, pair in stretch.gaps():
            a, b = [stretch.a[at] for at in alone], [stretch.b[at] for at in others]
            yield from self._gap(a, b, depth + 1)
            if pair is None:
                continue
            one, other = stretch.a[pair[0]], stretch.b[pair[1]]
            found = list(self._changed(one, other)) if depth else []
            yield from found
            if self._view is not None and not found:
                self._view.same(one, other)

    def _gap(self, a: list[ComparedRow], b: list[ComparedRow], depth: int) -> Iterator[DifferenceShown]:
        if a and b and depth < max(len(row.keys) for row in (*a, *b)):
            pairs = longest_common([_key(row, depth) for row in a], [_key(row, depth) for row in b])
            yield from self._stretch(AlignedStretch(a, b, pairs), depth)
            return
        yield from (self._alone(DifferenceKind.MISSING, row) for row in a)
        yield from (self._alone(DifferenceKind.EXTRA, row) for row in b)

    def _alone(self, kind: DifferenceKind, row: ComparedRow) -> DifferenceShown:
        spot = self._sides[kind is DifferenceKind.EXTRA].spot(row.places[0])
        a, b = (spot, None) if kind is DifferenceKind.MISSING else (None, spot)
        return DifferenceShown(kind, a, b, table=row.table, op=row.op, records=len(row.places))

    def _changed(self, a: ComparedRow, b: ComparedRow) -> Iterator[DifferenceShown]:
        left, right = self._sides
        parts = differences_of(self._options, (left.rows, a), (right.rows, b))
        if not parts:
            return
        is_absent = self._options.level is DiffLevel.VALUES and all(part.a is None or part.b is None for part in parts)
        kind = DifferenceKind.ABSENT if is_absent else DifferenceKind.CHANGED
        spots = left.spot(a.places[0]), right.spot(b.places[0])
        yield DifferenceShown(kind, *spots, table=b.table, op=b.op, records=len(a.places), parts=parts)

    def _in_any_order(self, a: TransactionSummary, b: TransactionSummary) -> Iterator[DifferenceShown]:
        """The rows that one transaction has more often, counted in parts so that a large one takes several passes."""
        parts = max(a.records, b.records) // MOST_COUNTED + 1
        alone: tuple[list[ComparedRow], list[ComparedRow]] = [], []
        for part in range(parts):
            more: Counter[Hashable] = Counter()
            for side, (one, sign) in enumerate(((a, 1), (b, -1))):
                for row in self._rows(side, one):
                    if hash(row.keys[0]) % parts == part:
                        more[row.keys[0]] += sign
                        if not more[row.keys[0]]:
                            del more[row.keys[0]]
            for side, one in enumerate((a, b)):
                left = {key: number if side == 0 else -number for key, number in more.items()}
                for row in self._alone_rows(side, one, left):
                    if len(alone[side]) < MOST_ROWS:
                        alone[side].append(row)
                    else:
                        self.is_lost = True
                        yield self._alone(DifferenceKind.MISSING if side == 0 else DifferenceKind.EXTRA, row)
        yield from self._gap(*alone, 1)

    def _alone_rows(self, side: int, one: TransactionSummary, left: dict[Hashable, int]) -> Iterator[ComparedRow]:
        """Yield the remaining rows of a transaction, ``left`` of each key."""
        if any(number > 0 for number in left.values()):
            for row in self._sides[side].rows.of(one):
                if left.get(row.keys[0], 0) > 0:
                    left[row.keys[0]] -= 1
                    yield row


def _is_same_run(run: Iterator[bytes] | None, other: Iterator[bytes] | None) -> bool:
    """Return True if two transactions are contiguous runs of the same bytes, other records between included."""
    return run is not None and other is not None and all(a == b for a, b in zip_longest(run, other))


def _key(row: ComparedRow, depth: int) -> Hashable:
    return row.keys[min(depth, len(row.keys) - 1)]

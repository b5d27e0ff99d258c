"""The comparison of two trails: transactions are aligned, then the rows of each pair."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import islice, takewhile
from typing import Any, Generic, NamedTuple, TypeVar

from logdump.features.diff.equal_runs import EqualRuns, is_same_run
from logdump.features.diff.model import DifferenceKind, DifferenceShown, DiffLevel, DiffShown
from logdump.features.diff.rows import ComparedRow, RowOptions, differences_of, every_record
from logdump.features.diff.side import Side, SideTransaction, SideTransactions
from logdump.features.diff.side_by_side import SideBySide
from logdump.session.events import Progress
from logdump.session.reading import Reading
from trailformat.changes.csn import csn_key
from trailformat.transactions.batches import TransactionSummary

T = TypeVar("T")
Pairs = list[tuple[int, int]]


def longest_common(a: Sequence[Hashable], b: Sequence[Hashable]) -> Pairs:
    """Return the index pairs of a longest common subsequence.

    Bit j of a row is 0 if element j of ``b`` lengthens the common subsequence of ``b[:j]`` and ``a`` so far by one.
    Each row is computed from the previous one by a few operations on whole integers.
    """
    places: dict[Hashable, int] = {}
    for index, item in enumerate(b):
        places[item] = places.get(item, 0) | 1 << index
    rows, row, mask = [], (1 << len(b)) - 1, (1 << len(b)) - 1
    for item in a:
        common = row & places.get(item, 0)
        row = ((row + common) | (row - common)) & mask
        rows.append(row)
    pairs: Pairs = []
    position, other = len(a) - 1, len(b) - 1
    while position >= 0 and other >= 0:
        if rows[position] >> other & 1:
            other -= 1
        elif position and not rows[position - 1] >> other & 1:
            position -= 1
        else:
            pairs.append((position, other))
            position, other = position - 1, other - 1
    return pairs[::-1]


class AlignedStretch(NamedTuple, Generic[T]):
    """Items of both streams, and the ascending index pairs of those that match; the others have no counterpart."""

    a: list[T]
    b: list[T]
    pairs: Pairs

    def gaps(self) -> Iterator[tuple[list[int], list[int], tuple[int, int] | None]]:
        """Yield the unmatched indexes before each pair, and the pair; those after the last pair come with None."""
        start = other = 0
        for pair in (*self.pairs, None):
            stop, other_stop = pair or (len(self.a), len(self.b))
            yield list(range(start, stop)), list(range(other, other_stop)), pair
            start, other = stop + 1, other_stop + 1


class Alignment(Generic[T]):
    """Aligns two streams by keys.

    Args:
        a, b: the streams.
        key: equal for items that belong together.
        most: maximum number of items of each stream examined to find a pair.
        order: sort key, used if no pair is found: the items that come first have no counterpart. None: unknown.

    Attributes:
        ahead: items read of each stream and not yet in a stretch; items may be removed.
        is_lost: True if ``most`` items of both streams were once given up as unmatched.
    """

    def __init__(
        self,
        a: Iterator[T],
        b: Iterator[T],
        key: Callable[[T], Hashable],
        most: int,
        order: Callable[[T], Any] = lambda _: None,
    ) -> None:
        self.ahead: tuple[deque[T], deque[T]] = deque(), deque()
        self.is_lost = False
        self._streams = a, b
        self._key, self._most, self._order = key, most, order

    def __iter__(self) -> Iterator[AlignedStretch[T]]:
        while True:
            self._read(1)
            a, b = self.ahead
            if not a and not b:
                return
            if a and b and self._key(a[0]) == self._key(b[0]):
                yield AlignedStretch([a.popleft()], [b.popleft()], [(0, 0)])
                continue
            self._read(self._most)
            yield self._stretch()

    def _read(self, number: int) -> None:
        for ahead, stream in zip(self.ahead, self._streams, strict=True):
            ahead.extend(islice(stream, max(0, number - len(ahead))))

    def _stretch(self) -> AlignedStretch[T]:
        a, b = self.ahead
        pairs = longest_common([self._key(item) for item in a], [self._key(item) for item in b])
        if pairs and max(len(a), len(b)) == self._most:
            ends = pairs[-1][0] + 1, pairs[-1][1] + 1
        elif pairs or max(len(a), len(b)) < self._most:
            ends = len(a), len(b)
        else:
            ends = self._alone()
        items = [[ahead.popleft() for _ in range(number)] for ahead, number in zip(self.ahead, ends, strict=True)]
        return AlignedStretch(items[0], items[1], pairs)

    def _alone(self) -> tuple[int, int]:
        """Return the number of items of each stream that certainly have no counterpart."""
        a, b = ([self._order(item) for item in ahead] for ahead in self.ahead)
        known = None not in a and None not in b
        if known:
            ends = _below(a, min(b, default=None)), _below(b, min(a, default=None))
            if any(ends):
                return ends
        self.is_lost = self.is_lost or bool(a and b)
        return len(a), len(b)


def _below(items: list[Any], least: Any) -> int:
    """Return the number of leading items below the least of the others; all if there are no others."""
    return len(items) if least is None else sum(1 for _ in takewhile(lambda item: item < least, items))


MOST_ROWS = 4096
"""Maximum number of rows of each transaction examined to find a pair."""
MOST_COUNTED = 1 << 17
"""Maximum number of rows of a transaction counted at a time if their order is ignored."""


class RowComparison:
    """Compares transactions of two trails.

    Attributes:
        kinds: differences found so far.
        by_records: number of rows compared as records because their values are not known.
        has_rows: True if the last two transactions had rows to compare.
        is_lost: True if rows were too different for an alignment.
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

    def count(self, side: Side, transaction: TransactionSummary) -> int:
        """Return the number of records of a transaction that are compared."""
        if self._takes_all:
            return transaction.records
        return sum(len(row.places) for row in side.rows.of(transaction))

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
        rows, other = (side.rows for side in self._sides)
        if self._takes_all and self._is_alike(a, b) and is_same_run(rows.run(a), other.run(b)):
            self.has_rows = True
            return True
        for record, like in zip(rows.records(a), other.records(b), strict=False):
            if not record.is_same(like, with_columns=self._options.level is DiffLevel.VALUES):
                return False
            self.has_rows = self.has_rows or self._options.takes(record)
        return True

    def _is_alike(self, a: TransactionSummary, b: TransactionSummary) -> bool:
        """Return True if the same bytes of two transactions are no difference."""
        rows, other = (side.rows for side in self._sides)
        return self._options.level is DiffLevel.BYTES or rows.meaning_at(a.first) == other.meaning_at(b.first)

    def _in_order(self, a: TransactionSummary, b: TransactionSummary) -> Iterator[DifferenceShown]:
        streams = self._rows(0, a), self._rows(1, b)
        alignment = Alignment(*streams, lambda row: row.keys[self._depth], MOST_ROWS)
        for stretch in alignment:
            yield from self._stretch(stretch, self._depth)
        self.is_lost = self.is_lost or alignment.is_lost

    def _rows(self, side: int, transaction: TransactionSummary) -> Iterator[ComparedRow]:
        for row in self._sides[side].rows.of(transaction):
            self.has_rows = True
            self.by_records += row.by_record
            yield row

    def _stretch(self, stretch: AlignedStretch[ComparedRow], depth: int) -> Iterator[DifferenceShown]:
        """Pair rows by their finest key, then align those between the pairs by the next key."""
        for alone, others, pair in stretch.gaps():
            a, b = [stretch.a[index] for index in alone], [stretch.b[index] for index in others]
            yield from self._gap(a, b, depth + 1)
            if pair is None:
                continue
            row, other = stretch.a[pair[0]], stretch.b[pair[1]]
            differences = list(self._changed(row, other)) if depth else []
            yield from differences
            if self._view is not None and not differences:
                self._view.same(row, other)

    def _gap(self, a: list[ComparedRow], b: list[ComparedRow], depth: int) -> Iterator[DifferenceShown]:
        if a and b and depth < max(len(row.keys) for row in (*a, *b)):
            pairs = longest_common([_key(row, depth) for row in a], [_key(row, depth) for row in b])
            yield from self._stretch(AlignedStretch(a, b, pairs), depth)
            return
        yield from (self._alone(DifferenceKind.MISSING, row) for row in a)
        yield from (self._alone(DifferenceKind.EXTRA, row) for row in b)

    def _alone(self, kind: DifferenceKind, row: ComparedRow) -> DifferenceShown:
        position = self._sides[kind is DifferenceKind.EXTRA].position(row.places[0])
        a, b = (position, None) if kind is DifferenceKind.MISSING else (None, position)
        return DifferenceShown(kind, a, b, table=row.table, op=row.op, records=len(row.places))

    def _changed(self, a: ComparedRow, b: ComparedRow) -> Iterator[DifferenceShown]:
        left, right = self._sides
        parts = differences_of(self._options, (left.rows, a), (right.rows, b))
        if not parts:
            return
        is_absent = self._options.level is DiffLevel.VALUES and all(part.a is None or part.b is None for part in parts)
        kind = DifferenceKind.ABSENT if is_absent else DifferenceKind.CHANGED
        positions = left.position(a.places[0]), right.position(b.places[0])
        yield DifferenceShown(kind, *positions, table=b.table, op=b.op, records=len(a.places), parts=parts)

    def _in_any_order(self, a: TransactionSummary, b: TransactionSummary) -> Iterator[DifferenceShown]:
        """Yield rows that one transaction has more often; large transactions are counted in several passes."""
        parts = max(a.records, b.records) // MOST_COUNTED + 1
        alone: tuple[list[ComparedRow], list[ComparedRow]] = [], []
        for part in range(parts):
            more: Counter[Hashable] = Counter()
            for side, (transaction, sign) in enumerate(((a, 1), (b, -1))):
                for row in self._rows(side, transaction):
                    if hash(row.keys[0]) % parts == part:
                        more[row.keys[0]] += sign
                        if not more[row.keys[0]]:
                            del more[row.keys[0]]
            for side, transaction in enumerate((a, b)):
                left = {key: number if side == 0 else -number for key, number in more.items()}
                for row in self._alone_rows(side, transaction, left):
                    if len(alone[side]) < MOST_ROWS:
                        alone[side].append(row)
                    else:
                        self.is_lost = True
                        yield self._alone(DifferenceKind.MISSING if side == 0 else DifferenceKind.EXTRA, row)
        yield from self._gap(*alone, 1)

    def _alone_rows(
        self, side: int, transaction: TransactionSummary, left: dict[Hashable, int]
    ) -> Iterator[ComparedRow]:
        """Yield the remaining rows of a transaction, ``left`` of each key."""
        if any(number > 0 for number in left.values()):
            for row in self._sides[side].rows.of(transaction):
                if left.get(row.keys[0], 0) > 0:
                    left[row.keys[0]] -= 1
                    yield row


def _key(row: ComparedRow, depth: int) -> Hashable:
    return row.keys[min(depth, len(row.keys) - 1)]


MOST_TRANSACTIONS = 1000
"""Maximum number of transactions of each trail examined to find a pair."""


class TrailComparison:
    """The comparison of two trails.

    Args:
        a, b: the trails.
        options: options of the row comparison.
        is_any_order: True if the order of rows in a transaction is ignored.
        step: number of records between two reports of progress.
        view: receives the pairs as well as the differences.
    """

    def __init__(
        self,
        a: Side,
        b: Side,
        options: RowOptions,
        *,
        is_any_order: bool = False,
        step: int = 0,
        view: SideBySide | None = None,
    ) -> None:
        self._a, self._b, self._options, self._step, self._view = a, b, options, step, view
        self._rows = RowComparison(a, b, options, is_any_order=is_any_order, view=view)
        self._runs = EqualRuns(a, b, options.level)
        self._equal = self._changed = self._reported = 0
        self._kinds: Counter[DifferenceKind] = Counter()
        self._is_lost = False
        self._csn_kind: str | None = None

    def differences(self) -> Iterator[DifferenceShown | Progress]:
        """Yield all differences, approximately in the order of the trails.

        Raises:
            NotATrail: one of the trails has no readable file.
        """
        streams = self._a.transactions(), self._b.transactions()
        alignment = Alignment(*streams, lambda transaction: transaction.key, MOST_TRANSACTIONS, self._order)
        yield from self._equal_ones(streams)
        for stretch in alignment:
            yield from self._damage(stretch)
            if len(stretch.a) == len(stretch.b) == len(stretch.pairs):
                for pair in zip(stretch.a, stretch.b, strict=True):
                    yield from self._pair(*pair)
            else:
                yield from self._stretch(stretch, alignment.ahead)
            yield from self._progress()
            if not any(alignment.ahead):
                yield from self._equal_ones(streams)
        self._is_lost = alignment.is_lost
        for side in (self._a, self._b):
            yield from self._damaged(side.damage())

    def _equal_ones(self, streams: tuple[SideTransactions, SideTransactions]) -> Iterator[Progress]:
        """Pass over the next transactions of both trails as long as they are equal; what is odd is left."""
        if self._view is not None or self._options.takes is not every_record:
            return
        sides = self._a, self._b
        while all(stream.is_ready() for stream in streams) and not any(side.has_damage for side in sides):
            count = self._runs.count(*streams)
            if not count:
                return
            for stream in streams:
                stream.advance(count)
            self._equal += count
            yield from self._progress()

    def of(self, a: SideTransaction | None, b: SideTransaction | None, *, later: int = 0) -> Iterator[DifferenceShown]:
        """Yield the differences of a pair of transactions, or the one transaction without a counterpart.

        Args:
            a: transaction of the first trail.
            b: transaction of the second trail.
            later: number of transactions by which they are displaced; 0: not moved.
        """
        if a is not None and b is not None:
            yield from self._alone(self._a, a, (b, later)) if later else self._pair(a, b)
        elif a is not None:
            yield from self._alone(self._a, a, None)
        elif b is not None:
            yield from self._alone(self._b, b, None)

    def reading(self) -> Reading:
        """Return the gaps of the reading: damage, missing and unreadable files."""
        unreadable = len(self._a.whole.unreadable) + len(self._b.whole.unreadable)
        damaged = self._kinds[DifferenceKind.DAMAGE] - unreadable
        reading = Reading(damaged=max(0, damaged), unreadable=unreadable)
        return reading.over((*self._a.whole.gaps, *self._b.whole.gaps))

    def shown(self, listed: int, *, is_partial: bool) -> DiffShown:
        """Return the summary of both trails."""
        return DiffShown(
            self._options.level,
            self._a.shown(),
            self._b.shown(),
            self._equal,
            self._changed,
            dict(self._kinds),
            dict(self._rows.kinds),
            self._rows.by_records,
            self._is_lost or self._rows.is_lost,
            self._a.is_unsure or self._b.is_unsure,
            listed,
            is_partial,
        )

    def _order(self, transaction: SideTransaction) -> tuple[int, ...] | None:
        """Return the parts of the CSN; None without one, or if its form is not that of the first CSN seen."""
        key = csn_key(transaction.transaction.csn) if transaction.transaction.csn is not None else None
        if key is None:
            return None
        self._csn_kind = self._csn_kind or key.kind
        return key.parts if key.kind == self._csn_kind else None

    def _damage(self, stretch: AlignedStretch[SideTransaction]) -> Iterator[DifferenceShown]:
        """Yield the damage before and in the transactions of a stretch."""
        for side, transactions in ((self._a, stretch.a), (self._b, stretch.b)):
            if transactions:
                last = transactions[-1].transaction
                yield from self._damaged(side.damage(last.after or last.first))

    def _damaged(self, damage: list[DifferenceShown]) -> Iterator[DifferenceShown]:
        for difference in damage:
            self._kinds[DifferenceKind.DAMAGE] += 1
            yield difference

    def _progress(self) -> Iterator[Progress]:
        read = self._a.read + self._b.read
        progress = self._b.progress or self._a.progress
        if self._step and progress is not None and read // self._step > self._reported // self._step:
            self._reported = read
            yield Progress(read, progress.place.rba, progress.time, self._a.whole.size + self._b.whole.size)

    def _stretch(
        self, stretch: AlignedStretch[SideTransaction], ahead: tuple[deque[SideTransaction], deque[SideTransaction]]
    ) -> Iterator[DifferenceShown]:
        moves = Moves(stretch, ahead)
        for alone, others, pair in stretch.gaps():
            matched = moves.nameless(alone, others)
            for index in alone:
                if index in matched:
                    yield from self._pair(stretch.a[index], stretch.b[matched[index]])
                else:
                    yield from self._alone(self._a, stretch.a[index], moves.of_a.get(index))
            for index in others:
                if index not in matched.values() and index not in moves.matched:
                    yield from self._alone(self._b, stretch.b[index], moves.of_b.get(index))
            if pair is not None:
                yield from self._pair(stretch.a[pair[0]], stretch.b[pair[1]])

    def _alone(
        self, side: Side, transaction: SideTransaction, move: tuple[SideTransaction, int] | None
    ) -> Iterator[DifferenceShown]:
        """Yield a transaction without a counterpart at its place, as moved, twice, missing or extra."""
        is_a, position, records = (
            side is self._a,
            side.position(transaction.transaction.first),
            self._rows.count(side, transaction.transaction),
        )
        if move is not None:
            other = move[0]
            a, b = (transaction, other) if is_a else (other, transaction)
            if records:
                positions = self._a.position(a.transaction.first), self._b.position(b.transaction.first)
                yield self._difference(DifferenceKind.MOVED, *positions, transaction, records, later=move[1])
            yield from self._pair(a, b, is_moved=True)
            return
        if not records:
            return
        if transaction.copy_of is not None:
            yield self._difference(
                DifferenceKind.TWICE,
                side.position(transaction.copy_of),
                position,
                transaction,
                records,
                side=side.letter,
            )
        elif is_a:
            yield self._difference(DifferenceKind.MISSING, position, None, transaction, records)
        else:
            yield self._difference(DifferenceKind.EXTRA, None, position, transaction, records)

    def _difference(
        self, kind: DifferenceKind, a: Any, b: Any, transaction: SideTransaction, records: int, **more: Any
    ) -> DifferenceShown:
        self._kinds[kind] += 1
        return DifferenceShown(
            kind, a, b, transaction.transaction.csn, transaction.transaction.xid, records=records, **more
        )

    def _pair(self, a: SideTransaction, b: SideTransaction, *, is_moved: bool = False) -> Iterator[DifferenceShown]:
        is_equal = True
        if self._view is not None:
            self._view.begin_pair(a.transaction, b.transaction)
        for difference in self._rows.differences(a.transaction, b.transaction):
            is_equal = False
            yield difference
        is_counted = is_equal and not is_moved and self._rows.has_rows
        self._changed += not is_equal
        self._equal += is_counted
        if self._view is not None:
            self._view.end_pair(is_counted=is_counted)


class Moves:
    """The transactions without a counterpart in their stretch that have one elsewhere.

    Attributes:
        of_a, of_b: by index: the counterpart, and the number of pairs passed; negative: earlier in the second trail.
        matched: the indexes of ``b`` that are counterparts of ``a``.
    """

    def __init__(
        self, stretch: AlignedStretch[SideTransaction], ahead: tuple[deque[SideTransaction], deque[SideTransaction]]
    ) -> None:
        self.of_a: dict[int, tuple[SideTransaction, int]] = {}
        self.of_b: dict[int, tuple[SideTransaction, int]] = {}
        self.matched: set[int] = set()
        self._stretch, self._pairs = stretch, stretch.pairs
        paired, others_paired = ({pair[side] for pair in stretch.pairs} for side in (0, 1))
        lone = [index for index in range(len(stretch.b)) if index not in others_paired]
        elsewhere = _Elsewhere([(index, stretch.b[index]) for index in lone], ahead[1], len(stretch.b))
        for index, transaction in enumerate(stretch.a):
            if index not in paired and (other := elsewhere.take(transaction.key)) is not None:
                self.of_a[index] = other[1], self._later(index, other[0])
                self.matched.add(other[0])
        elsewhere = _Elsewhere([], ahead[0], len(stretch.a))
        for index in lone:
            if index not in self.matched and (other := elsewhere.take(stretch.b[index].key)) is not None:
                self.of_b[index] = other[1], self._later(other[0], index)

    def nameless(self, alone: list[int], others: list[int]) -> dict[int, int]:
        """Pair the transactions of a gap that have no CSN or XID and have not moved, if both sides have as many."""
        a = [index for index in alone if not self._stretch.a[index].has_name and index not in self.of_a]
        b = [
            index
            for index in others
            if not self._stretch.b[index].has_name and index not in self.matched and index not in self.of_b
        ]
        return dict(zip(a, b, strict=True)) if len(a) == len(b) else {}

    def _later(self, index: int, other: int) -> int:
        """Return the number of pairs passed from the place in ``a`` to that in ``b``; negative: earlier in ``b``."""
        later = sum(1 for pair in self._pairs if pair[0] > index and pair[1] < other)
        return later or -sum(1 for pair in self._pairs if pair[0] < index and pair[1] > other)


class _Elsewhere:
    """Transactions of one trail by key: those without a counterpart in a stretch, and those after it."""

    def __init__(self, lone: list[tuple[int, SideTransaction]], ahead: deque[SideTransaction], start: int) -> None:
        self._ahead, self._start = ahead, start
        self._by_key: dict[Hashable, list[tuple[int, SideTransaction]]] = {}
        for index, transaction in (*lone, *enumerate(ahead, start)):
            self._by_key.setdefault(transaction.key, []).append((index, transaction))

    def take(self, key: Hashable) -> tuple[int, SideTransaction] | None:
        """Remove and return the first transaction with this key, and its index; None without one."""
        known = self._by_key.get(key)
        if not known:
            return None
        index, transaction = known.pop(0)
        if index >= self._start:
            self._ahead.remove(transaction)
        return index, transaction

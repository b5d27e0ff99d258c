"""The comparison of two trails: transactions are aligned, and the rows inside of those that belong together."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Hashable, Iterator
from typing import Any

from logdump.features.diff.alignment import AlignedStretch, Alignment
from logdump.features.diff.model import DifferenceKind, DifferenceShown, DiffShown
from logdump.features.diff.row_comparison import RowComparison
from logdump.features.diff.rows import RowOptions
from logdump.features.diff.side import Side, SideTransaction
from logdump.features.diff.side_by_side import SideBySide
from logdump.session.events import Progress
from logdump.session.reading import Reading
from trailformat.changes.csn import csn_key

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
        self._equal = self._changed = self._reported = 0
        self._kinds: Counter[DifferenceKind] = Counter()
        self._is_lost = False
        self._csn_kind: str | None = None

    def differences(self) -> Iterator[DifferenceShown | Progress]:
        """All of them, about in the order of the trails.

        Raises:
            NotATrail: one of the two is no trail.
        """
        streams = self._a.transactions(), self._b.transactions()
        alignment = Alignment(*streams, lambda one: one.key, MOST_TRANSACTIONS, self._order)
        for stretch in alignment:
            yield from self._damage(stretch)
            if len(stretch.a) == len(stretch.b) == len(stretch.pairs):
                for pair in zip(stretch.a, stretch.b, strict=True):
                    yield from self._pair(*pair)
            else:
                yield from self._stretch(stretch, alignment.ahead)
            yield from self._progress()
        self._is_lost = alignment.is_lost
        for side in (self._a, self._b):
            yield from self._damaged(side.damage())

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
        missing = len(self._a.whole.gaps) + len(self._b.whole.gaps)
        unreadable = len(self._a.whole.unreadable) + len(self._b.whole.unreadable)
        damaged = self._kinds[DifferenceKind.DAMAGE] - unreadable
        return Reading(damaged=max(0, damaged), unreadable=unreadable, missing=missing)

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

    def _order(self, one: SideTransaction) -> tuple[int, ...] | None:
        """The parts of its CSN, where that is of the form of the first one."""
        key = csn_key(one.transaction.csn) if one.transaction.csn is not None else None
        if key is None:
            return None
        self._csn_kind = self._csn_kind or key.kind
        return key.parts if key.kind == self._csn_kind else None

    def _damage(self, stretch: AlignedStretch[SideTransaction]) -> Iterator[DifferenceShown]:
        """The damage before and in the transactions of a stretch."""
        for side, taken in ((self._a, stretch.a), (self._b, stretch.b)):
            if taken:
                last = taken[-1].transaction
                yield from self._damaged(side.damage(last.after or last.first))

    def _damaged(self, damage: list[DifferenceShown]) -> Iterator[DifferenceShown]:
        for one in damage:
            self._kinds[DifferenceKind.DAMAGE] += 1
            yield one

    def _progress(self) -> Iterator[Progress]:
        read = self._a.read + self._b.read
        reached = self._b.reached or self._a.reached
        if self._step and reached is not None and read // self._step > self._reported // self._step:
            self._reported = read
            yield Progress(read, reached.place.rba, reached.time, self._a.whole.size + self._b.whole.size)

    def _stretch(
        self, stretch: AlignedStretch[SideTransaction], ahead: tuple[deque[SideTransaction], deque[SideTransaction]]
    ) -> Iterator[DifferenceShown]:
        moves = Moves(stretch, ahead)
        for alone, others, pair in stretch.gaps():
            matched = moves.nameless(alone, others)
            for at in alone:
                if at in matched:
                    yield from self._pair(stretch.a[at], stretch.b[matched[at]])
                else:
                    yield from self._alone(self._a, stretch.a[at], moves.of_a.get(at))
            for at in others:
                if at not in matched.values() and at not in moves.taken:
                    yield from self._alone(self._b, stretch.b[at], moves.of_b.get(at))
            if pair is not None:
                yield from self._pair(stretch.a[pair[0]], stretch.b[pair[1]])

    def _alone(
        self, side: Side, one: SideTransaction, move: tuple[SideTransaction, int] | None
    ) -> Iterator[DifferenceShown]:
        """A transaction that has no other half in its place."""
        is_a, spot, records = side is self._a, side.spot(one.transaction.first), self._rows.count(side, one.transaction)
        if move is not None:
            other = move[0]
            a, b = (one, other) if is_a else (other, one)
            if records:
                spots = self._a.spot(a.transaction.first), self._b.spot(b.transaction.first)
                yield self._found(DifferenceKind.MOVED, *spots, one, records, later=move[1])
            yield from self._pair(a, b, is_moved=True)
            return
        if not records:
            return
        if one.copy_of is not None:
            yield self._found(DifferenceKind.TWICE, side.spot(one.copy_of), spot, one, records, side=side.letter)
        elif is_a:
            yield self._found(DifferenceKind.MISSING, spot, None, one, records)
        else:
            yield self._found(DifferenceKind.EXTRA, None, spot, one, records)

    def _found(
        self, kind: DifferenceKind, a: Any, b: Any, one: SideTransaction, records: int, **more: Any
    ) -> DifferenceShown:
        self._kinds[kind] += 1
        return DifferenceShown(kind, a, b, one.transaction.csn, one.transaction.xid, records=records, **more)

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
        of_a, of_b: by index: the counterpart, and the number of transactions of the second trail before it.
        taken: the indexes of ``b`` that are counterparts of ``a``.
    """

    def __init__(
        self, stretch: AlignedStretch[SideTransaction], ahead: tuple[deque[SideTransaction], deque[SideTransaction]]
    ) -> None:
        self.of_a: dict[int, tuple[SideTransaction, int]] = {}
        self.of_b: dict[int, tuple[SideTransaction, int]] = {}
        self.taken: set[int] = set()
        self._stretch, self._pairs = stretch, stretch.pairs
        paired, others_paired = ({pair[side] for pair in stretch.pairs} for side in (0, 1))
        lone = [at for at in range(len(stretch.b)) if at not in others_paired]
        found = _Elsewhere([(at, stretch.b[at]) for at in lone], ahead[1], len(stretch.b))
        for at, one in enumerate(stretch.a):
            if at not in paired and (other := found.take(one.key)) is not None:
                self.of_a[at] = other[1], self._later(at, other[0])
                self.taken.add(other[0])
        found = _Elsewhere([], ahead[0], len(stretch.a))
        for at in lone:
            if at not in self.taken and (other := found.take(stretch.b[at].key)) is not None:
                self.of_b[at] = other[1], self._later(other[0], at)

    def nameless(self, alone: list[int], others: list[int]) -> dict[int, int]:
        """Pair the transactions of a gap that have no CSN or XID and have not moved, if both sides have as many."""
        a = [at for at in alone if not self._stretch.a[at].has_name and at not in self.of_a]
        b = [at for at in others if not self._stretch.b[at].has_name and at not in self.taken and at not in self.of_b]
        return dict(zip(a, b, strict=True)) if len(a) == len(b) else {}

    def _later(self, at: int, other: int) -> int:
        """Over how many pairs a transaction has moved, from its place in ``a`` to that in ``b``."""
        later = sum(1 for pair in self._pairs if pair[0] > at and pair[1] < other)
        return later or -sum(1 for pair in self._pairs if pair[0] < at and pair[1] > other)


class _Elsewhere:
    """Transactions of one trail by key: those without a counterpart in a stretch, and those after it."""

    def __init__(self, lone: list[tuple[int, SideTransaction]], ahead: deque[SideTransaction], start: int) -> None:
        self._ahead, self._start = ahead, start
        self._by_key: dict[Hashable, list[tuple[int, SideTransaction]]] = {}
        for at, one in (*lone, *enumerate(ahead, start)):
            self._by_key.setdefault(one.key, []).append((at, one))

    def take(self, key: Hashable) -> tuple[int, SideTransaction] | None:
        """The first with this key, with its index; it is taken away from what is ahead."""
        known = self._by_key.get(key)
        if not known:
            return None
        at, one = known.pop(0)
        if at >= self._start:
            self._ahead.remove(one)
        return at, one

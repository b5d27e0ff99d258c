"""Parts of a batch: which of its changes a target refuses, found by applying parts of it between marks.

A part that is applied stays, and the next one is twice as long; one that is refused is tried again by halves, until it
is one change. So each change is applied a few times at most, however many are refused.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, Protocol, Self

import pyarrow as pa
import pyarrow.compute as pc

from logdump.targets.target import ChangeRefused, KeyShared, NotChecked

Rows = Callable[[], Iterator[pa.Table]]
"""Yields the rows of a batch in portions, those of each table in trail order; each call yields them again."""
_MOST_BYTES = 256 << 20
"""Bytes of rows that are held; those of a larger batch are read again for each part."""


class BatchChanges(NamedTuple):
    """The changes of a batch, numbered in trail order; the two rows of an update of the key are one.

    Attributes:
        rows: their rows.
        places: the place of each, without the last digit.
        ends: the number after the last change of the transaction of each.
    """

    rows: Rows
    places: Sequence[str]
    ends: Sequence[int]

    @classmethod
    def of(cls, rows: Rows, last: str | None = None) -> Self:
        """Return the changes of a batch up to a place, or all."""
        given = rows if last is None else lambda: (one.filter(pc.less_equal(one["_sequence"], last)) for one in rows())
        portions: list[pa.Table] | None = []
        transactions: dict[str, tuple[str | None, str | None]] = {}
        for portion in given():
            columns = (portion[name].to_pylist() for name in ("_sequence", "_csn", "_xid"))
            transactions |= {place[:-1]: (csn, xid) for place, csn, xid in zip(*columns, strict=True)}
            if portions is not None:
                portions.append(portion)
            if portions is not None and sum(table.nbytes for table in portions) > _MOST_BYTES:
                portions = None
        places = sorted(transactions)
        ends, end = [0] * len(places), len(places)
        for number in range(len(places) - 1, -1, -1):
            is_last = number + 1 == len(places) or transactions[places[number]] != transactions[places[number + 1]]
            ends[number] = end = number + 1 if is_last else end
        return cls(given if portions is None else portions.__iter__, places, ends)

    def between(self, first: int, stop: int) -> Iterator[pa.Table]:
        """Yield the rows of the changes between two numbers."""
        begin, end = self.places[first], f"{self.places[stop - 1]}:"  # a colon is after the digits
        for portion in self.rows():
            sequence = portion["_sequence"]
            own = portion.filter(pc.and_(pc.greater_equal(sequence, begin), pc.less(sequence, end)))
            if len(own):
                yield own

    def begin_of(self, number: int) -> int:
        """Return the number with which the transaction of a change begins."""
        while number and self.ends[number - 1] == self.ends[number]:
            number -= 1
        return number

    def last_of(self, number: int) -> str:
        """Return ``_sequence`` of a change; of an update of the key, that of its second row."""
        [*_, last] = sorted(row for part in self.between(number, number + 1) for row in part["_sequence"].to_pylist())
        return str(last)


class Attempt(Protocol):
    """Applies the changes between two numbers; returns why they are refused, and then none of them is applied."""

    def __call__(self, first: int, stop: int, *, keeps: bool = True) -> ChangeRefused | None:
        """Without ``keeps`` none is applied in any case."""


def note_refused(batch: BatchChanges, attempt: Attempt, note: Callable[[int, ChangeRefused], None]) -> None:
    """Apply the changes of a batch in order, but those that are refused.

    Args:
        batch: the changes.
        attempt: applies some of them.
        note: is called with the number of a refused change, and why it is refused; later attempts leave it out.
    """
    number, size = 0, max(1, len(batch.places) // 2)
    while number < len(batch.places):
        stop = min(number + size, len(batch.places))
        refused = attempt(number, stop)
        end = batch.ends[stop - 1]
        is_of_one = isinstance(refused, NotChecked) and end == batch.ends[number]
        if isinstance(refused, KeyShared) or is_of_one:  # a later change of the transaction may mend it
            refused = attempt(number, end) if stop < end else refused
            stop = end
            if refused is not None:
                note(*_refused_between(batch, attempt, number, end, refused))
                continue
        if refused is None:
            number, size = stop, 2 * size
        elif stop - number > 1:
            size = (stop - number) // 2
        else:
            note(number, refused)


def _refused_between(
    batch: BatchChanges, attempt: Attempt, first: int, end: int, refused: ChangeRefused
) -> tuple[int, ChangeRefused]:
    """Return the first change that is refused of some up to the end of a transaction, and why."""
    if isinstance(refused, KeyShared):
        number = bisect_right(batch.places, refused.place[:-1]) - 1 if refused.place else end - 1
        return min(max(number, first), end - 1), refused
    low, high, why = first, end - 1, refused
    while low < high:
        middle = (low + high) // 2
        error = attempt(first, middle + 1, keeps=False)
        if error is None or isinstance(error, KeyShared):
            low = middle + 1
        else:
            high, why = middle, error
    return low, why

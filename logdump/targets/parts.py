"""Parts of a batch: which of its changes a target refuses, found by applying parts of it between marks.

A part that is applied stays, and the next one is twice as long; one that is refused is tried again by halves, until it
is one unit: the changes of a transaction that only together are right, as those of two rows that swap their keys. A
unit that is refused waits for the end of its transaction, of which a later change may mend it. So each change is
applied a few times at most, however many are refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol, Self

import pyarrow as pa
import pyarrow.compute as pc

from logdump.targets.net_effect import Key
from logdump.targets.target import ChangeRefused, KeyShared

Rows = Callable[[], Iterator[pa.Table]]
"""Yields the rows of a batch in portions, those of each table in trail order; each call yields them again."""
RowKeys = Callable[[pa.Table], Iterable[tuple[str, str, Key]]]
"""Returns ``_sequence``, the table and the key of each row of a portion, those of each table in order."""
Unit = list[int]
"""Numbers of changes, in order."""
_MOST_BYTES = 256 << 20
"""Bytes of rows that are held; those of a larger batch are read again for each part."""
_MOST_SUSPECTS = 1000
"""Units of a transaction that may wait for its end; with more it is decided before whether they are refused."""


class BatchChanges(NamedTuple):
    """The changes of a batch, numbered in trail order; the two rows of an update of the key are one.

    Attributes:
        rows: their rows.
        places: the place of each, without the last digit.
        units: the changes that only together are right: those of a row and of all rows that have had one of its keys,
            within a transaction; all of a table that the transaction truncates. They are in the order of their first.
        ends: the number of units up to the end of the transaction of each unit.
    """

    rows: Rows
    places: Sequence[str]
    units: Sequence[Unit]
    ends: Sequence[int]

    @classmethod
    def of(cls, rows: Rows, keys: RowKeys, last: str | None = None, *, after: str = "") -> Self:
        """Return the changes of a batch after a place up to another, or all."""

        def given() -> Iterator[pa.Table]:
            for portion in rows():
                sequence = portion["_sequence"]
                is_own = pc.greater(sequence, after)
                yield portion.filter(is_own if last is None else pc.and_(is_own, pc.less_equal(sequence, last)))

        portions: list[pa.Table] | None = []
        found = _Found()
        for portion in given():
            found.add(portion, keys(portion))
            if portions is not None:
                portions.append(portion)
            if portions is not None and sum(table.nbytes for table in portions) > _MOST_BYTES:
                portions = None
        places, units, ends = sorted(found.transactions), list[Unit](), list[int]()
        for numbers in found.in_transactions(places):
            units += found.units(numbers, places)
            ends += [len(units)] * (len(units) - len(ends))
        return cls(given if portions is None else portions.__iter__, places, units, ends)

    def changes(self, units: Iterable[Unit]) -> Iterator[pa.Table]:
        """Yield the rows of the changes of some units."""
        places = [self.places[number] for unit in units for number in unit]
        begin, end = min(places), f"{max(places)}:"  # a colon is after the digits
        wanted = pa.array(places)
        for portion in self.rows():
            sequence = portion["_sequence"]
            own = portion.filter(pc.and_(pc.greater_equal(sequence, begin), pc.less(sequence, end)))
            own = own.filter(pc.is_in(pc.utf8_slice_codeunits(own["_sequence"], 0, -1), wanted))
            if len(own):
                yield own

    def before(self, number: int) -> int:
        """Return the number of changes before the transaction of a change."""
        unit = next(at for at, unit in enumerate(self.units) if number in unit)
        return min(own[0] for own, end in zip(self.units, self.ends, strict=True) if end == self.ends[unit])

    def last_of(self, number: int) -> str:
        """Return ``_sequence`` of a change; of an update of the key, that of its second row."""
        return str(max(row for part in self.changes([[number]]) for row in part["_sequence"].to_pylist()))


class _Found:
    """The transaction, the keys and the truncates of changes, by their places."""

    def __init__(self) -> None:
        self.transactions: dict[str, tuple[str | None, str | None]] = {}
        self._keys: dict[str, list[tuple[str, Key]]] = {}
        self._truncates: set[str] = set()

    def add(self, rows: pa.Table, keys: Iterable[tuple[str, str, Key]]) -> None:
        """Add rows, given ``_sequence``, the table and the key of each."""
        columns = (rows[name].to_pylist() for name in ("_sequence", "_csn", "_xid", "_op"))
        for sequence, csn, xid, op in zip(*columns, strict=True):
            self.transactions[sequence[:-1]] = (csn, xid)
            if op == "truncate":
                self._truncates.add(sequence[:-1])
        for sequence, table, key in keys:
            self._keys.setdefault(sequence[:-1], []).append((table, key))

    def in_transactions(self, places: Sequence[str]) -> Iterator[range]:
        """Yield the numbers of the changes of each transaction."""
        begin = 0
        for stop in range(1, len(places) + 1):
            if stop == len(places) or self.transactions[places[stop]] != self.transactions[places[begin]]:
                yield range(begin, stop)
                begin = stop

    def units(self, numbers: range, places: Sequence[str]) -> list[Unit]:
        """Return the units of a transaction."""
        truncated = {self._keys[places[number]][0][0] for number in numbers if places[number] in self._truncates}
        units = dict[tuple[str, Key], tuple[Unit, list[tuple[str, Key]]]]()  # by the keys that its rows have had
        for number in numbers:
            own = {(table, () if table in truncated else key) for table, key in self._keys[places[number]]}
            joined = {id(units[key][0]): units[key] for key in own if key in units}
            [(unit, keys), *others] = sorted(joined.values(), key=lambda part: -len(part[1])) or [([], [])]
            for changes, their in others:
                unit += changes
                own.update(their)
            new = [key for key in own if key not in units or units[key][0] is not unit]
            keys += new
            unit.append(number)
            units |= dict.fromkeys(new, (unit, keys))
        found = {id(unit): sorted(unit) for unit, _ in units.values()}
        return sorted(found.values(), key=lambda unit: unit[0])


class Attempt(Protocol):
    """Applies the changes of units; returns why they are refused, and then none of them is applied."""

    def __call__(self, units: Sequence[Unit], *, keeps: bool = True) -> ChangeRefused | None:
        """Without ``keeps`` none is applied in any case."""


Note = Callable[[int, ChangeRefused], None]
"""Is called with the number of a refused change, and why it is refused; later attempts leave it out."""


def note_refused(batch: BatchChanges, attempt: Attempt, note: Note) -> None:
    """Apply the changes of a batch, those of a row in order, but those that are refused.

    Args:
        batch: the changes.
        attempt: applies some of them.
        note: notes one that is refused, or raises an error.
    """
    number, size = 0, max(1, len(batch.units) // 2)
    suspects = list[Unit]()
    while number < len(batch.units):
        stop = min(number + size, batch.ends[number] if suspects else len(batch.units))
        if attempt(batch.units[number:stop]) is None:
            number, size = stop, 2 * size
        elif stop - number > 1:
            size = (stop - number) // 2
            continue
        else:
            suspects.append(batch.units[number])
            number = stop
        if suspects and (number == batch.ends[number - 1] or len(suspects) >= _MOST_SUSPECTS):
            _note_suspects(batch, suspects, attempt, note)
            suspects = []


def _note_suspects(batch: BatchChanges, suspects: list[Unit], attempt: Attempt, note: Note) -> None:
    """Apply those units of a transaction that the rest of it has mended; note changes of the others."""
    is_less = True
    while is_less and suspects:
        if len(suspects) > 1 and attempt(suspects) is None:
            return
        left = [unit for unit in suspects if attempt([unit]) is not None]
        is_less = len(left) < len(suspects)
        suspects = left
    for unit in suspects:
        while (refused := attempt([unit])) is not None:
            note(*first_refused(batch, unit, attempt, refused))


def first_refused(
    batch: BatchChanges, unit: Unit, attempt: Attempt, refused: ChangeRefused
) -> tuple[int, ChangeRefused]:
    """Return the first change of a unit with which it is refused, and why.

    Where rows share a key up to the last change of the unit, it is its first: nobody knows which of them is refused.
    """
    if isinstance(refused, KeyShared):
        return next((number for number in unit if batch.places[number] == refused.place[:-1]), unit[-1]), refused
    low, high, why, is_shared = 0, len(unit) - 1, refused, False
    while low < high:
        middle = (low + high) // 2
        error = attempt([unit[: middle + 1]], keeps=False)
        if error is None or isinstance(error, KeyShared):
            low, is_shared = middle + 1, error is not None
        else:
            high, why = middle, error
    return unit[0 if is_shared and low == len(unit) - 1 else low], why


def first_by_prefixes(
    batch: BatchChanges, refusal: Callable[[Sequence[Unit]], ChangeRefused | None]
) -> tuple[int, ChangeRefused] | None:
    """Return the first refused change of a transaction, and why; ``refusal`` gives the reason for units."""
    count = first_failing(len(batch.units), lambda number: refusal(batch.units[: number + 1]) is not None)
    first = batch.units[:count]
    refused = refusal([*first, batch.units[count]]) if count < len(batch.units) else None
    if refused is None:
        return None
    return first_refused(batch, batch.units[count], lambda units, **_: refusal([*first, *units]), refused)


def ends_of(rows: Rows) -> list[str]:
    """Return ``_sequence`` of the last change of each transaction, sorted."""
    ends: dict[tuple[str | None, str | None], str] = {}
    for part in rows():
        columns = (part[name].to_pylist() for name in ("_csn", "_xid", "_sequence"))
        for csn, xid, sequence in zip(*columns, strict=True):
            ends[csn, xid] = max(sequence, ends.get((csn, xid), ""))
    return sorted(ends.values())


def up_to(rows: Rows, last: str) -> Iterator[pa.Table]:
    """Yield the changes up to a place."""
    return (part.filter(pc.less_equal(part["_sequence"], last)) for part in rows())


def first_failing(count: int, fails: Callable[[int], bool]) -> int:
    """Return the first number up to which applying fails; ``count`` if it never does."""
    low, high = 0, count
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if fails(middle) else (middle + 1, high)
    return low

"""The changes of one row among those that touch its keys."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count
from pathlib import Path
from typing import NamedTuple

from logdump.display.record_row import RecordKind, RecordRow
from trailformat import Change, ColumnChange, TrailError
from trailformat.records.record import UserTokens

Key = tuple[tuple[str, str], ...]
"""The names and values of the columns of a key, as text."""


class RowChange(NamedTuple):
    """A change of a row: its place in the trail by the number of the file and the RBA, and its keys.

    ``before`` is None of an insert, ``after`` of a delete; ``rbas`` are the places of its one or two records,
    ``user_tokens`` those that they carry, None where they do not decode.
    """

    number: int
    rba: int
    path: Path
    row: RecordRow
    table: str
    before: Key | None
    after: Key | None
    rbas: frozenset[int] = frozenset()
    user_tokens: UserTokens | None = ()


def keys_of(change: Change, kind: RecordKind, names: frozenset[str]) -> tuple[Key | None, Key | None]:
    """The keys before and after a change; by the columns ``names``, or those of the definition where it has a key."""
    columns = [column for column in change.columns if column.name.upper() in names]
    before = None if kind is RecordKind.INSERT else tuple(map(_before, columns))
    after = None if kind is RecordKind.DELETE else tuple(map(_after, columns))
    return before, after


def user_tokens_of(change: Change) -> UserTokens | None:
    """The user tokens of a change, each once where both records of an update carry it; None: they do not decode."""
    try:
        return tuple(dict.fromkeys(pair for record in change.records for pair in record.user_tokens))
    except TrailError:
        return None


def key_of(columns: Iterable[ColumnChange]) -> Key:
    """The key after a change, or before it where there is none after it."""
    return tuple(map(_after, columns))


def _before(column: ColumnChange) -> tuple[str, str]:
    value = column.before if column.before is not None else column.after
    return column.name.upper(), value.text if value is not None else ""


def _after(column: ColumnChange) -> tuple[str, str]:
    value = column.after if column.after is not None else column.before
    return column.name.upper(), value.text if value is not None else ""


def story(changes: Iterable[RowChange], key: Key) -> Iterator[RowChange]:
    """The changes of the rows that had a key at some time, in the order of the trail.

    A key that a row has given up may be that of another row: each change belongs to the row that has its key then.
    """
    ordered = sorted(changes, key=lambda change: change[:2])
    numbers = count()
    rows: dict[tuple[str, Key], int] = {}
    of_row: list[tuple[int, RowChange]] = []
    wanted: set[int] = set()
    for change in ordered:
        number = rows.pop((change.table, change.before), None) if change.before is not None else None
        if number is None:
            number = next(numbers)
        if change.after is not None:
            rows[change.table, change.after] = number
        of_row.append((number, change))
        if key in (change.before, change.after):
            wanted.add(number)
    return (change for number, change in of_row if number in wanted)

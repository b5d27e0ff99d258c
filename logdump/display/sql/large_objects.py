"""The large objects of a row, which are in records after it, as columns of its change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from logdump.display.sql.dialect import Unwritable
from trailformat import Record, TrailError, TrailFile
from trailformat.changes.lobs import Lob, lob_value, whole_lobs
from trailformat.changes.row_changes import Change, ColumnChange
from trailformat.definitions.column import ColumnDefinition
from trailformat.values import Value

LONGEST = 1_000_000
"""Bytes of a value that a statement takes; LOB and EXPORT are for longer ones."""
UNKNOWN_LAYOUT = "large object {} is in pieces whose layout is not known"


def needs_large_objects(op: str, *, takes_back: bool) -> bool:
    """Return True if the statement of a change needs the large objects of its row, not only its key."""
    return op != ("INSERT" if takes_back else "DELETE")


def with_large_objects(trail: TrailFile, change: Change, codec: str, pieces: Sequence[Record] | None = None) -> Change:
    """Return the change with its large objects among its columns.

    ``codec`` is that of the character set of its database; ``pieces`` are the records of its objects, if known.

    Raises:
        Unwritable: one is not whole, too long, or in pieces of an unknown layout.
        TrailError: the records after the row cannot be read.
    """
    columns = {column.index: column for column in change.columns}
    known = change.definition.columns if change.definition else ()
    for index, is_before, value in values_of_objects(trail, change.records[-1].rba, known, codec, pieces):
        definition = known[index]
        column = columns.get(index) or ColumnChange(index, definition.name, definition, None, None, definition.is_key)
        columns[index] = column._replace(before=value) if is_before else column._replace(after=value)
    return change._replace(columns=tuple(columns[index] for index in sorted(columns)))


class ObjectValue(NamedTuple):
    """The value of a large object: the index of its column, whether it is the one before."""

    column: int
    is_before: bool
    value: Value


def values_of_objects(
    trail: TrailFile, rba: int, columns: Sequence[ColumnDefinition], codec: str, pieces: Sequence[Record] | None
) -> Iterator[ObjectValue]:
    """The values of the large objects of the row at ``rba``; raises like with_large_objects."""
    for lob, data in whole_lobs(trail, rba, LONGEST, pieces):
        index = _column(lob)
        if index >= len(columns):
            raise Unwritable(f"column {index} has no name: no definition of the table fits (SOURCEDEFS reads some)")
        yield ObjectValue(index, lob.is_before, _decoded(data, columns[index], codec))


def _column(lob: Lob) -> int:
    """The index of the column of an object that a statement can take."""
    if lob.column is None:
        raise Unwritable(UNKNOWN_LAYOUT.format(lob.ordinal))
    if not lob.is_whole:
        raise Unwritable(f"large object {lob.ordinal} is not whole")
    if lob.size > LONGEST:
        raise Unwritable(f"large object {lob.ordinal} has {lob.size} bytes, more than {LONGEST}")
    return lob.column


def _decoded(data: bytes, definition: ColumnDefinition, codec: str) -> Value:
    try:
        return lob_value(data, definition, codec)
    except TrailError as error:
        raise Unwritable(f"column {definition.name} is not decoded: {error.problem}") from None

"""VALUE applied to the rows of a batch: the named column of each row is decoded and compared.

A row is decided as a single record if its data is not a plain list of columns: a full image, one continued in the
following records, or one that cannot be split.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from logdump.filters.stored_comparison import StoredComparison
from logdump.filters.value_comparison import ValueComparison
from trailformat.arrays import StoredValues
from trailformat.codec.mapped_file import FileBuffer
from trailformat.definitions.column import ColumnDefinition
from trailformat.definitions.metadata import TableDefinition
from trailformat.native.scan.arguments import ONE
from trailformat.records.images import PREFIX_SIZES, ROW_TYPES
from trailformat.scan import RECORD, Batch
from trailformat.scan.rows import NO_INDEX, RowBytes, by_definition, column_of, headers_of, metadata_rows
from trailformat.trail.row_definitions import RowDefinition

Array = np.ndarray[Any, Any]
_MOST_BYTES = 32 << 20
"""Of rows that are looked at together."""
_HAS_IMAGES = np.array([number in ROW_TYPES or number in PREFIX_SIZES for number in range(256)])
_ABSENT, _UNCLEAR = -1, -2
"""In place of a column's index: the table has no such column; its rows are decided as records."""


class Values(NamedTuple):
    """The rows with such a value, and the rows that only the record itself can decide."""

    held: Array
    undecided: Array


class _Meant(NamedTuple):
    """The column that is meant: its index in the table or ABSENT or UNCLEAR, and the number of its comparison."""

    column: int
    comparison: int = -1


class _Wanted(NamedTuple):
    """Rows with a column that is meant, its index, its comparison, and whether the row goes on in fragments."""

    rows: RowBytes
    column: Array
    comparison: Array
    is_continued: Array


class ValueSearch:
    """The rows of one trail whose column has a value.

    Args:
        fits: predicate: True for a column name that matches.
        comparison: the comparison of its values.
        definition_at: returns the definition of the row at an RBA, given the index in its header or NO_INDEX.
    """

    def __init__(
        self,
        fits: Callable[[str], bool],
        comparison: ValueComparison,
        definition_at: Callable[[int, int], RowDefinition],
    ) -> None:
        self._fits, self._comparison = fits, comparison
        self._definition_at = definition_at
        self._comparisons: list[StoredComparison] = []
        self._numbers: dict[tuple[object, ...], int] = {}
        self._by_index: dict[int, _Meant] = {}
        self._by_table: dict[tuple[int, str], tuple[TableDefinition, _Meant]] = {}
        """By the identity of a definition, which is kept with it, and its character set."""
        self._end = -1

    def values(self, batch: Batch, buffer: FileBuffer, among: Array) -> Values:
        """The rows of a batch, or those of a mask.

        Raises:
            NotATrail: the file has become shorter.
        """
        values = Values(np.zeros(len(batch), np.bool_), np.zeros(len(batch), np.bool_))
        is_metadata = metadata_rows(batch)
        has_metadata = bool(is_metadata.any())
        if has_metadata or int(batch.rba[0]) != self._end:
            self._by_index.clear()
        records = np.flatnonzero((np.asarray(batch.kind) == RECORD) & ~is_metadata & among)
        for rows in RowBytes.chunks(buffer, batch, records, _MOST_BYTES):
            values.held[rows.rows], values.undecided[rows.rows] = self._held(rows, is_one_definition=not has_metadata)
        self._end = batch.end
        return values

    def _held(self, rows: RowBytes, *, is_one_definition: bool) -> tuple[Array, Array]:
        """The rows that hold such a value, and those whose records have to be read."""
        headers = headers_of(rows)
        of_row, first = by_definition(rows, headers.table_index)
        places = zip(rows.of("rba")[first].tolist(), headers.table_index[first].tolist(), strict=True)
        meant = [self._meant(rba, index, is_one_definition=is_one_definition) for rba, index in places]
        index, comparison = np.array(meant, np.int64).reshape(-1, 2).T[:, of_row]
        held, undecided = np.zeros(len(rows), np.bool_), index == _UNCLEAR
        at = np.flatnonzero((index >= 0) & _HAS_IMAGES[rows.of("io_type")])
        if len(at):
            wanted = _Wanted(rows.subset(at), index[at], comparison[at], headers.is_continued[at])
            held[at], undecided[at] = self._held_by(wanted)
        return held, undecided

    def _held_by(self, wanted: _Wanted) -> tuple[Array, Array]:
        """The rows whose column has such a value, and those whose data are no plain list of columns."""
        columns = column_of(wanted.rows, wanted.column)
        is_plain = columns.is_plain & ~wanted.is_continued
        held = np.zeros(len(is_plain), np.bool_)
        for image in columns.images:
            row = np.flatnonzero((image.found == ONE) & is_plain)
            comparison = wanted.comparison[row]
            for number in np.flatnonzero(np.bincount(comparison)).tolist():
                at = row[comparison == number]
                stored = StoredValues(wanted.rows.view, wanted.rows.is_little[at], image.start[at], image.size[at])
                held[at[self._comparisons[number].held(stored)]] = True
        return held, ~is_plain

    def _meant(self, rba: int, table_index: int, *, is_one_definition: bool) -> _Meant:
        """The column in the definition of the row at ``rba``.

        It is looked up once for rows of a table that is known by its index, as long as no definition comes.
        """
        if table_index == NO_INDEX or not is_one_definition:
            return self._look_up(rba, table_index)
        if table_index not in self._by_index:
            self._by_index[table_index] = self._look_up(rba, table_index)
        return self._by_index[table_index]

    def _look_up(self, rba: int, table_index: int) -> _Meant:
        known = self._definition_at(rba, table_index)
        if known.table is None:
            return _Meant(_ABSENT)
        key = id(known.table), known.charset
        if key not in self._by_table:
            self._by_table[key] = known.table, self._fitting(known.table, known.charset)
        return self._by_table[key][1]

    def _fitting(self, table: TableDefinition, charset: str) -> _Meant:
        fitting = [index for index, column in enumerate(table.columns) if self._fits(column.name)]
        if len(fitting) != 1:
            return _Meant(_UNCLEAR if fitting else _ABSENT)
        definition = table.columns[fitting[0]]
        key = (*_decoding(definition), charset)
        if key not in self._numbers:
            self._numbers[key] = len(self._comparisons)
            self._comparisons.append(StoredComparison(self._comparison, definition, charset))
        return _Meant(fitting[0], self._numbers[key])


def _decoding(definition: ColumnDefinition) -> tuple[object, ...]:
    """Return the attributes of a column that determine how its values are decoded."""
    return (
        definition.data_type,
        definition.internal_length,
        definition.charset,
        definition.native_type,
        definition.sub_data_type,
        definition.most_significant,
        definition.least_significant,
        definition.scale,
    )

"""VALUE applied to the rows of a batch: the named column of each row is decoded and compared.

A row is decided as a single record if its data is not a plain list of columns: a full image, one continued in the
following records, or one that cannot be split.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor
from typing import Any, NamedTuple

import numpy as np

from logdump.filters.comparison import AllTests, Comparison, Likeness, ValueComparison, ValueTest
from trailformat import ByteOrder, Column
from trailformat.arrays import StoredValues, Strings, text_array
from trailformat.arrays.array_types import DATES, DOUBLES, ArrayType, ArrowType, DecodePath, array_type
from trailformat.arrays.stored import StoredColumn, behind_indicators, stored_numbers
from trailformat.codec.mapped_file import FileBuffer
from trailformat.definitions.metadata import ColumnDefinition, TableDefinition
from trailformat.native.scan.arguments import NULL, ONE
from trailformat.records.columns import PRESENT
from trailformat.records.record_header import PREFIX_SIZES, ROW_TYPES
from trailformat.scan import RECORD, Batch
from trailformat.scan.rows import NO_INDEX, RowBytes, by_definition, column_of, headers_of, metadata_rows
from trailformat.trail.row_definitions import RowDefinition
from trailformat.values import Family, data_type_of, decode_value
from trailformat.values.comparing import is_padded
from trailformat.values.value import sub_type

Array = np.ndarray[Any, Any]
_MOST_KEPT, _LONGEST_KEPT = 1 << 16, 256
_SCALE = 6
"""Decimals of numbers stored as text in columns without a scale; numbers with more are decoded one by one."""
_KEY_BYTES, _BLANK = 8, 0x20
_MICROSECOND = timedelta(microseconds=1)
_DAY = timedelta(days=1) // _MICROSECOND
_NUMBERS = {DecodePath.INTEGER, DecodePath.DECIMAL, DecodePath.NUMBER}


class _ComparisonMasks(NamedTuple):
    """Masks of the values that satisfy the comparison, and of those that have to be decoded."""

    matching: Array
    is_open: Array


class StoredComparison:
    """The comparison of VALUE on values of columns that decode alike.

    Args:
        test: the operator and the operand, or a pattern.
        definition: definition of one of the columns.
        codec: codec of the character set of the database.
    """

    def __init__(self, test: ValueComparison | Likeness, definition: ColumnDefinition, codec: str) -> None:
        self._test = test
        self._definition, self._codec = definition, codec
        kind = sub_type(definition.sub_data_type)
        self._is_text = data_type_of(definition).family is Family.TEXT and not (kind.is_number or kind.is_binary)
        self._target = _target(definition, codec)
        self._known: dict[tuple[ByteOrder, bytes], bool] = {}

    def matching(self, values: StoredValues) -> Array:
        """Return a mask of the values that satisfy the comparison."""
        test = self._test
        if isinstance(test, ValueComparison):
            if test.operand.is_null:
                is_null = np.asarray(behind_indicators(values).sizes == NULL)
                return is_null if test.comparison is Comparison.EQUAL else ~is_null
            if self._is_text:
                texts, operand = text_array(values, self._definition, self._codec).array, test.operand.as_text
                if operand is None:
                    return np.zeros(len(texts), np.bool_)
                return _texts_hold(test.comparison, texts, operand, is_padded=is_padded(self._definition))
        stored = behind_indicators(values)
        masks = self._by_numbers(StoredColumn(*stored, self._target)) if self._target is not None else None
        matches, is_open = masks or (np.zeros(len(stored.sizes), np.bool_), stored.sizes >= 0)
        self._decode(stored, np.flatnonzero(is_open & (stored.sizes >= 0)), matches)
        return matches

    def _by_numbers(self, column: StoredColumn) -> _ComparisonMasks | None:
        """Compare the values as an array of numbers; None if numbers do not compare with the operand."""
        target, test = column.target, self._test
        if not isinstance(test, ValueComparison):
            return None
        compare = _with_number if target.path in _NUMBERS else _with_moment
        numbers, is_made = stored_numbers(column)
        masks = compare(test, target.type, numbers)
        return None if masks is None else _ComparisonMasks(masks.matching & is_made, masks.is_open | ~is_made)

    def _decode(self, stored: StoredValues, rows: Array, matches: Array) -> None:
        """Decode the values of some rows, each distinct value once, and set ``matches`` by the comparison."""
        for order, is_little in ((ByteOrder.BIG, False), (ByteOrder.LITTLE, True)):
            chosen = rows[stored.little[rows] == is_little]
            distinct, numbers = Strings.at(stored.data, stored.starts[chosen], stored.sizes[chosen]).distinct()
            matches[chosen] = np.array([self._holds(order, value) for value in distinct], np.bool_)[numbers]

    def _holds(self, order: ByteOrder, data: bytes) -> bool:
        holds = self._known.get((order, data))
        if holds is None:
            value = decode_value(Column(0, PRESENT + data), self._definition, order, self._codec)
            holds = self._test.holds(value, self._definition)
            if len(data) <= _LONGEST_KEPT:
                if len(self._known) >= _MOST_KEPT:
                    self._known.clear()
                self._known[order, data] = holds
        return holds


def _target(definition: ColumnDefinition, codec: str) -> ArrayType | None:
    """Return the type of number to which values are converted for a comparison; None for other types."""
    target = array_type(definition, codec)
    if target.path is DecodePath.NUMBER:
        return target._replace(type=ArrowType("decimal128", (38, _SCALE)), path=DecodePath.DECIMAL)
    return target if target.path in {*_NUMBERS, DecodePath.MOMENT, DecodePath.DATE} else None


def _with_number(comparison: ValueComparison, kind: ArrowType, numbers: Array) -> _ComparisonMasks | None:
    wanted = comparison.operand.as_number
    nothing = np.zeros(len(numbers), np.bool_)
    if wanted is None:
        return _ComparisonMasks(nothing, nothing)
    if kind == DOUBLES:
        # a float is compared as its shortest decimal: only at the float nearest to the operand can the order differ
        near = float(wanted)
        return _ComparisonMasks(_compared(comparison.comparison, numbers, near), (numbers == near) | np.isnan(numbers))
    if not wanted.is_finite():
        return None
    return _ComparisonMasks(_whole_hold(comparison.comparison, numbers, wanted, kind.scale), nothing)


def _whole_hold(comparison: Comparison, numbers: Array, wanted: Decimal, scale: int) -> Array:
    """Return a mask of the integers, in units of the last digit, that satisfy the comparison."""
    exact = Fraction(wanted) * 10**scale
    above, below = ceil(exact), floor(exact)
    if above == below:
        return _compared(comparison, numbers, above)
    if comparison in {Comparison.EQUAL, Comparison.NOT_EQUAL}:
        return np.full(len(numbers), comparison is Comparison.NOT_EQUAL)
    if comparison in {Comparison.LESS, Comparison.LESS_OR_EQUAL}:
        return _compared(Comparison.LESS_OR_EQUAL, numbers, below)
    return _compared(Comparison.GREATER_OR_EQUAL, numbers, above)


def _compared(comparison: Comparison, numbers: Array, wanted: Any) -> Array:
    return np.asarray(comparison.holds(numbers, wanted))


def _with_moment(comparison: ValueComparison, kind: ArrowType, numbers: Array) -> _ComparisonMasks | None:
    """Compare days, or microseconds in UTC or without a zone; None if only one side has a zone."""
    wanted = comparison.operand.as_moment
    nothing = np.zeros(len(numbers), np.bool_)
    if wanted is None or isinstance(wanted, time | str):
        return _ComparisonMasks(nothing, nothing)
    if not isinstance(wanted, datetime):
        wanted = datetime.combine(wanted, time())
    if kind.has_zone != (wanted.tzinfo is not None):
        return None
    begin = datetime(1970, 1, 1, tzinfo=UTC if kind.has_zone else None)
    moments = numbers * np.int64(_DAY) if kind == DATES else numbers
    return _ComparisonMasks(_compared(comparison.comparison, moments, (wanted - begin) // _MICROSECOND), nothing)


def _texts_hold(comparison: Comparison, texts: Strings, wanted: str, *, is_padded: bool) -> Array:
    """Compare UTF-8 texts, padded ones without trailing blanks: by their first bytes, if these are equal by all."""
    operand = (wanted.rstrip(" ") if is_padded else wanted).encode("utf-8", "surrogatepass")
    keys, has_control = _keys(texts)
    first = operand[:_KEY_BYTES]
    key = int.from_bytes(first.ljust(_KEY_BYTES), "big")
    matches = _compared(comparison, keys, np.uint64(key)) & texts.present
    is_open = texts.present & ((keys == key) | has_control | any(byte < _BLANK for byte in first))
    data, offsets = texts.data, texts.offsets
    for row in np.flatnonzero(is_open).tolist():
        text = data[offsets[row] : offsets[row + 1]].tobytes()
        matches[row] = comparison.holds(text.rstrip(b" ") if is_padded else text, operand)
    return matches


def _keys(texts: Strings) -> tuple[Array, Array]:
    """Return the first bytes of each text as a number, padded with blanks, and a mask of texts with bytes below blank.

    Without such bytes, different numbers are in the order of the texts, with or without trailing blanks.
    """
    keys, has_control = np.zeros(len(texts), np.uint64), np.zeros(len(texts), np.bool_)
    data = texts.data if len(texts.data) else np.zeros(1, np.uint8)
    begins, sizes = texts.offsets[:-1].astype(np.int64), texts.sizes
    for offset in range(_KEY_BYTES):
        byte = np.where(sizes > offset, data.take(begins + offset, mode="clip"), np.uint8(_BLANK))
        has_control |= byte < _BLANK
        keys = keys << np.uint64(8) | byte.astype(np.uint64)
    return keys, has_control


_MOST_BYTES = 32 << 20
"""Maximum size in bytes of rows that are processed together."""
_HAS_IMAGES = np.array([number in ROW_TYPES or number in PREFIX_SIZES for number in range(256)])
_ABSENT = -1
"""In place of a column's index: the table has no further such column."""


class Values(NamedTuple):
    """Masks of the rows with such a value, of those that have to be decided as records, and of undefined tables'."""

    matching: Array
    undecided: Array
    undefined: Array


class _Meant(NamedTuple):
    """A compared column of a table: its index or _ABSENT, and the number of its comparison."""

    column: int
    comparison: int = -1


class _ComparedRows(NamedTuple):
    """Rows with a compared column: its index, its comparison, and whether the row continues in fragments."""

    rows: RowBytes
    column: Array
    comparison: Array
    is_continued: Array


class ValueSearch:
    """Finds the rows of one trail with a column that satisfies a comparison.

    Args:
        compares: returns True if the values of a column are compared.
        test: what one of the values has to satisfy.
        definition_at: returns the definition of the row at an RBA, given the index in its header or NO_INDEX.
    """

    def __init__(
        self,
        compares: Callable[[ColumnDefinition], bool],
        test: ValueTest,
        definition_at: Callable[[int, int], RowDefinition],
    ) -> None:
        self._compares, self._definition_at = compares, definition_at
        self._tests = test.tests if isinstance(test, AllTests) else (test,)
        self._comparisons: list[tuple[StoredComparison, ...]] = []
        self._numbers: dict[tuple[object, ...], int] = {}
        self._by_index: dict[int, tuple[_Meant, ...] | None] = {}
        self._by_table: dict[tuple[int, str], tuple[TableDefinition, tuple[_Meant, ...]]] = {}
        """Results by ``id`` of a definition, which is kept alive with them, and character set."""
        self._end = -1

    def values(self, batch: Batch, buffer: FileBuffer, among: Array) -> Values:
        """Search the rows of a batch that are in the mask ``among``.

        Raises:
            CannotRead: the file was truncated.
        """
        values = Values(*np.zeros((3, len(batch)), np.bool_))
        is_metadata = metadata_rows(batch)
        has_metadata = bool(is_metadata.any())
        if has_metadata or int(batch.rba[0]) != self._end:
            self._by_index.clear()
        records = np.flatnonzero((np.asarray(batch.kind) == RECORD) & ~is_metadata & among)
        for rows in RowBytes.chunks(buffer, batch, records, _MOST_BYTES):
            of_rows = self._matching(rows, is_one_definition=not has_metadata)
            for mask, of_chunk in zip(values, of_rows, strict=True):
                mask[rows.rows] = of_chunk
        self._end = batch.end
        return values

    def _matching(self, rows: RowBytes, *, is_one_definition: bool) -> Values:
        """Return the masks of some rows."""
        headers = headers_of(rows)
        of_row, first = by_definition(rows, headers.table_index)
        places = zip(rows.of("rba")[first].tolist(), headers.table_index[first].tolist(), strict=True)
        known = [self._meant(rba, index, is_one_definition=is_one_definition) for rba, index in places]
        is_undefined, meant = (
            np.array([columns is None for columns in known], np.bool_),
            [meanings or () for meanings in known],
        )
        matches, undecided = np.zeros(len(rows), np.bool_), np.zeros(len(rows), np.bool_)
        has_images = _HAS_IMAGES[rows.of("io_type")]
        for number in range(max(map(len, meant), default=0)):
            numbered = [columns[number] if number < len(columns) else _Meant(_ABSENT) for columns in meant]
            index, comparison = np.array(numbered, np.int64).reshape(-1, 2).T[:, of_row]
            image_rows = np.flatnonzero((index >= 0) & has_images & ~matches & ~undecided)
            if len(image_rows):
                wanted = _ComparedRows(
                    rows.subset(image_rows), index[image_rows], comparison[image_rows], headers.is_continued[image_rows]
                )
                matches[image_rows], undecided[image_rows] = self._matching_rows(wanted)
        return Values(matches, undecided, is_undefined[of_row] & has_images)

    def _matching_rows(self, wanted: _ComparedRows) -> tuple[Array, Array]:
        """Return masks of the rows with such a value, and of the rows whose data are not a plain list of columns."""
        columns = column_of(wanted.rows, wanted.column)
        is_plain = columns.is_plain & ~wanted.is_continued
        matches = np.zeros(len(is_plain), np.bool_)
        for image in columns.images:
            row = np.flatnonzero((image.columns == ONE) & is_plain)
            comparison = wanted.comparison[row]
            for number in np.flatnonzero(np.bincount(comparison)).tolist():
                compared_rows = row[comparison == number]
                stored = StoredValues(
                    wanted.rows.view,
                    wanted.rows.is_little[compared_rows],
                    image.start[compared_rows],
                    image.size[compared_rows],
                )
                matching = np.logical_and.reduce(
                    [stored_test.matching(stored) for stored_test in self._comparisons[number]]
                )
                matches[compared_rows[matching]] = True
        return matches, ~is_plain

    def _meant(self, rba: int, table_index: int, *, is_one_definition: bool) -> tuple[_Meant, ...] | None:
        """Return the compared columns in the definition of the row at ``rba``; None if its table has none.

        For a table with an index they are looked up once, until a definition follows.
        """
        if table_index == NO_INDEX or not is_one_definition:
            return self._look_up(rba, table_index)
        if table_index not in self._by_index:
            self._by_index[table_index] = self._look_up(rba, table_index)
        return self._by_index[table_index]

    def _look_up(self, rba: int, table_index: int) -> tuple[_Meant, ...] | None:
        known = self._definition_at(rba, table_index)
        if known.table is None:
            return None
        key = id(known.table), known.charset
        if key not in self._by_table:
            self._by_table[key] = known.table, tuple(self._compared(known.table, known.charset))
        return self._by_table[key][1]

    def _compared(self, table: TableDefinition, charset: str) -> Iterator[_Meant]:
        for index, definition in enumerate(table.columns):
            if self._compares(definition):
                key = (*_decoding(definition), charset)
                if key not in self._numbers:
                    self._numbers[key] = len(self._comparisons)
                    self._comparisons.append(tuple(StoredComparison(test, definition, charset) for test in self._tests))
                yield _Meant(index, self._numbers[key])


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

"""Arrow arrays of a table's columns, with the results of :func:`trailformat.values.decode_value`, many at a time.

Kernels decode the usual values; values that a kernel leaves undecided are decoded one by one, with the same result.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from datetime import UTC, date, datetime, time
from decimal import Decimal
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from trailformat.arrays.array_types import ArrayType, DecodePath, array_type
from trailformat.arrays.arrow import arrow_type, nulls
from trailformat.arrays.spans import STRANGE_INDICATOR, Image, Spans
from trailformat.arrays.stored import WIDTHS, KernelArray, StoredColumns, described
from trailformat.codec.byte_order import ByteOrder
from trailformat.codec.charsets import UTF_8
from trailformat.definitions.metadata import ColumnDefinition
from trailformat.native.arrays.arguments import (
    ALIGNED,
    C_FORM,
    C_OFFSETS,
    C_OUT,
    C_VALID,
    R_HIGH,
    R_MISSING,
    R_SIZE,
    R_UNDECIDED,
    RESULT_SIZE,
    SPARE,
)
from trailformat.native.loaded import kernels
from trailformat.native.scan.arguments import HAS_UNDECIDED, HAS_VALUE, UNDECIDED
from trailformat.records.columns import PRESENT, Column
from trailformat.values import Value, decode_value, plain_text


class Problem(NamedTuple):
    """A value that its array cannot hold: the row, its bytes, and the reason."""

    row: int
    data: bytes
    reason: str


class SlowDecoder:
    """Decodes single values of one column of an image; equal bytes are decoded once."""

    def __init__(self, spans: Spans, image: Image, index: int, definition: ColumnDefinition, codec: str) -> None:
        self._spans = spans
        self._starts, self._sizes = image.starts[index], image.sizes[index]
        self._index, self._definition, self._codec = index, definition, codec
        self._known: dict[tuple[bytes, bool], tuple[Any, str | None]] = {}

    def filled(self, array: pa.Array, rows: list[int]) -> tuple[pa.Array, list[Problem]]:
        """Return the array with the values of ``rows`` filled in, and the values that it cannot hold."""
        problems: list[Problem] = []
        values: list[Any] = []
        for row in rows:
            data, fitting, reason = self._fitting(row, array.type)
            values.append(fitting)
            if reason is not None:
                problems.append(Problem(row, data, reason))
        replacement = pa.array(values, array.type)
        if len(rows) == len(array):
            return replacement, problems
        missing = np.zeros(len(array), bool)
        missing[rows] = True
        import pyarrow.compute as pc  # noqa: PLC0415 - slow to load, and few columns need it

        return pc.replace_with_mask(array, pa.array(missing), replacement), problems

    def _fitting(self, row: int, kind: pa.DataType) -> tuple[bytes, Any, str | None]:
        """Return the bytes of a row's value, and the value as the array takes it or the reason why it cannot."""
        size, start = int(self._sizes[row]), int(self._starts[row])
        if size == UNDECIDED:
            return b"", None, STRANGE_INDICATOR
        data, is_little = self._spans.data[start : start + size].tobytes(), bool(self._spans.little[row])
        if (data, is_little) not in self._known:
            order = ByteOrder.LITTLE if is_little else ByteOrder.BIG
            value = decode_value(Column(self._index, PRESENT + data), self._definition, order, self._codec)
            self._known[data, is_little] = _fitting(value, kind)
        return data, *self._known[data, is_little]


def _fitting(value: Value, kind: pa.DataType) -> tuple[Any, str | None]:
    """Return a decoded value as its array takes it, or the reason why it cannot."""
    if value.problem is not None or value.value is None:
        return None, value.problem
    plain: Any = value.value
    if pa.types.is_string(kind):
        return plain_text(plain), None
    if pa.types.is_timestamp(kind):
        plain = _moment(plain, has_zone=kind.tz is not None)
    elif pa.types.is_date(kind):
        plain = _day(plain)
    elif pa.types.is_decimal(kind) and isinstance(plain, int):
        plain = Decimal(plain)
    try:
        if plain is not None:
            pa.scalar(plain, kind)
            return plain, None
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
        pass
    return None, f"{plain_text(value.value)} is no {kind}"


def _moment(plain: Any, *, has_zone: bool) -> datetime | None:
    """Return a date as a datetime, at midnight if it has no time; None if only one of value and column has a zone."""
    if isinstance(plain, date) and not isinstance(plain, datetime):
        plain = datetime.combine(plain, time())
    if not isinstance(plain, datetime) or has_zone != (plain.tzinfo is not None):
        return None
    try:
        return plain.astimezone(UTC) if has_zone else plain
    except OverflowError:
        return None


def _day(plain: Any) -> date | None:
    """Return a date; None for a date with a time other than midnight or with a zone."""
    if isinstance(plain, datetime):
        return plain.date() if plain.time() == time() and plain.tzinfo is None else None
    return plain if isinstance(plain, date) else None


def kernel_arrays(stored: StoredColumns, targets: dict[int, ArrayType]) -> list[KernelArray[pa.Array]]:
    """Return the arrays of the columns with these numbers, in order; SLOW columns are null, all values undecided."""
    numbers = [number for number, target in targets.items() if target.path is not DecodePath.SLOW]
    arrays = iter(_made(stored, numbers, [targets[number] for number in numbers]) if numbers else ())
    rows = stored.sizes.shape[1]
    return [
        KernelArray(pa.nulls(rows, arrow_type(target.type)), 1, None)
        if target.path is DecodePath.SLOW
        else next(arrays)
        for target in targets.values()
    ]


def _made(stored: StoredColumns, numbers: list[int], targets: list[ArrayType]) -> Iterator[KernelArray[pa.Array]]:
    table, rows = described(stored, numbers, targets), stored.sizes.shape[1]
    bits, offsets = _padded((rows + 7) >> 3), _padded(4 * (rows + 1))
    widths = [WIDTHS.get(form) for form in table[:, C_FORM].tolist()]
    sizes = [bits + (offsets if width is None else _padded(width * rows)) for width in widths]
    begins = list(accumulate(sizes, initial=0))
    block = pa.py_buffer(np.empty(begins[-1] + stored.room + ALIGNED * len(targets) + SPARE, np.uint8))
    table[:, C_VALID] = np.array(begins[:-1]) + block.address
    table[:, C_OUT] = table[:, C_OFFSETS] = table[:, C_VALID] + bits
    results = np.empty((len(targets), RESULT_SIZE), np.int64)
    addresses = block.address + begins[-1], results.ctypes.data
    kernels()["make_columns"](table.ctypes.data, len(targets), *addresses)
    text = begins[-1]
    for number, target, begin, width, result in zip(numbers, targets, begins, widths, results.tolist(), strict=False):
        valid, size = block.slice(begin, (rows + 7) >> 3), result[R_SIZE]
        if width is None:
            buffers = [block.slice(begin + bits, 4 * (rows + 1)), block.slice(text, size)]
            text += _padded(size)
        else:
            buffers = [block.slice(begin + bits, width * rows)]
        missing = result[R_MISSING]
        array = pa.Array.from_buffers(arrow_type(target.type), rows, [valid if missing else None, *buffers], missing)
        kernel_array = KernelArray(array, result[R_UNDECIDED], valid)
        yield _in_ascii(stored, number, target) if result[R_HIGH] and not _is_right(array, target) else kernel_array


def _is_right(array: pa.Array, target: ArrayType) -> bool:
    """Return whether the bytes beyond ASCII are valid: UTF-8 in text, anything in other values."""
    if target.path is not DecodePath.TEXT:
        return target.path is not DecodePath.ASCII
    try:
        array.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def _in_ascii(stored: StoredColumns, number: int, target: ArrayType) -> KernelArray[pa.Array]:
    """Return the values of a text column; those with a byte beyond ASCII are left undecided."""
    column = stored._replace(starts=stored.starts[[number]], sizes=stored.sizes[[number]])
    kernels()["drop_high_bytes"](described(column, [0], [target]).ctypes.data)
    return kernel_arrays(column, {0: target})[0]


def _padded(size: int) -> int:
    return (size + ALIGNED - 1) & -ALIGNED


class ColumnArray(NamedTuple):
    """A column of an image: null where it is absent, NULL, or a problem."""

    array: pa.Array
    problems: list[Problem]


def column_arrays(
    spans: Spans,
    image: Image,
    definitions: Sequence[ColumnDefinition],
    codec: str = UTF_8,
    wanted: Container[int] | None = None,
) -> list[ColumnArray]:
    """The columns of an image.

    Args:
        spans: the result of :func:`trailformat.arrays.locate_columns`.
        image: its ``before`` or ``after``.
        definitions: the columns in the table's definition.
        codec: decodes text in the character set of the database.
        wanted: numbers of the columns that are needed; None: all. The others are null.
    """
    is_there = image.seen & (HAS_VALUE | HAS_UNDECIDED)
    chosen = [number for number in np.flatnonzero(is_there).tolist() if wanted is None or number in wanted]
    stored = StoredColumns(spans.data, spans.little, image.starts, image.sizes, spans.room)
    targets = {number: array_type(definitions[number], codec) for number in chosen}
    arrays = dict(zip(chosen, kernel_arrays(stored, targets), strict=True))
    columns = []
    for number, definition in enumerate(definitions):
        if number not in arrays:
            kind = arrow_type(array_type(definition, codec).type)
            columns.append(ColumnArray(nulls(kind, image.sizes.shape[1]), []))
        elif arrays[number].undecided:
            decoder = SlowDecoder(spans, image, number, definition, codec)
            rows = arrays[number].undecided_rows(image.sizes[number]).tolist()
            columns.append(ColumnArray(*decoder.filled(arrays[number].array, rows)))
        else:
            columns.append(ColumnArray(arrays[number].array, []))
    return columns

"""Arrays of a table's columns: what :func:`trailformat.values.decode_value` says of each value, many at a time.

The kernels make what is ordinary; every value that they are not sure of is decoded by itself: both say the same.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from trailformat.arrays import kernels
from trailformat.arrays.array_types import ArrayType, Way, array_type
from trailformat.arrays.ordinary import WAYS
from trailformat.arrays.spans import Image, Spans
from trailformat.byte_order import ByteOrder
from trailformat.charsets import UTF_8
from trailformat.column_definition import ColumnDefinition
from trailformat.columns import NULL, PRESENT, Column
from trailformat.values import Value, decode_value, plain_text
from trailformat.values.data_types import FIXED_TEXT


class Problem(NamedTuple):
    """A value that its array does not hold: the row, its bytes, and why."""

    row: int
    data: bytes
    reason: str


class ColumnArray(NamedTuple):
    """A column of an image: null where it is absent, NULL, or a problem."""

    array: pa.Array
    problems: list[Problem]


def column_array(
    spans: Spans, image: Image, index: int, definition: ColumnDefinition, codec: str = UTF_8
) -> ColumnArray:
    """The column with this index of an image.

    Args:
        spans: from :func:`trailformat.arrays.locate_columns`.
        image: its ``before`` or ``after``.
        index: from 0.
        definition: what the table's definition says of the column.
        codec: of text in the character set of the database.
    """
    about = array_type(definition, codec)
    starts, sizes = image.starts[index].copy(), image.sizes[index].copy()
    odd = sizes == kernels.ODD
    if about.way is Way.ASK:
        odd |= sizes >= 0
    elif about.is_prefixed:
        kernels.unprefixed(spans.data.ctypes.data, starts, sizes, spans.little, odd)
    elif definition.data_type in FIXED_TEXT:
        odd |= sizes > definition.internal_length
    sizes[odd] = kernels.ODD
    array = WAYS[about.way](spans.data, starts, sizes, odd, about)
    if not odd.any():
        return ColumnArray(array, [])
    return _asked(array, np.flatnonzero(odd).tolist(), _Asker(spans, image, index, definition, codec), about)


class _Asker:
    """Decodes one value of a column by itself."""

    def __init__(self, spans: Spans, image: Image, index: int, definition: ColumnDefinition, codec: str) -> None:
        self._spans = spans
        self._starts, self._sizes = image.starts[index], image.sizes[index]
        self._index, self._definition, self._codec = index, definition, codec

    def __call__(self, row: int) -> Value:
        size, start = int(self._sizes[row]), int(self._starts[row])
        order = ByteOrder.LITTLE if self._spans.little[row] else ByteOrder.BIG
        if size == kernels.ODD:
            return Value(b"", problem="indicator missing, or neither 0000 nor ffff")
        raw = NULL if size == kernels.NULL else PRESENT + self._spans.data[start : start + size].tobytes()
        return decode_value(Column(self._index, raw), self._definition, order, self._codec)


def _asked(array: pa.Array, rows: list[int], ask: _Asker, about: ArrayType) -> ColumnArray:
    """The array with the values of ``rows`` decoded one by one."""
    problems: list[Problem] = []
    values: list[Any] = []
    for row in rows:
        value = ask(row)
        fitting, reason = _fitting(value, about.type)
        values.append(fitting)
        if reason is not None:
            problems.append(Problem(row, value.data, reason))
    missing = np.zeros(len(array), bool)
    missing[rows] = True
    replacement = pa.array(values, about.type)
    return ColumnArray(pc.replace_with_mask(array, pa.array(missing), replacement), problems)


def _fitting(value: Value, kind: pa.DataType) -> tuple[Any, str | None]:
    """A decoded value as its array takes it, or the reason why it does not."""
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
    """A date with a time; a date alone is its midnight. One with a zone only where the column has zones."""
    if isinstance(plain, date) and not isinstance(plain, datetime):
        plain = datetime.combine(plain, time())
    if not isinstance(plain, datetime) or has_zone != (plain.tzinfo is not None):
        return None
    try:
        return plain.astimezone(UTC) if has_zone else plain
    except OverflowError:
        return None


def _day(plain: Any) -> date | None:
    """A date; one with a time only when that is midnight."""
    if isinstance(plain, datetime):
        return plain.date() if plain.time() == time() and plain.tzinfo is None else None
    return plain if isinstance(plain, date) else None

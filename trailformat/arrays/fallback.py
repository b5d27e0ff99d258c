"""Values of Arrow arrays that are decoded one by one: what no kernel is sure of."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from trailformat.arrays.spans import STRANGE_INDICATOR, Image, Spans
from trailformat.codec.byte_order import ByteOrder
from trailformat.definitions.column import ColumnDefinition
from trailformat.native.scan.arguments import UNDECIDED
from trailformat.records.columns import PRESENT, Column
from trailformat.values import Value, decode_value, plain_text


class Problem(NamedTuple):
    """A value that its array does not hold: the row, its bytes, and why."""

    row: int
    data: bytes
    reason: str


class SlowDecoder:
    """Decodes values of one column of an image; equal bytes are decoded once."""

    def __init__(self, spans: Spans, image: Image, index: int, definition: ColumnDefinition, codec: str) -> None:
        self._spans = spans
        self._starts, self._sizes = image.starts[index], image.sizes[index]
        self._index, self._definition, self._codec = index, definition, codec
        self._known: dict[tuple[bytes, bool], tuple[Any, str | None]] = {}

    def filled(self, array: pa.Array, rows: list[int]) -> tuple[pa.Array, list[Problem]]:
        """The array with the values of ``rows``, and those that it cannot hold."""
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
        import pyarrow.compute as pc  # noqa: PLC0415 - it takes its time to load, and few columns come here

        return pc.replace_with_mask(array, pa.array(missing), replacement), problems

    def _fitting(self, row: int, kind: pa.DataType) -> tuple[bytes, Any, str | None]:
        """The bytes of a row's value, the value as the array takes it, or the reason why it does not."""
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

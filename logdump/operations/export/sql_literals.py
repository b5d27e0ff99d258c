"""The literals of a dialect for columns of values: what stands around ordinary ones is what it writes around samples.

Whatever else a dialect may do with a value, it does itself: with each distinct one once.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from logdump.arrow.tables.piece import Array
from logdump.render.sql.dialect import Dialect, Unwritable
from logdump.render.sql.large_objects import LONGEST
from logdump.render.sql.statement import literal_of
from trailformat import ColumnDefinition, Value
from trailformat.arrays import ArrayType, DecodePath, Field, FieldForm, LineForm, ValueSpelling, write_lines

_LONG = 1000
"""Characters of a text, bytes of a binary value, from which on a dialect may have other literals, or none."""
_MOMENT, _BINARY = dt.datetime(2001, 2, 3, 4, 5, 6), b"\xab"  # noqa: DTZ001 - a moment without a zone is what is meant
_WHOLE_SECONDS = len(str(_MOMENT))
_QUOTE, _ASCII = ord("'"), 0x80
_LETTER = "é"
_PLAIN = b"'", b"'"
_NONE = np.empty(0, np.int64)
_Spelled = tuple[pa.Array, Array]
"""Literals, and the rows whose literals the dialect itself must write."""


class Literals:
    """The literals of a dialect."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._is_odd = np.array([number < _ASCII and not self._is_plain(chr(number)) for number in range(256)])
        self._foreign = _around(dialect.text(_LETTER), _LETTER)
        self._whole = _around(dialect.timestamp(_MOMENT), str(_MOMENT))
        fraction = _MOMENT.replace(microsecond=7)
        self._fraction = _around(dialect.timestamp(fraction), str(fraction))
        digits = _BINARY.hex()
        binary = dialect.binary(_BINARY)
        self._is_upper = digits not in binary
        self._binary = _around(binary, digits.upper() if self._is_upper else digits)
        date = _around(dialect.date(_MOMENT.date()), str(_MOMENT.date()))
        self._writers: dict[DecodePath, Callable[[pa.Array], _Spelled]] = {
            DecodePath.TEXT: self._texts,
            DecodePath.ASCII: self._texts,
            DecodePath.BYTES: self._binaries,
            DecodePath.MOMENT: self._moments,
            DecodePath.DATE: lambda texts: (_written(texts, date), _NONE),
        }
        self._nulls = pa.array(sorted(dialect.nulls), pa.string())

    def of(self, definition: ColumnDefinition) -> ValueSpelling:
        """The spelling of the values of a column."""
        return ValueSpelling(self._ordinary, partial(self._single, definition))

    def are_null(self, literals: pa.Array) -> Array:
        """A mask of the literals that stand for NULL."""
        mask: Array = pc.is_in(literals, self._nulls).to_numpy(zero_copy_only=False)
        return mask

    def _is_plain(self, character: str) -> bool:
        """Whether it stands in a literal as it is, or doubled."""
        try:
            return self._dialect.text(character) == "'{}'".format(character.replace("'", "''"))
        except Unwritable:
            return False

    def _ordinary(self, texts: pa.Array, target: ArrayType) -> _Spelled:
        write = self._writers.get(target.path)
        return write(texts) if write is not None else (texts, _NONE)

    def _single(self, definition: ColumnDefinition, value: Value) -> str | None:
        if value.problem is not None or len(value.data) > LONGEST:
            return None
        try:
            return literal_of(value.value, definition, self._dialect)
        except Unwritable:
            return None

    def _texts(self, texts: pa.Array) -> _Spelled:
        offsets, data = _buffers(texts)
        is_odd = (np.diff(offsets) > _LONG) | _rows_with(self._is_odd[data], offsets)
        if (data == _QUOTE).any():
            texts = pc.replace_substring(texts, "'", "''")
        made, is_high = _written(texts, _PLAIN), data >= _ASCII
        if is_high.any():
            is_foreign = _rows_with(is_high, offsets)
            if not data[is_high].tobytes().decode().isprintable():
                is_odd |= is_foreign
            elif self._foreign != _PLAIN:
                made = pc.if_else(pa.array(is_foreign), _written(texts, self._foreign), made)
        return made, np.flatnonzero(is_odd)

    def _binaries(self, digits: pa.Array) -> _Spelled:
        offsets, _ = _buffers(digits)
        digits = pc.ascii_upper(digits) if self._is_upper else digits
        return _written(digits, self._binary), np.flatnonzero(np.diff(offsets) > 2 * _LONG)

    def _moments(self, texts: pa.Array) -> _Spelled:
        has_fraction = np.diff(_buffers(texts)[0]) > _WHOLE_SECONDS
        if self._whole == self._fraction or not has_fraction.any():
            return _written(texts, self._whole), _NONE
        made = pc.if_else(pa.array(has_fraction), _written(texts, self._fraction), _written(texts, self._whole))
        return made, _NONE


def _around(literal: str, sample: str) -> tuple[bytes, bytes]:
    """What stands before and behind a sample in its literal."""
    opening, closing = literal.split(sample)
    return opening.encode(), closing.encode()


def _buffers(texts: pa.Array) -> tuple[Array, Array]:
    """The offsets of texts, and their bytes."""
    _, offsets, data = texts.buffers()
    places = np.frombuffer(offsets, np.int32)[texts.offset : texts.offset + len(texts) + 1]
    return places, np.frombuffer(data or b"", np.uint8)[: places[-1]]


def _rows_with(mask: Array, offsets: Array) -> Array:
    """A mask of the texts of which bytes are in a mask."""
    rows: Array = np.zeros(len(offsets) - 1, bool)
    rows[np.searchsorted(offsets, np.flatnonzero(mask), "right") - 1] = True
    return rows


def _written(texts: pa.Array, around: tuple[bytes, bytes]) -> pa.Array:
    """Texts between two others."""
    is_null = texts.is_null().to_numpy(zero_copy_only=False)
    lines = write_lines(LineForm(*around), [Field(FieldForm(b""), texts)], is_null)
    ends = np.concatenate((np.zeros(1, np.int64), lines.ends)).astype(np.int32)
    valid = pa.py_buffer(np.packbits(~is_null, bitorder="little")) if texts.null_count else None
    return pa.Array.from_buffers(pa.string(), len(texts), [valid, pa.py_buffer(ends), pa.py_buffer(lines.data)])

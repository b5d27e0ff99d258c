"""The literals of a dialect for columns of values: what is written around ordinary ones is what it is around samples.

Whatever else a dialect may do with a value, it does itself: with each distinct one once.
"""

from __future__ import annotations

import datetime as dt
from functools import cache, partial

import numpy as np

from logdump.display.sql.dialect import Dialect, Unwritable
from logdump.display.sql.large_objects import LONGEST
from trailformat import ColumnDefinition, Value
from trailformat.arrays import DecodePath, Strings, TextForm, ValueSpelling
from trailformat.scan.rows.row_bytes import Array
from trailformat.values import Family, data_type_of

_LONG = 1000
"""Characters of a text, bytes of a binary value, from which on a dialect may have other literals, or none."""
_MOMENT, _BINARY = dt.datetime(2001, 2, 3, 4, 5, 6), b"\xab"  # noqa: DTZ001 - a moment without a zone is what is meant
_ASCII = 0x80
_LETTER = "é"


class Literals:
    """The literals of one dialect, made for many values at a time."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        odd = [number < _ASCII and not self._is_plain(chr(number)) for number in range(256)]
        fraction = _MOMENT.replace(microsecond=7)
        digits, binary = _BINARY.hex(), dialect.binary(_BINARY)
        is_upper = digits not in binary
        texts = TextForm(
            (b"'", b"'"),
            _around(dialect.text(_LETTER), _LETTER),
            most=_LONG,
            odd=np.array(odd, np.uint8),
            is_printable=True,
            doubles_quotes=True,
        )
        self._forms = {
            DecodePath.TEXT: texts,
            DecodePath.ASCII: texts,
            DecodePath.BYTES: TextForm(
                _around(binary, digits.upper() if is_upper else digits), most=_LONG, is_upper=is_upper
            ),
            DecodePath.MOMENT: TextForm(
                _around(dialect.timestamp(_MOMENT), str(_MOMENT)), _around(dialect.timestamp(fraction), str(fraction))
            ),
            DecodePath.DATE: TextForm(_around(dialect.date(_MOMENT.date()), str(_MOMENT.date()))),
        }
        self._nulls = [text.encode() for text in sorted(dialect.nulls)]

    @staticmethod
    @cache
    def of_dialect(dialect: Dialect) -> Literals:
        """Return the literals of a dialect; cached."""
        return Literals(dialect)

    def of(self, definition: ColumnDefinition) -> ValueSpelling:
        """The spelling of the values of a column."""
        return ValueSpelling(self._forms, partial(self.single, definition))

    def are_null(self, literals: Strings) -> Array:
        """Return a mask of the literals of NULL."""
        return literals.are_in(self._nulls)

    def _is_plain(self, character: str) -> bool:
        """Return True if the character is unchanged or doubled in a literal."""
        try:
            return self._dialect.text(character) == "'{}'".format(character.replace("'", "''"))
        except Unwritable:
            return False

    def single(self, definition: ColumnDefinition, value: Value) -> str | None:
        """The literal of a value; None where it has none."""
        try:
            return self.literal(value, definition, definition.name)
        except Unwritable:
            return None

    def literal(self, value: Value, definition: ColumnDefinition | None, column: str) -> str:
        """The literal of a value of a column.

        Raises:
            Unwritable: it is not decoded, too long for a statement, or the dialect has no literal for it.
        """
        if value.problem:
            raise Unwritable(f"column {column} is not decoded: {value.problem}")
        if len(value.data) > LONGEST:
            raise Unwritable(f"column {column} has {len(value.data)} bytes, more than {LONGEST}")
        plain = value.value
        if isinstance(plain, str) and definition is not None and data_type_of(definition).family is Family.DATETIME:
            return self._dialect.moment(plain)
        return self._dialect.literal(plain)


def _around(literal: str, sample: str) -> tuple[bytes, bytes]:
    """Return the parts of a literal before and after a sample."""
    opening, closing = literal.split(sample)
    return opening.encode(), closing.encode()

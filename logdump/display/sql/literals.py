"""The literals of a dialect for columns of values.

The text around ordinary values is taken from the dialect's literals of samples. All other values are passed to the
dialect, each distinct value once.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from functools import cache, partial
from typing import NamedTuple

import numpy as np

from logdump.display.sql.dialects import Dialect, Unwritable
from trailformat import ColumnDefinition, Record, TrailError, TrailFile, Value
from trailformat.arrays import DecodePath, Strings, TextForm, ValueSpelling
from trailformat.changes.lobs import Lob, lob_value, whole_lobs
from trailformat.changes.row_changes import Change, ColumnChange
from trailformat.scan.rows.row_bytes import Array
from trailformat.values import Family, data_type_of

LONGEST = 1_000_000
"""Maximum size in bytes of a value in a statement; LOB and EXPORT write longer ones."""
UNKNOWN_LAYOUT = "large object {} is in pieces whose layout is not known"


def needs_large_objects(op: str, *, takes_back: bool) -> bool:
    """Return True if the statement of a change needs the large objects of its row, not only its key."""
    return op != ("INSERT" if takes_back else "DELETE")


def with_large_objects(trail: TrailFile, change: Change, codec: str, pieces: Sequence[Record] | None = None) -> Change:
    """Return the change with its large objects among its columns.

    ``codec`` is that of the character set of its database; ``pieces`` are the records of its objects, if known.

    Raises:
        Unwritable: a large object is not whole, too long, or in pieces of an unknown layout.
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
    """The value of a large object, the index of its column, and whether it is of the before image."""

    column: int
    is_before: bool
    value: Value


def values_of_objects(
    trail: TrailFile, rba: int, columns: Sequence[ColumnDefinition], codec: str, pieces: Sequence[Record] | None
) -> Iterator[ObjectValue]:
    """Yield the values of the large objects of the row at ``rba``; raises like with_large_objects."""
    for lob, data in whole_lobs(trail, rba, LONGEST, pieces):
        index = _column(lob)
        if index >= len(columns):
            raise Unwritable(f"column {index} has no name: no definition of the table fits (SOURCEDEFS reads some)")
        yield ObjectValue(index, lob.is_before, _decoded(data, columns[index], codec))


def _column(lob: Lob) -> int:
    """Return the index of a large object's column; raises Unwritable if a statement cannot have the object."""
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


_LONG = 1000
"""Characters of a text, or bytes of a binary value, above which a dialect may have another literal, or none."""
_MOMENT, _BINARY = dt.datetime(2001, 2, 3, 4, 5, 6), b"\xab"  # noqa: DTZ001 - it has no zone on purpose
_ASCII = 0x80
_LETTER = "é"


class Literals:
    """The literals of one dialect, made for many values at a time."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        undecidable = [number < _ASCII and not self._is_plain(chr(number)) for number in range(256)]
        fraction = _MOMENT.replace(microsecond=7)
        digits, binary = _BINARY.hex(), dialect.binary(_BINARY)
        is_upper = digits not in binary
        texts = TextForm(
            (b"'", b"'"),
            _around(dialect.text(_LETTER), _LETTER),
            most=_LONG,
            undecidable=np.array(undecidable, np.uint8),
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
        """Return the spelling of the values of a column."""
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
        """Return the literal of a value; None if it has none."""
        try:
            return self.literal(value, definition, definition.name)
        except Unwritable:
            return None

    def literal(self, value: Value, definition: ColumnDefinition | None, column: str) -> str:
        """Return the literal of a value of a column.

        Raises:
            Unwritable: the value is not decoded, is too long for a statement, or has no literal in the dialect.
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

"""Differences of a table's definition from the schema of a read: a column, a type, a key that came after it.

A schema is made of the definitions that stand in the files when Spark reads it. A definition that is met later, as a
stream meets one after ALTER TABLE, is compared with them.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import pyarrow as pa

from logdump.arrow.tables.layout import SIDES, TableLayout
from logdump.spark.source.table_columns import spark_type
from trailformat.arrays import array_type
from trailformat.arrays.arrow import arrow_type


class AlterationKind(enum.Enum):
    """The kind of a difference."""

    NEW = "a column that the schema lacks"
    TYPE = "a column of another type"
    GONE = "a column that is read and no longer there"
    KEY = "a column that has come into the key, or gone out of it"


class Alteration(NamedTuple):
    """One difference: the column, what of it has been altered, and that in words."""

    column: str
    kind: AlterationKind
    words: str


class Alterations:
    """Holds definitions against the schema of a read.

    Args:
        foreseen: the definitions that the schema was made of, the newest one last; none where the user has given the
            schema, which is then kept to.
        wanted: the columns that are read, in lower case, and their types in Arrow.
        takes_all: whether these are all columns of the table.
    """

    def __init__(self, foreseen: Sequence[TableLayout], wanted: Mapping[str, pa.DataType], *, takes_all: bool) -> None:
        self._foreseen = foreseen
        self._wanted = wanted
        self._takes_all = takes_all
        self._known: dict[TableLayout, tuple[Alteration, ...]] = dict.fromkeys(foreseen, ())

    def of(self, layout: TableLayout) -> tuple[Alteration, ...]:
        """The differences of a definition from the schema; none of one that the schema was made of."""
        if not self._foreseen or layout.columns is None:
            return ()
        if layout not in self._known:
            self._known[layout] = (*self._columns(layout), *self._gone(layout), *self._key(layout))
        return self._known[layout]

    def _columns(self, layout: TableLayout) -> Iterator[Alteration]:
        for name, definition in zip(layout.column_names, layout.columns or (), strict=True):
            kind = spark_type(arrow_type(array_type(definition, layout.codec).type))
            types = {self._wanted[column] for side in SIDES if (column := f"{side}_{name}".lower()) in self._wanted}
            if not types and self._takes_all:
                yield Alteration(name, AlterationKind.NEW, f"column {name} ({kind.ddl}) is new")
            elif types - {kind.arrow(pa)}:
                expected = ", ".join(sorted(map(str, types)))
                yield Alteration(
                    name, AlterationKind.TYPE, f"column {name} is {kind.ddl}, and {expected} in the schema"
                )

    def _gone(self, layout: TableLayout) -> Iterator[Alteration]:
        """Columns that are read and no longer exist: a renamed one would otherwise be lost silently."""
        there = {name.lower() for name in layout.column_names}
        for name in self._names if not self._takes_all else ():
            if name.lower() not in there:
                yield Alteration(name, AlterationKind.GONE, f"column {name} is no longer there")

    @cached_property
    def _names(self) -> list[str]:
        """The columns of the table that are read."""
        names = {name.lower(): name for layout in self._foreseen for name in layout.column_names}
        return [name for low, name in names.items() if any(f"{side}_{low}" in self._wanted for side in SIDES)]

    def _key(self, layout: TableLayout) -> Iterator[Alteration]:
        before, after = _key_of(self._foreseen[-1]), _key_of(layout)
        if list(before) != list(after):
            now, then = (", ".join(key.values()) or "no column" for key in (after, before))
            for low in dict.fromkeys([*after, *before]):
                if low not in after or low not in before:
                    name = after.get(low) or before[low]
                    yield Alteration(
                        name, AlterationKind.KEY, f"the key is {now}, and was {then} in the schema's definitions"
                    )


def _key_of(layout: TableLayout) -> dict[str, str]:
    """The columns of the key by their names in lower case."""
    columns = zip(layout.column_names, layout.columns or (), strict=True)
    return {name.lower(): name for name, column in columns if column.is_key}

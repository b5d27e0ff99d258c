"""Changes of rows made by hand: what each image holds is said column by column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from fixtures import column_kinds as kind
from fixtures.shop import ShopTable
from trailformat import Record, TableDefinition, make_record
from trailformat.changes.row_changes import Change, ColumnChange
from trailformat.records.record_header import INSERT, make_header
from trailformat.values import Value
from trailformat.values.value import Plain

NULL: Final = Value(b"", None, is_null=True)
"""A column that an image has, and that is NULL; None is for one that it does not have."""
Cells = Sequence[Plain | Value]

STOCK = ShopTable(
    "SHOP.STOCK",
    1,
    kind.placed(
        [kind.varchar2("CODE", 6), kind.varchar2("SHELF", 6), kind.varchar2("NOTE", 40), kind.number("KG", 6)],
        2,
        oracle=True,
    ),
)
"""Two key columns and two others."""


def change(op: str, before: Cells = (), after: Cells = (), table: ShopTable = STOCK) -> Change:
    """A change of a row; an image that is not given has no column."""
    count = len(table.columns)
    old, new = (tuple(map(_value, image)) or (None,) * count for image in (before, after))
    columns = [
        ColumnChange(at, column.name, column, old[at], new[at], column.is_key)
        for at, column in enumerate(table.columns)
        if old[at] is not None or new[at] is not None
    ]
    definition = TableDefinition(1, 1, table.columns, ())
    return Change(op, table.name, (record(),), tuple(columns), definition, None, None, 0)


def without_definition(made: Change) -> Change:
    """The change as it is read where nothing tells the columns of its table."""
    columns = tuple(column._replace(name="", definition=None, is_key=False) for column in made.columns)
    return made._replace(columns=columns, definition=None)


def record() -> Record:
    """Some record."""
    return make_record(make_header(INSERT, io_time=0), b"")


def _value(plain: Plain | Value) -> Value | None:
    return plain if plain is None or isinstance(plain, Value) else Value(str(plain).encode(), plain)

"""A table as the statements of a dialect name it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from logdump.display.sql.dialect import Dialect, Unwritable
from trailformat import ColumnDefinition

_HERE = "\0"
"""In place of a condition; no name holds it."""


class SqlTable(NamedTuple):
    """A table and its columns. Sets of columns are integers with a bit for each, the first column the lowest.

    Attributes:
        name: as the trail has it.
        columns: their definitions; those that the definition lacks have none.
        is_defined: whether there is a definition.
        quoted: the name in statements.
        lack: why it cannot be written; None where it can.
        names: those of the columns in statements.
        lacks: of each column why it cannot be named, None where it can.
        key: the columns of the key.
        condition: what is written before and after the condition that finds a row.
    """

    name: str
    columns: tuple[ColumnDefinition, ...]
    is_defined: bool
    quoted: bytes
    lack: str | None
    names: list[bytes]
    lacks: list[str | None]
    key: int
    condition: tuple[bytes, bytes]

    def plain_names(self, columns: int) -> str:
        """The names of a set of columns as messages list them."""
        names = (self.columns[at].name if at < len(self.columns) else "" for at in members(columns))
        return ", ".join(names)

    def nameable(self, columns: int) -> tuple[int, str | None]:
        """The columns of a set before the first that cannot be named, and why that cannot be."""
        for at in members(columns):
            if (lack := self.lacks[at]) is not None:
                return columns & (1 << at) - 1, lack
        return columns, None


def members(columns: int) -> Iterator[int]:
    """The numbers of the columns in a set."""
    while columns:
        lowest = columns & -columns
        yield lowest.bit_length() - 1
        columns ^= lowest


def sql_table(name: str, columns: Sequence[ColumnDefinition] | None, dialect: Dialect, width: int = 0) -> SqlTable:
    """The table with this name; ``columns`` is None without a definition, ``width`` how many rows have at least."""
    defined = tuple(columns or ())
    quoted, lack = _written(dialect.table, name)
    pairs = [
        _written(dialect.identifier, one.name) if one.name else (b"", _nameless(at)) for at, one in enumerate(defined)
    ]
    pairs += [(b"", _nameless(at)) for at in range(len(defined), width)]
    key = sum(1 << at for at, one in enumerate(defined) if one.is_key)
    condition = _HERE if key or lack is not None else dialect.one_of(quoted.decode(), _HERE)
    before, after = condition.encode().split(_HERE.encode())
    return SqlTable(
        name,
        defined,
        columns is not None,
        quoted,
        lack,
        [one for one, _ in pairs],
        [why for _, why in pairs],
        key,
        (before, after),
    )


def _written(quote: Callable[[str], str], name: str) -> tuple[bytes, str | None]:
    """A name in statements, and why it cannot be written."""
    try:
        return quote(name).encode(), None
    except Unwritable as error:
        return b"", str(error)


def _nameless(index: int) -> str:
    return f"column {index} has no name: no definition of the table fits (SOURCEDEFS reads some)"

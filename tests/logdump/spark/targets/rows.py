"""A trail of transactions of one row each, in tables of any name and columns, whose values may not decode."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.trailformat.samples import IO_TIME, header, metadata_record
from tests.trailformat.values.kinds import KINDS
from trailformat import (
    ByteOrder,
    ColumnDefinition,
    Images,
    Record,
    TableDefinition,
    Token,
    encode_value,
    make_column,
    make_record,
    make_token,
)
from trailformat.definitions.metadata import KEY, build_table
from trailformat.records.ddl import build_ddl
from trailformat.records.record_header import (
    DDL_OP,
    DELETE,
    FIELD_COMP,
    FIRST,
    INSERT,
    ONLY,
    PURGE_DATA,
    UNIFIED_PK_UPDATE,
    UNIFIED_UPDATE,
    UPSERT,
)

ORDER = ByteOrder.BIG
RAW = bytes
"""A value that is bytes stands in the image as it is; ``None`` is NULL, and a column that is not named is absent."""


def definition_of(kind: str) -> ColumnDefinition:
    """The definition of a column of a kind, which may have another size: ``VARCHAR:60``."""
    name, _, size = kind.partition(":")
    definition = KINDS[name].definition
    return definition._replace(internal_length=int(size), external_length=int(size)) if size else definition


class Trail:
    """Records of tables, each with the kinds of its columns; the first column is the key.

    ``role`` is the place of the next record in its transaction; each has one of its own unless that is set.
    ``csn`` is the CSN of the next record; a number from 101 on unless that is set. The time of
    a transaction is as many seconds after that of the samples as its number.
    """

    def __init__(self, tables: Mapping[str, Mapping[str, str]], *, keyless: bool = False) -> None:
        self._tables = {name: dict(columns) for name, columns in tables.items()}
        self._is_keyless = keyless
        self._records: list[Record] = []
        self._number, self.role = 0, ONLY
        self.csn: str | None = None
        for name in self._tables:
            self._define(name)

    def _define(self, name: str) -> None:
        columns = [
            definition_of(kind)._replace(name=column, flags=KEY if at == 0 and not self._is_keyless else 0)
            for at, (column, kind) in enumerate(self._tables[name].items())
        ]
        data = build_table(TableDefinition(1, 1, tuple(columns)), ORDER)
        self._records.append(metadata_record(2, self._index(name), name, data))

    @property
    def rba(self) -> int:
        """The RBA of the next record."""
        return sum(len(record.raw) for record in self._records)

    def undefine(self, name: str) -> None:
        """Leave out the definition of a table, as a file does that was cut out of another."""
        self._records = [record for record in self._records if record.raw.find(f"{name}".encode()) < 0]

    def _index(self, name: str) -> int:
        return [*self._tables].index(name) + 1

    def state(self, name: str, text: str) -> None:
        """A DDL statement on a table, in a transaction of its own."""
        self._number += 1
        owner, _, table = name.partition(".")
        operation, object_type, *_ = text.upper().split()
        pairs = [("B3", owner), ("B4", table), ("B5", object_type), ("B6", operation), ("C1", text)]
        about = header(name, ORDER, io_type=DDL_OP, trans_ind=ONLY)
        self._records.append(make_record(about, build_ddl(pairs), self._tokens(), order=ORDER))

    def create(self, name: str, columns: Mapping[str, str]) -> None:
        """A table is defined from here on."""
        self._tables[name] = dict(columns)
        self._define(name)

    def alter(self, name: str, columns: Mapping[str, str], statement: Record | None = None) -> None:
        """The table has other columns from here on, after a statement."""
        self._records += [statement] if statement is not None else []
        self._tables[name] = dict(columns)
        self._define(name)

    def insert(self, name: str, *values: Any) -> None:
        """A row."""
        self._add(name, INSERT, Images(None, self._columns(name, values)))

    def update(self, name: str, *values: Any) -> None:
        """An update with an image after it of these columns."""
        self._add(name, FIELD_COMP, Images(None, self._columns(name, values)))

    def change(self, name: str, before: Sequence[Any], after: Sequence[Any]) -> None:
        """An update with both images."""
        images = Images(self._columns(name, before), self._columns(name, after), prefix_size=4)
        self._add(name, UNIFIED_UPDATE, images)

    def upsert(self, name: str, *values: Any) -> None:
        """A row that is inserted, or updated if it is there."""
        self._add(name, UPSERT, Images(None, self._columns(name, values)))

    def move(self, name: str, before: Sequence[Any], after: Sequence[Any]) -> None:
        """An update of the key."""
        images = Images(self._columns(name, before), self._columns(name, after), prefix_size=4)
        self._add(name, UNIFIED_PK_UPDATE, images)

    def delete(self, name: str, *values: Any) -> None:
        """A row goes."""
        self._add(name, DELETE, Images(self._columns(name, values), None))

    def truncate(self, name: str) -> None:
        """All rows go."""
        self._add(name, PURGE_DATA, Images(None, None))

    def _add(self, name: str, io_type: int, images: Images) -> None:
        self._number += self.role in (ONLY, FIRST)
        partition = 0x40 | 4 if io_type == UNIFIED_PK_UPDATE else 4
        fields = {"partition": header(1).partition | partition, "io_time": IO_TIME + self._number * 1_000_000}
        about = header(
            self._index(name),
            ORDER,
            io_type=io_type,
            trans_ind=self.role,
            before_after=ord("B" if io_type == DELETE else "A"),
            **fields,
        )
        self._records.append(make_record(about, images, self._tokens(), order=ORDER))

    def _tokens(self) -> tuple[Token, Token]:
        csn = str(100 + self._number) if self.csn is None else self.csn
        return make_token("L", csn.encode()), make_token("6", f"1.2.{self._number}".encode())

    def _columns(self, name: str, values: Sequence[Any]) -> Any:
        kinds = [*self._tables[name].values()]
        return tuple(make_column(at, stored) for at, stored in self._stored(kinds, values))

    def _stored(self, kinds: Sequence[str], values: Sequence[Any]) -> Iterator[tuple[int, bytes | None]]:
        for at, (kind, value) in enumerate(zip(kinds, values, strict=False)):
            if value is ...:
                continue
            is_raw = isinstance(value, bytes | None)
            yield at, value if is_raw else encode_value(value, definition_of(kind), ORDER)

    def write(self, folder: Path, *more: bytes) -> Path:
        """Write its file; ``more`` are bytes after it."""
        folder.mkdir(exist_ok=True)
        path = folder / "tt000000000"
        path.write_bytes(b"".join([*(record.raw for record in self._records), *more]))
        return path

"""Metadata records (IOType 170, from 12.2): the database (DDR) and the tables (TDR), as token trees in file byte order.

They are laid out by ``spec.database_definition`` and ``spec.table_definition``. OrigNode is the kind: 1 DDR, 2 TDR, 3 a
reference (no data) to the TDR whose index is in the header. The 21c form of the TDR (version 11) lacks the last
three tokens of ``02`` and the 14 bytes of each column: this is inferred from the lengths of two transcripts, 138 and
252 bytes, which it explains exactly.

A column, here and in a definitions file, is its name, 44 fixed bytes, and the bytes after them, by
``spec.column_definition``. Flags: ``01`` key, ``02`` null, ``20`` elementary item (inferred from the output of DEFGEN
for Oracle tables).
"""

from __future__ import annotations

import struct
from typing import Any, NamedTuple

from trailformat.codec.byte_order import ByteOrder
from trailformat.codec.on_demand import on_demand
from trailformat.codec.tokens import Token, make_token, parse_tokens
from trailformat.errors import BadData

with on_demand:
    from trailformat import spec
    from trailformat.codec import layout

KEY = 0x01
NULLABLE = 0x02
ELEMENTARY = 0x20
TAIL_12_2 = bytes(14)


class ColumnDefinition(NamedTuple):
    """A column as in a definitions file; lengths in bytes; ``tail``: the part after the 44 bytes, None if missing."""

    name: str
    data_type: int
    internal_length: int
    external_length: int
    binary_length: int
    table_length: int
    character_length: int
    fetch_offset: int
    charset: int
    native_type: int
    sub_data_type: int
    most_significant: int
    least_significant: int
    scale: int
    reserved: int
    flags: int
    tail: bytes | None = TAIL_12_2

    @property
    def is_key(self) -> bool:
        """True if the column belongs to the key."""
        return bool(self.flags & KEY)


def parse_column(data: bytes, order: ByteOrder) -> ColumnDefinition:
    """Return the column definition in ``data``.

    Raises:
        BadData: it is too short, or has more bytes than any known definition.
    """
    if (usual := _usual(data, order)) is not None:
        return usual
    parsed = layout.parse_whole(spec.column_definition(order.value), data, BadData, "column definition")
    if parsed.rest or parsed.fixed.rest:
        raise BadData("column definition has unknown bytes at its end", found=(parsed.rest or parsed.fixed.rest).hex())
    name = parsed.fixed.name.decode("utf-8", "backslashreplace")
    values = [getattr(parsed.fixed, field) for field in ColumnDefinition._fields[1:-1]]
    return ColumnDefinition._make((name, *values, parsed.tail))


_FIXED = {each: struct.Struct(each.value + "H6Ii2h2Hh2H") for each in ByteOrder}


def _usual(data: bytes, order: ByteOrder) -> ColumnDefinition | None:
    """Parse a definition in the form that Extract writes; return None to leave it to the layout."""
    size = order.decode(data[:2])
    fixed, tail = layout.read_prefixed(data[: 2 + size], 2, order.word), data[2 + size :]
    last = layout.read_prefixed(tail, 2, order.word) if tail else None
    if fixed is None or (last is None and tail):
        return None
    name = layout.read_prefixed(fixed[: -_FIXED[order].size], 2, order.word)
    if name is None:
        return None
    numbers = _FIXED[order].unpack(fixed[-_FIXED[order].size :])
    return ColumnDefinition._make((name.decode("utf-8", "backslashreplace"), *numbers, last))


def build_column(column: ColumnDefinition, order: ByteOrder) -> bytes:
    """Return the bytes of a definition, without the size in front of it."""
    fixed = {**column._asdict(), "name": layout.encode_text(column.name, "column name"), "rest": b""}
    value = {"fixed": fixed, "tail": column.tail, "rest": b""}
    return layout.build(spec.column_definition(order.value), value, f"column definition {column.name}")


_ROOT = 0x30


class DatabaseDefinition(NamedTuple):
    """A DDR. Character sets and locale are codes; ``cases`` has one byte per kind of object."""

    version: int
    charset: int
    ncharset: int
    locale: int
    time_zone: str
    cases: bytes
    name: str


class TableDefinition(NamedTuple):
    """A TDR. ``options`` are the tokens ``02``-``04`` after the key count, kept unchanged (empty in 21c)."""

    version: int
    key_columns: int
    columns: tuple[ColumnDefinition, ...]
    options: tuple[Token, ...] = ()


class _Tree:
    """The tokens at one level, by id, with typed access."""

    def __init__(self, data: bytes, order: ByteOrder) -> None:
        self.order = order
        self.tokens = parse_tokens(data, order)

    def payload(self, token_id: int) -> bytes:
        for token in self.tokens:
            if token.id == token_id:
                return token.payload
        raise BadData("metadata lacks a token", expected=f"token x{token_id:02x}")

    def tree(self, token_id: int) -> _Tree:
        return _Tree(self.payload(token_id), self.order)

    def number(self, token_id: int, size: int) -> int:
        payload = self.payload(token_id)
        if len(payload) != size:
            what = f"metadata token x{token_id:02x} has another length"
            raise BadData(what, expected=f"{size} bytes", found=f"{len(payload)} bytes")
        return self.order.decode(payload)

    def parsed(self, token_id: int, form: Any) -> Any:
        return layout.parse_whole(form, self.payload(token_id), BadData, f"metadata token x{token_id:02x}")

    def text(self, token_id: int) -> str:
        return self.prefixed(token_id, 2).decode("utf-8", "backslashreplace")

    def prefixed(self, token_id: int, size: int) -> bytes:
        """Return the payload after its length; if that does not match, the layout raises the error."""
        data = layout.read_prefixed(self.payload(token_id), size, self.order.word)
        if data is not None:
            return data
        return bytes(self.parsed(token_id, spec.prefixed(self.order.value, size)))

    def columns(self, token_id: int) -> list[bytes]:
        """Return the payload as definitions of columns; if they do not fill it, the layout raises the error."""
        stored = _stored_columns(self.payload(token_id), self.order)
        if stored is not None:
            return stored
        return list(self.parsed(token_id, spec.column_definitions(self.order.value)))


def _stored_columns(data: bytes, order: ByteOrder) -> list[bytes] | None:
    """Return the column definitions, stored after their number; None if they do not fill the payload."""
    columns, start = [], 2
    for _ in range(order.decode(data[:2])):
        end = start + 2 + order.decode(data[start : start + 2])
        if not start + 2 <= end <= len(data):
            return None
        columns.append(data[start + 2 : end])
        start = end
    return columns if start == len(data) else None


def parse_database(data: bytes, order: ByteOrder) -> DatabaseDefinition:
    """Return the DDR in the data of a metadata record.

    Raises:
        BadToken, BadData: the bytes are not a DDR.
    """
    root = _Tree(data, order).tree(_ROOT)
    settings = root.tree(2)
    return DatabaseDefinition(
        version=root.number(1, 2),
        charset=settings.number(1, 4),
        ncharset=settings.number(2, 4),
        locale=settings.number(3, 2),
        time_zone=settings.text(4),
        cases=settings.prefixed(5, 4),
        name=root.text(3),
    )


def build_database(database: DatabaseDefinition, order: ByteOrder) -> bytes:
    """Return the data of a DDR.

    Raises:
        CannotWrite: a value does not fit.
    """
    settings = {**database._asdict(), "time_zone": layout.encode_text(database.time_zone, "time zone")}
    name = layout.encode_text(database.name, "database name")
    root = {"version": database.version, "settings": settings, "name": name}
    return layout.build(spec.database_definition(order.value), root, "database definition")


def parse_table(data: bytes, order: ByteOrder) -> TableDefinition:
    """Return the TDR in the data of a metadata record.

    Raises:
        BadToken, BadData: the bytes are not a TDR.
    """
    root = _Tree(data, order).tree(_ROOT)
    attributes = root.tree(2)
    columns = root.columns(3)
    return TableDefinition(
        version=root.number(1, 2),
        key_columns=attributes.tree(1).number(1, 2),
        columns=tuple(parse_column(column, order) for column in columns),
        options=attributes.tokens[1:],
    )


def build_table(table: TableDefinition, order: ByteOrder) -> bytes:
    """Return the data of a TDR. Raises like build_database."""
    options = [token._asdict() for token in table.options]
    columns = [build_column(column, order) for column in table.columns]
    attributes = {"keys": {"key_columns": table.key_columns}, "options": options}
    root = {"version": table.version, "attributes": attributes, "columns": columns}
    return layout.build(spec.table_definition(order.value), root, "table definition")


def default_options(order: ByteOrder) -> tuple[Token, ...]:
    """Return the three tokens of a 12.2 TDR after its key count; zero in all known trails."""
    return (make_token(2, order.encode(0, 4)), make_token(3, order.encode(0, 2)), make_token(4, order.encode(0, 2)))

"""Records for the large trails, made once by the package's own writer; times, CSNs and positions are set later."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from random import Random
from typing import NamedTuple

from benchmarks.tables import FILTERED, NEEDLE, WITH_LOBS, Table
from fixtures.capture import OPENING
from fixtures.changes import Change, delete, insert, unified_update, update
from fixtures.flavour import ORACLE_12, Flavour
from fixtures.headers import file_header
from trailformat import ByteOrder, Images, RecordHeader, TableDefinition, Token, make_token
from trailformat.definitions.metadata import build_database, build_table, default_options
from trailformat.records import framing
from trailformat.records.file_header import replace_values
from trailformat.records.record import make_file_header_record, make_record
from trailformat.records.record_header import (
    COMPRESSED,
    DATABASE,
    DELETE,
    LARGE_OBJECT,
    METADATA,
    NAME_IS_INDEX,
    TABLE,
    make_header,
    name_field,
)

CSN = b"418823000000"
TRANID = b"5.17.000000000"
AUDIT_RBA = 211
_ROW_NODE = 255
_LETTERS = {ByteOrder.BIG: "t", ByteOrder.LITTLE: "l"}
_ROW = COMPRESSED | NAME_IS_INDEX
_VARIANTS = 12
_PIECES = 8
_TOKENS = (make_token("R", b"AAATeaAAFAAAAHo001\0\1"),)
_FIRST_TOKENS = (*_TOKENS, make_token("L", CSN), make_token("6", TRANID))


class Template(NamedTuple):
    """The bytes of a record, inside a transaction and as the first of one.

    Attributes:
        middle, first: the bytes; ``first`` has LOGCSN and TRANID.
        header_at: offset of the record header's 34 bytes in both.
        csn_at, xid_at: offsets of the two values in ``first``.
        is_filtered, has_needle: whether it passes the filters of the benchmark.
    """

    middle: bytes
    first: bytes
    header_at: int
    csn_at: int
    xid_at: int
    is_filtered: bool
    has_needle: bool


class TableTemplates(NamedTuple):
    """The records of one table by operation; ``pieces`` are those of LOBs, empty for most tables."""

    inserts: list[Template]
    updates: list[Template]
    unified_updates: list[Template]
    deletes: list[Template]
    needles: list[Template]
    pieces: list[Template]


def flavour(order: ByteOrder) -> Flavour:
    """Return the flavour of an Extract 12.2 for Oracle with this byte order."""
    return replace(ORACLE_12, order=order)


def opening_records(order: ByteOrder, tables: Iterable[Table]) -> bytes:
    """Return the bytes of the file header, the DDR and the TDR of every table."""
    maker = flavour(order)
    header = replace_values(
        file_header(maker), "TrailInfo", {"FileName": f"./dirdat/b{_LETTERS[order]}000000000", "Seqno": 0}
    )
    parts = [make_file_header_record(header).raw]
    if maker.database is not None:
        parts.append(_metadata(order, DATABASE, "", 0, build_database(maker.database, order)))
    for table in tables:
        shop_table = table.shop_table
        definition = TableDefinition(maker.table_version, 1, shop_table.columns, default_options(order))
        parts.append(_metadata(order, TABLE, table.name, shop_table.number, build_table(definition, order)))
    return b"".join(parts)


def _metadata(order: ByteOrder, kind: int, name: str, index: int, data: bytes) -> bytes:
    indexes = order.decode(order.encode(1, 2) + order.encode(index, 2))
    header = make_header(
        METADATA, orig_node=kind, io_time=OPENING, audit_rba=indexes, name_field=name_field(name, order)
    )
    return make_record(header, data, order=order).raw


def table_templates(table: Table, order: ByteOrder, random: Random) -> TableTemplates:
    """Return records of one table with random rows."""
    target = table.shop_table
    rows = [table.row(random) for _ in range(_VARIANTS)]
    pairs = [(row, table.changed(row, random)) for row in rows]
    few = rows[: _VARIANTS // 2]

    def made(changes: list[Change], *, has_needle: bool = False) -> list[Template]:
        return [_row_template(table, change, order, has_needle=has_needle) for change in changes]

    return TableTemplates(
        inserts=made([insert(target, row) for row in rows]),
        updates=made([update(target, before, after) for before, after in pairs]),
        unified_updates=made([unified_update(target, before, after) for before, after in pairs[: len(few)]]),
        deletes=made([delete(target, row) for row in few]),
        needles=made([insert(target, table.with_needle(row)) for row in few[:2]], has_needle=True),
        pieces=[_piece(table, order, random) for _ in range(_PIECES)] if table.name == WITH_LOBS else [],
    )


def _row_template(table: Table, change: Change, order: ByteOrder, *, has_needle: bool) -> Template:
    header = _row_header(table, change.io_type, order)
    header = header._replace(before_after=ord("B" if change.io_type == DELETE else "A"))
    return _template(table, header, change.images(order), order, has_needle=has_needle)


def _piece(table: Table, order: ByteOrder, random: Random) -> Template:
    data = random.randbytes(random.randrange(1200, 4000)).replace(NEEDLE.encode(), b"")
    return _template(table, _row_header(table, LARGE_OBJECT, order), data, order, has_needle=False)


def _row_header(table: Table, io_type: int, order: ByteOrder) -> RecordHeader:
    return make_header(
        io_type,
        partition=_ROW,
        orig_node=_ROW_NODE,
        audit_rba=AUDIT_RBA,
        name_field=name_field(table.shop_table.number, order),
    )


def _template(
    table: Table, header: RecordHeader, data: bytes | Images, order: ByteOrder, *, has_needle: bool
) -> Template:
    def raw(tokens: tuple[Token, ...]) -> bytes:
        return make_record(header, data, tokens, order=order).raw

    first = raw(_FIRST_TOKENS)
    return Template(
        middle=raw(_TOKENS),
        first=first,
        header_at=framing.header_at(first, 0),
        csn_at=first.rindex(CSN),
        xid_at=first.rindex(TRANID),
        is_filtered=table.name == FILTERED,
        has_needle=has_needle,
    )

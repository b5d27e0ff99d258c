"""Small records and trails for tests that look at one thing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from trailformat import (
    ByteOrder,
    ColumnDefinition,
    Images,
    Record,
    RecordHeader,
    TableDefinition,
    make_column,
    make_header,
    make_record,
)
from trailformat.definitions.metadata import TAIL_12_2, build_table
from trailformat.records.record_header import COMPRESSED, INSERT, METADATA, NAME_IS_INDEX, name_field

IO_TIME = 0x02F257BDDD5EC9B0
"""2016-04-28 12:10:14.246832 GMT."""

BOTH = list(ByteOrder)


def header(name: str | int = "TEA.LEAVES", order: ByteOrder = ByteOrder.BIG, **fields: Any) -> RecordHeader:
    """The header of an insert into ``name``, or into the table with that index."""
    plain = make_header(
        INSERT,
        partition=COMPRESSED | (NAME_IS_INDEX if isinstance(name, int) else 0),
        orig_node=255,
        io_time=IO_TIME,
        audit_pos=21_682_924,
        audit_rba=108_466,
        name_field=name_field(name, order),
    )
    return plain._replace(**fields)


def row(
    text: bytes = b"leaf", name: str | int = "TEA.LEAVES", order: ByteOrder = ByteOrder.BIG, **fields: Any
) -> Record:
    """An insert of one column that holds ``text``."""
    return make_record(header(name, order, **fields), Images(None, (make_column(0, text),)), order=order)


def column(name: str = "PRICE", **fields: Any) -> ColumnDefinition:
    """A NUMBER(8,2) column of 12.2."""
    return ColumnDefinition(name, 134, 8, 10, 8, 8, 0, 102, -1, 2, 3, 0, 0, 2, 0, 0x22, TAIL_12_2)._replace(**fields)


def metadata_record(kind: int, index: int, name: str, data: bytes = b"", order: ByteOrder = ByteOrder.BIG) -> Record:
    """A metadata record: kind 1 a DDR, 2 a TDR, 3 a reference; DDR index 1."""
    indexes = order.decode(order.encode(1, 2) + order.encode(index, 2))
    return make_record(
        header(name, order, io_type=METADATA, partition=0, orig_node=kind, audit_rba=indexes), data, order=order
    )


def table_record(index: int, name: str, order: ByteOrder = ByteOrder.BIG, columns: int = 1) -> Record:
    """The TDR of a table with so many columns."""
    definition = TableDefinition(1, 1, tuple(column(f"C{number}") for number in range(columns)))
    return metadata_record(2, index, name, build_table(definition, order), order)


def trail_of(folder: Path, *records: Record | bytes, name: str = "tt000000000") -> Path:
    """A file of these records or bytes."""
    path = folder / name
    path.write_bytes(b"".join(record.raw if isinstance(record, Record) else record for record in records))
    return path

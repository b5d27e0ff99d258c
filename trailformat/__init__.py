"""Oracle GoldenGate trail files: bytes to objects and back.

    from trailformat import TrailFile

    with TrailFile("dirdat/lt000000000") as trail:
        for record in trail.records():
            print(record.rba, trail.name_of(record), record.csn)

This package exports reading (:class:`TrailFile`, :class:`TrailSequence`), the record and its parts, writing
(:class:`TrailWriter`, the ``make_…`` functions) and the errors. Each layout has a module of its own.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trailformat.changes.row_changes import Change, ColumnChange, change_of
    from trailformat.codec.byte_order import ByteOrder
    from trailformat.codec.timestamps import from_datetime, to_datetime
    from trailformat.codec.tokens import Token, make_token
    from trailformat.definitions.metadata import ColumnDefinition, DatabaseDefinition, TableDefinition
    from trailformat.errors import (
        BadData,
        BadRecord,
        BadToken,
        CannotRead,
        CannotWrite,
        NotATrail,
        PartialRecord,
        TrailError,
    )
    from trailformat.records.columns import Column, Images, make_column
    from trailformat.records.ddl import parse_ddl
    from trailformat.records.file_header import FileHeader, make_file_header
    from trailformat.records.record import Record, make_file_header_record, make_record
    from trailformat.records.record_header import IO_TYPES, RecordHeader, io_type_name, io_type_number, make_header
    from trailformat.trail.file import TrailFile
    from trailformat.trail.sequence import TrailName, TrailSequence
    from trailformat.trail.table_definitions import TableEntry
    from trailformat.trail.writer import TrailWriter
    from trailformat.values import Value, decode_value, encode_value

_HOMES = {
    "IO_TYPES": "records.record_header",
    "BadData": "errors",
    "BadRecord": "errors",
    "BadToken": "errors",
    "ByteOrder": "codec.byte_order",
    "CannotRead": "errors",
    "CannotWrite": "errors",
    "Change": "changes.row_changes",
    "Column": "records.columns",
    "ColumnChange": "changes.row_changes",
    "ColumnDefinition": "definitions.metadata",
    "DatabaseDefinition": "definitions.metadata",
    "FileHeader": "records.file_header",
    "Images": "records.columns",
    "NotATrail": "errors",
    "PartialRecord": "errors",
    "Record": "records.record",
    "RecordHeader": "records.record_header",
    "TableDefinition": "definitions.metadata",
    "TableEntry": "trail.table_definitions",
    "Token": "codec.tokens",
    "TrailError": "errors",
    "TrailFile": "trail.file",
    "TrailName": "trail.sequence",
    "TrailSequence": "trail.sequence",
    "TrailWriter": "trail.writer",
    "Value": "values",
    "change_of": "changes.row_changes",
    "decode_value": "values",
    "encode_value": "values",
    "from_datetime": "codec.timestamps",
    "io_type_name": "records.record_header",
    "io_type_number": "records.record_header",
    "make_column": "records.columns",
    "make_file_header": "records.file_header",
    "make_file_header_record": "records.record",
    "make_header": "records.record_header",
    "make_record": "records.record",
    "make_token": "codec.tokens",
    "parse_ddl": "records.ddl",
    "to_datetime": "codec.timestamps",
}
"""Module of each public name. It is loaded when the name is first used, to keep start-up short."""

__all__ = [
    "IO_TYPES",
    "BadData",
    "BadRecord",
    "BadToken",
    "ByteOrder",
    "CannotRead",
    "CannotWrite",
    "Change",
    "Column",
    "ColumnChange",
    "ColumnDefinition",
    "DatabaseDefinition",
    "FileHeader",
    "Images",
    "NotATrail",
    "PartialRecord",
    "Record",
    "RecordHeader",
    "TableDefinition",
    "TableEntry",
    "Token",
    "TrailError",
    "TrailFile",
    "TrailName",
    "TrailSequence",
    "TrailWriter",
    "Value",
    "change_of",
    "decode_value",
    "encode_value",
    "from_datetime",
    "io_type_name",
    "io_type_number",
    "make_column",
    "make_file_header",
    "make_file_header_record",
    "make_header",
    "make_record",
    "make_token",
    "parse_ddl",
    "to_datetime",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)

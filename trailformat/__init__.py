"""Oracle GoldenGate trail files: bytes to objects and back.

    from trailformat import TrailFile

    with TrailFile("dirdat/lt000000000") as trail:
        for record in trail.records():
            print(record.rba, trail.name_of(record), record.csn)

Public here: reading (:class:`TrailFile`, :class:`TrailSequence`), the record and its parts, writing
(:class:`TrailWriter`, the ``make_…`` functions) and the errors. The layouts themselves are in the modules, one each.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trailformat.byte_order import ByteOrder
    from trailformat.changes import Change, ColumnChange, change_of
    from trailformat.column_definition import ColumnDefinition
    from trailformat.columns import Column, make_column
    from trailformat.ddl import parse_ddl
    from trailformat.errors import BadData, BadRecord, BadToken, CannotWrite, NotATrail, PartialRecord, TrailError
    from trailformat.file_header import FileHeader, make_file_header
    from trailformat.images import Images
    from trailformat.io_types import IO_TYPES, io_type_name, io_type_number
    from trailformat.metadata import DatabaseDefinition, TableDefinition
    from trailformat.record import Record, make_file_header_record, make_record
    from trailformat.record_header import RecordHeader, make_header
    from trailformat.table_definitions import TableEntry
    from trailformat.timestamps import from_datetime, to_datetime
    from trailformat.tokens import Token, make_token
    from trailformat.trail_file import TrailFile
    from trailformat.trail_sequence import TrailName, TrailSequence
    from trailformat.trail_writer import TrailWriter
    from trailformat.values import Value, decode_value, encode_value

_HOMES = {
    "IO_TYPES": "io_types",
    "BadData": "errors",
    "BadRecord": "errors",
    "BadToken": "errors",
    "ByteOrder": "byte_order",
    "CannotWrite": "errors",
    "Change": "changes",
    "Column": "columns",
    "ColumnChange": "changes",
    "ColumnDefinition": "column_definition",
    "DatabaseDefinition": "metadata",
    "FileHeader": "file_header",
    "Images": "images",
    "NotATrail": "errors",
    "PartialRecord": "errors",
    "Record": "record",
    "RecordHeader": "record_header",
    "TableDefinition": "metadata",
    "TableEntry": "table_definitions",
    "Token": "tokens",
    "TrailError": "errors",
    "TrailFile": "trail_file",
    "TrailName": "trail_sequence",
    "TrailSequence": "trail_sequence",
    "TrailWriter": "trail_writer",
    "Value": "values",
    "change_of": "changes",
    "decode_value": "values",
    "encode_value": "values",
    "from_datetime": "timestamps",
    "io_type_name": "io_types",
    "io_type_number": "io_types",
    "make_column": "columns",
    "make_file_header": "file_header",
    "make_file_header_record": "record",
    "make_header": "record_header",
    "make_record": "record",
    "make_token": "tokens",
    "parse_ddl": "ddl",
    "to_datetime": "timestamps",
}
"""The module of each public name; it is loaded when the name is first used, which keeps a reader's start-up short."""

__all__ = [
    "IO_TYPES",
    "BadData",
    "BadRecord",
    "BadToken",
    "ByteOrder",
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

"""Oracle GoldenGate trail files: bytes to objects and back.

    from trailformat import TrailFile

    with TrailFile("dirdat/lt000000000") as trail:
        for record in trail.records():
            print(record.rba, trail.name_of(record), record.csn)

Public here: reading (:class:`TrailFile`, :class:`TrailSequence`), the record and its parts, writing
(:class:`TrailWriter`, the ``make_…`` functions) and the errors. The layouts themselves are in the modules, one each.
"""

from __future__ import annotations

from trailformat.byte_order import ByteOrder
from trailformat.column_definition import ColumnDefinition
from trailformat.columns import Column, make_column
from trailformat.ddl import parse_ddl
from trailformat.errors import BadData, BadRecord, BadToken, CannotWrite, NotATrail, PartialRecord, TrailError
from trailformat.file_header import FileHeader, make_file_header
from trailformat.images import Images
from trailformat.io_types import IO_TYPES, io_type_name, io_type_number
from trailformat.metadata import DatabaseDefinition, TableDefinition
from trailformat.record import Record, make_file_header_record, make_record
from trailformat.record_header import RecordHeader
from trailformat.table_definitions import TableEntry
from trailformat.timestamps import from_datetime, to_datetime
from trailformat.tokens import Token, make_token
from trailformat.trail_file import TrailFile
from trailformat.trail_sequence import TrailName, TrailSequence
from trailformat.trail_writer import TrailWriter
from trailformat.values import decode_value

__all__ = [
    "IO_TYPES",
    "BadData",
    "BadRecord",
    "BadToken",
    "ByteOrder",
    "CannotWrite",
    "Column",
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
    "decode_value",
    "from_datetime",
    "io_type_name",
    "io_type_number",
    "make_column",
    "make_file_header",
    "make_file_header_record",
    "make_record",
    "make_token",
    "parse_ddl",
    "to_datetime",
]

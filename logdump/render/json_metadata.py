"""Metadata records as JSON: a database definition, a table definition, or a reference to one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from logdump.render.json_shape import Field, Shape
from logdump.session.known_record import KnownRecord
from trailformat import DatabaseDefinition, TableDefinition
from trailformat.definitions.metadata_kinds import DATABASE, REFERENCE, TABLE

_KINDS = {DATABASE: "database", TABLE: "table", REFERENCE: "reference"}


def _part(name: str) -> Callable[[Any], Any]:
    return lambda definition: getattr(definition, name)


COLUMN_DEFINITION = Shape(
    "column_definition",
    "One column of a table definition, as a definitions file describes it; lengths in bytes.",
    (
        Field("name", "string", "Column name", _part("name")),
        Field("data_type", "number", "Type code of definitions files: 0 CHAR, 64 VARCHAR, 134 …", _part("data_type")),
        Field("external_length", "number", "External length", _part("external_length")),
        Field("fetch_offset", "number", "Fetch offset", _part("fetch_offset")),
        Field("scale", "number", "Digits after the decimal point", _part("scale")),
        Field("internal_length", "number", "Internal length", _part("internal_length")),
        Field("binary_length", "number", "Binary length", _part("binary_length")),
        Field("table_length", "number", "Table length", _part("table_length")),
        Field("character_length", "number", "Character length", _part("character_length")),
        Field("charset", "number", "Character set, -1 for none", _part("charset")),
        Field("native_type", "number", "Type code of the database", _part("native_type")),
        Field("sub_data_type", "number", "Sub data type", _part("sub_data_type")),
        Field("most_significant", "number", "Most significant date-time field", _part("most_significant")),
        Field("least_significant", "number", "Least significant date-time field", _part("least_significant")),
        Field("is_key", "boolean", "Whether the column belongs to the key", _part("is_key")),
        Field("flags", "number", "Flag bits as stored", _part("flags")),
    ),
)

DATABASE_DEFINITION = Shape(
    "database_definition",
    "What a DDR says.",
    (
        Field("version", "number", "DDR version", _part("version")),
        Field("name", "string", "Database name", _part("name")),
        Field("charset", "number", "Character set code", _part("charset")),
        Field("ncharset", "number", "National character set code", _part("ncharset")),
        Field("locale", "number", "Locale code", _part("locale")),
        Field("time_zone", "string", "Time zone", _part("time_zone")),
        Field("cases", "string", "Case sensitivity, hex, a byte per kind of object", lambda ddr: ddr.cases.hex()),
    ),
)

TABLE_DEFINITION = Shape(
    "table_definition",
    "What a TDR says.",
    (
        Field("version", "number", "TDR version", _part("version")),
        Field("key_columns", "number", "Number of key columns", _part("key_columns")),
        Field(
            "columns",
            "list of column_definition",
            "The columns, in the order of their indexes",
            lambda tdr: [COLUMN_DEFINITION.build(column) for column in tdr.columns],
        ),
    ),
)

_SHAPES = {DatabaseDefinition: DATABASE_DEFINITION, TableDefinition: TABLE_DEFINITION}


def _definition(kind: type) -> Callable[[KnownRecord], Any]:
    def get(known: KnownRecord) -> Any:
        return _SHAPES[kind].build(known.definition) if isinstance(known.definition, kind) else None

    return get


METADATA = Shape(
    "metadata",
    "What a metadata record defines.",
    (
        Field(
            "kind",
            "string or null",
            "`database` (DDR), `table` (TDR) or `reference` (to an earlier TDR); null for an unknown kind",
            lambda shown: _KINDS.get(shown.record.header.orig_node),
        ),
        Field("ddr_index", "number", "DDR index", lambda known: known.record.metadata_indexes[0]),
        Field(
            "tdr_index",
            "number",
            "TDR index; of a reference, that of the TDR it refers to",
            lambda known: known.record.metadata_indexes[1],
        ),
        Field("database", "database_definition or null", "The DDR", _definition(DatabaseDefinition)),
        Field("table", "table_definition or null", "The TDR", _definition(TableDefinition)),
    ),
)

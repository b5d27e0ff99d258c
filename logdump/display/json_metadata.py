"""Metadata records as JSON: a database definition, a table definition, or a reference to one."""

from __future__ import annotations

from logdump.display.json_shape import Get, Shape, member
from logdump.session.known_record import KnownRecord
from trailformat import DatabaseDefinition, TableDefinition
from trailformat.definitions.metadata_kinds import DATABASE, REFERENCE, TABLE

_KINDS = {DATABASE: "database", TABLE: "table", REFERENCE: "reference"}

COLUMN_DEFINITION = Shape(
    "column_definition",
    "One column of a table definition, as a definitions file describes it; lengths in bytes.",
    (
        member("name", "string", "Column name"),
        member("data_type", "number", "Type code of definitions files: 0 CHAR, 64 VARCHAR, 134 …"),
        member("external_length", "number", "External length"),
        member("fetch_offset", "number", "Fetch offset"),
        member("scale", "number", "Digits after the decimal point"),
        member("internal_length", "number", "Internal length"),
        member("binary_length", "number", "Binary length"),
        member("table_length", "number", "Table length"),
        member("character_length", "number", "Character length"),
        member("charset", "number", "Character set, -1 for none"),
        member("native_type", "number", "Type code of the database"),
        member("sub_data_type", "number", "Sub data type"),
        member("most_significant", "number", "Most significant date-time field"),
        member("least_significant", "number", "Least significant date-time field"),
        member("is_key", "boolean", "Whether the column belongs to the key"),
        member("flags", "number", "Flag bits as stored"),
    ),
)

DATABASE_DEFINITION = Shape(
    "database_definition",
    "The contents of a DDR.",
    (
        member("version", "number", "DDR version"),
        member("name", "string", "Database name"),
        member("charset", "number", "Character set code"),
        member("ncharset", "number", "National character set code"),
        member("locale", "number", "Locale code"),
        member("time_zone", "string", "Time zone"),
        member("cases", "string", "Case sensitivity, hex, a byte per kind of object"),
    ),
)

TABLE_DEFINITION = Shape(
    "table_definition",
    "The contents of a TDR.",
    (
        member("version", "number", "TDR version"),
        member("key_columns", "number", "Number of key columns"),
        member(
            "columns",
            "list of column_definition",
            "The columns, in the order of their indexes",
            COLUMN_DEFINITION.each("columns"),
        ),
    ),
)


_TDR = "TDR index; of a reference, that of the TDR it refers to"


def _if_a(kind: type) -> Get:
    return lambda known: known.definition if isinstance(known.definition, kind) else None


def _kind(known: KnownRecord) -> str | None:
    return _KINDS.get(known.record.header.orig_node)


METADATA = Shape(
    "metadata",
    "The contents of a metadata record.",
    (
        member(
            "kind",
            "string or null",
            "`database` (DDR), `table` (TDR) or `reference` (to an earlier TDR); null for an unknown kind",
            _kind,
        ),
        member("ddr_index", "number", "DDR index", "record.metadata_indexes.0"),
        member("tdr_index", "number", _TDR, "record.metadata_indexes.1"),
        member(
            "database", "database_definition or null", "The DDR", DATABASE_DEFINITION.one(_if_a(DatabaseDefinition))
        ),
        member("table", "table_definition or null", "The TDR", TABLE_DEFINITION.one(_if_a(TableDefinition))),
    ),
)

"""Records as JSON: all facts of a record, independent of the display switches."""

from __future__ import annotations

from typing import Any, NamedTuple

from logdump.display.json_shape import PROBLEMS, Get, Member, Shape, member, time_at
from logdump.session.events import LobsShown
from logdump.session.known_record import KnownRecord
from trailformat import (
    Column,
    ColumnChange,
    ColumnDefinition,
    DatabaseDefinition,
    TableDefinition,
    Token,
    Value,
    io_type_name,
    parse_ddl,
)
from trailformat.changes.row_changes import UNKNOWN_EFFECT, doubt_of, is_unknown, row_images, values_of
from trailformat.codec.tokens import GGS_TOKENS, token_name
from trailformat.records.ddl import ddl_name
from trailformat.records.record_header import DATABASE, DDL_OP, REFERENCE, TABLE
from trailformat.values import sql_type

_COLUMN = "Column index of a LOB piece; this and the following members are null if its layout is not the assumed one"

SEGMENT = Shape(
    "segment",
    "The place of a LOB piece or record fragment in its whole.",
    (
        member("kind", "string", "`lob_piece` or `fragment`", "kind.value"),
        member(
            "base_file", "string or null", "File of the record it belongs to; null when that is not found", "base?.path"
        ),
        member("base_rba", "number or null", "RBA of that record", "base?.rba"),
        member("number", "number or null", "Which of the parts it is, from 1"),
        member("pieces", "number or null", "How many there are; of fragments at the last one"),
        member("column", "number or null", _COLUMN, "numbers?.column"),
        member("offset", "number or null", "First byte in the LOB", "numbers?.offset"),
        member("total", "number or null", "Bytes of the LOB", "numbers?.total"),
    ),
)

MISSING = Shape(
    "missing",
    "Bytes of a LOB that are not there.",
    (
        member("offset", "number", "The first of them in the LOB"),
        member("length", "number", "How many"),
    ),
)

LOB = Shape(
    "lob",
    "One LOB of a row, with the pieces that were found.",
    (
        member("ordinal", "number", "Which LOB of the row, by its first piece, from 1", "0.ordinal"),
        member("column", "number or null", "Column index; null: layout not known", "0.column"),
        member("name", "string or null", "Column name", "1"),
        member("before", "boolean", "Whether it is a before image", "0.is_before"),
        member("file", "string", "File of its first piece", "0.first.path"),
        member("rba", "number", "RBA of its first piece", "0.first.rba"),
        member("pieces", "number", "Pieces found", "0.pieces"),
        member("bytes", "number", "Bytes found", "0.size"),
        member("total", "number or null", "Expected size in bytes", "0.total"),
        member("whole", "boolean", "Whether all pieces were found, as far as they show", "0.is_whole"),
        member("missing", "list of missing", "The gaps", MISSING.each("0.missing")),
        member("problems", "list of string", "Other errors", "0.problems"),
    ),
)

LOBS = Shape(
    "lobs",
    "LOB: the LOBs of a row.",
    (
        member("file", "string", "Path of the file", "path"),
        member("rba", "number", "RBA of the request"),
        member("lobs", "list of lob", "The LOBs", LOB.each("lobs")),
    ),
    LobsShown,
)


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


_KNOWN_TOKENS = frozenset(b"HDTU")


class ColumnShown(NamedTuple):
    """A column of an image; ``is_changed`` is None if the other image does not have the column."""

    column: Column
    definition: ColumnDefinition | None
    value: Value
    is_changed: bool | None

    @property
    def text(self) -> str | None:
        """The value as text; None if it is NULL or does not decode."""
        return None if self.value.is_null or self.value.problem is not None else self.value.text


COLUMN = Shape(
    "column",
    "One column of an image.",
    (
        member("index", "number", "Column index, from 0", "column.index"),
        member("name", "string or null", "Column name, where a definition is known", "definition?.name"),
        member(
            "type",
            "string or null",
            "Standard SQL type that holds it; null without a definition, or when the type is not known",
            lambda column: sql_type(column.definition) if column.definition else None,
        ),
        member(
            "key", "boolean or null", "Whether it belongs to the key; null without a definition", "definition?.is_key"
        ),
        member("null", "boolean", "Whether the value is NULL", "column.is_null"),
        member("hex", "string", "The stored bytes, indicator included, hex", "column.raw"),
        member(
            "text",
            "string or null",
            "The value as text: numbers with all digits, dates in ISO 8601, binary data in hex; null for NULL, and "
            "when it does not decode",
        ),
        member(
            "changed",
            "boolean or null",
            "Whether the other image of the change has another value; null when it does not have the column",
            "is_changed",
        ),
        member("problem", "string or null", "Why the value does not decode", "value.problem"),
    ),
)


def token_text(token: Token) -> str | None:
    """Return the payload as text; None if it is not printable UTF-8."""
    try:
        text = token.payload.decode()
    except UnicodeDecodeError:
        return None
    return text if text.isprintable() else None


def _user_text(index: int) -> Get:
    return lambda pair: pair[index].decode("utf-8", "backslashreplace")


_TOKEN_ID = member("id", "string", "Token id, hex", make="{:02x}".format)
_TOKEN_BYTES = (
    member("info", "string", "Info byte, hex", make="{:02x}".format),
    member("hex", "string", "Payload, hex", "payload"),
)

GGS_TOKEN = Shape(
    "ggs_token",
    "One internal token.",
    (
        _TOKEN_ID,
        member("name", "string or null", "LOGCSN, TRANID, …", lambda token: token_name(GGS_TOKENS, token.id) or None),
        *_TOKEN_BYTES,
        member("text", "string or null", "Payload as text, when it is printable", token_text),
    ),
)

OTHER_TOKEN = Shape(
    "other_token", "A token of the record that is none of `H`, `D`, `T` and `U`.", (_TOKEN_ID, *_TOKEN_BYTES)
)

USER_TOKEN = Shape(
    "user_token",
    "One user token.",
    (member("name", "string", "Name", _user_text(0)), member("value", "string", "Value", _user_text(1))),
)

DDL_PART = Shape(
    "ddl_part",
    "One `id='value'` item of a DDL record.",
    (
        member("id", "string", "B3, C1, C17('1'), …; empty for text that is no item", "0"),
        member("name", "string or null", "What the id means, where known", lambda pair: ddl_name(pair[0])),
        member("value", "string", "The value, its quotes and escapes taken off", "1"),
    ),
)


def _image(side: str) -> Get:
    def get(known: KnownRecord) -> Any:
        images = (known.whole or known.record).images or row_images(known.record, known.row_definition)
        columns = getattr(images, side)
        if columns is None:
            return None
        changed = {column.index: column for column in known.change.columns} if known.change else {}
        values = values_of(columns, known.row_definition, known.record.order)
        return [
            COLUMN.build(_column_shown(known, column, value, changed.get(column.index)))
            for column, value in zip(columns, values, strict=True)
        ]

    return get


def _column_shown(known: KnownRecord, column: Column, value: Value, changed: ColumnChange | None) -> ColumnShown:
    """Return a column with its definition, its value and whether it differs from that of the other image."""
    definition = known.row_definition.column(column.index)
    has_both = changed is not None and changed.before is not None and changed.after is not None
    return ColumnShown(column, definition, value, changed.is_changed if changed and has_both else None)


def _other_rba(known: KnownRecord) -> int | None:
    records = known.change.records if known.change else ()
    return next((record.rba for record in records if record.rba != known.record.rba), None)


def _ddl(known: KnownRecord) -> Any:
    is_ddl = known.record.header.io_type == DDL_OP
    return parse_ddl((known.whole or known.record).data) if is_ddl else None


def table_of(known: KnownRecord) -> str | None:
    """Return the name of a record's table; None if it has none."""
    return (known.table.name if known.table else known.record.name) or None


def _audit_rba(known: KnownRecord) -> int | None:
    return None if known.record.is_metadata else known.record.header.audit_rba


def _other_tokens(known: KnownRecord) -> list[Token]:
    return [token for token in known.record.tokens if token.id not in _KNOWN_TOKENS]


RECORD_POSITION = (
    member("file", "string or null", "Path of the trail file", "record.path"),
    member("rba", "number", "Byte offset in the file", "record.rba"),
    member("length", "number", "Bytes of the whole record, trailer included", "record.length"),
)
"""Members for the position and length of a record."""

_HEADER = (
    member("io_type", "number", "IOType", "record.header.io_type"),
    member(
        "io_type_name",
        "string",
        "Its name, as in the record line",
        "record.header.io_type",
        make=io_type_name,
    ),
    member("table", "string or null", "Table name, resolved by its index", table_of),
    member("table_index", "number or null", "TDR index", "record.table_index"),
    member(
        "time",
        "string or null",
        "IO Time (GGS_TRANS_TIMESTAMP), ISO 8601, UTC, microseconds; null outside the years 1 to 9999",
        time_at("record.header.io_time"),
    ),
    member(
        "julian_time",
        "string",
        "IO Time as stored: Julian microseconds",
        "record.header.io_time",
        make=str,
    ),
    member(
        "trans_ind",
        "number",
        "TransInd: 0 first, 1 middle, 2 last, 3 only record of its transaction",
        "record.header.trans_ind",
    ),
    member(
        "before_after",
        "string",
        "`B` before image, `A` after image (GGS_BEFORE_AFTER_IND)",
        "record.header.before_after",
        make=chr,
    ),
    member("partition", "number", "Partition", "record.header.partition"),
    member("record_length", "number", "RecLength as stored", "record.header.record_length"),
    member("data_length", "number", "Bytes of data, `Len` of the record line", "record.data_length"),
    member("undo_flag", "number", "UndoFlag", "record.header.undo_flag"),
    member("orig_node", "number", "OrigNode", "record.header.orig_node"),
    member("format_type", "string", "FormatType: `R` from the log, `F` fetched", "record.header.format_type", make=chr),
    member("syskey_length", "number", "SyskeyLen", "record.header.syskey_len"),
    member("incomplete", "number", "Incomplete", "record.header.incomplete"),
    member("continued", "number", "Continued: 1 when more pieces follow", "record.header.continued"),
    member("rec_count", "number", "RecCount: the number of pieces", "record.header.rec_count"),
    member("audit_rba", "number or null", "AuditRBA; null on metadata", _audit_rba),
    member(
        "audit_pos",
        "string",
        "AuditPos (GGS_TRANS_RBA), a decimal number",
        "record.header.audit_pos",
        make=str,
    ),
)

_CONTENT = (
    member(
        "operation",
        "string or null",
        "`INSERT`, `UPSERT`, `UPDATE`, `PK UPDATE`, `DELETE`, `TRUNCATE`, `DDL`, `LOB`, `SEQUENCE`: GGS_OP_TYPE; "
        "null for others",
        "change?.op",
    ),
    member(
        "other_rba",
        "number or null",
        "RBA of the record that holds the other image of the same update; null when there is none",
        _other_rba,
    ),
    member(
        "csn",
        "string or null",
        "LOGCSN of the record's transaction, wherever it began; null if no record has it",
        "transaction.csn",
    ),
    member("xid", "string or null", "TRANID of the same transaction", "transaction.xid"),
    member("row_id", "string or null", "ORAROWID", "record.row_id"),
    member(
        "before",
        "list of column, or null",
        "The row, or its changed columns, before, fragments included; null: no such image",
        _image("before"),
    ),
    member(
        "after",
        "list of column, or null",
        "The row, or its changed columns, after, fragments included; null: no such image",
        _image("after"),
    ),
    member(
        "ddl", "list of ddl_part, or null", "The parts of a DDL record, its fragments included", DDL_PART.each(_ddl)
    ),
    member(
        "segment", "segment or null", "Its place, when it is a LOB piece or a record fragment", SEGMENT.one("segment")
    ),
    member(
        "metadata",
        "metadata or null",
        "The definition in a metadata record",
        lambda known: METADATA.build(known) if known.record.is_metadata else None,
    ),
    member("gg_tokens", "list of ggs_token, or null", "GGS tokens", GGS_TOKEN.each("record.gg_tokens")),
    member("user_tokens", "list of user_token, or null", "User tokens", USER_TOKEN.each("record.user_tokens")),
    member("other_tokens", "list of other_token", "Tokens of unknown kinds", OTHER_TOKEN.each(_other_tokens)),
    member(
        "data",
        "string or null",
        "All the data, hex; RECLEN does not cut it; null with a problem where they have more than 8 MB",
        "record.data",
    ),
)


def _unknown(known: KnownRecord) -> list[str]:
    """Return what is not known of a record, although all of it decodes."""
    if known.record.is_file_header:
        return []
    effect = UNKNOWN_EFFECT if is_unknown(known.record.header.io_type) else None
    return [text for text in (effect, doubt_of(known.record)) if text is not None]


_PROBLEMS = Member(PROBLEMS.name, PROBLEMS.type, f"{PROBLEMS.meaning}; what else is not known", _unknown)
RECORD = Shape("record", "A record.", (*RECORD_POSITION, *_HEADER, *_CONTENT, _PROBLEMS))

"""Records as JSON: everything that is known of a record, whatever the display switches say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from logdump.notation.times import iso_time
from logdump.render.json_lob import segment_of
from logdump.render.json_metadata import METADATA
from logdump.render.json_shape import PROBLEMS, Field, Shape
from logdump.session.known_record import KnownRecord
from trailformat import (
    Column,
    ColumnChange,
    ColumnDefinition,
    Record,
    Token,
    Value,
    decode_value,
    io_type_name,
    parse_ddl,
)
from trailformat.changes.row_changes import row_images
from trailformat.codec.token_names import GGS_TOKENS, token_name
from trailformat.records.ddl import ddl_name
from trailformat.records.io_types import DDL_OP
from trailformat.values.sql_types import sql_type

_KNOWN_TOKENS = frozenset(b"HDTU")


class _ColumnShown(NamedTuple):
    """A column of an image: its bytes, what its definition says, its value, and whether the other image differs."""

    column: Column
    definition: ColumnDefinition | None
    value: Value
    is_changed: bool | None

    @property
    def text(self) -> str | None:
        return None if self.value.is_null or self.value.problem is not None else self.value.text


def _of_definition(get: Callable[[ColumnDefinition], Any]) -> Callable[[_ColumnShown], Any]:
    return lambda one: get(one.definition) if one.definition else None


COLUMN = Shape(
    "column",
    "One column of an image.",
    (
        Field("index", "number", "Column index, from 0", lambda one: one.column.index),
        Field(
            "name",
            "string or null",
            "Column name, where a definition is known",
            _of_definition(lambda definition: definition.name),
        ),
        Field(
            "type",
            "string or null",
            "Standard SQL type that holds it; null without a definition, or when the type is not known",
            _of_definition(sql_type),
        ),
        Field(
            "key",
            "boolean or null",
            "Whether it belongs to the key; null without a definition",
            _of_definition(lambda definition: definition.is_key),
        ),
        Field("null", "boolean", "Whether the value is NULL", lambda one: one.column.is_null),
        Field("hex", "string", "The stored bytes, indicator included, hex", lambda one: one.column.raw.hex()),
        Field(
            "text",
            "string or null",
            "The value as text: numbers with all digits, dates in ISO 8601, binary data in hex; null for NULL, and "
            "when it does not decode",
            lambda one: one.text,
        ),
        Field(
            "changed",
            "boolean or null",
            "Whether the other image of the change has another value; null when it does not have the column",
            lambda one: one.is_changed,
        ),
        Field("problem", "string or null", "Why the value does not decode", lambda one: one.value.problem),
    ),
)


def _token_text(token: Token) -> str | None:
    try:
        text = token.payload.decode()
    except UnicodeDecodeError:
        return None
    return text if text.isprintable() else None


GGS_TOKEN = Shape(
    "ggs_token",
    "One internal token.",
    (
        Field("id", "string", "Token id, hex", lambda token: f"{token.id:02x}"),
        Field("name", "string or null", "LOGCSN, TRANID, …", lambda token: token_name(GGS_TOKENS, token.id) or None),
        Field("info", "string", "Info byte, hex", lambda token: f"{token.info:02x}"),
        Field("hex", "string", "Payload, hex", lambda token: token.payload.hex()),
        Field("text", "string or null", "Payload as text, when it is printable", _token_text),
    ),
)

USER_TOKEN = Shape(
    "user_token",
    "One user token.",
    (
        Field("name", "string", "Name", lambda pair: pair[0].decode("utf-8", "backslashreplace")),
        Field("value", "string", "Value", lambda pair: pair[1].decode("utf-8", "backslashreplace")),
    ),
)

OTHER_TOKEN = Shape(
    "other_token",
    "A token of the record that is none of `H`, `D`, `T` and `U`.",
    tuple(field for field in GGS_TOKEN.fields if field.name in ("id", "info", "hex")),
)

DDL_PART = Shape(
    "ddl_part",
    "One `id='value'` item of a DDL record.",
    (
        Field("id", "string", "B3, C1, C17('1'), …; empty for text that is no item", lambda pair: pair[0]),
        Field("name", "string or null", "What the id means, where known", lambda pair: ddl_name(pair[0])),
        Field("value", "string", "The value, its quotes and escapes taken off", lambda pair: pair[1]),
    ),
)


def _image(side: str) -> Callable[[KnownRecord], Any]:
    def get(known: KnownRecord) -> Any:
        images = (known.whole or known.record).images or row_images(known.record, known.row_definition)
        columns = getattr(images, side)
        if columns is None:
            return None
        changed = {one.index: one for one in known.change.columns} if known.change else {}
        return [COLUMN.build(_column_shown(known, column, changed.get(column.index), side)) for column in columns]

    return get


def _column_shown(known: KnownRecord, column: Column, changed: ColumnChange | None, side: str) -> _ColumnShown:
    """A column with the value that the change has of it; decoded anew where an image has the column twice."""
    table, charset = known.row_definition.table, known.row_definition.charset
    columns = table.columns if table else ()
    definition = columns[column.index] if column.index < len(columns) else None
    value: Value | None = getattr(changed, side, None)
    if value is None or value.data != column.value:
        value = decode_value(column, definition, known.record.order, charset)
    has_both = changed is not None and changed.before is not None and changed.after is not None
    return _ColumnShown(column, definition, value, changed.is_changed if changed and has_both else None)


def _other_rba(known: KnownRecord) -> int | None:
    records = known.change.records if known.change else ()
    return next((one.rba for one in records if one.rba != known.record.rba), None)


def _ddl(known: KnownRecord) -> Any:
    if known.record.header.io_type != DDL_OP:
        return None
    return [DDL_PART.build(pair) for pair in parse_ddl((known.whole or known.record).data)]


def _table(known: KnownRecord) -> str | None:
    return (known.table.name if known.table else known.record.name) or None


def _audit_rba(record: Record) -> int | None:
    return None if record.is_metadata else record.header.audit_rba


def _of_record(get: Callable[[Record], Any]) -> Callable[[KnownRecord], Any]:
    return lambda known: get(known.record)


def _header(name: str) -> Callable[[KnownRecord], Any]:
    return lambda known: getattr(known.record.header, name)


def _letter(name: str) -> Callable[[KnownRecord], Any]:
    return lambda known: chr(getattr(known.record.header, name))


PLACE = (
    Field(
        "file", "string or null", "Path of the trail file", _of_record(lambda record: record.path and str(record.path))
    ),
    Field("rba", "number", "Byte offset in the file", _of_record(lambda record: record.rba)),
    Field("length", "number", "Bytes of the whole record, trailer included", _of_record(lambda record: record.length)),
)
"""Where a record stands."""

_HEADER = (
    Field("io_type", "number", "IOType", _header("io_type")),
    Field(
        "io_type_name",
        "string",
        "Its name, as in the record line",
        lambda known: io_type_name(known.record.header.io_type),
    ),
    Field("table", "string or null", "Table name, resolved by its index", _table),
    Field("table_index", "number or null", "TDR index", _of_record(lambda record: record.table_index)),
    Field(
        "time",
        "string or null",
        "IO Time, ISO 8601, UTC, microseconds; null outside the years 1 to 9999",
        lambda known: iso_time(known.record.header.io_time),
    ),
    Field(
        "julian_time",
        "string",
        "IO Time as stored: Julian microseconds",
        lambda known: str(known.record.header.io_time),
    ),
    Field(
        "trans_ind",
        "number",
        "TransInd: 0 first, 1 middle, 2 last, 3 only record of its transaction",
        _header("trans_ind"),
    ),
    Field("before_after", "string", "`B` before image, `A` after image", _letter("before_after")),
    Field("partition", "number", "Partition", _header("partition")),
    Field("record_length", "number", "RecLength as stored", _header("record_length")),
    Field(
        "data_length",
        "number",
        "Bytes of data, `Len` of the record line",
        _of_record(lambda record: record.data_length),
    ),
    Field("undo_flag", "number", "UndoFlag", _header("undo_flag")),
    Field("orig_node", "number", "OrigNode", _header("orig_node")),
    Field("format_type", "string", "FormatType: `R` from the log, `F` fetched", _letter("format_type")),
    Field("syskey_length", "number", "SyskeyLen", _header("syskey_len")),
    Field("incomplete", "number", "Incomplete", _header("incomplete")),
    Field("continued", "number", "Continued: 1 when more pieces follow", _header("continued")),
    Field("rec_count", "number", "RecCount: the number of pieces", _header("rec_count")),
    Field("audit_rba", "number or null", "AuditRBA; null on metadata", _of_record(_audit_rba)),
    Field("audit_pos", "string", "AuditPos, a decimal number", lambda known: str(known.record.header.audit_pos)),
)

_CONTENT = (
    Field(
        "operation",
        "string or null",
        "`INSERT`, `UPDATE`, `PK UPDATE`, `DELETE`, `TRUNCATE`, `DDL`, `LOB` or `SEQUENCE`; null for other records",
        lambda known: known.change.op if known.change else None,
    ),
    Field(
        "other_rba",
        "number or null",
        "RBA of the record that holds the other image of the same update; null when there is none",
        _other_rba,
    ),
    Field(
        "csn",
        "string or null",
        "LOGCSN of the record's transaction, wherever it began; null where no record tells it",
        lambda known: known.transaction.csn,
    ),
    Field(
        "xid",
        "string or null",
        "TRANID; likewise",
        lambda known: known.transaction.xid,
    ),
    Field("row_id", "string or null", "ORAROWID", _of_record(lambda record: record.row_id)),
    Field(
        "before",
        "list of column, or null",
        "The row, or its changed columns, before, fragments included; null: no such image",
        _image("before"),
    ),
    Field(
        "after",
        "list of column, or null",
        "The row, or its changed columns, after, fragments included; null: no such image",
        _image("after"),
    ),
    Field("ddl", "list of ddl_part, or null", "The parts of a DDL record, its fragments included", _ddl),
    Field("segment", "segment or null", "Its place, when it is a LOB piece or a record fragment", segment_of),
    Field(
        "metadata",
        "metadata or null",
        "The definition in a metadata record",
        lambda known: METADATA.build(known) if known.record.is_metadata else None,
    ),
    Field(
        "gg_tokens",
        "list of ggs_token, or null",
        "GGS tokens",
        _of_record(lambda record: [GGS_TOKEN.build(one) for one in record.gg_tokens]),
    ),
    Field(
        "user_tokens",
        "list of user_token, or null",
        "User tokens",
        _of_record(lambda record: [USER_TOKEN.build(one) for one in record.user_tokens]),
    ),
    Field(
        "other_tokens",
        "list of other_token",
        "Tokens of unknown kinds",
        _of_record(lambda record: [OTHER_TOKEN.build(one) for one in record.tokens if one.id not in _KNOWN_TOKENS]),
    ),
    Field("data", "string", "All the data, hex; RECLEN does not cut it", _of_record(lambda record: record.data.hex())),
)

RECORD = Shape("record", "A record.", (*PLACE, *_HEADER, *_CONTENT, PROBLEMS))

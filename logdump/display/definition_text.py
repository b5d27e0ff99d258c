"""A definition record in text: its record line, the definition, and the tokens of the definition."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from logdump.display.token_text import token_line
from logdump.notation.hexdump import hexdump
from logdump.notation.text import escape
from logdump.notation.times import format_timestamp
from logdump.session.known_record import KnownRecord
from logdump.session.settings import Detail, Settings
from trailformat import ColumnDefinition, DatabaseDefinition, Record, TableDefinition
from trailformat.codec.charsets import charset_name
from trailformat.codec.on_demand import on_demand
from trailformat.codec.tokens import parse_tokens
from trailformat.definitions.metadata import ELEMENTARY, NULLABLE
from trailformat.records.record_header import DATABASE, REFERENCE, TABLE

with on_demand:
    from trailformat import values

LEGEND = (
    " 1)Name          2)Data Type        3)External Length  4)Fetch Offset      5)Scale         6)Level",
    " 7)Null          8)Bump if Odd      9)Internal Length 10)Binary Length    11)Table Length 12)Most Sig DT",
    "13)Least Sig DT 14)High Precision  15)Low Precision   16)Elementary Item  17)Occurs       18)Key Column",
    "19)Sub DataType 20)Native DataType 21)Character Set   22)Character Length 23)LOB Type     24)Partial Type",
    "25)Remarks",
)
LOCALES = {0: "neutral"}
"""Names of locales by code. Only one is known: Oracle's definitions files have it where the DDR has 0."""
_VARIABLE = range(64, 70)


def database_lines(database: DatabaseDefinition, vendor: str) -> Iterator[str]:
    """Yield the lines of a DDR; a locale or character set without a known name is printed as its code."""
    yield f"Database Name: {escape(database.name)}".rstrip()
    yield "*"
    yield f"DDR Version: {database.version}"
    yield f"Database type: {vendor}".rstrip()
    yield f"Character set ID: {charset_name(database.charset)}"
    yield f"National character set ID: {charset_name(database.ncharset)}"
    yield f"Locale: {LOCALES.get(database.locale, database.locale)}"
    yield f"Case sensitivity: {database.cases.hex(' ')}".rstrip()
    yield f"TimeZone: {escape(database.time_zone)}"
    yield "*"


def table_lines(name: str, table: TableDefinition) -> Iterator[str]:
    """Yield the lines of a TDR."""
    yield f"Table Name: {name}"
    yield "*"
    yield from LEGEND
    yield "*"
    yield f"TDR version: {table.version}"
    yield f"Definition for table {name}"
    yield f"Record Length: {record_size(table)}"
    yield f"Columns: {len(table.columns)}"
    width = max((len(escape(column.name)) for column in table.columns), default=0)
    for column in table.columns:
        yield column_definition_line(column, width)
    yield "End of definition"


def reference_line(name: str, index: int) -> str:
    """Return the line of a reference to the TDR with this index."""
    return f"Table Name: {name} (Ref TDR Index: {index})"


def record_size(table: TableDefinition) -> int:
    """Return the size of a full record in bytes: the fetch offset of the last column plus its size.

    A column takes its external length plus 3 bytes, or 5 if it is variable; before TDR version 11 the size is rounded
    up to even. Inferred from the offsets in the real trail, in the PostgreSQL and MySQL transcripts and in DEFGEN files
    (12).
    """
    if not table.columns:
        return 0
    last = max(table.columns, key=lambda column: column.fetch_offset)
    size = last.external_length + (5 if last.data_type in _VARIABLE else 3)
    return last.fetch_offset + (size + size % 2 if table.version < 11 else size)


def column_definition_line(column: ColumnDefinition, width: int) -> str:
    """Return a column as in a definitions file; ``width`` is that of the longest name."""
    is_null, is_elementary = bool(column.flags & NULLABLE), bool(column.flags & ELEMENTARY)
    return (
        f"{escape(column.name):<{width}}{column.data_type:>5}{column.external_length:>7}{column.fetch_offset:>9}"
        f"{column.scale:>3}{0:>3}{is_null:>2}{0:>2}{column.internal_length:>7}{column.binary_length:>7}"
        f"{column.table_length:>7}{column.most_significant:>2}{column.least_significant:>2}{0:>2}{0:>2}"
        f"{is_elementary:>2}{0:>5}{column.is_key:>2}{column.sub_data_type:>4}{column.native_type:>5}"
        f"{column.charset:>9}{column.character_length:>7}{0:>2}{0:>2}"
    )


Path = tuple[int, ...]
_TREES: dict[int, frozenset[Path]] = {
    DATABASE: frozenset({(0x30,), (0x30, 2)}),
    TABLE: frozenset({(0x30,), (0x30, 2), (0x30, 2, 1)}),
}
"""Tokens that contain tokens, as paths of ids from the root; see trailformat.definitions.metadata."""
_NAMES: dict[int, dict[Path, str]] = {
    DATABASE: {
        (0x30, 1): "Version",
        (0x30, 2, 1): "Charset",
        (0x30, 2, 2): "NCharset",
        (0x30, 2, 3): "Locale",
        (0x30, 2, 4): "TimeZone",
        (0x30, 2, 5): "Cases",
        (0x30, 3): "Name",
    },
    TABLE: {(0x30, 1): "Version", (0x30, 2, 1, 1): "KeyColumns", (0x30, 3): "Columns"},
}


def sql_lines(name: str, table: TableDefinition) -> Iterator[str]:
    """Yield CREATE TABLE, with the standard type of each column."""
    yield f"CREATE TABLE {name}"
    yield "("
    clauses = [f"{_quoted(column.name)} {_sql_type(column)}" for column in table.columns]
    keys = [_quoted(column.name) for column in table.columns if column.is_key]
    if keys:
        clauses.append(f"PRIMARY KEY ({', '.join(keys)})")
    for index, clause in enumerate(clauses):
        yield f"  {clause}{',' if index + 1 < len(clauses) else ''}"
    yield ");"


def _quoted(name: str) -> str:
    return '"' + escape(name).replace('"', '""') + '"'


def _sql_type(column: ColumnDefinition) -> str:
    """Return the standard type; if it is not known, VARBINARY with the code of the data type in a comment."""
    return values.sql_type(column) or f"VARBINARY({column.external_length}) /* data type {column.data_type} */"


def defgen_lines(name: str, table: TableDefinition) -> Iterator[str]:
    """Yield the entry of a table in a definitions file, as DEFGEN writes it."""
    yield f"Definition for table {name}"
    yield f"Record length: {record_size(table)}"
    yield "Syskey: 0"
    yield f"Columns: {len(table.columns)}"
    columns = [column._replace(name=_one_word(column.name)) for column in table.columns]
    width = max((len(escape(column.name)) for column in columns), default=0)
    for column in columns:
        yield column_definition_line(column, width)
    yield "End of definition"


def _one_word(name: str) -> str:
    """Return a name as in a definitions file, quoted if it is not one word."""
    return _quoted(name) if " " in name or '"' in name else name


def ddl_lines(name: str, table: TableDefinition) -> Iterator[str]:
    """Yield a record definition in NonStop's DDL, whose names have hyphens."""
    yield f"DEF {_hyphened(name.rpartition('.')[2])}."
    for column in table.columns:
        yield f"  02 {_hyphened(escape(column.name)):<30} TYPE {_ddl_type(column)}."
    yield "END"


def _hyphened(name: str) -> str:
    return name.replace("_", "-").upper()


def _ddl_type(column: ColumnDefinition) -> str:
    data_type = values.data_type_of(column)
    if data_type.family is values.Family.INTEGER and data_type.is_signed:
        return f"BINARY {data_type.size * 8}{f',{column.scale}' if column.scale else ''}"
    return f"CHARACTER {column.external_length}"


def definition_token_lines(record: Record, settings: Settings) -> Iterator[str]:
    """Yield the tokens of a definition record for METADATA DETAIL, with their bytes under DATA."""
    yield from _tree_lines(record, record.data, settings, ())


def _tree_lines(record: Record, data: bytes, settings: Settings, above: Path) -> Iterator[str]:
    kind = record.header.orig_node
    for token in parse_tokens(data, record.order):
        path = (*above, token.id)
        name = _NAMES[kind].get(path, "")
        yield "  " * len(above) + token_line("Token", token.id, name, token.info, len(token.payload))
        if path in _TREES[kind]:
            yield from _tree_lines(record, token.payload, settings, path)
        elif settings.metadata_detail is Detail.DATA:
            yield from hexdump(token.payload, settings.reclen)


FORMATS: dict[str, Callable[[str, TableDefinition], Iterator[str]]] = {
    "metadata_ddl": ddl_lines,
    "metadata_defgen": defgen_lines,
    "metadata_sql": sql_lines,
}
"""Formats of definitions, by the attribute of the settings that switches each on."""


def metadata_lines(known: KnownRecord, settings: Settings) -> Iterator[str]:
    """Yield the lines of a definition record, with the blank line before them."""
    record, definition = known.record, known.definition
    yield ""
    time = format_timestamp(record.header.io_time, settings.time_offset)
    yield f"{time} {'Metadata':<20} Len {record.data_length} RBA {record.rba}"
    name = escape(record.name)
    if isinstance(definition, DatabaseDefinition):
        yield from database_lines(definition, known.vendor)
    elif isinstance(definition, TableDefinition):
        yield from _definition_lines(name, definition, settings)
    elif record.header.orig_node == REFERENCE:
        yield reference_line(name, record.metadata_indexes[1])
    else:
        yield f"Name: {name}".rstrip()
        yield from hexdump(record.head("D", settings.reclen), settings.reclen, settings.data_gutter)
    if settings.metadata_detail is not Detail.OFF and definition is not None:
        yield from definition_token_lines(record, settings)


def _definition_lines(name: str, definition: TableDefinition, settings: Settings) -> Iterator[str]:
    """Yield the listing of a table, or in its place the formats that METADATA has switched on."""
    formats = [lines for attribute, lines in FORMATS.items() if getattr(settings, attribute)]
    if not formats:
        yield from table_lines(name, definition)
        return
    yield f"Table Name: {name}"
    for lines in formats:
        yield from lines(name, definition)

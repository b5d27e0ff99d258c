"""Metadata records: the database definition, and the table definition in the format of a definitions file."""

from __future__ import annotations

from collections.abc import Iterator

from logdump.notation.escape import escape
from trailformat import ColumnDefinition, DatabaseDefinition, TableDefinition
from trailformat.codec.charsets import charset_name
from trailformat.definitions.column import ELEMENTARY, NULLABLE

LEGEND = (
    " 1)Name          2)Data Type        3)External Length  4)Fetch Offset      5)Scale         6)Level",
    " 7)Null          8)Bump if Odd      9)Internal Length 10)Binary Length    11)Table Length 12)Most Sig DT",
    "13)Least Sig DT 14)High Precision  15)Low Precision   16)Elementary Item  17)Occurs       18)Key Column",
    "19)Sub DataType 20)Native DataType 21)Character Set   22)Character Length 23)LOB Type     24)Partial Type",
    "25)Remarks",
)
LOCALES = {0: "neutral"}
"""Names of locales: the one in Oracle's definitions files, where its DDR has 0. The codes of others are not known."""
_VARIABLE = range(64, 70)


def database_lines(database: DatabaseDefinition, vendor: str) -> Iterator[str]:
    """A DDR. A locale or a character set that has no name here is printed as its code."""
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
    """A TDR."""
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
    """A reference to the TDR with this index."""
    return f"Table Name: {name} (Ref TDR Index: {index})"


def record_size(table: TableDefinition) -> int:
    """Bytes of a full record: where the last column is fetched from, and its size.

    A column takes its external length and 3 bytes, 5 when it is variable; before version 11 rounded up to even. This is
    inferred from the offsets in the real trail, in the PostgreSQL and MySQL transcripts and in DEFGEN files (12).
    """
    if not table.columns:
        return 0
    last = max(table.columns, key=lambda column: column.fetch_offset)
    size = last.external_length + (5 if last.data_type in _VARIABLE else 3)
    return last.fetch_offset + (size + size % 2 if table.version < 11 else size)


def column_definition_line(column: ColumnDefinition, width: int) -> str:
    """One column in the columns of a definitions file; ``width`` is that of the longest name."""
    is_null, is_elementary = bool(column.flags & NULLABLE), bool(column.flags & ELEMENTARY)
    return (
        f"{escape(column.name):<{width}}{column.data_type:>5}{column.external_length:>7}{column.fetch_offset:>9}"
        f"{column.scale:>3}{0:>3}{is_null:>2}{0:>2}{column.internal_length:>7}{column.binary_length:>7}"
        f"{column.table_length:>7}{column.most_significant:>2}{column.least_significant:>2}{0:>2}{0:>2}"
        f"{is_elementary:>2}{0:>5}{column.is_key:>2}{column.sub_data_type:>4}{column.native_type:>5}"
        f"{column.charset:>9}{column.character_length:>7}{0:>2}{0:>2}"
    )

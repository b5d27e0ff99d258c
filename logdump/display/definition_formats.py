"""A table definition in other forms: SQL, a definitions file, NonStop DDL, and the tokens it is made of.

No output of Logdump's METADATA formats is known; the definitions-file form is that of DEFGEN, the others are ours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from logdump.display.metadata_text import column_definition_line, record_size
from logdump.display.token_text import token_line
from logdump.notation.escape import escape
from logdump.notation.hexdump import hexdump
from logdump.session.settings import Detail, Settings
from trailformat import ColumnDefinition, Record, TableDefinition
from trailformat.codec.tokens import parse_tokens
from trailformat.definitions.metadata_kinds import DATABASE, TABLE

Path = tuple[int, ...]
_TREES: dict[int, frozenset[Path]] = {
    DATABASE: frozenset({(0x30,), (0x30, 2)}),
    TABLE: frozenset({(0x30,), (0x30, 2), (0x30, 2, 1)}),
}
"""The tokens that hold tokens, by their ids from the root; see trailformat.definitions.metadata."""
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
    """CREATE TABLE, with standard types by the data type of each column."""
    yield f"CREATE TABLE {name}"
    yield "("
    clauses = [f"{_quoted(column.name)} {_sql_type(column)}" for column in table.columns]
    keys = [_quoted(column.name) for column in table.columns if column.is_key]
    if keys:
        clauses.append(f"PRIMARY KEY ({', '.join(keys)})")
    for at, clause in enumerate(clauses):
        yield f"  {clause}{',' if at + 1 < len(clauses) else ''}"
    yield ");"


def _quoted(name: str) -> str:
    return '"' + escape(name).replace('"', '""') + '"'


def _sql_type(column: ColumnDefinition) -> str:
    """The standard type; of bytes, with the code in a comment, when it is not known."""
    from trailformat.values.sql_types import sql_type  # noqa: PLC0415 - records are shown sooner without

    return sql_type(column) or f"VARBINARY({column.external_length}) /* data type {column.data_type} */"


def defgen_lines(name: str, table: TableDefinition) -> Iterator[str]:
    """An entry of a definitions file, as DEFGEN writes it."""
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
    """A name as it stands in a definitions file, in quotes when it would not be one word."""
    return _quoted(name) if " " in name or '"' in name else name


def ddl_lines(name: str, table: TableDefinition) -> Iterator[str]:
    """A DDL record definition of NonStop, names with hyphens as it wants them."""
    yield f"DEF {_hyphened(name.rpartition('.')[2])}."
    for column in table.columns:
        yield f"  02 {_hyphened(escape(column.name)):<30} TYPE {_ddl_type(column)}."
    yield "END"


def _hyphened(name: str) -> str:
    return name.replace("_", "-").upper()


def _ddl_type(column: ColumnDefinition) -> str:
    from trailformat.values import INTEGERS  # noqa: PLC0415 - records are shown sooner without

    size = INTEGERS.get(column.data_type)
    if size:
        return f"BINARY {size * 8}{f',{column.scale}' if column.scale else ''}"
    return f"CHARACTER {column.external_length}"


def definition_token_lines(record: Record, settings: Settings) -> Iterator[str]:
    """METADATA DETAIL: the tokens of a metadata record one under the other, with DATA their bytes too."""
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
"""The forms by the attribute of the settings that switches them on."""

"""The statement that repeats a change, or takes it back, of decoded values: the oracle of the one that columns make.

A row is found by its key columns, or by all columns when the definition marks none as key. What the images do not hold
is never guessed: such a change has a reason in place of a statement.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from logdump.display.sql.client_text import OneStatement, client_of, one_statement
from logdump.display.sql.dialects import Dialect, Unwritable
from logdump.display.sql.literals import LONGEST
from logdump.session.events import Statement
from trailformat import ColumnDefinition, TrailError
from trailformat.changes.row_changes import Change, ColumnChange
from trailformat.records.ddl import parse_ddl
from trailformat.values import Value
from trailformat.values.value import Plain


class _Cell(NamedTuple):
    column: ColumnChange
    value: Value


_Row = list[_Cell]


def statements_of(changes: Sequence[Change], dialect: Dialect, *, takes_back: bool) -> list[Statement]:
    """The statement of each change."""
    return [_statement(change, dialect, _UNDO if takes_back else _REDO) for change in changes]


def _statement(change: Change, dialect: Dialect, makers: _Makers) -> Statement:
    try:
        make = _impossible if change.problem or change.doubt else makers.get(change.op, _impossible)
        made = make(change, dialect)
        return (
            Statement(change, made.sql, None, made.ending)
            if isinstance(made, OneStatement)
            else Statement(change, made)
        )
    except (Unwritable, TrailError) as error:
        return Statement(change, None, str(error))


def _before(change: Change) -> _Row:
    return [_Cell(column, column.before) for column in change.columns if column.before is not None]


def _after(change: Change) -> _Row:
    return [_Cell(column, column.after) for column in change.columns if column.after is not None]


def _insert(change: Change, dialect: Dialect, row: _Row) -> str:
    names = ", ".join(_name(cell, dialect) for cell in row)
    values = ", ".join(_literal(cell, dialect) for cell in row)
    if not row:
        raise Unwritable("the trail has no column of the row")
    return f"INSERT INTO {dialect.table(change.table)} ({names}) VALUES ({values})"


def _upsert(change: Change, dialect: Dialect) -> str:
    """An insert that overwrites the row with its key, as each database spells it."""
    row = _after(change)
    insert = _insert(change, dialect, row)
    if change.definition is not None and not any(column.is_key for column in change.definition.columns):
        raise Unwritable("the table has no key: the row that an upsert overwrites is not known")
    found = _where(change, dialect, row)
    keys = [dialect.identifier(column.name) for column in change.definition.columns if column.is_key]  # type: ignore[union-attr]
    rest = [cell for cell in row if not cell.column.is_key]
    names = [_name(cell, dialect) for cell in rest] or keys
    if dialect.name == "MYSQL":
        return f"{insert} ON DUPLICATE KEY UPDATE {', '.join(f'{name} = VALUES({name})' for name in names)}"
    if dialect.name == "POSTGRESQL":
        sets = ", ".join(f"{name} = EXCLUDED.{name}" for name in names)
        return f"{insert} ON CONFLICT ({', '.join(keys)}) DO UPDATE SET {sets}"
    source = "DUAL" if dialect.name == "ORACLE" else "(VALUES (0)) AS logdump_row (logdump_number)"
    sets = ", ".join(f"{_name(cell, dialect)} = {_literal(cell, dialect)}" for cell in rest)
    update = f" WHEN MATCHED THEN UPDATE SET {sets}" if rest else ""
    table = dialect.table(change.table)
    added = insert.removeprefix(f"INSERT INTO {table} ")
    return f"MERGE INTO {table} USING {source} ON ({found}){update} WHEN NOT MATCHED THEN INSERT {added}"


def _insert_again(change: Change, dialect: Dialect) -> str:
    row, size = _before(change), len(change.definition.columns) if change.definition else 0
    if len(row) < size:
        raise Unwritable(f"the trail has {len(row)} of the {size} columns of the row that was deleted")
    return _insert(change, dialect, row)


def _delete(change: Change, dialect: Dialect, row: _Row) -> str:
    table = dialect.table(change.table)
    return f"DELETE FROM {table} WHERE {_where(change, dialect, row)}"


def _update(change: Change, dialect: Dialect, changed: _Row, found_by: _Row) -> str:
    if not changed:
        raise Unwritable("no column is changed")
    sets = ", ".join(f"{_name(cell, dialect)} = {_literal(cell, dialect)}" for cell in changed)
    return f"UPDATE {dialect.table(change.table)} SET {sets} WHERE {_where(change, dialect, found_by)}"


def _repeat_update(change: Change, dialect: Dialect) -> str:
    """Every column that differs or whose old value is not known; a key that the before image lacks did not change."""
    old, new = _before(change), _after(change)
    only_new = [cell for cell in new if cell.column.before is None]
    same_key = [cell for cell in only_new if cell.column.is_key and change.op != "PK UPDATE"]
    changed = [cell for cell in new if cell.column.is_changed or (cell in only_new and cell not in same_key)]
    return _update(change, dialect, changed, [*old, *same_key])


def _take_back_update(change: Change, dialect: Dialect) -> str:
    """Every column that differs; one that the after image lacks did not change."""
    old, new = _before(change), _after(change)
    if lost := [cell.column.name for cell in new if cell.column.before is None and not cell.column.is_key]:
        raise Unwritable(f"the trail has no before image of {', '.join(lost)}")
    if change.op == "PK UPDATE" and any(cell.column.before is None for cell in new):
        raise Unwritable("the trail does not have the complete old key")
    changed = [cell for cell in old if cell.column.is_changed]
    return _update(change, dialect, changed, [*new, *(cell for cell in old if cell.column.after is None)])


def _where(change: Change, dialect: Dialect, row: _Row) -> str:
    """The condition that finds a row: by its key, or by everything that is known of it."""
    if change.definition is None:
        raise Unwritable("no definition of the table: its columns have no names (SOURCEDEFS reads some)")
    key = [column.name for column in change.definition.columns if column.is_key]
    known = [cell for cell in row if cell.column.is_key] if key else row
    if key and len(known) < len(key):
        missing = ", ".join(name for name in key if name not in {cell.column.name for cell in known})
        raise Unwritable(f"the trail lacks {missing} of the row's key")
    if len(known) < (len(key) or len(change.definition.columns)):
        raise Unwritable("the table has no key, and the trail lacks columns of the row")
    condition = " AND ".join(_equals(cell, dialect) for cell in known)
    return condition if key else dialect.one_of(dialect.table(change.table), condition)


def _name(cell: _Cell, dialect: Dialect) -> str:
    if not cell.column.name:
        raise Unwritable(
            f"column {cell.column.index} has no name: no definition of the table fits (SOURCEDEFS reads some)"
        )
    return dialect.identifier(cell.column.name)


def _plain(cell: _Cell) -> Plain:
    """The value to be spelled: None for NULL.

    Raises:
        Unwritable: it is not decoded, or too long for a statement.
    """
    if cell.value.problem:
        raise Unwritable(f"column {cell.column.name} is not decoded: {cell.value.problem}")
    if len(cell.value.data) > LONGEST:
        raise Unwritable(f"column {cell.column.name} has {len(cell.value.data)} bytes, more than {LONGEST}")
    return cell.value.value


def _literal(cell: _Cell, dialect: Dialect) -> str:
    return literal_of(_plain(cell), cell.column.definition, dialect)


def literal_of(value: Plain, definition: ColumnDefinition | None, dialect: Dialect) -> str:
    """The literal of a column's decoded value, None for NULL; raises Unwritable where the dialect has none."""
    if isinstance(value, str) and definition is not None and definition.data_type in (191, 192):
        return dialect.moment(value)
    return dialect.literal(value)


def _equals(cell: _Cell, dialect: Dialect) -> str:
    name, literal = _name(cell, dialect), _literal(cell, dialect)
    return f"{name} IS NULL" if literal in dialect.nulls else f"{name} = {literal}"


def _truncate(change: Change, dialect: Dialect) -> str:
    return f"TRUNCATE TABLE {dialect.table(change.table)}"


def _ddl(change: Change, dialect: Dialect) -> OneStatement:
    """The statement as the source ran it, in the source's own dialect."""
    record = change.records[0]
    if record.header.continued:
        raise Unwritable("the statement continues in the records that follow")
    try:
        record.data.decode()
    except TrailError as error:
        raise Unwritable(error.problem) from None
    except UnicodeDecodeError:
        raise Unwritable("the statement is not UTF-8") from None
    return one_statement(dict(parse_ddl(record.data)).get("C1", ""), client_of(dialect.name))


def _impossible(change: Change, _dialect: Dialect) -> str:
    raise Unwritable(
        change.problem or change.doubt or _REASONS.get(change.op, "the effect of a record of this type is not known")
    )


_Makers = dict[str, Callable[[Change, Dialect], str | OneStatement]]

_REASONS = {
    "TRUNCATE": "the trail does not have the rows that TRUNCATE deleted",
    "DDL": "DDL: the state before it is not in the trail",
    "UPSERT": "the trail does not have the row that it may have overwritten",
    "LOB": "a piece of a large object: it belongs to the row before it",
    "SEQUENCE": "a sequence: SQL has no statement that sets it to a value in every database",
}

_REDO: _Makers = {
    "INSERT": lambda change, dialect: _insert(change, dialect, _after(change)),
    "UPSERT": _upsert,
    "UPDATE": _repeat_update,
    "PK UPDATE": _repeat_update,
    "DELETE": lambda change, dialect: _delete(change, dialect, _before(change)),
    "TRUNCATE": _truncate,
    "DDL": _ddl,
}
_UNDO: _Makers = {
    "INSERT": lambda change, dialect: _delete(change, dialect, _after(change)),
    "UPDATE": _take_back_update,
    "PK UPDATE": _take_back_update,
    "DELETE": _insert_again,
}

"""The statements that repeat or undo changes.

Changes of one table are decided once per shape (:mod:`logdump.display.sql.decisions`), literals are made by column, and
lines are joined here, for thousands of rows of a batch in the same way as for a single change.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from logdump.display.sql.changed_rows import ChangedRows, DecodedChanges
from logdump.display.sql.client_text import OneStatement, client_of, one_statement
from logdump.display.sql.decisions import (
    ChangeShape,
    ColumnRole,
    ColumnSet,
    Decision,
    SqlTable,
    decide,
    sql_table,
)
from logdump.display.sql.dialects import Dialect, Unwritable
from logdump.display.sql.literals import Literals
from logdump.session.events import Statement
from trailformat import TrailError
from trailformat.arrays import Field, FieldForm, LineForm, write_lines
from trailformat.changes.row_changes import Change
from trailformat.native.scan.arguments import ABSENT, NULL
from trailformat.records.ddl import parse_ddl
from trailformat.scan.rows.row_bytes import Array

STATEMENT_END = b";\n"
_MADE = -1
_LIST = re.compile(r"([^][{}]*)(?:\[([^][{}]*))?\{(\w+)\}\]?")


class StatementList(NamedTuple):
    """A list of columns in a statement, the text before it, and the text that only changes with columns have next."""

    before: bytes
    opening: bytes
    role: ColumnRole


class StatementForm(NamedTuple):
    """The text before the name of a table in statements, the lists of columns, and the text after the last."""

    head: bytes
    lists: tuple[StatementList, ...]
    tail: bytes


@cache
def _form(text: str) -> StatementForm:
    """Return the form that a decision has as text."""
    head, _, rest = text.partition("{table}")
    lists, end = [], 0
    for match in _LIST.finditer(rest):
        lists.append(StatementList(match[1].encode(), (match[2] or "").encode(), ColumnRole(match[3])))
        end = match.end()
    return StatementForm(head.encode(), tuple(lists), rest[end:].encode())


class MadeStatements(NamedTuple):
    """Statements, and reasons in place of others.

    Attributes:
        data: the lines of the statements, each with its end; ``ends`` has the offset after the line of each change.
        reasons: the reasons why there are none; ``reason`` is the index of each change's, negative with a statement.
        undecided: a mask of the changes that must be decoded first.
    """

    data: memoryview
    ends: Array
    reasons: list[str]
    reason: Array
    undecided: Array


def make_statements(changes: ChangedRows, literals: Literals, *, takes_back: bool) -> MadeStatements:
    """Return the statements of changes that have one verb."""
    shapes, shape_of = _shapes(changes)
    decisions = [decide(shape, changes.table, takes_back=takes_back) for shape in shapes]
    return _Lines(changes, literals, decisions, shape_of).made()


def _shapes(changes: ChangedRows) -> tuple[list[ChangeShape], Array]:
    """Return the distinct shapes of changes, and the index of each change's shape."""
    width, count = changes.had.shape
    changed = np.zeros((width, count), bool)
    if any("UPDATE" in op for op in changes.ops):
        changed = np.array([changes.changed(column) for column in range(width)], bool).reshape(width, count)
    op = changes.op[np.newaxis]
    sets = [np.packbits(mask, axis=0, bitorder="little") for mask in (changes.had, changes.has, changed)]
    keys = np.ascontiguousarray(np.concatenate([op, *sets]).T)
    firsts, number = _distinct(keys)
    shapes = []
    for first in firsts.tolist():
        had, has, differ = (int.from_bytes(bits[:, first].tobytes(), "little") for bits in sets)
        shapes.append(ChangeShape(changes.ops[changes.op[first]], had, has, differ))
    return shapes, number


def _distinct(keys: Array) -> tuple[Array, Array]:
    """Return the index of the first of each group of equal rows of a matrix, and the number of each row's group."""
    if not (keys != keys[:1]).any():
        return np.arange(min(len(keys), 1)), np.zeros(len(keys), np.int64)
    rows = keys.view(np.dtype((np.void, keys.shape[1]))).reshape(-1)
    _, firsts, number = np.unique(rows, return_index=True, return_inverse=True)
    return firsts, number.reshape(-1)


class _Lines:
    def __init__(self, changes: ChangedRows, literals: Literals, decisions: list[Decision], decision_of: Array) -> None:
        self._changes, self._table, self._literals = changes, changes.table, literals
        self._decisions, self._decision_of = decisions, decision_of
        self._reasons = list(dict.fromkeys(decision.refusal for decision in decisions if decision.refusal is not None))
        numbers = [
            _MADE if decision.refusal is None else self._reasons.index(decision.refusal) for decision in decisions
        ]
        self._refused = np.array(numbers, np.int64)[decision_of]
        self._problems: dict[int, str] = {}
        self._undecided = changes.undecided.copy()
        self._is_written = (self._refused == _MADE) & ~self._undecided
        self._fields: list[Field] = []
        self._head = self._text = self._separator = b""

    def made(self) -> MadeStatements:
        form = _form(self._decisions[0].form)
        before, after = self._table.condition
        self._text = form.head + self._table.quoted
        for text, opening, role in form.lists:
            self._text += text + (before if role is ColumnRole.FIND else b"")
            if opening:
                self._constant(opening, self._having(role))
            self._list(role)
        return self._joined(form.tail + (after if form.lists and form.lists[-1].role is ColumnRole.FIND else b""))

    def _having(self, role: ColumnRole) -> Array:
        """Return a mask of the changes that have a column in a role."""
        is_there = np.zeros(len(self._decision_of), bool)
        for _, masks in self._masks(role):
            is_there |= masks.any(axis=0)
        return is_there

    def _list(self, role: ColumnRole) -> None:
        """Append the columns of parts that form one list, with separators between those that a row has."""
        separator = b" AND " if role is ColumnRole.FIND else b", "
        is_begun = np.zeros(len(self._decision_of), bool)
        for part, masks in self._masks(role):
            for column in np.flatnonzero(masks.any(axis=1)).tolist():
                mask = masks[column]
                self._separate(separator, is_begun & mask, mask)
                is_begun |= mask
                if (text := self._text_of(role, self._table.names[column])) is not None:
                    self._constant(text, mask)
                else:
                    self._cell(part, column, mask)

    def _text_of(self, role: ColumnRole, name: bytes) -> bytes | None:
        """Return the text of a column in a role without values; None if the role has values."""
        if role is ColumnRole.OVERWRITE:
            return self._table.dialect.overwritten.format(name.decode()).encode()
        return name if role in (ColumnRole.NAME, ColumnRole.KEY) else None

    def _masks(self, role: ColumnRole) -> Iterator[tuple[ColumnSet, Array]]:
        """Yield the parts with a role, each with masks of the changes that have a column: one row per column."""
        width = len(self._table.names)
        most = max(len(decision.parts) for decision in self._decisions)
        for place in range(most):
            parts = [decision.parts[place] if place < len(decision.parts) else None for decision in self._decisions]
            part = next(column_set for column_set in parts if column_set is not None)
            if part.role is role:
                sets = b"".join(
                    (0 if column_set is None else column_set.columns).to_bytes(width // 8 + 1, "little")
                    for column_set in parts
                )
                bits = np.frombuffer(sets, np.uint8).reshape(len(parts), -1)
                masks = np.unpackbits(bits, axis=1, bitorder="little")[:, :width].astype(bool)
                yield part, np.ascontiguousarray(masks.T)[:, self._decision_of] & ~self._undecided

    def _separate(self, separator: bytes, needed: Array, mask: Array) -> None:
        """Write a separator for changes that need one before their next text; one for all is joined to that text."""
        needed, mask = needed & self._is_written, mask & self._is_written
        if needed.any() and (needed != mask).any():
            self._constant(separator, needed)
        self._separator = separator if (needed == mask).all() else b""

    def _cell(self, part: ColumnSet, column: int, mask: Array) -> None:
        """Append the values of a column, with its name if the role has one."""
        cells = self._changes.cells(column, mask, is_before=part.is_before)
        for row, reason in cells.problems:
            self._problems.setdefault(row, reason)
        self._undecided[list(cells.undecided)] = True
        sizes, name = cells.sizes, self._table.names[column]
        if part.role is ColumnRole.FIND and cells.texts is not None:
            sizes = np.where(self._literals.are_null(cells.texts) & mask, NULL, sizes)
        opening, null = {
            ColumnRole.VALUE: (b"", b"NULL"),
            ColumnRole.SET: (name + b" = ", name + b" = NULL"),
            ColumnRole.FIND: (name + b" = ", name + b" IS NULL"),
        }[part.role]
        self._add(Field(FieldForm(opening, null=null), cells.texts, sizes), mask)

    def _constant(self, text: bytes, mask: Array) -> None:
        """Append a text for the changes of a mask."""
        if self._has_all(mask):
            self._text, self._separator = self._text + self._separator + text, b""
        else:
            self._add(Field(FieldForm(b"", null=text), None, np.where(mask, NULL, ABSENT)), mask)

    def _add(self, field: Field, mask: Array) -> None:
        """Append a field for the changes of a mask, after the text that all changes have before it."""
        before, self._separator = self._separator, b""
        if not (mask & self._is_written).any():
            return
        if self._has_all(mask) and self._fields:
            before, self._text = self._text + before, b""
        elif self._text:
            self._flush()
        form = field.form
        self._fields.append(field._replace(form=FieldForm(before + form.opening, null=before + form.null)))

    def _has_all(self, mask: Array) -> bool:
        return bool(mask[self._is_written].all())

    def _flush(self) -> None:
        """Append the text that all changes have, as the head of the line or as a field."""
        if self._fields:
            everywhere = np.full(len(self._decision_of), NULL)
            self._fields.append(Field(FieldForm(b"", null=self._text), None, everywhere))
        else:
            self._head = self._text
        self._text = b""

    def _joined(self, tail: bytes) -> MadeStatements:
        """Return the lines of all fields, and the reasons of the changes without a line."""
        for row, reason in self._problems.items():
            self._refused[row] = len(self._reasons)
            self._reasons.append(reason)
        is_skipped = (self._refused != _MADE) | self._undecided
        count = len(is_skipped)
        if is_skipped.all():
            return MadeStatements(
                memoryview(b""), np.zeros(count, np.int64), self._reasons, self._refused, self._undecided
            )
        if not self._fields:
            self._flush()
        lines = write_lines(LineForm(self._head, self._text + tail + STATEMENT_END), self._fields, is_skipped)
        return MadeStatements(lines.data.data, lines.ends, self._reasons, self._refused, self._undecided)


def redo(change: Change, dialect: Dialect) -> Statement:
    """Return the statement that repeats the change."""
    return statements_of([change], dialect, takes_back=False)[0]


def undo(change: Change, dialect: Dialect) -> Statement:
    """Return the statement that undoes the change."""
    return statements_of([change], dialect, takes_back=True)[0]


def statements_of(changes: Sequence[Change], dialect: Dialect, *, takes_back: bool) -> list[Statement]:
    """Return the statement of each change, from its decoded values."""
    statements = [Statement(change, None, change.problem or change.doubt) for change in changes]
    groups: dict[tuple[str, str, int, int], list[int]] = {}
    for index, change in enumerate(changes):
        if change.problem or change.doubt:
            continue
        if change.op == "DDL" and not takes_back:
            statements[index] = _ddl(change, dialect)
        else:
            width = change.columns[-1].index + 1 if change.columns else 0
            kind = change.op.removeprefix("PK ")
            groups.setdefault((kind, change.table, id(change.definition), width), []).append(index)
    for (_, name, _, width), places in groups.items():
        group = [changes[index] for index in places]
        columns = group[0].definition.columns if group[0].definition else None
        group_statements = _of_table(sql_table(name, columns, dialect, width), group, dialect, takes_back=takes_back)
        for index, statement in zip(places, group_statements, strict=True):
            statements[index] = statement
    return statements


def _of_table(table: SqlTable, changes: Sequence[Change], dialect: Dialect, *, takes_back: bool) -> Iterator[Statement]:
    """Yield the statements of changes of one table with one verb."""
    literals = Literals.of_dialect(dialect)
    statements = make_statements(DecodedChanges(table, changes, literals), literals, takes_back=takes_back)
    begin = 0
    for change, end, reason in zip(changes, statements.ends.tolist(), statements.reason.tolist(), strict=True):
        if reason == _MADE:
            yield Statement(change, bytes(statements.data[begin : end - len(STATEMENT_END)]).decode())
        else:
            yield Statement(change, None, statements.reasons[reason])
        begin = end


def _ddl(change: Change, dialect: Dialect) -> Statement:
    """Return the statement as the source ran it, in the source's own dialect."""
    try:
        statement = _source_text(change, dialect)
    except (Unwritable, TrailError) as error:
        return Statement(change, None, str(error))
    return Statement(change, statement.sql, None, statement.ending)


def _source_text(change: Change, dialect: Dialect) -> OneStatement:
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

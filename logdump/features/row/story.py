"""The changes of a row, and the keys by which it is followed through them."""

from __future__ import annotations

from collections.abc import Generator, Hashable, Iterable, Iterator
from contextlib import closing, suppress
from itertools import count
from pathlib import Path
from typing import NamedTuple

from logdump.display.record_row import RecordKind, RecordRow, RecordRows, kind_of
from logdump.filters import Criterion, CriterionSet, FilterSet, Match
from logdump.filters.comparison import Comparison
from logdump.filters.name_criteria import AnsiName, FileName, NameCriterion
from logdump.filters.type_criteria import RecType
from logdump.filters.value_criteria import ColumnValue
from logdump.notation.text import amount, escape
from logdump.notation.values import ColumnOperand, value_notation
from logdump.session.across import over_files
from logdump.session.errors import CommandError
from logdump.session.events import Event
from logdump.session.scan import DamagePassed, over_damage
from logdump.session.session import Session
from trailformat import Change, ColumnChange, ColumnDefinition, Record, TrailError, Value, change_of, io_type_name
from trailformat.changes.row_changes import is_change, is_unknown, row_columns
from trailformat.changes.segments import joined
from trailformat.errors import CannotRead
from trailformat.records.record import UserTokens
from trailformat.records.record_header import DDL_OP, KEY_FIELD_COMP_32, PK_UPDATE, PURGE_DATA, UNIFIED_PK_UPDATE
from trailformat.trail.sequence import names_around
from trailformat.values.comparing import Operand, equals, identity, operand_of

Identity = tuple[Hashable, ...]
"""The key in a form that is the same for equal keys alone."""


class RowKey(NamedTuple):
    """The key of a row at some time: what it is compared by, its values, and True if they are those asked for."""

    identity: Identity
    values: tuple[Value, ...]
    is_asked: bool = False


class RowChange(NamedTuple):
    """A change of a row: its position in the trail (``number`` of the file, and RBA) and its keys.

    ``before`` is None for an insert, ``after`` for a delete; ``rbas`` are the RBAs of its one or two records;
    ``user_tokens`` is None if they do not decode.
    """

    number: int
    rba: int
    path: Path
    row: RecordRow
    table: str
    before: RowKey | None
    after: RowKey | None
    rbas: frozenset[int] = frozenset()
    user_tokens: UserTokens | None = ()

    @property
    def keys(self) -> tuple[RowKey, ...]:
        """The keys that it has."""
        return tuple(key for key in (self.before, self.after) if key is not None)


class RowTruncate(NamedTuple):
    """A TRUNCATE of the table: its position in the trail, and a text that names it."""

    number: int
    rba: int
    path: Path
    text: str


def keys_of(
    change: Change, kind: RecordKind, asked: tuple[ColumnOperand, ...]
) -> tuple[RowKey | None, RowKey | None] | None:
    """Return the key before (None for an insert) and after (None for a delete) a change; None if it lacks a column.

    The key has the columns of ``asked``, in this order. A column without a value on one side has that of the other.
    """
    columns = [column for column in (_named(pair, change.columns) for pair in asked) if column is not None]
    if len(columns) < len(asked):
        return None
    before, after = (
        _key([(getattr(column, side) or getattr(column, other), column.definition) for column in columns], asked)
        for side, other in (("before", "after"), ("after", "before"))
    )
    return None if kind is RecordKind.INSERT else before, None if kind is RecordKind.DELETE else after


def _named(pair: ColumnOperand, columns: Iterable[ColumnChange]) -> ColumnChange | None:
    """Return the column of a name; of several in different case the one in capitals."""
    named = [column for column in columns if pair.is_of(column.name)]
    return next((column for column in named if column.name == pair.name.upper()), named[0] if named else None)


def _key(cells: list[tuple[Value, ColumnDefinition | None]], asked: tuple[ColumnOperand, ...]) -> RowKey:
    is_asked = all(equals(value, pair.operand, known) for (value, known), pair in zip(cells, asked, strict=True))
    return RowKey(tuple(identity(*cell) for cell in cells), tuple(value for value, _ in cells), is_asked)


def user_tokens_of(change: Change) -> UserTokens | None:
    """Return the user tokens of a change, without duplicates from its two records; None if they do not decode."""
    try:
        return tuple(dict.fromkeys(pair for record in change.records for pair in record.user_tokens))
    except TrailError:
        return None


def story(changes: Iterable[RowChange]) -> Iterator[RowChange]:
    """Return the changes of the rows that had the key asked for at some time, in trail order.

    A key that one row gave up may be used by another: each change belongs to the row that has its key at that time.
    """
    ordered = sorted(changes, key=lambda change: change[:2])
    numbers = count()
    rows: dict[tuple[str, Identity], int] = {}
    of_row: list[tuple[int, RowChange]] = []
    wanted: set[int] = set()
    for change in ordered:
        number = rows.pop((change.table, change.before.identity), None) if change.before is not None else None
        if number is None:
            number = next(numbers)
        if change.after is not None:
            rows[change.table, change.after.identity] = number
        of_row.append((number, change))
        if any(key.is_asked for key in change.keys):
            wanted.add(number)
    return (change for number, change in of_row if number in wanted)


def key_text(key: RowKey) -> str:
    """Return the values of a key as they may be entered; bytes that do not decode are ``?'…'`` in hex."""
    return ", ".join(value_notation(value) or f"?'{value.data.hex()}'" for value in key.values)


_MOST_KEYS = 64
"""Maximum number of keys of a row that are followed."""
_MOST_SHOWN = 3
_MOST_UPDATES = 1 << 17
"""Maximum number of keys for which updates of the key are remembered."""
_ANY_ROW = RecType(tuple(number for number in range(256) if is_unknown(number) or number == PURGE_DATA))
"""The types of records that may concern any row of their table."""
"""The records without a name: of tables that are not defined before them, which may be the one of the row."""
_KEY_UPDATES = RecType((PK_UPDATE, KEY_FIELD_COMP_32, UNIFIED_PK_UPDATE))


class RowQuestion(NamedTuple):
    """A table, and the columns of the key of a row with their values."""

    table: str
    key: tuple[ColumnOperand, ...]


class RowSearch:
    """A search for the changes of a key, and of the keys that the row had before or after.

    One pass over the files suffices for a row whose key has not changed. Otherwise the second pass also collects all
    updates of keys in the table, and the third searches for all keys that these lead to. If a column entered is not
    part of the table's key, other updates may lead to further keys and passes.

    A name that several tables have, by their capitals or by a wildcard, means the one that is spelled so, else the one
    that has the row: the first pass takes the rows of all of them, and is made again for that one.

    Attributes:
        unread: sentences about data that was not read, such as damage; changes in it are missing.
        last: the last file that was read; None before the first.
    """

    def __init__(self, session: Session, question: RowQuestion) -> None:
        self._session, self._question = session, question
        self._named: NameCriterion = FileName((question.table,))
        self._defined = set[str]()
        """The tables of the name that the files define."""
        self.last: Path | None = None
        self._begin()

    def _begin(self) -> None:
        """Forget what was found."""
        self._keys: dict[Identity, RowKey] = {}
        """The keys that are followed."""
        self._neighbours: dict[Identity, dict[Identity, RowKey]] = {}
        self._changes: dict[tuple[int, int], RowChange] = {}
        self.unread: dict[str, None] = {}
        self._truncates: set[RowTruncate] = set()
        self._undefined: set[Path] = set()
        self._met = set[str]()
        """The tables of which a record was taken."""

    def run(self) -> Iterator[Event]:
        """Search all files for the key, then for the keys that its updates lead to; yield progress.

        Raises:
            CommandError: several tables of the name have such a row, and none is spelled so.
        """
        asked = [tuple(pair.operand for pair in self._question.key)]
        yield from self._look_for(asked, takes_key_updates=False)
        table = self._meant()
        if table is not None:
            self._named = AnsiName((table,))
            if self._met - {table}:
                self._begin()
                yield from self._look_for(asked, takes_key_updates=False)
        takes_key_updates = True
        while left := self._further_keys(self._keys):
            if len(self._keys) + len(left) > _MOST_KEYS:
                self.unread[f"The row has had more than {_MOST_KEYS} keys: those after them are not followed."] = None
                return
            self._keys |= left
            yield from self._look_for(map(self._operands, left.values()), takes_key_updates=takes_key_updates)
            takes_key_updates = False

    @property
    def changes(self) -> list[RowChange]:
        """The changes of rows of the table. Raises CommandError as ``run``, which may have been interrupted."""
        table = self._meant()
        return [change for change in self._changes.values() if change.table == table]

    def _meant(self) -> str | None:
        """Return the table that is meant; None if no change was found. Raises CommandError as ``run``."""
        table = self._question.table
        if table in self._defined | self._met:
            return table
        asked = (change for change in self._changes.values() if any(key.is_asked for key in change.keys))
        names = sorted({change.table for change in asked})
        if len(names) > 1:
            shown = escape(f"{table}: {', '.join(names[:_MOST_SHOWN])}")
            raise CommandError(f"{amount(len(names), 'table')} with such a row are called {shown}. Name one of them.")
        return names[0] if names else None

    @property
    def truncates(self) -> list[RowTruncate]:
        """Each TRUNCATE of the table, in trail order."""
        return sorted(self._truncates)

    @property
    def later_files(self) -> int:
        """Number of files of the trail after the last one that was read."""
        paths: list[Path] = []
        with suppress(CannotRead):
            paths = [name.path for name in names_around(self.last)] if self.last is not None else []
        return len(paths) - paths.index(self.last) - 1 if self.last in paths else 0

    def _operands(self, key: RowKey) -> tuple[Operand, ...]:
        """Return the operands that find a key; if a value has none, none, and ``unread`` says so."""
        operands = tuple(operand for operand in map(operand_of, key.values) if operand is not None)
        if len(operands) == len(key.values):
            return operands
        self.unread["The row has had a key that does not decode: it is not followed."] = None
        return ()

    def _further_keys(self, keys: dict[Identity, RowKey]) -> dict[Identity, RowKey]:
        """Return the further keys that updates of the key lead to from these keys."""
        further, left = dict[Identity, RowKey](), list(keys)
        while left:
            neighbours = self._neighbours.get(left.pop(), {})
            new = {key: neighbours[key] for key in neighbours if key not in keys and key not in further}
            further |= new
            left += new
        return further

    def _look_for(self, keys: Iterable[tuple[Operand, ...]], *, takes_key_updates: bool) -> Iterator[Event]:
        sought = [key for key in keys if key]
        if not sought and not takes_key_updates:
            return
        filters = [_any_of([self._named]), *_filters(self._question, sought, takes_key_updates=takes_key_updates)]
        for number, trail in enumerate(over_files(self._session)):
            self.last = trail.path
            yield from self._in_file(number, filters)

    def _in_file(self, number: int, filters: list[FilterSet]) -> Generator[Event, None, None]:
        session = self._session
        with session.reading(session.trail):  # forward from the beginning, wherever the session reads
            rows = RecordRows(session.trail, session.row_definitions, session.cursor.transactions)
            with closing(over_damage(session, also=filters, stays=True)) as items:
                for item in items:
                    if isinstance(item, Record):
                        self._take(number, rows, item)
                    elif isinstance(item, DamagePassed):
                        self.unread[item.text] = None
                    else:
                        yield item
            entries = session.trail.tables.in_force(session.trail.tables.known_to)
            self._defined |= {entry.name for entry in entries if self._named.fits(entry.name)}

    def _take(self, number: int, rows: RecordRows, record: Record) -> None:
        session = self._session
        if not session.trail.name_of(record):
            self._note_undefined(record)
            return
        self._met.add(session.trail.name_of(record))
        change = change_of(session.trail, record, session.row_definitions, session.cursor.transactions)
        if change is None or change.op == "TRUNCATE":
            self._take_other(number, record, change)
            return
        keys = keys_of(change, kind_of(change.records[-1]), self._question.key)
        if keys is None:
            self._note_undecoded(change)
            return
        before, after = keys
        if before is not None and after is not None and before.identity != after.identity:
            self._note_update(before, after)
        of_row = [key for key in keys if key is not None]
        self._keys |= {key.identity: key for key in of_row if key.is_asked}
        if any(key.identity in self._keys for key in of_row):
            rba = change.records[-1].rba
            row = rows.of(change.records[-1])
            rbas = frozenset(change_record.rba for change_record in change.records)
            tokens = user_tokens_of(change)
            row_change = RowChange(number, rba, session.trail.path, row, change.table, before, after, rbas, tokens)
            self._changes[number, rba] = row_change

    def _take_other(self, number: int, record: Record, change: Change | None) -> None:
        """Note a record that may concern any row of the table."""
        name, where = self._session.trail.name_of(record), f"RBA {record.rba} of {self._session.trail.path.name}"
        if change is not None:
            truncate = RowTruncate(number, record.rba, self._session.trail.path, f"TRUNCATE of {name} at {where}")
            self._truncates.add(truncate)
        elif is_unknown(record.header.io_type):
            kind = io_type_name(record.header.io_type)
            self.unread[f"{kind} of {name} at {where}: whether it changes the row is not known."] = None

    def _note_undefined(self, record: Record) -> None:
        """Note the first change of a file whose table is not known; of later ones it says the same."""
        path, io_type = self._session.trail.path, DDL_OP if record.is_file_header else record.header.io_type
        if is_change(io_type) and io_type != DDL_OP and path not in self._undefined:
            self._undefined.add(path)
            self.unread[
                f"The table of the change at RBA {record.rba} of {path.name} is not defined before it: it and those "
                "after it without a table may change the row."
            ] = None

    def _note_undecoded(self, change: Change) -> None:
        """Note a change whose key is not known, unless one of its two records has the key of another row."""
        is_undefined = all(column.definition is None for column in change.columns)
        reason = change.problem or ("its table is not defined before it" if is_undefined else None)
        if reason is None or any(map(self._has_other_key, change.records)):
            return
        where = f"RBA {change.rba} of {self._session.trail.path.name}"
        self.unread[f"{change.op} of {change.table} at {where}: {reason}; it may change the row."] = None

    def _has_other_key(self, record: Record) -> bool:
        """Return whether the columns of a record are those of another row."""
        session, asked = self._session, self._question.key
        try:
            columns = row_columns(joined(session.trail, record), session.row_definitions.of(record))
        except TrailError:
            return False
        named = [column for pair in asked if (column := _named(pair, columns)) is not None]
        cells = [(value, column.definition) for column in named if (value := column.before or column.after) is not None]
        if len(cells) < len(asked):
            return False
        key = _key(cells, asked)
        return not key.is_asked and key.identity not in self._keys

    def _note_update(self, before: RowKey, after: RowKey) -> None:
        if len(self._neighbours) < _MOST_UPDATES:
            self._neighbours.setdefault(before.identity, {})[after.identity] = after
            self._neighbours.setdefault(after.identity, {})[before.identity] = before


def _filters(question: RowQuestion, keys: list[tuple[Operand, ...]], *, takes_key_updates: bool) -> list[FilterSet]:
    """Return filters that pass all records that may have one of the keys, if wanted all updates of keys, few others."""
    criteria: list[list[Criterion]] = []
    for index, pair in enumerate(question.key):
        operands = dict.fromkeys(key[index] for key in keys)
        values = [ColumnValue(Comparison.EQUAL, operand, pair.name, pair.is_exact) for operand in operands]
        criteria.append([*values, _ANY_ROW, *[_KEY_UPDATES] * takes_key_updates])
    return list(map(_any_of, criteria))


def _any_of(criteria: list[Criterion]) -> FilterSet:
    return FilterSet(include=CriterionSet(criteria, Match.ANY), is_hopeful=True)

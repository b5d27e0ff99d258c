"""ROW: the changes of one row, found through updates of its key."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import NamedTuple

from logdump.display.record_row import RecordKind, RecordRow, RecordRows, kind_of
from logdump.display.text import PARTIAL
from logdump.features.redo.command import RedoRequest, script_events
from logdump.features.row.model import RowChangeShown, RowStoryShown
from logdump.filters import CriterionSet, FilterError, FilterSet, Match, parse_criterion
from logdump.language.command import Command, Origin
from logdump.language.forms import Alternatives, Keyword, Maybe, Sequence
from logdump.language.parameters import FreeText, Table
from logdump.notation.times import GMT
from logdump.session.across import over_files
from logdump.session.defined_names import table_of_any_schema, undefined_column
from logdump.session.errors import ArgumentError, CommandError
from logdump.session.events import Event, Notice
from logdump.session.scan import DamagePassed, over_damage
from logdump.session.session import Session
from trailformat import CannotRead, Change, ColumnChange, Record, TrailError, TrailFile, change_of
from trailformat.records.record import UserTokens
from trailformat.trail.sequence import FilePosition

Key = tuple[tuple[str, str], ...]
"""The names and values of the columns of a key, as text."""


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
    before: Key | None
    after: Key | None
    rbas: frozenset[int] = frozenset()
    user_tokens: UserTokens | None = ()


def keys_of(change: Change, kind: RecordKind, names: frozenset[str]) -> tuple[Key | None, Key | None]:
    """Return the values of the columns ``names`` before (None for an insert) and after (None for a delete) a change."""
    columns = [column for column in change.columns if column.name.upper() in names]
    before = None if kind is RecordKind.INSERT else tuple(map(_before, columns))
    after = None if kind is RecordKind.DELETE else tuple(map(_after, columns))
    return before, after


def user_tokens_of(change: Change) -> UserTokens | None:
    """Return the user tokens of a change, without duplicates from its two records; None if they do not decode."""
    try:
        return tuple(dict.fromkeys(pair for record in change.records for pair in record.user_tokens))
    except TrailError:
        return None


def key_of(columns: Iterable[ColumnChange]) -> Key:
    """Return the key after a change; a column without a value after it has that before it."""
    return tuple(map(_after, columns))


def _before(column: ColumnChange) -> tuple[str, str]:
    value = column.before if column.before is not None else column.after
    return column.name.upper(), value.text if value is not None else ""


def _after(column: ColumnChange) -> tuple[str, str]:
    value = column.after if column.after is not None else column.before
    return column.name.upper(), value.text if value is not None else ""


def story(changes: Iterable[RowChange], key: Key) -> Iterator[RowChange]:
    """Return the changes of the rows that had a key at some time, in trail order.

    A key that one row gave up may be used by another: each change belongs to the row that has its key at that time.
    """
    ordered = sorted(changes, key=lambda change: change[:2])
    numbers = count()
    rows: dict[tuple[str, Key], int] = {}
    of_row: list[tuple[int, RowChange]] = []
    wanted: set[int] = set()
    for change in ordered:
        number = rows.pop((change.table, change.before), None) if change.before is not None else None
        if number is None:
            number = next(numbers)
        if change.after is not None:
            rows[change.table, change.after] = number
        of_row.append((number, change))
        if key in (change.before, change.after):
            wanted.add(number)
    return (change for number, change in of_row if number in wanted)


_PAIR = re.compile(r"""\s*([\w$#.]+)\s*=\s*("(?:[^"])*"|'(?:[^'])*'|\S+)\s*(?:,|AND\b)?""", re.IGNORECASE)
_MOST_KEYS = 64
"""Maximum number of keys of a row that are followed."""
_MOST_UPDATES = 1 << 17
"""Maximum number of keys for which updates of the key are remembered."""
_KEY_UPDATES = "GGSPKUpdate, GGSKeyFieldComp32, GGSUnifiedPKUpdate"


class RowQuestion(NamedTuple):
    """A table and the key of a row; ``takes_back`` is True for the SQL that reverts its changes."""

    table: str
    key: Key
    takes_back: bool = False


def _question(session: Session, table: str, text: str, takes_back: bool) -> RowQuestion:  # noqa: FBT001 - as parsed
    """Return the table and key that were entered.

    Raises:
        ArgumentError: the text is not a list of <column>=<value>.
        CommandError: tables of several schemas have the name.
    """
    offset, pairs = 0, []
    while offset < len(text):
        match = _PAIR.match(text, offset)
        if match is None:
            raise ArgumentError(f"{text[offset:].strip()!r} is not <column>=<value>.")
        pairs.append((match[1].upper(), match[2].strip("\"'")))
        offset = match.end()
    return RowQuestion(table_of_any_schema(session, table), tuple(pairs), takes_back)


class _Search:
    """A search for the changes of a key, and of the keys that the row had before or after.

    One pass over the files suffices for a row whose key has not changed. Otherwise the second pass also collects all
    updates of keys in the table, and the third searches for all keys that these lead to. If a column entered is not
    part of the table's key, other updates may lead to further keys and passes.

    Attributes:
        changes: the changes by file number and RBA.
        unread: sentences about data that was not read, such as damage; changes in it are missing.
    """

    def __init__(self, session: Session, question: RowQuestion) -> None:
        self._session, self._question = session, question
        self._names = frozenset(name for name, _ in question.key)
        self._neighbours: dict[Key, set[Key]] = {}
        self.changes: dict[tuple[int, int], RowChange] = {}
        self.unread: dict[str, None] = {}

    def run(self) -> Iterator[Event]:
        """Search all files for the key, then for the keys that its updates lead to; yield progress."""
        known, left = {self._question.key}, {self._question.key}
        yield from self._look_for(left, takes_key_updates=False)
        takes_key_updates = True
        while left := self._reached_from(known):
            if len(known) + len(left) > _MOST_KEYS:
                self.unread[f"The row has had more than {_MOST_KEYS} keys: those after them are not followed."] = None
                return
            known |= left
            yield from self._look_for(left, takes_key_updates=takes_key_updates)
            takes_key_updates = False

    def _reached_from(self, keys: set[Key]) -> set[Key]:
        """Return the further keys that updates of the key lead to from these keys."""
        reached, left = set[Key](), list(keys)
        while left:
            new = self._neighbours.get(left.pop(), set()) - keys - reached
            reached |= new
            left += new
        return reached

    def _look_for(self, keys: set[Key], *, takes_key_updates: bool) -> Iterator[Event]:
        filters = _filters(self._question, keys, takes_key_updates=takes_key_updates)
        for number, _ in enumerate(over_files(self._session)):
            yield from self._in_file(number, filters, keys)

    def _in_file(self, number: int, filters: list[FilterSet], keys: set[Key]) -> Generator[Event, None, None]:
        session = self._session
        trail, cursor = session.trail, session.cursor
        rows = RecordRows(trail, session.row_definitions, cursor.transactions)
        place = cursor.current, cursor.next
        cursor.move(0)
        try:
            with closing(over_damage(session, also=filters, stays=True)) as items:
                for item in items:
                    if isinstance(item, Record):
                        self._take(number, rows, item, keys)
                    elif isinstance(item, DamagePassed):
                        self.unread[item.text] = None
                    else:
                        yield item
        finally:
            cursor.move(place[1])
            cursor.current = place[0]

    def _take(self, number: int, rows: RecordRows, record: Record, keys: set[Key]) -> None:
        session = self._session
        change = change_of(session.trail, record, session.row_definitions, session.cursor.transactions)
        if change is None:
            return
        before, after = keys_of(change, kind_of(change.records[-1]), self._names)
        if before is not None and after is not None and before != after and len(self._neighbours) < _MOST_UPDATES:
            self._neighbours.setdefault(before, set()).add(after)
            self._neighbours.setdefault(after, set()).add(before)
        if before in keys or after in keys:
            rba = change.records[-1].rba
            row = rows.of(change.records[-1])
            rbas = frozenset(change_record.rba for change_record in change.records)
            tokens = user_tokens_of(change)
            row_change = RowChange(number, rba, session.trail.path, row, change.table, before, after, rbas, tokens)
            self.changes[number, rba] = row_change


def _filters(question: RowQuestion, keys: set[Key], *, takes_key_updates: bool) -> list[FilterSet]:
    """Return filters that pass all records with one of the keys, if wanted all updates of keys, and few others."""
    values: dict[str, dict[str, None]] = {}
    for name, value in (column for key in sorted(keys) for column in key):
        values.setdefault(name, {})[value] = None
    texts = [[f"FILENAME {question.table}"]]
    for name, column_values in values.items():
        texts.append([f"VALUE {name.rpartition('.')[2]} = {_value(value)}" for value in column_values])
        if takes_key_updates:
            texts[-1].append(f"RECTYPE {_KEY_UPDATES}")
    try:
        return [
            FilterSet(include=CriterionSet([parse_criterion(text, GMT) for text in criteria], Match.ANY))
            for criteria in texts
        ]
    except FilterError as error:
        raise CommandError(f"ROW: {error}") from error


def _value(text: str) -> str:
    doubled = text.replace("'", "''")
    return text if re.fullmatch(r"[\w.+-]+", text) else f"'{doubled}'"


def _named(table: str, key: str) -> tuple[str, str, bool]:
    return table, key, False


def _taken_back(table: str, key: str) -> tuple[str, str, bool]:
    return table, key, True


def _row_at_position(session: Session) -> RowQuestion:
    """Return the table and the key of the row in the record displayed last."""
    trail, rba = session.trail, session.cursor.current
    record = trail.record_at(rba)
    definitions, transactions = session.row_definitions, session.cursor.transactions
    change = None if record is None else change_of(trail, record, definitions, transactions)
    if change is None:
        raise CommandError(f"No change of a row at RBA {rba}.")
    columns = [column for column in change.columns if column.is_key]
    if not columns:
        raise CommandError(f"{change.table} has no key here: ROW {change.table} <column>=<value> names the columns.")
    return RowQuestion(change.table, key_of(columns))


def run_row(session: Session, given: tuple[str, str, bool] | None) -> Iterator[Event]:
    """Show all changes of a row in the open file, under ACROSS also in those after it; the read position is kept."""
    question = _row_at_position(session) if given is None else _question(session, *given)
    search, stopped = _Search(session, question), None
    applied: list[RowChange] | None = None  # None: unknown, the user stopped the search
    try:
        yield from search.run()
        if not question.takes_back:
            applied = _applied(session, list(story(search.changes.values(), question.key)))
    except KeyboardInterrupt as interrupt:
        stopped = interrupt
        search.unread[PARTIAL] = None
    yield from (Notice((sentence,)) for sentence in search.unread)
    changes = list(story(search.changes.values(), question.key))
    if stopped is not None and (question.takes_back or not changes):
        raise stopped
    if not changes:
        named = ", ".join(f"{name} = {value}" for name, value in question.key)
        for name, _ in question.key:
            if (undefined := undefined_column(session, name.rpartition(".")[2], question.table)) is not None:
                raise CommandError(undefined)
        raise CommandError(f"No change of {question.table} with {named}.")
    if question.takes_back:
        yield from _undone(session, changes)
        return
    for change in changes:
        is_applied = None if applied is None else change in applied
        yield RowChangeShown(change.path, change.row, is_applied, change.user_tokens)
    keys = dict.fromkeys(key for change in changes for key in (change.before, change.after) if key is not None)
    texts = tuple(", ".join(value for _, value in key) for key in keys)
    is_filtered = session.filters_in_use is not None and session.filters_in_use.active
    is_there = applied[-1].after is not None if applied else changes[0].before is not None
    is_partial = is_filtered or bool(search.unread)
    number = 0 if applied is None else len(changes) - len(applied)
    yield RowStoryShown(
        changes[0].table, texts, len(changes), is_there, is_partial, is_filtered, number, _undo_line(question)
    )
    if stopped is not None:
        raise stopped


def _undo_line(question: RowQuestion) -> str:
    pairs = " ".join(f'{name}="{value}"' for name, value in question.key)
    is_plain = '"' not in question.table and not any('"' in value for _, value in question.key)
    return f'ROW UNDO "{question.table}" {pairs}' if is_plain and pairs.isprintable() else ""


def _applied(session: Session, changes: list[RowChange]) -> list[RowChange]:
    """Return the changes in transactions that a Replicat applies, by the rule of REDO and UNDO."""
    from logdump.session.effective_rows import not_applied_around  # noqa: PLC0415 - it loads numpy

    try:
        not_applied = {
            path: not_applied_around(session, path) for path in dict.fromkeys(change.path for change in changes)
        }
        return [
            change for change in changes if not not_applied[change.path].holds(FilePosition(change.path, change.rba))
        ]
    except OSError as error:
        raise CannotRead.of(error, Path(error.filename)) from error


def _undone(session: Session, changes: list[RowChange]) -> Iterator[Event]:
    """Yield the SQL that reverts changes, the last one first, as UNDO makes it for their transactions."""
    from logdump.filters.criterion import AtPlaces  # noqa: PLC0415 - only UNDO needs it

    places: dict[Path, frozenset[int]] = {}
    for change in changes:
        places[change.path] = places.get(change.path, frozenset()) | change.rbas
    done = set[tuple[int, str | None, str | None]]()
    session.narrowing = lambda trail: FilterSet(include=CriterionSet([AtPlaces(places.get(trail.path, frozenset()))]))
    try:
        for change in reversed(changes):
            transaction = change.number, change.row.csn, change.row.xid
            if transaction in done and transaction[1:] != (None, None):
                continue
            done.add(transaction)
            with TrailFile(change.path) as trail, session.reading(trail):
                session.cursor.move(min(change.rbas))
                yield from script_events(session, RedoRequest(), takes_back=True)
    finally:
        session.narrowing = None


COMMANDS = (
    Command(
        "ROW",
        Maybe(
            Alternatives(
                Keyword("UNDO", Sequence(_taken_back, Table("<table>"), FreeText("<column>=<value> ..."))),
                Sequence(_named, Table("<table>"), FreeText("<column>=<value> ...")),
            )
        ),
        "Show all changes of one row, through updates of its key",
        run_row,
        details=(
            "Give all columns of the key, text with blanks in quotes. The schema may be left out if only one has such",
            "a table. Without a table: the row of the last record displayed.",
            "The whole open file is read, with ACROSS those after it too. An update of the key is followed both ways.",
            "Each line is that of LIST, with the user tokens of the record. Changes in a cut transaction and in a",
            "copy are marked: a Replicat does not apply them. Under a FILTER the changes that pass are shown, without",
            "a verdict about the row.",
            "UNDO: the SQL that takes them back, the last one first, as UNDO makes it; nothing is executed.",
            "Example: ROW HR.EMPLOYEES EMPLOYEE_ID=107",
        ),
        origin=Origin.OURS,
        stops="Ctrl+C stops and shows the result so far",
    ),
)

"""ROW."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from contextlib import closing
from typing import NamedTuple

from logdump.display.as_read import PARTIAL
from logdump.display.record_row import RecordRows
from logdump.features.row.model import RowChangeShown, RowStoryShown
from logdump.features.row.story import Key, RowChange, key_of, keys_of, story
from logdump.filters import CriterionSet, FilterError, FilterSet, Match, parse_criterion
from logdump.language.command import Command, Origin
from logdump.language.forms import Maybe, Sequence
from logdump.language.parameters import FreeText, Table
from logdump.notation.times import GMT
from logdump.session.across import over_files
from logdump.session.errors import ArgumentError, CommandError
from logdump.session.events import Event, Notice
from logdump.session.scan import FilteredReader
from logdump.session.session import Session
from trailformat import TrailError, change_of

_PAIR = re.compile(r"""\s*([\w$#.]+)\s*=\s*("(?:[^"])*"|'(?:[^'])*'|\S+)\s*(?:,|AND\b)?""", re.IGNORECASE)
_MOST_KEYS = 64
"""Updates of a key that are followed."""


class RowQuestion(NamedTuple):
    """A table and the key of a row."""

    table: str
    key: Key


def _question(table: str, text: str) -> RowQuestion:
    """Return the row that is asked for.

    Raises:
        ArgumentError: the text is not columns with their values.
    """
    at, pairs = 0, []
    while at < len(text):
        found = _PAIR.match(text, at)
        if found is None:
            raise ArgumentError(f"{text[at:].strip()!r} is not <column>=<value>.")
        pairs.append((found[1].upper(), found[2].strip("\"'")))
        at = found.end()
    return RowQuestion(table, tuple(pairs))


class _Search:
    """The changes that touch a key or one that the row has had before or after.

    Attributes:
        changes: by the number of the file and the RBA.
        unread: sentences about what was not read, such as damage: there may be changes in it.
    """

    def __init__(self, session: Session, question: RowQuestion) -> None:
        self._session, self._question = session, question
        self._names = frozenset(name for name, _ in question.key)
        self.changes: dict[tuple[int, int], RowChange] = {}
        self.unread: dict[str, None] = {}

    def run(self) -> Iterator[Event]:
        """Look for the key in all files, then for each that a change of it names; yields progress."""
        known, left = {self._question.key}, [self._question.key]
        while left and len(known) <= _MOST_KEYS:
            yield from self._look_for(left.pop(0))
            touched = {key for change in self.changes.values() for key in (change.before, change.after) if key}
            left += sorted(touched - known)
            known |= touched
        if left:
            self.unread[f"The row has had more than {_MOST_KEYS} keys: those after them are not followed."] = None

    def _look_for(self, key: Key) -> Iterator[Event]:
        filters = [_filter(self._question.table, key)]
        for number, _ in enumerate(over_files(self._session)):
            yield from self._in_file(number, filters, key)

    def _in_file(self, number: int, filters: list[FilterSet], key: Key) -> Generator[Event, None, None]:
        session = self._session
        trail, cursor = session.trail, session.cursor
        rows = RecordRows(trail, session.row_definitions, cursor.transactions)
        place = cursor.current, cursor.next
        cursor.move(0)
        try:
            while True:
                try:
                    with closing(FilteredReader(session, also=filters, stays=True)) as reader:
                        while (record := (yield from reader.find())) is not None:
                            change = change_of(trail, record, session.row_definitions, cursor.transactions)
                            if change is not None:
                                last = change.records[-1]
                                row = rows.of(last)
                                keys = keys_of(change, row.kind, self._names)
                                if key in keys:
                                    found = RowChange(number, last.rba, trail.path, row, change.table, *keys)
                                    self.changes[number, last.rba] = found
                except TrailError as error:
                    good = trail.next_good_header(cursor.next + 1)
                    where = f"; reading on at RBA {good}" if good is not None else ""
                    self.unread[f"Error: {error}{where}"] = None
                    if good is not None:
                        cursor.move(good)
                        continue
                return
        finally:
            cursor.move(place[1])
            cursor.current = place[0]


def _filter(table: str, key: Key) -> FilterSet:
    try:
        criteria = [parse_criterion(f"FILENAME {table}", GMT)]
        criteria += [parse_criterion(f"VALUE {name.rpartition('.')[2]} = {_value(value)}", GMT) for name, value in key]
    except FilterError as error:
        raise CommandError(f"ROW: {error}") from error
    return FilterSet(include=CriterionSet(criteria, Match.ALL))


def _value(text: str) -> str:
    doubled = text.replace("'", "''")
    return text if re.fullmatch(r"[\w.+-]+", text) else f"'{doubled}'"


def _named(table: str, key: str) -> tuple[str, str]:
    return table, key


def _row_at_position(session: Session) -> RowQuestion:
    """Return the table and the key of the row that the record displayed last is about."""
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


def run_row(session: Session, given: tuple[str, str] | None) -> Iterator[Event]:
    """Show all changes of a row in the open file, with ACROSS in those after it too; the position stays."""
    question = _row_at_position(session) if given is None else _question(*given)
    search, stopped = _Search(session, question), None
    try:
        yield from search.run()
    except KeyboardInterrupt as interrupt:
        stopped = interrupt
        search.unread[PARTIAL] = None
    yield from (Notice((sentence,)) for sentence in search.unread)
    found = list(story(search.changes.values(), question.key))
    if not found and stopped is not None:
        raise stopped
    if not found:
        named = ", ".join(f"{name} = {value}" for name, value in question.key)
        raise CommandError(f"No change of {question.table} with {named}.")
    for change in found:
        yield RowChangeShown(change.path, change.row)
    keys = dict.fromkeys(key for change in found for key in (change.before, change.after) if key is not None)
    texts = tuple(", ".join(value for _, value in key) for key in keys)
    yield RowStoryShown(found[0].table, texts, len(found), found[-1].after is not None, bool(search.unread))
    if stopped is not None:
        raise stopped


COMMANDS = (
    Command(
        "ROW",
        Maybe(Sequence(_named, Table("<table>"), FreeText("<column>=<value> ..."))),
        "Show all changes of one row, through updates of its key",
        run_row,
        details=(
            "All columns of the key are to be given; a text with blanks in quotes. Without a table:",
            "the row of the last record displayed.",
            "The whole open file is read, with ACROSS those after it too; the filter applies. An update of the key is",
            "followed both ways. A line is that of LIST.",
            "Example: ROW HR.EMPLOYEES EMPLOYEE_ID=107",
        ),
        origin=Origin.OURS,
        stops="Ctrl+C stops and shows the result so far",
    ),
)

"""ROW: the changes of one row, found through updates of its key."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from logdump.display.record_row import RecordKind
from logdump.display.text import PARTIAL
from logdump.features.redo.command import RedoRequest, events_of, requested_script, script_line
from logdump.features.row.model import RowChangeShown, RowStoryShown
from logdump.features.row.story import RowChange, RowQuestion, RowSearch, RowTruncate, key_text, story
from logdump.filters import CriterionSet, FilterSet
from logdump.language.command import Command, Origin
from logdump.language.forms import Alternatives, Keyword, Maybe, Sequence
from logdump.language.parameters import EnteredTime, FreeText, Number, Table, Time, Word
from logdump.notation.text import amount, escape
from logdump.notation.values import ColumnOperand, pairs_text, read_pairs
from logdump.session.defined_names import table_of_any_schema, undefined_column
from logdump.session.errors import ArgumentError, CommandError, ExitStatus
from logdump.session.events import Event, Notice
from logdump.session.session import Session
from trailformat import CannotRead, Change, ColumnChange, TrailFile, change_of
from trailformat.changes.csn import csn_key
from trailformat.codec.on_demand import on_demand
from trailformat.trail.sequence import FilePosition
from trailformat.transactions.around import start_at
from trailformat.values.comparing import operand_of

with on_demand:
    from logdump.filters import criterion
    from logdump.session import effective_rows


Found = TypeVar("Found", RowChange, RowTruncate)


class CsnBound(NamedTuple):
    """A CSN from which on changes are taken back."""

    text: str


HowFar = int | EnteredTime | CsnBound | None
"""How far changes are taken back: the number of the last ones, a time or a CSN from which on; None: all."""


class RowUndo(NamedTuple):
    """The choice of the SQL that reverts changes, and of how far back it goes."""

    is_wanted: bool = False
    how_far: HowFar = None

    def of(self, applied: list[RowChange]) -> list[RowChange]:
        """Return the changes that are taken back: the last ones of those that a Replicat applies, without a gap."""
        if self.how_far is None:
            return applied
        if isinstance(self.how_far, int):
            return applied[-self.how_far :]
        first = next((index for index, change in enumerate(applied) if self._reaches(change)), len(applied))
        return applied[first:]

    def _reaches(self, change: RowChange) -> bool:
        if isinstance(self.how_far, EnteredTime):
            return change.row.time is not None and change.row.time >= self.how_far.julian
        assert isinstance(self.how_far, CsnBound)  # noqa: S101 - of the others ``of`` has decided
        wanted, own = csn_key(self.how_far.text), csn_key(change.row.csn or "")
        return wanted is not None and own is not None and own.kind == wanted.kind and own.parts >= wanted.parts

    @property
    def bound(self) -> str:
        """The bound as a part of a sentence; empty without one."""
        if isinstance(self.how_far, EnteredTime):
            return f" at or after {self.how_far.text}"
        return f" with a CSN of at least {self.how_far.text}" if isinstance(self.how_far, CsnBound) else ""


class _TimeWord(Time):
    """A time in one word, or in quotes."""

    is_phrase = False


class _Key(FreeText):
    """Columns of a key with their values."""

    is_compared = True


def _csn_bound(text: str) -> CsnBound:
    if csn_key(text) is None:
        raise ArgumentError(f"{text!r} is not a CSN.")
    return CsnBound(text)


def _question(session: Session, table: str, text: str) -> RowQuestion:
    """Return the table and key that were entered.

    Raises:
        ArgumentError: the text is not a list of <column>=<value>.
        CommandError: tables of several schemas have the name.
    """
    try:
        pairs = read_pairs(text)
    except ValueError as error:
        raise ArgumentError(f"{str(error)!r} is not <column>=<value>.") from None
    return RowQuestion(table_of_any_schema(session, table), pairs)


def _named(table: str, key: str) -> tuple[str, str, RowUndo]:
    return table, key, RowUndo()


def _undo(last: HowFar, table: str, key: str) -> tuple[str, str, RowUndo]:
    return table, key, RowUndo(is_wanted=True, how_far=last)


def row_at_position(session: Session) -> RowQuestion:
    """Return the table and the key of the row in the record displayed last.

    Raises:
        CommandError: it is no change of a row, or its key is not known.
    """
    trail, rba = session.trail, session.cursor.current
    record = trail.record_at(rba)
    definitions, transactions = session.row_definitions, session.cursor.transactions
    change = None if record is None else change_of(trail, record, definitions, transactions)
    if change is None:
        raise CommandError(f"No change of a row at RBA {rba}.")
    columns = [column for column in change.columns if column.is_key]
    if not columns:
        raise CommandError(f"{change.table} has no key here: ROW {change.table} <column>=<value> names the columns.")
    return RowQuestion(change.table, tuple(_asked(change, column) for column in columns))


def _asked(change: Change, column: ColumnChange) -> ColumnOperand:
    """Return a column of the key with its value after a change, or before it if there is none after."""
    value = column.after or column.before
    operand = operand_of(value) if value is not None else None
    if operand is None:
        raise CommandError(
            f"The value of {column.name} at RBA {change.rba} does not decode: ROW cannot look for the row."
        )
    return ColumnOperand(column.name, column.name != column.name.upper(), operand)


def run_row(session: Session, given: tuple[str, str, RowUndo] | None) -> Iterator[Event]:
    """Show all changes of a row in the open file, under ACROSS also in those after it; the read position is kept."""
    question = row_at_position(session) if given is None else _question(session, *given[:2])
    return row_story(session, question, RowUndo() if given is None else given[2])


def row_story(session: Session, question: RowQuestion, undo: RowUndo) -> Iterator[Event]:
    """Yield the changes of a row, or the SQL that reverts them. Raises CommandError if there is none."""
    search, stopped = RowSearch(session, question), None
    applied: list[RowChange] | None = None  # None: unknown, the user stopped the search
    emptied: list[RowTruncate] | None = None
    try:
        yield from search.run()
        applied, emptied = _applied(list(story(search.changes))), _applied(search.truncates)
    except KeyboardInterrupt as interrupt:
        stopped = interrupt
        search.unread[PARTIAL] = None
    yield from (Notice((sentence,)) for sentence in search.unread)
    yield from (Notice((_truncate_text(truncate, emptied),), ExitStatus.OK) for truncate in search.truncates)
    changes = list(story(search.changes))
    if stopped is not None and (undo.is_wanted or not changes):
        raise stopped
    if not changes:
        raise _no_change(session, question)
    if undo.is_wanted:
        yield from _undone(session, changes, applied or [], undo)
        return
    for change in changes:
        is_applied = None if applied is None else change in applied
        yield RowChangeShown(change.path, change.row, is_applied, change.user_tokens)
    yield _story_shown(session, question, changes, (applied, emptied or []), search)
    if stopped is not None:
        raise stopped


def _no_change(session: Session, question: RowQuestion) -> CommandError:
    for pair in question.key:
        if (undefined := undefined_column(session, pair.name, question.table)) is not None:
            return CommandError(undefined)
    return CommandError(f"No change of {question.table} with {pairs_text(question.key, ', ', ' = ')}.")


def _story_shown(
    session: Session,
    question: RowQuestion,
    changes: list[RowChange],
    of_replicat: tuple[list[RowChange] | None, list[RowTruncate]],
    search: RowSearch,
) -> RowStoryShown:
    """Return the summary; ``of_replicat`` has those changes and truncates that a Replicat applies."""
    applied, emptied = of_replicat
    keys = {key.identity: key for change in changes for key in change.keys}
    is_filtered = session.filters_in_use is not None and session.filters_in_use.active
    is_there = None if applied == [] else (applied[-1].after is not None) if applied else changes[0].before is not None
    if is_there and applied and any(truncate[:2] > applied[-1][:2] for truncate in emptied):
        is_there = False
    number = 0 if applied is None else len(changes) - len(applied)
    return RowStoryShown(
        changes[0].table,
        tuple(map(key_text, keys.values())),
        len(changes),
        is_there,
        is_filtered or bool(search.unread),
        is_filtered,
        number,
        _undo_line(question),
        search.later_files,
    )


def _undo_line(question: RowQuestion) -> str:
    line = f'ROW UNDO "{question.table}" {pairs_text(question.key)}'
    return line if '"' not in question.table and line.isprintable() else ""


def _truncate_text(truncate: RowTruncate, applied: list[RowTruncate] | None) -> str:
    """Return what a TRUNCATE does to the row; ``applied`` are those that a Replicat applies, None: not known."""
    if applied is not None and truncate not in applied:
        return f"{truncate.text} is not applied by a Replicat."
    return f"{truncate.text} removes the row if it is there."


def _applied(found: Iterable[Found]) -> list[Found]:
    """Return the changes in transactions that a Replicat applies: those that EFFECTIVE selects."""
    ranges = effective_rows.NotAppliedByFile()
    try:
        return [change for change in found if not ranges.of(change.path).hold(change.rba)]
    except OSError as error:
        raise CannotRead.of(error, Path(error.filename)) from error


_BEHIND_DAMAGE = "-- Left out: the change at RBA {} of {}: it follows damage, a Replicat does not reach it."


class _Script(NamedTuple):
    """The script of one transaction, and how many of its changes have no statement."""

    events: list[Event]
    remarks: int


def _undone(session: Session, changes: list[RowChange], applied: list[RowChange], undo: RowUndo) -> Iterator[Event]:
    """Yield the SQL that reverts changes of a row, the last one first, as UNDO makes it for their transactions.

    The first line says to which state it leads as a whole. Of the applied changes those that ``undo`` reaches are
    reverted; what is not applied is a comment.

    Raises:
        CommandError: there are applied changes, and none that it reaches.
    """
    reverted = undo.of(applied)
    if applied and not reverted:
        raise CommandError(f"No change of {_row_text(changes[-1])}{undo.bound}: there is nothing to take back.")
    scripts = list(_scripts(session, changes[changes.index(reverted[0]) :] if reverted else changes))
    yield script_line(session, _head(reverted, changes, sum(script.remarks for script in scripts)))
    for script in scripts:
        yield from script.events


def _head(reverted: list[RowChange], changes: list[RowChange], remarks: int) -> str:
    """Return the line that names the state of the row after the script."""
    if not reverted:
        return f"-- No change of {_row_text(changes[-1])} is applied by a Replicat: there is nothing to take back."
    first = reverted[0]
    place = f"the {first.row.kind.name} at RBA {first.rba} of {first.path.name}"
    state = "does not exist, as" if first.row.kind is RecordKind.INSERT else "is as it was"
    reverts = f"-- Takes back {amount(len(reverted), 'change')} of {_row_text(reverted[-1])}, the last one first"
    if remarks:
        return f"{reverts}, without {remarks} that no statement can revert: the row is not as it was before {place}."
    return f"{reverts}: run as a whole, the row {state} before {place}."


def _row_text(change: RowChange) -> str:
    return escape(f"{change.table} {key_text(change.keys[-1])}")


def _scripts(session: Session, changes: list[RowChange]) -> Iterator[_Script]:
    """Yield the scripts of the transactions of changes, the last transaction first."""
    places: dict[Path, frozenset[int]] = {}
    for change in changes:
        places[change.path] = places.get(change.path, frozenset()) | change.rbas
    begun, effective = set[FilePosition](), effective_rows.NotAppliedByFile()
    session.narrowing = lambda trail: FilterSet(
        include=CriterionSet([criterion.AtPlaces(places.get(trail.path, frozenset()))])
    )
    try:
        for change in reversed(changes):
            is_reachable = effective_rows.not_applied_around(session, change.path).holds(
                FilePosition(change.path, change.rba)
            )
            if effective.of(change.path).hold(change.rba) and not is_reachable:
                yield _Script([script_line(session, _BEHIND_DAMAGE.format(change.rba, escape(change.path.name)))], 0)
                continue
            with TrailFile(change.path) as trail, session.reading(trail):
                begin = start_at(trail, min(change.rbas)).position
                if begin in begun:  # a name tells no transaction from its copies
                    continue
                begun.add(begin)
                session.cursor.move(min(change.rbas))
                yield _script(session)
    finally:
        session.narrowing = None


def _script(session: Session) -> _Script:
    """Return the script of the transaction that is open at the position."""
    script = requested_script(session, RedoRequest(), takes_back=True)
    return _Script(list(events_of(session, script, RedoRequest())), script.remarks)


_HOW_FAR: Alternatives[Any] = Alternatives(
    Keyword("LAST", Number("<n>", least=1)),
    Keyword("SINCE", _TimeWord(label="SINCE: ")),
    Keyword("CSN", Sequence(_csn_bound, Word("<csn>"))),
)


COMMANDS = (
    Command(
        "ROW",
        Maybe(
            Alternatives(
                Keyword(
                    "UNDO",
                    Sequence(
                        _undo,
                        Maybe(_HOW_FAR),
                        Table("<table>"),
                        _Key("<column>=<value> ..."),
                    ),
                ),
                Sequence(_named, Table("<table>"), _Key("<column>=<value> ...")),
            )
        ),
        "Show all changes of one row, through updates of its key",
        run_row,
        details=(
            "Give all columns of the key, with values as FILTER VALUE takes and compares them: 107, 'New York',",
            "2024-03-14, NULL, X'00ff'; commas or AND may be between. The schema may be left out if only one has such",
            "a table. Without a table: the row of the last record displayed.",
            "The whole open file is read, with ACROSS those after it too. An update of the key is followed both ways.",
            "Each line is that of LIST, with the user tokens of the record. Changes in a cut transaction, in a copy",
            "and after damage are marked: a Replicat does not apply them. Under a FILTER the changes that pass are",
            "shown, without a verdict about the row.",
            "UNDO: the SQL that takes the applied ones back, the last one first, as UNDO makes it; its first line says",
            "to which state it leads as a whole. LAST: only the last <n>; SINCE, CSN: those from a time or CSN on. A",
            "time with a blank goes into double quotes. Nothing is executed.",
            "Example: ROW HR.EMPLOYEES EMPLOYEE_ID=107",
        ),
        origin=Origin.OURS,
        stops="Ctrl+C stops and shows the result so far",
    ),
)

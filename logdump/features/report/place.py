"""The place that a report is about: the record there, its transaction, the story of its row, where to restart."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from logdump.display import text
from logdump.features.explain.explained_log import explain_text, is_explained
from logdump.features.explain.files import Surroundings
from logdump.features.explain.model import MessageExplained
from logdump.features.list.command import RecordListing
from logdump.features.report.model import ReportLines, ReportSection
from logdump.features.row.command import RowUndo, row_at_position, row_story
from logdump.features.row.model import RowChangeShown
from logdump.features.row.story import RowQuestion
from logdump.features.safe.model import SafePointShown
from logdump.notation.text import Harmless, amount, escape
from logdump.notation.times import GMT
from logdump.notation.values import pairs_text
from logdump.session.chosen_trail import range_of
from logdump.session.errors import CommandError
from logdump.session.events import Event, Notice, Progress, Text, say
from logdump.session.known_record import KnownRecord
from logdump.session.searching import csn_goal, find_in_sequence
from logdump.session.session import Session
from logdump.session.settings import Detail, Level
from trailformat import TrailError, TrailName
from trailformat.changes.transactions import is_transactional
from trailformat.trail.sequence import FilePosition
from trailformat.transactions.extent import Extent
from trailformat.transactions.restart_places import restart_places
from trailformat.transactions.whole_trail import WholeTrail

MOST_RECORDS = 200
"""Maximum number of records of a transaction, and of changes of a row, that are listed."""
_ALL_OF_A_RECORD = {
    "ghdr": True,
    "detail": Detail.DATA,
    "ggstoken": Level.DETAIL,
    "usertoken": Level.DETAIL,
    "values": True,
    "metadata_detail": Detail.DATA,
    "time_offset": GMT,
}


class AskedCsn(NamedTuple):
    """A place that is named by a CSN."""

    text: str


class AskedMessage(NamedTuple):
    """A place that a text of GoldenGate names."""

    text: str


Asked = int | AskedCsn | AskedMessage
"""A place that a report is asked for: an RBA, or what names one."""


class RestartAdvice(NamedTuple):
    """The answer of SAFE about a place: its lines, the transaction there, and whether the place is damage."""

    lines: list[Harmless]
    extent: Extent | None
    is_damaged: bool


def restart_at(session: Session, rba: int) -> RestartAdvice:
    """Return the answer of SAFE for an RBA of the open file, of the good record after it if it has none itself."""
    lines: list[Harmless] = []
    is_damaged = False
    try:
        places = restart_places(session.trail, rba, looks_for_copies=True)
    except TrailError as error:
        lines, is_damaged = [escape(str(error))], True
        good = session.trail.next_good_header(min(rba + 1, session.trail.size))
        if good is None:
            return RestartAdvice(lines, None, is_damaged)
        places = restart_places(session.trail, good, looks_for_copies=True)
    lines += text.render(SafePointShown(places), session.settings)
    return RestartAdvice(lines, places.extent, is_damaged)


class PlaceSections:
    """The sections about a place.

    Args:
        session: a session of its own, for this place alone.
        over_files: another one, which reads all files of the trail.
        whole: the trail.
        name: the name of the trail, for messages.
        opened: the file that is meant where none is named; None if there are several and none is open.

    Attributes:
        sections: the sections.
        position: the place; None without one.
        restart: what SAFE says about it.
    """

    def __init__(
        self, session: Session, over_files: Session, whole: WholeTrail, name: str, opened: Path | None
    ) -> None:
        self._session, self._over_files, self._whole, self._name = session, over_files, whole, name
        self._opened = opened if opened is not None or len(whole) > 1 else whole.paths[0]
        self.sections: list[ReportSection] = []
        self.position: FilePosition | None = None
        self.restart: RestartAdvice | None = None

    def find(self, asked: Asked) -> None:
        """Find the place, and add a section for the meaning of a message.

        Raises:
            CommandError: there is no such place.
        """
        if isinstance(asked, AskedCsn):
            self.position = self._of_csn(asked.text)
        elif isinstance(asked, AskedMessage):
            self._explain(asked.text)
        elif self._opened is None:
            raise CommandError(f"AT {asked} is a place in one file, and {self._name} has {len(self._whole)}: name one.")
        else:
            self.position = FilePosition(self._opened, asked)

    def _of_csn(self, csn: str) -> FilePosition:
        goal = csn_goal(csn)
        if goal is None:
            raise CommandError(f"{csn!r} is not a CSN.")
        self._session.open(self._whole.paths[0])
        record = find_in_sequence(self._session.trail, goal)
        if record is None:
            bounds = range_of(self._session.trail)
            goes = f" The trail goes {bounds.text(GMT)}." if bounds is not None else ""
            raise CommandError(f"No transaction with {goal.text}.{goes}")
        return FilePosition(record.path or self._session.trail.path, record.rba)

    def _explain(self, message: str) -> None:
        """Add the meaning of a message; its place is that of its SAFE, or else of the text."""
        if not is_explained(message):
            raise CommandError("The text of ERROR has no number of a message, no place and no transaction.")
        self._session.open(self._opened or self._whole.paths[0])
        lines: list[Harmless] = []
        folders = tuple(dict.fromkeys(path.parent for path in self._whole.paths))
        for event in explain_text(self._session, message, Surroundings(given=folders)):
            if isinstance(event, SafePointShown):
                self.position = event.places.asked
            elif isinstance(event, MessageExplained | Notice | Text):
                lines += text.render(event, self._session.settings)
            if isinstance(event, MessageExplained) and (target := event.incident.target) is not None:
                if target.place.rba is not None and not target.place.names_file and self._opened is None:
                    several = f"{self._name} has {len(self._whole)}: name one"
                    lines.append(escape(f"The message names no file, and {several}."))
                    break
                self._look_up(target.place.number, target.place.rba)
        self._add("The message", "EXPLAIN", lines)

    def _look_up(self, number: int | None, rba: int | None) -> None:
        """Set the place to an RBA of the file with a number, or of the one that is meant without."""
        paths = [self._opened] if number is None else [path for path in self._whole.paths if number == _number(path)]
        if rba is not None and len(paths) == 1 and paths[0] is not None:
            self.position = FilePosition(paths[0], rba)

    def add(self) -> Iterator[Event]:
        """Add the record at the place, its transaction, and the story of its row; yield Progress."""
        if self.position is None:
            return
        session, rba = self._session, self.position.rba
        session.open(self.position.path)
        where = f"RBA {rba}" if len(self._whole.paths) == 1 else f"RBA {rba} of {self.position.path.name}"
        command = f"GHDR ON; GGSTOKEN DETAIL; DETAIL DATA; VALUES ON; POSITION {rba}; NEXT"
        self._add(f"Record at {where}", command, _record_lines(session, rba))
        self.restart = restart_at(session, rba)
        self._transaction(self.restart.extent)
        yield from self._row()

    def _transaction(self, extent: Extent | None) -> None:
        rows: list[Harmless] = []
        with suppress(TrailError):  # SAFE names the damage
            for event in _records_of(self._session, extent):
                rows += text.render(event, self._session.settings)
        self._add("The transaction", self._list_command(extent), rows)

    def _list_command(self, extent: Extent | None) -> str:
        """Return the command that lists a transaction from its first record on, in whatever file that is."""
        if extent is None or extent.first is None:
            return "LIST"
        is_here = extent.first.path == self._session.trail.path
        return f"{'' if is_here else f'OPEN {extent.first.path}; '}POSITION {extent.first.rba}; LIST"

    def _row(self) -> Iterator[Event]:
        """Add the changes of the row of the record, over all files."""
        session = self._over_files
        assert self.position is not None  # noqa: S101 - ``add`` has looked
        session.open(self.position.path)
        session.cursor.move(self.position.rba)
        session.cursor.current = self.position.rba
        try:
            question = row_at_position(session)
        except (CommandError, TrailError):
            return  # no change of a row, or one without a key
        session.open(self._whole.paths[0])
        lines: list[Harmless] = []
        changes = 0
        try:
            for event in row_story(session, question, RowUndo()):
                if isinstance(event, Progress):
                    yield event
                    continue
                changes += isinstance(event, RowChangeShown)
                if changes <= MOST_RECORDS or not isinstance(event, RowChangeShown):
                    lines += text.render(event, session.settings)
        except (CommandError, TrailError) as error:
            lines.append(escape(str(error)))
        if changes > MOST_RECORDS:
            lines.insert(-1, escape(f"… {amount(changes - MOST_RECORDS, 'more change')}"))
        self._add("The row", _row_command(question), lines)

    def _add(self, title: str, command: str, lines: list[Harmless]) -> None:
        if lines:
            self.sections.append(ReportSection(title, command, (ReportLines(tuple(lines)),)))


def _row_command(question: RowQuestion) -> str:
    return f"ROW {question.table} {pairs_text(question.key)}"


def _number(path: Path) -> int | None:

    name = TrailName.parse(path)
    return name.seqno if name is not None else None


def _record_lines(session: Session, rba: int) -> list[Harmless]:
    """Return all that is known of the record at an RBA, or why there is none."""
    settings = copy.copy(session.settings)
    vars(settings).update(_ALL_OF_A_RECORD)
    try:
        record = session.trail.record_at(rba)
    except TrailError as error:
        return [escape(str(error))]
    if record is None:
        return [escape(f"No record begins at RBA {rba}: the file has {session.trail.size:,} bytes.")]
    return text.render(KnownRecord(record, session), settings)


def _records_of(session: Session, extent: Extent | None) -> Iterator[Event]:
    """Yield a line for each record of a transaction in the open file, and how many more there are, here and elsewhere.

    Records of the transaction in other files are only counted.
    """
    if extent is None or extent.first is None or extent.last is None:
        return
    here, (first, last) = session.trail.path, (extent.first, extent.last)
    begin = first.rba if first.path == here else 0
    listing, records = RecordListing(session), 0
    for record in session.trail.records(begin):
        if last.path == here and record.rba > last.rba:
            break
        if not is_transactional(record):
            continue
        records += 1
        if records <= MOST_RECORDS:
            yield from listing.show(record)
    if records > MOST_RECORDS:
        yield say(f"… {amount(records - MOST_RECORDS, 'more record')}")
    if extent.records > records:
        others = amount(extent.records - records, "more record")
        yield say(f"… {others} in other files: it begins at RBA {first.rba} of {first.path}")

"""LIST and FOLLOW: records as one line each, and new records as they are written."""

from __future__ import annotations

import sys
import time
from collections.abc import Generator, Iterator
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from logdump.display.first_match import show_record
from logdump.display.record_row import RecordRow, RecordRows
from logdump.features.list.model import RecordListed
from logdump.language.command import Command, Origin
from logdump.language.forms import Alternatives, AnyOrder, Keyword, Sequence
from logdump.language.parameters import Number, OneOf, Word
from logdump.notation.text import amount, escaped_lines
from logdump.session.across import go_to
from logdump.session.errors import CommandError, ExitStatus
from logdump.session.events import Event, Notice, Pause
from logdump.session.files import FileState, file_state
from logdump.session.scan import DamagePassed, FilteredReader, Find, FoundRows, handed_over, over_damage
from logdump.session.session import Session
from logdump.session.settings import Across, OutputFormat
from trailformat import NotATrail, PartialRecord, Record, TrailFile
from trailformat.codec.on_demand import on_demand
from trailformat.errors import CannotRead
from trailformat.index import build, index_of
from trailformat.trail.command_files import reading
from trailformat.trail.read_bytes import ReadBytes
from trailformat.trail.sequence import next_file

with on_demand:
    from logdump.display.listing import located
    from logdump.session import defined_names

if TYPE_CHECKING:
    from trailformat.scan import Batch

_SCREENFUL = 20
_SETTLED_LOOKS = 2
"""Looks at a file before FOLLOW leaves it for the newest one: a writer may still be closing it."""
_BEFORE = 1 << 24
"""Bytes before the position from which on it is known what was read: a writer goes back less far."""


class Follower:
    """Shows the records of a trail from the read position on, and waits for more.

    Args:
        session: the session with the trail; its filter applies.
        listing: shows records as lines; None: they are shown as NEXT shows them.
        every: seconds between two looks at the file.
        idle: seconds without a record after which it ends; None: never.
    """

    def __init__(self, session: Session, listing: RecordListing | None, *, every: int, idle: int | None) -> None:
        self._session, self._listing = session, listing
        self._every, self._idle = every, idle
        self._read = self._bytes_read()
        self._said: set[tuple[str, Path]] = set()
        self._looks_at_end = 0

    def _bytes_read(self) -> ReadBytes:
        """Return the bytes that count as read: none of them may change without a word."""
        return ReadBytes(self._session.trail, self._session.cursor.next - _BEFORE)

    def run(self) -> Iterator[Event]:
        """Yield the events until ``idle`` seconds pass without a record."""
        quiet_since = time.monotonic()
        if (files := reading()) is not None:
            files.goes_on = True
        while True:
            is_readable = yield from self._is_as_read()
            if is_readable and (yield from self._new()):
                quiet_since, self._looks_at_end = time.monotonic(), 0
            yield Pause()
            if (yield from self._went_on(is_readable=is_readable)):
                quiet_since = time.monotonic()
                continue
            if self._idle is not None and time.monotonic() - quiet_since >= self._idle:
                return
            time.sleep(self._every)

    def _is_as_read(self) -> Generator[Event, None, bool]:
        """Continue where the file differs from what was read, if it does; return False while it cannot be read."""
        trail, cursor = self._session.trail, self._session.cursor
        with suppress(CannotRead):
            trail.refresh()  # the first look at a file that became shorter
        try:
            if not self._read.differ(trail):
                self._read.extend(trail)
                return True
            agreed, is_cut = self._read.agree_up_to(trail), trail.size < self._read.stop
            if agreed == trail.size:
                text = f"the file was truncated to {agreed} bytes while it was read"
                yield from self._say_once(f"cut {agreed}", f"{trail.path}: {text}", ExitStatus.OK)
            if agreed >= cursor.next:
                self._read.cut(trail, agreed)
                self._read.extend(trail)
                return True
        except CannotRead as error:
            yield from self._say_once(error.problem, str(error), ExitStatus.OK)
            return False
        return (yield from self._rewritten(agreed, is_cut=is_cut and agreed == trail.size))

    def _rewritten(self, agreed: int, *, is_cut: bool) -> Generator[Event, None, bool]:
        """Open the file again and move to the record at the RBA up to which it agrees; return False if it is none."""
        path = self._session.trail.path
        if not self._opened_again():
            return False
        trail, cursor = self._session.trail, self._session.cursor
        start = _record_start(trail, agreed)
        cursor.move(start if start > trail.first_rba else 0)
        if not is_cut:
            where = f"on at RBA {cursor.next}, where it differs" if cursor.next else "it from its beginning"
            yield Notice((f"{path} was rewritten: reading {where}",), ExitStatus.OK)
        self._read = self._bytes_read()
        self._read.extend(trail)
        return True

    def _opened_again(self) -> bool:
        """Open the path again, whichever file it is now; return False if that has no record yet."""
        try:
            self._session.open(self._session.trail.path)
        except (NotATrail, CannotRead):
            return False
        return True

    def _new(self) -> Generator[Event, None, int]:
        """Show the new records of the open file; return their number."""
        done = 0
        find = self._listing.find if self._listing is not None else FilteredReader.find
        try:
            with closing(over_damage(self._session, stays=True, waits=True, find=find)) as items:
                for item in items:
                    if isinstance(item, (Record, FoundRows)):
                        done += yield from self._shown(item)
                    elif isinstance(item, DamagePassed):
                        text = (
                            item.text if item.good is not None else f"{item.text}; waiting for a good record after it"
                        )
                        yield from self._say_once(f"damage at {item.rba}", text, ExitStatus.BAD_DATA)
                    else:
                        yield item
        except (PartialRecord, CannotRead):
            pass  # the next look says what became of the file
        return done

    def _shown(self, records: Record | FoundRows) -> Generator[Event, None, int]:
        """Yield records that were just read; return their number."""
        if self._listing is not None:
            return (yield from self._listing.show(records))
        if isinstance(records, Record):
            yield from show_record(self._session, records)
        return 1

    def _went_on(self, *, is_readable: bool) -> Generator[Event, None, bool]:
        """Check what became of the name of the file; return True if there is something to read at once."""
        try:
            state = file_state(self._session.trail)
        except CannotRead:
            return False
        if is_readable and state.size > self._read.stop:
            return True
        if state.is_replaced:
            return (yield from self._reopened("was replaced: reading the new file from its beginning"))
        if state.following is not None:
            return (yield from self._next_file(state))
        if state.is_gone:
            yield from self._say_once("gone", "was removed: waiting for the next file", ExitStatus.OK)
        return False

    def _next_file(self, state: FileState) -> Generator[Event, None, bool]:
        """Continue in the next file, if this one has not grown since the next one appeared; return True if so."""
        self._looks_at_end += 1
        if state.following is None or (self._looks_at_end < _SETTLED_LOOKS and next_file(state.following)[0] is None):
            return False
        cursor = self._session.cursor
        rest = state.size - cursor.next
        if rest > 0:
            what = f"ends inside a record, {amount(rest, 'byte')} from RBA {cursor.next} on: the next file follows"
            yield from self._say_once("rest", what, ExitStatus.BAD_DATA)
        try:
            yield from go_to(self._session, state.following)
        except (NotATrail, CannotRead):
            return False  # its first record is not written yet
        self._read, self._looks_at_end = self._bytes_read(), 0
        return True

    def _reopened(self, what: str) -> Generator[Event, None, bool]:
        if not self._opened_again():
            return False
        self._read = self._bytes_read()
        yield Notice((f"{self._session.trail.path} {what}",), ExitStatus.OK)
        return True

    def _say_once(self, what: str, text: str, status: ExitStatus) -> Iterator[Event]:
        path = self._session.trail.path
        if (what, path) not in self._said:
            self._said.add((what, path))
            yield Notice((text if text.startswith(("Error", str(path))) else f"{path} {text}",), status)


def _record_start(trail: TrailFile, rba: int) -> int:
    """Return the RBA of the record, or of the damage, in which a byte is; that after the last record if none is."""
    places = index_of(trail).places
    for _ in build(trail, places, stop=rba):
        pass
    row = places.row_at(trail, rba)
    return row.rba if row is not None else min(rba, places.covered)


_MOST_SECONDS = 24 * 60 * 60


class RecordListing:
    """Shows records as one line each, with the definitions and transactions of one file at a time.

    Lines are made together where the output takes them; else each record is an event, with its facts.

    Args:
        session: the session.
        columns: names of the columns shown, in capitals; None: the key and the changed columns.
        most: the number of records that will be shown at most; few are read one by one, without a scan.

    Attributes:
        find: the way in which records are read.
    """

    def __init__(self, session: Session, columns: frozenset[str] | None = None, most: int = sys.maxsize) -> None:
        self._session, self._columns = session, columns
        self._facts: tuple[TrailFile, RecordRows] | None = None
        self._made: tuple[TrailFile, located.Lister] | None = None
        is_text, is_backwards = session.settings.format is OutputFormat.TEXT, session.cursor.is_backwards
        self.find: Find = FilteredReader.find
        if session.takes_lines > 0 and is_text and not is_backwards and most > _SCREENFUL:
            self.find = partial(FilteredReader.find_rows, prints_reports=not session.settings.scan_scrolling)

    def show(self, records: Record | FoundRows) -> Generator[Event, None, int]:
        """Yield records that were just read; return their number."""
        if isinstance(records, Record):
            yield RecordListed(self._session.trail.path, self._facts_of(records), self._has_file)
            return 1
        for part in self._lister.parts(records):
            yield from self._handed_over(records.batch, part)
        return len(records.rows)

    def _handed_over(self, batch: Batch, part: located.ListedPart) -> Iterator[Event]:
        cursor, last = self._session.cursor, int(part.rows[-1])
        lines = escaped_lines(bytes(part.data[:-1]))
        if self._session.takes_lines > 1:
            yield from handed_over(cursor, lines, int(batch.rba[last]), int(batch.length[last]))
            return
        for row, line in zip(part.rows.tolist(), lines, strict=True):
            yield from handed_over(cursor, [line], int(batch.rba[row]), int(batch.length[row]))

    @property
    def _has_file(self) -> bool:
        return self._session.settings.across is not Across.OFF

    def _facts_of(self, record: Record) -> RecordRow:
        """Return the facts of a record of the open file, with the columns shown."""
        session = self._session
        if self._facts is None or self._facts[0] is not session.trail:
            rows = RecordRows(session.trail, session.row_definitions, session.cursor.transactions)
            self._facts = session.trail, rows
        row = self._facts[1].of(record)
        if self._columns is None:
            return row
        return row._replace(columns=tuple(column for column in row.columns if column.name.upper() in self._columns))

    @property
    def _lister(self) -> located.Lister:
        """The maker of the lines of the open file."""
        session = self._session
        if self._made is None or self._made[0] is not session.trail:
            lister = located.Lister(session, self._facts_of, self._columns, has_file=self._has_file)
            self._made = session.trail, lister
        return self._made[1]


class ListOptions(NamedTuple):
    """The options of LIST: the number of records, and the columns shown (None: the default)."""

    most: int = _SCREENFUL
    columns: frozenset[str] | None = None


def run_list(session: Session, options: ListOptions) -> Iterator[Event]:
    """List the next records that pass the filter, in the read direction; continue after damage."""
    left, listing = options.most, RecordListing(session, options.columns, options.most)
    with closing(over_damage(session, find=listing.find)) as items:
        for item in items:
            if isinstance(item, DamagePassed):
                if item.good is None:
                    raise item.error
                yield Notice((item.text,))
            elif isinstance(item, (Record, FoundRows)):
                records = item if isinstance(item, Record) else item._replace(rows=item.rows[:left])
                left -= yield from listing.show(records)
                if not left:
                    return
            else:
                yield item
    yield from _not_there(session, options, is_empty=left == options.most)


def _not_there(session: Session, options: ListOptions, *, is_empty: bool) -> Iterator[Event]:
    """Yield names that the trail does not define: those of COLUMNS, and those of the filter if nothing passed it."""
    if is_empty:
        yield from defined_names.undefined_names(session)
    for column in sorted(options.columns or ()):
        if (undefined := defined_names.undefined_column(session, column)) is not None:
            yield Notice((undefined,), ExitStatus.COMMAND_FAILED)


class FollowOptions(NamedTuple):
    """The options of FOLLOW: one line per record, seconds between two looks, seconds without a record until it ends."""

    lists: bool = False
    every: int = 1
    idle: int | None = None


def run_follow(session: Session, options: FollowOptions) -> Iterator[Event]:
    """Show the records from the read position on, and new ones, until Ctrl+C."""
    if session.standard_output is None:
        raise CommandError("The screen follows the trail by the key w.")
    session.cursor.is_backwards = False  # what is written comes after the position
    listing = RecordListing(session) if options.lists else None
    yield from Follower(session, listing, every=options.every, idle=options.idle).run()
    if (files := reading()) is not None:
        files.unborn.clear()  # FOLLOW waits for their records


def _names(text: str) -> frozenset[str]:
    return frozenset(name.strip().upper() for name in text.split(",") if name.strip())


COMMANDS = (
    Command(
        "LIST",
        AnyOrder(
            ListOptions,
            {
                "most": Alternatives(Number("<count>", least=1), OneOf({"ALL": sys.maxsize})),
                "columns": Keyword("COLUMNS", Sequence(_names, Word("<column>,..."))),
            },
            wrong="{!r} is not a number of records and none of ALL, COLUMNS.",
        ),
        "List the next records as one line each: RBA, time, operation, table, CSN, XID, key, what changed",
        run_list,
        details=(
            "20 records unless <count> or ALL is given; the filter applies. A field that is not known is -.",
            "Under ACROSS the name of the file is before the RBA. Damage is reported, and LIST continues after it.",
            "COLUMNS: show only these columns of the key and of the changes, separated by commas.",
        ),
        origin=Origin.OURS,
    ),
    Command(
        "FOLLOW",
        AnyOrder(
            FollowOptions,
            {
                "lists": OneOf({"LIST": True}),
                "every": Keyword("EVERY", Number("<seconds>", 1, _MOST_SECONDS, "a number of seconds")),
                "idle": Keyword("IDLE", Number("<seconds>", 1, _MOST_SECONDS, "a number of seconds")),
            },
            wrong="{!r} is not an option of FOLLOW.",
        ),
        "Show records from the position on, and new ones as they are written, over the files of the trail",
        run_follow,
        details=(
            "As NEXT shows them, with LIST one line each; the filter applies. POSITION EOF; FOLLOW: only new records.",
            "An incomplete last record is shown when it is complete. A file that shrinks, is replaced or removed is",
            "reported, and FOLLOW continues. EVERY: seconds between two checks, 1 by default. IDLE: FOLLOW ends after",
            "this number of seconds without a new record. Ctrl+C ends it; the position is after the last record shown.",
        ),
        origin=Origin.OURS,
        stops="Ctrl+C ends it",
    ),
)

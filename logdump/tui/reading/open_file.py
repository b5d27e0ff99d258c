"""The open file of the panes: threads that read its rows, records and sums, each with its own file object."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from textual.message import Message

from logdump.parameters.in_use import ParametersInUse
from logdump.session.files import file_state
from logdump.session.known_record import KnownRecord
from logdump.session.reading import Reading
from logdump.session.session import Session, SourceDefinitions
from logdump.session.settings import Settings
from logdump.tui.reading.background import (
    FILTER,
    FINDINGS,
    INDEX,
    OPEN_TRANSACTIONS,
    OVER_TIME,
    SHAPE,
    BackgroundScan,
    Reader,
)
from logdump.tui.reading.messages import (
    CopyMade,
    FilePolled,
    NeighboursRead,
    PageRead,
    PaneRead,
    RelatedFound,
    SummaryRead,
    TrailFilesRead,
    TransactionsRead,
    ValueRead,
)
from logdump.tui.reading.rows import (
    NEAR,
    Matches,
    MatchingRows,
    PageRequest,
    RowReader,
    RowSource,
    known_to,
    read_page,
    with_neighbours,
)
from logdump.tui.reading.state import (
    Current,
    ListedFile,
    ListedTransaction,
    NeighbourLookup,
    State,
    read_transactions,
    summary_of,
    trail_files,
)
from logdump.tui.text.record_pages import PAGES
from logdump.tui.text.styled import line
from trailformat import TrailError
from trailformat.codec.on_demand import on_demand
from trailformat.index import TrailIndex, attach, build
from trailformat.trail.file import TrailFile
from trailformat.trail.read_bytes import ReadBytes
from trailformat.trail.sequence import FilePosition

with on_demand:
    from logdump.features.doctor import findings_scan
    from logdump.features.timeline import open_transactions, timeline, volume
    from logdump.tui.text import row_copies

_WATCHED = 1 << 20
"""Bytes at the end of the file that are compared at each look."""

if TYPE_CHECKING:
    from logdump.features.doctor.findings_scan import FindingsScan
    from logdump.features.timeline.open_transactions import OpenTransactionsScan
    from logdump.features.timeline.timeline import TimelineScan
    from logdump.features.timeline.volume import ShapeScan
    from logdump.filters import FilterSet


class _Indexing:
    """The scan that builds an index."""

    def __init__(self, index: TrailIndex) -> None:
        self._index = index

    def extend(self, session: Session) -> Generator[int, None, None]:
        """Build the index to the end of the session's file; yield the RBA up to which it is built."""
        attach(session.trail, self._index)
        yield from build(session.trail, self._index)

    def lacks(self) -> Reading:
        """Return the number of damaged places and the RBA that was reached."""
        return Reading(damaged=self._index.places.damaged_places, where=f"at RBA {self._index.covered}")


class OpenFile:
    """Threads that answer requests with messages.

    Attributes:
        index: the index of the file so far.
        matches: the rows that pass the filter; None without a filter.
        timeline: the scan of the file over time; None before it is requested.
        open_transactions: the scan of the trail for long transactions; None before it is requested.
        shape: the scan of the file for the strip of records over time; None before it is requested.
        findings: the scan of the trail by DOCTOR, kept while a file of this trail is open; None before it is requested.
    """

    def __init__(self, settings: Settings, post: Callable[[Message], object]) -> None:
        self.index = TrailIndex()
        self.matches: Matches | None = None
        self.timeline: TimelineScan | None = None
        self._timeline_of: tuple[FilterSet | None, SourceDefinitions | None, ParametersInUse | None] = None, None, None
        self.open_transactions: OpenTransactionsScan | None = None
        self._rows = Reader("rows", settings, post)
        self._record = Reader("record", settings, post)
        self._poll = Reader("poll", settings, post)
        self._indexing = BackgroundScan(INDEX, settings, post)
        self._matching = BackgroundScan(FILTER, settings, post)
        self._neighbours = NeighbourLookup()
        self._read: tuple[TrailFile, ReadBytes] | None = None
        self._timing = BackgroundScan(OVER_TIME, settings, post)
        self.shape: ShapeScan | None = None
        self._shaping = BackgroundScan(SHAPE, settings, post)
        self._recovering = BackgroundScan(OPEN_TRANSACTIONS, settings, post)
        self.findings: FindingsScan | None = None
        self._examining = BackgroundScan(FINDINGS, settings, post)

    @property
    def is_idle(self) -> bool:
        """True if all requests are answered and all scans have ended."""
        return all(thread.is_idle for thread in self._threads())

    @property
    def is_read(self) -> bool:
        """True if rows, record and scans of the open file are complete; the poll may still be reading its folder."""
        return all(thread.is_idle for thread in self._threads() if thread is not self._poll)

    def _threads(self) -> tuple[Reader | BackgroundScan, ...]:
        return self._rows, self._record, self._poll, *self._scans

    @property
    def _scans(self) -> tuple[BackgroundScan, ...]:
        return self._indexing, self._matching, self._timing, self._recovering, self._shaping, self._examining

    def close(self) -> None:
        """End all threads."""
        for thread in self._threads():
            thread.close()

    def open(self, path: Path | None) -> None:
        """Switch to another file and begin its index; None: no file."""
        self.index = TrailIndex()
        self.matches = self.timeline = self.open_transactions = self.shape = None
        if self.findings is not None and path not in self.findings.paths:
            self.findings = None
        for thread in self._threads():
            thread.open(path)
        if path is not None:
            self._rows.ask("summary", lambda session: SummaryRead(summary_of(session)))
            self._poll.ask("bytes", lambda session: self._bytes_read(session.trail).extend(session.trail))
            self.go_on()

    def go_on(self) -> None:
        """Start or continue the scans: for the first time, after a stop, or because the file has grown."""
        self._indexing.go_on(_Indexing(self.index))
        if self.matches is not None:
            self._matching.go_on(self.matches)
        if self.timeline is not None:
            self._timing.go_on(self.timeline)
        if self.shape is not None:
            self._shaping.go_on(self.shape)
        if self.open_transactions is not None and self._recovering.is_stopped:
            self._recovering.go_on(self.open_transactions)

    def stop(self) -> bool:
        """Stop the scans but keep their results; return whether any was running."""
        was_scanning = not all(scan.is_idle for scan in self._scans)
        for scan in self._scans:
            scan.stop()
        return was_scanning

    @property
    def is_stopped(self) -> bool:
        """True if the user has stopped a scan."""
        return any(scan.is_stopped for scan in self._scans)

    def filter(self, filters: FilterSet | None, source: SourceDefinitions | None) -> None:
        """Scan for the rows that pass, decoded by the definitions of ``source``; None: all rows."""
        self.matches = Matches(filters, source) if filters is not None else None
        self._matching.give_up()
        if self.matches is not None:
            self._matching.go_on(self.matches)

    def ask_timeline(self, state: State) -> None:
        """Scan the file over time, unless that is done for the same filter, definitions and parameter files."""
        subject = state.filters, state.source, state.parameters
        if self.timeline is None or subject != self._timeline_of:
            self.timeline, self._timeline_of = (
                timeline.TimelineScan(state.filters, state.source, state.parameters),
                subject,
            )
            self._timing.go_on(self.timeline)

    def ask_shape(self) -> None:
        """Scan the file for its records over time, unless that is done."""
        if self.shape is None:
            self.shape = volume.ShapeScan()
            self._shaping.go_on(self.shape)

    def ask_open_transactions(self, parameters: ParametersInUse | None, size: int) -> None:
        """Scan the trail for long transactions, unless a scan for ``parameters`` is running, stopped or up to date."""
        scan, recovering = self.open_transactions, self._recovering
        is_asked = scan is not None and scan.parameters == parameters
        if is_asked and scan is not None and (size <= scan.size or not recovering.is_idle or recovering.is_stopped):
            return
        self.open_transactions = open_transactions.OpenTransactionsScan(parameters)
        self._recovering.go_on(self.open_transactions)

    def ask_findings(self) -> None:
        """Examine the trail of the open file, unless that is under way; what is up to date is not read again.

        ``Scanned`` says when the findings are known.
        """
        if self.findings is None:
            self.findings = findings_scan.FindingsScan()
        if not self._examining.is_running:
            self._examining.go_on(self.findings)

    def ask_page(self, request: PageRequest, source: SourceDefinitions | None) -> None:
        """Read rows for the list; ``source`` are definitions for their values."""
        index, matches = self.index, self.matches

        def read(session: Session) -> PageRead:
            trail = session.trail
            attach(trail, index)
            if session.source_definitions is not source:
                session.source_definitions = source
            reader, size = RowReader(trail, session.definitions_of(trail)), trail.size
            rows: RowSource = reader if matches is None else MatchingRows(reader, matches, size)
            page = read_page(rows, request, size)
            return PageRead(request, with_neighbours(page, request, session) if matches is None else page)

        self._rows.ask("page", read)

    def ask_record(self, name: str, about: Current, width: int) -> None:
        """Read the content of a page about the current record."""
        index, source, waits = self.index, about.source, not self._indexing.is_stopped

        def read(session: Session) -> Message | None:

            attach(session.trail, index)
            if session.source_definitions is not source:
                session.source_definitions = source
            session.keep(about.parameters or ParametersInUse())
            rba = about.row.rba if about.row is not None else 0
            if name in ("values", "detail") and waits and known_to(session.trail) + NEAR < rba:
                text = f"The tables before RBA {rba} are being read; h shows the bytes."
                return PaneRead(name, about, [line(text, "dim")], is_preliminary=True)
            return read_page_of_record(session, name, about, width)

        self._record.ask("record", read)

    def ask_related(self, what: str, about: Current) -> None:
        """Find the record that the current one depends on: the ``definition`` in force, or the ``row of its LOB``."""

        def find(session: Session, known: KnownRecord) -> Message:
            if what == "definition":
                position = FilePosition(session.trail.path, known.table.rba) if known.table is not None else None
            else:
                position = known.segment.base if known.segment is not None else None
            return RelatedFound(what, position)

        self._ask_known("related", about, find, RelatedFound(what, None))

    def ask_copy(self, form: str, about: Current) -> None:
        """Make the row of the current record a text for the clipboard: ``json``, ``sql`` or ``csv``."""

        def make(session: Session, known: KnownRecord) -> Message:
            with suppress(LookupError):
                return CopyMade(form, row_copies.FORMS[form](session, known))
            return CopyMade(form, None)

        self._ask_known("copy", about, make, CopyMade(form, None))

    def ask_value(self, field: str, about: Current, *, is_copied: bool) -> None:
        """Read the value of a field of the current record, to be copied or shown as a whole."""

        def read(session: Session, known: KnownRecord) -> Message:
            try:
                return ValueRead(row_copies.value_of(session, known, field), is_copied)
            except LookupError:
                return ValueRead(None, is_copied)
            except TrailError as error:
                return ValueRead(None, is_copied, str(error))

        self._ask_known("value", about, read, ValueRead(None, is_copied))

    def _ask_known(
        self, key: str, about: Current, make: Callable[[Session, KnownRecord], Message], without: Message
    ) -> None:
        """Make a message about the current record; ``without`` is the message if there is none."""
        index, source = self.index, about.source

        def read(session: Session) -> Message | None:
            attach(session.trail, index)
            if session.source_definitions is not source:
                session.source_definitions = source
            record = session.trail.record_at(about.row.rba) if about.row is not None else None
            if record is None or record.is_file_header:
                return without
            return make(session, KnownRecord(record, session))

        self._record.ask(key, read)

    def ask_transactions(self, known: tuple[ListedTransaction, ...]) -> None:
        """Read the CSNs of the largest transactions, unless they are known."""
        index = self.index
        self._poll.ask("transactions", lambda session: TransactionsRead(read_transactions(session.trail, index, known)))

    def ask_neighbours(self) -> None:
        """Find the files before and after the open one."""

        def look(session: Session) -> NeighboursRead:
            path = session.trail.path
            return NeighboursRead(path, self._neighbours.of(path))

        self._poll.ask("neighbours", look)

    def ask_files(self, known: tuple[ListedFile, ...]) -> None:
        """List the files of the trail, then read the headers that are not known."""
        for with_headers in (False, True):

            def read(session: Session, *, with_headers: bool = with_headers) -> TrailFilesRead:
                path = session.trail.path
                return TrailFilesRead(path, trail_files(path, known, with_headers=with_headers))

            self._poll.ask(f"files, {with_headers}", read)

    def ask_poll(self, known: int) -> None:
        """Check whether the file has grown beyond ``known``, is removed, or has a successor."""
        self._poll.ask("poll", lambda session: self._polled(session, known))
        self.ask_neighbours()

    def _bytes_read(self, trail: TrailFile) -> ReadBytes:
        if self._read is None or self._read[0] is not trail:
            self._read = trail, ReadBytes(trail, trail.size - _WATCHED)
        return self._read[1]

    def _polled(self, session: Session, known: int) -> FilePolled:
        """Return the state of the open file; ``known`` is its size in the model."""
        trail = session.trail
        state = file_state(trail)
        read = self._bytes_read(trail)
        if is_rewritten := state.size >= read.stop and read.differ(trail):
            read.cut(trail, 0)
        read.extend(trail)
        return FilePolled(
            trail.path,
            known,
            state.size,
            is_gone=state.is_gone,
            following=state.following,
            is_rewritten=is_rewritten,
            is_replaced=state.is_replaced,
        )


def read_page_of_record(session: Session, name: str, about: Current, width: int) -> PaneRead | None:
    """Return a page of ``width`` cells about the current record, None if there is none."""
    if about.row is None:
        return None
    return PaneRead(name, about, PAGES[name](session, about.row.rba, width))

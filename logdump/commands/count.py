"""COUNT."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator
from pathlib import Path

from logdump.commands.count_options import OPTIONS, CountOptions, parse_count_options
from logdump.counting import Count, TransactionHistory
from logdump.events import Bad, CountShown, Event, IntervalShown, Notice, TransactionsShown, say
from logdump.language.command import Command
from logdump.selection import Selection, progress
from logdump.session import CommandError, Session
from logdump.settings import Detail
from logdump.wildcard import matches
from trailformat import Record, TrailError, TrailFile, TrailName


class Counter:
    """One run of COUNT over one or more files."""

    def __init__(self, session: Session, options: CountOptions) -> None:
        settings = session.settings
        self.options = options
        self.detail = options.detail or settings.detail is not Detail.OFF
        history = TransactionHistory(settings.trans_hist, settings.trans_rec_limit, settings.trans_byte_limit)
        self.count = Count(history, options.interval, options.start)
        self.notices: list[Notice] = []
        self.suppressed = self.scanned = 0
        self.is_filtered = False
        self._session = session

    def run(self, trail: TrailFile) -> Iterator[Event]:
        """Take every sound record of a file in, stepping over damage; yields Progress."""
        selection = Selection(trail, self._session.filters_in_use)
        self.is_filtered |= selection.is_active
        name = TrailName.parse(trail.path)
        seqno = name.seqno if name else 0
        rba: int | None = 0
        while rba is not None and rba < trail.size:
            try:
                record = trail.record_at(rba)
                if record is None:
                    return
                self._take(trail, selection, record, seqno)
                rba += record.length
            except TrailError as error:
                rba = self._step_over(trail, rba, error)
                continue
            self.scanned += 1
            if self.scanned % self._session.settings.notify == 0:
                yield progress(self.scanned, record)

    def _take(self, trail: TrailFile, selection: Selection, record: Record, seqno: int) -> None:
        if not selection.accepts(record):
            self.suppressed += 1
            self.count.pass_over(record)
            return
        name = trail.name_of(record)
        if self._is_wanted(record, name):
            self.count.add(record, name, seqno)
        else:
            self.count.pass_over(record)

    def _is_wanted(self, record: Record, name: str) -> bool:
        """Whether START, END and FILE let the record in; the file header has no time and no name."""
        options = self.options
        if options.file is not None and not matches(options.file, name, case_sensitive=False):
            return False
        if options.start is None and options.end is None:
            return True
        if record.is_file_header:
            return False
        moment = record.header.io_time
        after_start = options.start is None or moment >= options.start
        return after_start and (options.end is None or moment <= options.end)

    def _step_over(self, trail: TrailFile, rba: int, error: TrailError) -> int | None:
        good = trail.next_good_header(rba + 1)
        span = (good if good is not None else trail.size) - rba
        lines = (f"{error.at(trail.path, rba)}: {span} bytes are not counted",)
        self.notices.append(Notice(lines, bad=Bad(error, span)))
        return good

    def results(self, title: str) -> Iterator[Event]:
        """What was counted."""
        for start, tally in sorted(self.count.intervals.items()):
            yield IntervalShown(start, start + self.options.interval, tally)
        yield CountShown(title, self.count, self.detail)
        history = self.count.history
        if history.size:
            yield TransactionsShown(tuple(history.largest), history.record_limit, history.byte_limit)
        if self.is_filtered:
            yield say(
                f"Filtering matched   {self.count.total.records:>9} records",
                f"          suppressed{self.suppressed:>9} records",
            )
        yield from self.notices


def run_count(session: Session, arguments: str) -> Iterator[Event]:
    """Count records of the open trail, of another file, or of all files that a wildcard names.

    The read position of the open trail is at its beginning afterwards (ENV of the 11.1 session).
    """
    options = parse_count_options(arguments, session.settings.time_offset)
    counter = Counter(session, options)
    started = time.perf_counter()
    if options.logtrail is not None:
        title = yield from _count_several(counter, options.logtrail)
    elif options.path is not None:
        with TrailFile(Path(options.path).expanduser().absolute()) as trail:
            yield from counter.run(trail)
            title = f"LogTrail {trail.path}"
    else:
        yield from counter.run(session.trail)
        session.cursor.move(0)
        title = f"LogTrail {session.trail.path}"
    yield from counter.results(title)
    if session.settings.hash_stats and counter.detail:
        yield _hash_statistics(counter.count, time.perf_counter() - started)


def _count_several(counter: Counter, wildcard: str) -> Generator[Event, None, str]:
    """Count the files one by one; returns the title of their total."""
    paths = _matching_files(wildcard)
    for path in paths:
        before = counter.count.total.records
        try:
            with TrailFile(path) as trail:
                yield from counter.run(trail)
        except TrailError as error:
            counter.notices.append(Notice((f"{error}: not counted",), bad=Bad(error)))
            continue
        yield say(f"LogTrail {path} counted, {counter.count.total.records - before} records")
    return f"LogTrail {wildcard}, {len(paths)} files,"


def _matching_files(wildcard: str) -> list[Path]:
    """The files that a wildcard names, in the order in which a trail is written."""
    pattern = Path(wildcard).expanduser().absolute()
    try:
        entries = [entry for entry in pattern.parent.iterdir() if entry.is_file()]
    except OSError as error:
        raise CommandError(f"{pattern.parent}: {error.strerror}") from error
    found = sorted(entry for entry in entries if matches(pattern.name, entry.name, case_sensitive=True))
    if not found:
        raise CommandError(f"No file matches {wildcard}.")
    return found


def _hash_statistics(count: Count, seconds: float) -> Event:
    """HASHSTATS' two lines; a Python dict shows neither its collisions nor its chains, so both stand at 0."""
    average = int(seconds * 1_000_000 / count.lookups) if count.lookups else 0
    return say(
        f"Files {len(count.tables):>6}, Coll {0:>6}, Chain {0:>6}",
        f"Avg Hash lookup time {average:>4} across {count.lookups} lookups",
    )


COMMANDS = (
    Command(
        "COUNT",
        "COUNT [DETAIL] [, <options>]",
        "Count the records in the file by type; with DETAIL by table",
        run_count,
        options=OPTIONS,
        details=(
            "START[TIME] <time>, END[TIME] <time>, INT[ERVAL] <minutes>, LOG[TRAIL] <wildcard>, FILE <wildcard>",
            "COUNT DETAIL <filename> counts another file. <time> is [[yy]yy-mm-dd] [hh[:mm][:ss]].",
            "INTERVAL shows a block per interval, then totals; LOG counts several trail files, FILE certain tables.",
            "Example: COUNT DETAIL, START 2024-03-01 09:00, END 2024-03-01 10:00",
        ),
    ),
)

"""The measured work of logdump: the header scan, COUNT DETAIL, FILTER + COUNT, SAVE, and construct on a sample.

Each line is a context manager that opens a trail and yields a function to be timed; the function returns the number of
records found, which must be that of the generator.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from benchmarks.blocks import EARLY_CSN, FILTERED, NEEDLE
from benchmarks.generate import LargeTrail
from benchmarks.measure import ENVIRONMENT, RUNS, Measured, TooLong, best
from logdump.commands import REGISTRY
from logdump.display.text import render
from logdump.features.heartbeat.model import HeartbeatRow
from logdump.features.heartbeat.reading import HeartbeatReader
from logdump.features.recovery.survey import Survey
from logdump.language.execute import run_line
from logdump.session.events import Failure, Progress
from logdump.session.known_record import KnownRecord
from logdump.session.session import Session
from trailformat import TrailFile, spec
from trailformat.scan import Workers, parallel_scan, scan
from trailformat.transactions.whole_trail import WholeTrail

SAMPLE = 20_000
_TOLD = re.compile(r" has (\d+) (?:good )?records|Saved (\d+) records?|Exported (\d+) records?")

Run = Callable[[], int]


class Line(NamedTuple):
    """A line of the table: its set-up on a trail, the expected result, and the bytes and records that it processes."""

    label: str
    on: Callable[[LargeTrail], AbstractContextManager[Run]]
    expected: Callable[[LargeTrail], int]
    size: Callable[[LargeTrail], int]
    records: Callable[[LargeTrail], int]


def saved_path(trail: LargeTrail) -> Path:
    """Return the path to which SAVE writes."""
    return trail.path.with_name("saved000000000")


def count_detail_command(trail: LargeTrail) -> list[str]:
    """Return the command of the process that line (c) runs."""
    return [sys.executable, "-m", "logdump", "-c", f'open "{trail.path}"; count detail']


@contextmanager
def _header_scan(trail: LargeTrail) -> Iterator[Run]:
    with TrailFile(trail.path) as source:
        yield lambda: _scanned(source)


def _scanned(source: TrailFile) -> int:
    with Workers() as workers:
        batches = parallel_scan(source, workers)
        return sum(len(batch) for batch in batches)


@contextmanager
def _header_scan_by_one(trail: LargeTrail) -> Iterator[Run]:
    with TrailFile(trail.path) as source:
        yield lambda: sum(len(batch) for batch in scan(source))


@contextmanager
def _header_scan_opening(trail: LargeTrail) -> Iterator[Run]:
    def run() -> int:
        with _header_scan(trail) as scanned:
            return scanned()

    yield run


@contextmanager
def _survey(trail: LargeTrail) -> Iterator[Run]:
    def run() -> int:
        with Workers() as workers:
            lots = Survey(WholeTrail([trail.path])).run(workers)
            return sum(lot.progress.records for lot in lots if lot.progress is not None)

    yield run


@contextmanager
def _heartbeats(trail: LargeTrail) -> Iterator[Run]:
    """The pass of HEARTBEAT over the file, which has no heartbeats."""

    def run() -> int:
        with TrailFile(trail.path) as source:
            reader = HeartbeatReader(uses_threads=True)
            beats = sum(isinstance(item, HeartbeatRow) for item in reader.rows(source))
            return reader.records - beats

    yield run


def commands(before: str, timed: str) -> Callable[[LargeTrail], AbstractContextManager[Run]]:
    """Return the set-up of a line that runs commands in a session of its own; {saved} and {half} are filled in."""

    @contextmanager
    def on(trail: LargeTrail) -> Iterator[Run]:
        session = Session()
        session.open(trail.path)
        line = timed.format(saved=f'"{saved_path(trail)}"', half=trail.facts.records // 2)
        try:
            _found(session, before)
            yield lambda: _found(session, line)
        finally:
            session.end()

    return on


def _found(session: Session, line: str) -> int:
    """Run a line to its end; return the number of records in its text."""
    count = 0
    for event in run_line(session, REGISTRY, line):
        if isinstance(event, Progress):
            continue
        text = "\n".join(render(event, session.settings))
        failed = isinstance(event, Failure)
        if failed:
            raise LookupError(text)
        if match := _TOLD.search(text):
            count = int(match[1] or match[2] or match[3])
    return count


@contextmanager
def _find(trail: LargeTrail) -> Iterator[Run]:
    """FIND of a value that no row has, from the beginning."""
    session = Session()
    session.open(trail.path)

    def run() -> int:
        return sum(isinstance(event, KnownRecord) for event in run_line(session, REGISTRY, "position 0; find id = -1"))

    try:
        yield run
    finally:
        session.end()


@contextmanager
def _process(trail: LargeTrail) -> Iterator[Run]:
    def run() -> int:
        command = count_detail_command(trail)
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, env=ENVIRONMENT, encoding="utf-8")
        match = _TOLD.search(done.stdout)
        return int(match[1]) if match else 0

    yield run


def _all(trail: LargeTrail) -> int:
    return trail.facts.records


def _half(trail: LargeTrail) -> int:
    return trail.facts.records // 2


def _size(trail: LargeTrail) -> int:
    return trail.size


def _saved_size(trail: LargeTrail) -> int:
    return saved_path(trail).stat().st_size


SCAN, SCAN_OPENING, SCAN_BY_ONE = "(a) header scan", "    opening included", "    in one thread"
COUNT, PROCESS = "(b) COUNT DETAIL", "(c) logdump -c '…count detail'"
BY_TABLE, BY_STRING, SAVE = "(d) FILTER FILENAME, COUNT", "(e) FILTER STRING, COUNT", "(f) SAVE of half"
BY_CSN, RECOVERY, HEARTBEAT = "(g) FILTER CSN, COUNT", "(h) RECOVERY", "(i) HEARTBEAT"
BY_VALUE, FIND = "(j) FILTER VALUE, COUNT", "(k) FIND of a value"
CHECK, CHECK_VALUES = "(l) CHECK", "(m) CHECK VALUES"

LINES = (
    Line(SCAN, _header_scan, _all, _size, _all),
    Line(SCAN_OPENING, _header_scan_opening, _all, _size, _all),
    Line(SCAN_BY_ONE, _header_scan_by_one, _all, _size, _all),
    Line(COUNT, commands("", "count detail"), _all, _size, _all),
    Line(PROCESS, _process, _all, _size, _all),
    Line(
        BY_TABLE,
        commands(f"filter include filename {FILTERED}", "count"),
        lambda trail: trail.facts.filtered,
        _size,
        _all,
    ),
    Line(
        BY_STRING,
        commands(f'filter include string "{NEEDLE}"', "count"),
        lambda trail: trail.facts.needles,
        _size,
        _all,
    ),
    Line(BY_CSN, commands(f"filter include csn <= {EARLY_CSN}", "count"), lambda trail: trail.facts.early, _size, _all),
    Line(BY_VALUE, commands("filter include value id = -1", "count"), lambda _trail: 0, _size, _all),
    Line(FIND, _find, lambda _trail: 0, _size, _all),
    Line(RECOVERY, _survey, _all, _size, _all),
    Line(HEARTBEAT, _heartbeats, _all, _size, _all),
    Line(CHECK, commands("", "check"), _all, _size, _all),
    Line(CHECK_VALUES, commands("", "check values"), _all, _size, _all),
    Line(SAVE, commands("", "position 0; save {saved} ! {half} records"), _half, _saved_size, _half),
)


def measure(line: Line, whole: LargeTrail, smaller: LargeTrail, limit: float) -> Measured:
    """Return the best of three runs on the whole trail or, if a run takes longer than ``limit``, on the smaller one."""
    try:
        return _measure(line, whole, limit)
    except TooLong:
        measured = _measure(line, smaller, 0)
        note = f"measured on {smaller.size / 1e6:.0f} MB, scaled"
        return measured._replace(note="; ".join(filter(None, (note, measured.note))), scale=whole.size / smaller.size)


def _measure(line: Line, trail: LargeTrail, limit: float) -> Measured:
    counts = []
    with line.on(trail) as run:
        seconds = best(lambda: counts.append(run()), RUNS, limit)
    expected = line.expected(trail)
    note = "" if set(counts) == {expected} else f"WRONG: {counts[0]} records instead of {expected}"
    return Measured(line.label, seconds, line.size(trail), line.records(trail), note)


def construct_itself(trail: LargeTrail) -> Measured:
    """Parse tokens and header of a sample of records by the specification."""
    with TrailFile(trail.path) as source:
        records = list(islice(source.records(source.first_rba), SAMPLE))
        tokens, header = spec.tokens(source.order.value), spec.record_header(source.order.value)

    def run() -> None:
        for record in records:
            header.parse(tokens.parse(record.body)[0].payload)

    size = sum(record.length for record in records)
    return Measured("construct itself", best(run), size, len(records), f"a sample of {len(records)} records")

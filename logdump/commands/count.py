"""COUNT."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator
from contextlib import nullcontext

from logdump.commands.count_options import OPTIONS, parse_count_options
from logdump.language.command import Command
from logdump.notation.times import TIME_FORMS
from logdump.operations.count import CountOptions, CountRun, count_files, counted_paths
from logdump.operations.effective_rows import only_effective
from logdump.session.events import Event, say
from logdump.session.session import Session
from trailformat.scan import Workers
from trailformat.totals.counting import Totals


def run_count(session: Session, arguments: str) -> Iterator[Event]:
    """Count records of the open trail, of another file, or of all files that a wildcard names.

    The read position of the open trail is at its beginning afterwards (ENV of the 11.1 session). Ctrl+C ends it with
    the count so far, marked as partial.
    """
    options = parse_count_options(arguments, session.settings.time_offset)
    started = time.perf_counter()
    with Workers() as workers:
        counter = yield from _counter(session, options, workers)
        paths = counted_paths(session, options) if options.effective else []
        with only_effective(session, paths, workers) if options.effective else nullcontext():
            title = yield from count_files(counter, session)
    yield from counter.results(title)
    if counter.stopped_at is not None:
        raise KeyboardInterrupt
    if session.settings.hash_stats and counter.detail:
        yield _hash_statistics(counter.count, time.perf_counter() - started)


def _counter(session: Session, options: CountOptions, workers: Workers) -> Generator[Event, None, CountRun]:
    """What counts under the session's engine."""
    if session.settings.spark_master is None:
        return CountRun(session, options, workers)
    from logdump.spark.jobs.count_job import SparkCounter  # noqa: PLC0415 - for ENGINE SPARK
    from logdump.spark.jobs.engine import NotForSpark, left_to_local  # noqa: PLC0415 - for ENGINE SPARK

    try:
        return SparkCounter(session, options, workers)
    except NotForSpark as why:
        yield left_to_local(why)
        return CountRun(session, options, workers)


def _hash_statistics(count: Totals, seconds: float) -> Event:
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
            "COUNT DETAIL <filename> counts another file.",
            f"<time> is {TIME_FORMS}.",
            "INTERVAL shows a block per interval, one line for many empty ones, then totals.",
            "LOG counts several trail files, FILE certain tables.",
            "EFFECTIVE leaves out the rows of transactions that a Replicat does not apply.",
            "Example: COUNT DETAIL, START 2024-03-01 09:00, END 2024-03-01 10:00",
        ),
    ),
)

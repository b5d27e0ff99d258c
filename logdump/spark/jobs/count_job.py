"""COUNT under ENGINE SPARK: one job counts all files, and its rows are added to the local engine's count."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from logdump.features.count.survey import CountOptions, CountRun, FileCount
from logdump.session.engines import Unsupported
from logdump.session.errors import ExitStatus
from logdump.session.events import Event, Notice
from logdump.session.session import Session
from logdump.spark.jobs.engine import left_to_local, run_job, started
from logdump.tables.session_options import read_options
from trailformat import TrailFile, to_datetime
from trailformat.scan import Workers
from trailformat.trail.command_files import reading

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Row = dict[str, Any]
_COLUMNS = (
    "file,start_rba,table,partition,op_code,before_after,records,bytes,length,first_rba,last_rba,piece,_corrupt_record"
)


def count_in_spark(
    master: str, session: Session, options: CountOptions, workers: Workers
) -> Generator[Event, None, CountRun | None]:
    """Return the run of COUNT as a Spark job; None if this process must do it."""
    try:
        return SparkCounter(master, session, options, workers)
    except Unsupported as why:
        yield left_to_local(why)
        return None


class SparkCounter(CountRun):
    """One run of COUNT as a Spark job."""

    def __init__(self, master: str, session: Session, options: CountOptions, workers: Workers) -> None:
        """Collect the options of the job.

        Raises:
            Unsupported: COUNT has INTERVAL, or its FILTER cannot be written as text.
        """
        super().__init__(session, options, workers)
        self._master = master
        if options.interval:
            raise Unsupported("INTERVAL")
        self._options = {**read_options(session), **self._bounds(), **_limits(session)}
        self.is_filtered = "where" in self._options or options.effective
        self._rows: dict[str, list[Row]] = {}

    def prepare(self, paths: Sequence[Path]) -> Generator[Event, None, None]:
        """Run the job for all files."""
        spark = yield from started(self._master)
        try:
            rows = yield from run_job(spark, partial(_summary, spark, paths, self._options))
        except KeyboardInterrupt:
            yield Notice(("The Spark job is cancelled: nothing was counted.",), ExitStatus.INTERRUPTED)
            raise
        for row in rows:
            self._rows.setdefault(row["file"], []).append(row)

    def begin(self, trail: TrailFile) -> FileCount:
        """Return the count of a file; its selection has no filter, which the job has applied."""
        return FileCount(trail, self._session.selection(trail, filtered=False))

    def run(self, counting: FileCount) -> Iterator[Event]:
        """Add the rows that the job has returned for this file."""
        from logdump.spark.jobs.counting import add_rows  # noqa: PLC0415 - the job has loaded it

        trail = counting.trail
        rows = self._rows.get(str(trail.path), [])
        add_rows(self.count, rows)
        self.suppressed += sum(row["piece"]["suppressed"] for row in rows if row["piece"] is not None)
        damage = [row for row in rows if row["_corrupt_record"] is not None and row["first_rba"] is not None]
        files = reading()
        for row in sorted(damage, key=lambda row: row["first_rba"]):
            if row["length"]:
                self._note_span(trail, row["first_rba"], row["length"])
            elif files is not None:
                files.note_undecided(trail.path, row["first_rba"], row["last_rba"])
        yield from ()

    def _bounds(self) -> dict[str, str]:
        options = self.options
        bounds = {"startTimestamp": _moment(options.start), "endTimestamp": _moment(options.end), "table": options.file}
        bounds |= {"effective": "true"} if options.effective else {}
        return {name: value for name, value in bounds.items() if value is not None}


def _moment(julian: int | None) -> str | None:
    moment = to_datetime(julian) if julian is not None else None
    return moment.isoformat() if moment else None


def _limits(session: Session) -> dict[str, str]:
    settings = session.settings
    numbers = {
        "transHist": settings.trans_hist,
        "transRecLimit": settings.trans_rec_limit,
        "transByteLimit": settings.trans_byte_limit,
    }
    return {name: str(value) for name, value in numbers.items()}


def _summary(spark: SparkSession, paths: Sequence[Path], options: dict[str, str]) -> list[Row]:
    reader = spark.read.format("trail").options(**options)
    reader = reader.options(summary="true", mode="PERMISSIVE", skipFiles="false", columns=_COLUMNS)
    frame = reader.load([str(path) for path in paths])
    return [row.asDict(recursive=True) for row in frame.collect()]

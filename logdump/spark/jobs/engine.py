"""Spark for the commands of a session: it is started when needed, gets the filter, and runs jobs with progress."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Generator
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeVar

from logdump.session.engines import Engine, Job, Unsupported
from logdump.session.errors import CommandError, ExitStatus, MissingFileError
from logdump.session.events import Event, JobProgress, Notice
from logdump.tables.errors import SourceError, carried_by
from trailformat import BadRecord, TrailError, TrailFile
from trailformat.codec.on_demand import on_demand
from trailformat.transactions.whole_trail import note_incomplete

with on_demand:
    from logdump.spark.jobs import local_session
    from logdump.tables import options as source_options
    from logdump.tables import paths as source_paths

if TYPE_CHECKING:
    from pyspark import StatusTracker
    from pyspark.sql import SparkSession

    from logdump.tables.options import Paths

T = TypeVar("T")
LOCAL_MASTER = "local[*]"
"""Default master of ENGINE SPARK: as many tasks at a time as this machine has cores."""
MISSING_EXTRA = "Spark is an extra: pip install 'logdump[spark]'"
_PACKAGES = ("pyspark", "pyarrow", "numpy")
_EVERY = 0.25
_LONGEST_MESSAGE = 600
_DAMAGE = {"BadTrail", "FileChanged"}
_MISSING = {"NoTrailFiles"}
_CONDITION = re.compile(r"^\[[A-Z0-9_.]+\] ")
_STATE = re.compile(r" ?SQLSTATE: \w{5}.*", re.DOTALL)


_JOBS = {
    "COUNT": "count_job.count_in_spark",
    "SAVE": "save_job.save_in_spark",
    "EXPORT": "export_job.export_in_spark",
    "SQL": "sql_job.query_in_spark",
}
"""The function of each command's job, by module; its first argument is the master."""


def spark_engine(master: str = "") -> Engine:
    """Return Spark on a master as an engine; Spark is not started before a command needs it.

    Raises:
        CommandError: a package is missing.
    """
    _check_extra()
    master = master or LOCAL_MASTER
    return Engine(f"SPARK on {master}", {command: partial(_run, home, master) for command, home in _JOBS.items()})


def _run(home: str, master: str, *arguments: object) -> Generator[Event, None, Any]:
    module, _, function = home.partition(".")
    job: Job = getattr(import_module(f"logdump.spark.jobs.{module}"), function)
    return job(master, *arguments)


def _check_extra() -> None:
    """Check that the packages are installed, without loading them.

    Raises:
        CommandError: a package is missing.
    """
    missing = [name for name in _PACKAGES if find_spec(name) is None]
    if missing:
        raise CommandError(f"{MISSING_EXTRA} ({', '.join(missing)} not installed).")


def started(master: str) -> Generator[Event, None, SparkSession]:
    """Return the Spark session of a master: the running one, or a new one.

    Raises:
        CommandError: the extra or Java is missing, or Spark does not start.
    """
    _check_extra()
    yield JobProgress()
    try:
        return local_session.quiet_session(master)
    except SourceError as error:
        raise CommandError(f"{error}.") from error
    except Exception as error:
        if not _is_of_spark(error):
            raise
        raise CommandError(f"Spark does not start: {message_of(error)}") from error


def note_ends(paths: Paths) -> None:
    """Note for the answer of this command which of the trails that a job has read end in an incomplete record.

    Raises:
        CommandError: no file is there any more.
    """
    options = source_options.parse_options(source_options.path_options(paths), source_options.Use.READ)
    try:
        files = source_paths.find_files(options)
    except SourceError as error:
        raise CommandError(f"{error}: it is not known whether the trail ends in an incomplete record.") from error
    for file in files:
        if file.ends_trail:
            with suppress(TrailError), TrailFile(file.path) as trail:
                note_incomplete(trail, trail.end_of_records())


def left_to_local(why: Unsupported | str) -> Notice:
    """Return the notice that the local engine runs a command, with the reason."""
    return Notice((f"The local engine runs this: Spark does not support {why}.",), ExitStatus.OK)


def run_job(spark: SparkSession, action: Callable[[], T]) -> Generator[Event, None, T]:
    """Run the jobs of ``action``, yield their progress and return its result. Closing the generator cancels them.

    Raises:
        BadRecord: damage in a trail ended the job.
        CommandError: any other error of Spark or of the data source, in one line.
        Unsupported: raised by the action, as any other error that is not Spark's.
    """
    from pyspark import InheritableThread  # noqa: PLC0415 - the session has loaded it

    context, group, outcome = spark.sparkContext, f"logdump-{uuid.uuid4()}", Future[T]()

    def work() -> None:
        try:
            context.setJobGroup(group, "logdump", interruptOnCancel=True)
            outcome.set_result(action())
        except BaseException as error:  # noqa: BLE001 - it is raised where the outcome is read
            outcome.set_exception(error)

    thread = InheritableThread(work, daemon=True)
    thread.start()
    try:
        while not outcome.done():
            yield _progress(context.statusTracker(), group)
            thread.join(_EVERY)
    finally:
        if not outcome.done():
            context.cancelJobGroup(group)
    try:
        return outcome.result()
    except Exception as error:
        if not _is_of_spark(error):
            raise
        raise _in_one_line(error) from error


def _progress(tracker: StatusTracker, group: str) -> JobProgress:
    done = running = tasks = 0
    for job in tracker.getJobIdsForGroup(group):
        info = tracker.getJobInfo(job)
        for number in info.stageIds if info else ():
            stage = tracker.getStageInfo(number)
            if stage:
                done += stage.numCompletedTasks
                running += stage.numActiveTasks
                tasks += stage.numTasks
    return JobProgress(done, running, tasks)


def _is_of_spark(error: Exception) -> bool:
    return isinstance(error, SourceError) or type(error).__module__.split(".")[0] in {"pyspark", "py4j"}


def _in_one_line(error: Exception) -> BadRecord | CommandError:
    name = type(carried_by(str(error)) or error).__name__
    if name in _DAMAGE:
        return BadRecord(message_of(error))
    return (MissingFileError if name in _MISSING else CommandError)(message_of(error))


def message_of(error: Exception) -> str:
    """Return the message of a Spark error in one line: that of the SourceError inside it, if there is one."""
    text = str(error)
    if ours := carried_by(text):
        return str(ours)[:_LONGEST_MESSAGE]
    first = _STATE.sub("", text.strip().split("\n\n")[0])
    return _CONDITION.sub("", " ".join(first.split()))[:_LONGEST_MESSAGE]

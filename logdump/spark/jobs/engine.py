"""Spark for the commands of a session: it is started when needed, gets the filter, and runs jobs with progress."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Generator
from concurrent.futures import Future
from importlib.util import find_spec
from typing import TYPE_CHECKING, TypeVar

from logdump.language.words import split_commands
from logdump.session.errors import CommandError, ExitStatus, MissingFileError
from logdump.session.events import Event, JobProgress, Notice
from logdump.session.session import Session
from logdump.tables.errors import SourceError, carried_by, in_sql
from trailformat import BadRecord

if TYPE_CHECKING:
    from pyspark import StatusTracker
    from pyspark.sql import SparkSession

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


class NotForSpark(Exception):
    """The message names something that only the local engine does."""


def check_extra() -> None:
    """Check that the packages are installed, without loading them.

    Raises:
        CommandError: a package is missing.
    """
    missing = [name for name in _PACKAGES if find_spec(name) is None]
    if missing:
        raise CommandError(f"{MISSING_EXTRA} ({', '.join(missing)} not installed).")


def started(session: Session) -> Generator[Event, None, SparkSession]:
    """Return the Spark session of the chosen master; under ENGINE LOCAL the running one, or one on this machine.

    Raises:
        CommandError: the extra or Java is missing, or Spark does not start.
    """
    check_extra()
    yield JobProgress()
    from logdump.spark.jobs.local_session import quiet_session  # noqa: PLC0415 - it loads PySpark

    try:
        return quiet_session(session.settings.spark_master)
    except SourceError as error:
        raise CommandError(f"{error}.") from error
    except Exception as error:
        if not _is_of_spark(error):
            raise
        raise CommandError(f"Spark does not start: {message_of(error)}") from error


def read_options(session: Session) -> dict[str, str]:
    """Return the session's FILTER and SOURCEDEFS as options of a read. Raises like filter_options."""
    source = session.source_definitions
    if source is None:
        return filter_options(session)
    override = str(source.override).lower()
    return {**filter_options(session), "sourceDefs": str(source.path), "sourceDefsOverride": override}


def save_options(session: Session) -> dict[str, str]:
    """Return the session's FILTER as options of ``save``. Raises like filter_options."""
    filters = session.filters_in_use
    if session.source_definitions is not None and filters is not None and filters.active:
        from logdump.filters import Needs  # noqa: PLC0415 - there is a filter

        if Needs.VALUES in filters.needs:
            raise NotForSpark("a FILTER on values by the definitions of a file")
    return filter_options(session)


def filter_options(session: Session) -> dict[str, str]:
    """Return the session's FILTER as the option ``where``; no option without a filter.

    Raises:
        NotForSpark: the filter cannot be written as text.
    """
    filters = session.filters_in_use
    if filters is None or not filters.active:
        return {}
    statements = filters.statements()
    text = "; ".join(statements)
    if split_commands(text) != statements:
        raise NotForSpark("a FILTER with a semicolon outside of double quotes")
    return {"where": text}


def left_to_local(why: NotForSpark) -> Notice:
    """Return the notice that the local engine runs a command, with the reason."""
    return Notice((f"The local engine runs this: Spark does not support {why}.",), ExitStatus.OK)


def run_job(spark: SparkSession, action: Callable[[], T]) -> Generator[Event, None, T]:
    """Run the jobs of ``action``, yield their progress and return its result. Closing the generator cancels them.

    Raises:
        BadRecord: damage in a trail ended the job.
        CommandError: any other error of Spark or of the data source, in one line.
        NotForSpark: raised by the action, as any other error that is not Spark's.
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
    module = type(error).__module__
    return module.split(".")[0] in {"pyspark", "py4j"} or module.startswith("logdump.spark.")


def _in_one_line(error: Exception) -> BadRecord | CommandError:
    name = type(carried_by(str(error)) or error).__name__
    if name in _DAMAGE:
        return BadRecord(message_of(error))
    return (MissingFileError if name in _MISSING else CommandError)(message_of(error))


def message_of(error: Exception) -> str:
    """Return the message of a Spark error in one line: that of the SourceError inside it, if there is one."""
    text = str(error)
    if ours := carried_by(text):
        return in_sql(str(ours))[:_LONGEST_MESSAGE]
    first = _STATE.sub("", text.strip().split("\n\n")[0])
    return _CONDITION.sub("", " ".join(first.split()))[:_LONGEST_MESSAGE]

"""Spark sessions on this machine, for programs and the prompt, and registering the format in other sessions."""

from __future__ import annotations

import atexit
import logging
import os
import shutil
import sys
import tempfile
import warnings
from functools import cache
from pathlib import Path
from typing import IO, TYPE_CHECKING

from pyspark import SparkConf, SparkContext
from pyspark.errors import PySparkRuntimeError
from pyspark.java_gateway import launch_gateway
from pyspark.sql import SparkSession
from pyspark.sql.utils import is_remote as connects

from logdump.spark.jobs.java import missing_java
from logdump.tables.errors import SourceError
from trailformat.codec.on_demand import on_demand
from trailformat.scan.parallel import cores

with on_demand:
    from logdump.spark.source import data_source

if TYPE_CHECKING:
    from collections.abc import Callable

    from py4j.java_gateway import JavaGateway


_SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.python.unix.domain.socket.enabled": "true",
    "spark.sql.execution.pyspark.udf.faulthandler.enabled": "true",
    "spark.sql.execution.pyspark.udf.hideTraceback.enabled": "true",
}
_IN_PIPELINE = "ATTEMPT_ANALYSIS_IN_PIPELINE_QUERY_FUNCTION"
"""The condition of a session that is used in a query function of a pipeline."""
_NOT_FOUND, _THERE_ALREADY = "DATA_SOURCE_NOT_FOUND", "DATA_SOURCE_ALREADY_EXISTS"
"""Conditions of a session that does not find a format, and of one in which it is registered."""
_ROOT = str(Path(__file__).parents[3])


def session(master: str = "local[*]", **conf: str) -> SparkSession:
    """Return a session on this machine with the format registered; the running session if there is one.

    Workers run this Python; times are UTC; errors have one-line messages, and Spark's log has no lines of failed
    tasks. ``conf`` has further settings, with underscores in place of dots (``spark_driver_memory="4g"``). In a
    program that uses Spark Connect it is that session, with the settings of its server.

    Raises:
        SourceError: there is no Java, or it is too old.
    """
    if connects():
        spark = SparkSession.builder.getOrCreate()
        register(spark)
        return spark
    if missing := missing_java():
        raise SourceError(missing)
    prepare_workers()
    given = {name.replace("_", "."): value for name, value in conf.items()}
    builder = SparkSession.builder.master(master).appName("logdump")
    for name, value in {**_SETTINGS, "spark.sql.shuffle.partitions": str(cores()), **given}.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("FATAL")
    logging.getLogger("SQLQueryContextLogger").setLevel(logging.CRITICAL + 1)
    register(spark)
    return spark


def is_remote(spark: SparkSession) -> bool:
    """Return whether a session is one of Spark Connect, which has no SparkContext."""
    return type(spark).__module__.startswith("pyspark.sql.connect.")


def register(spark: SparkSession) -> None:
    """Register ``format("trail")`` in a session that does not find it by itself.

    In the driver, a registered format is planned by the Python of ``PYSPARK_PYTHON``, which may be for the workers
    only (``--archives``); a format found by itself is planned by the driver's own. If both are the same, registering
    is faster. In a query function of a pipeline nothing is done: there the format is found, or already registered.
    The workers of a local session run this Python afterwards, unless the session names another one.
    """
    _run_workers_here(spark)
    if os.environ.get("PYSPARK_PYTHON") != sys.executable:
        met = _conditions_met(lambda: spark.read.format("trail").option("columns", "rba").load("").schema)
        if _NOT_FOUND not in met:
            return
    _conditions_met(lambda: spark.dataSource.register(data_source.TrailSource))


def _run_workers_here(spark: SparkSession) -> None:
    """Have workers on this machine run this Python, not ``python3`` of the PATH: its environment may not be activated.

    Spark starts its own processes for Python with the name in ``pythonExec`` of the context, which functions and data
    sources take with them when they are made.
    """
    context = None if is_remote(spark) else spark.sparkContext
    if context is None or not (context.master or "").startswith("local"):
        return
    if "PYSPARK_PYTHON" not in os.environ and spark.conf.get("spark.pyspark.python", None) is None:
        context.pythonExec = sys.executable


def _conditions_met(use: Callable[[], object]) -> set[str]:
    """Return the conditions in which Spark refuses the use of a format that the caller knows; raise other errors.

    An error is known by its condition: whether its class is AnalysisException depends on the release of Spark.
    """
    try:
        use()
    except Exception as error:
        met = {condition for condition in (_IN_PIPELINE, _NOT_FOUND, _THERE_ALREADY) if condition in str(error)}
        if not met:
            raise
        return met
    return set()


def prepare_workers() -> None:
    """Have workers run this Python, with the folder that contains this package on their path."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    paths = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    if _ROOT not in paths:
        os.environ["PYTHONPATH"] = os.pathsep.join([_ROOT, *filter(None, paths)])


_TOLD = 2000


def quiet_session(master: str | None) -> SparkSession:
    """Return the running session, or a new one if there is none or its master is another.

    The output of Java goes to a temporary file. SQL tables are in a folder that is removed at the end of the process.

    Args:
        master: in Spark's notation; None for that of the running session, or else this machine.

    Raises:
        SourceError: there is no Java, or it is too old or does not start.
    """
    running = SparkSession.getActiveSession()
    if running is not None:
        if master in (None, running.sparkContext.master):
            return running
        running.stop()
    if missing := missing_java():
        raise SourceError(missing)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        started = _start(master or "local[*]")
    started.sparkContext.setLogLevel("OFF")
    logging.getLogger("SQLQueryContextLogger").setLevel(logging.CRITICAL + 1)
    return started


def _start(master: str) -> SparkSession:
    prepare_workers()
    settings = {"spark.log.level": "OFF", "spark.ui.enabled": "false", "spark.sql.warehouse.dir": _warehouse()}
    conf = SparkConf().setMaster(master).setAppName("logdump").setAll(list(settings.items()))
    SparkContext(conf=conf, gateway=_gateway())
    return session(master)


@cache
def _gateway() -> JavaGateway:
    """Start the Java of this process, which also serves the sessions that follow a stopped one."""
    with tempfile.TemporaryFile() as log:
        try:
            return launch_gateway(None, {"stderr": log, "stdout": log})  # type: ignore[no-untyped-call]
        except PySparkRuntimeError:
            raise SourceError(f"Java does not start: {_end_of(log)}") from None


def _end_of(log: IO[bytes]) -> str:
    """Return the last line of Java's output that is not blank."""
    size = log.seek(0, os.SEEK_END)
    log.seek(max(size - _TOLD, 0))
    lines = log.read().decode(errors="backslashreplace").splitlines()
    return next((line for line in reversed(lines) if line.strip()), "it says nothing")


@cache
def _warehouse() -> str:
    folder = tempfile.mkdtemp(prefix="logdump-spark-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder

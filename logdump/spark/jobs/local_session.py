"""Sessions of Spark on this machine, in programs and at a prompt; and making the format known to another."""

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

from logdump.spark.errors import SourceError
from logdump.spark.jobs.java import missing_java
from trailformat.scan.parallel import cores

if TYPE_CHECKING:
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
"""The error of a session that is asked for anything in a query function of a pipeline."""
_ROOT = str(Path(__file__).parents[3])


def session(master: str = "local[*]", **conf: str) -> SparkSession:
    """A session on this machine that knows the format; the one that there is already, if there is one.

    Workers are this Python; times are UTC; an error is raised with its one line, and Spark's log has none of the lines
    of its tasks that failed. ``conf`` holds more settings, with underscores for their dots
    (``spark_driver_memory="4g"``). In a program that uses Spark Connect it is that session, as its server has set it.

    Raises:
        SourceError: there is no Java.
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
    """Whether a session is one of Spark Connect, which has no SparkContext."""
    return type(spark).__module__.startswith("pyspark.sql.connect.")


def register(spark: SparkSession) -> None:
    """Make ``format("trail")`` known to a session that does not find it by itself.

    A registered format is planned by the Python of ``PYSPARK_PYTHON`` in the driver, which may be for the workers alone
    (``--archives``); one that is found is planned by the driver's own. Where both are one, registering is faster.
    In a query function of a pipeline nothing is done: there the format is found, or was registered before.
    """
    from pyspark.errors import AnalysisException  # noqa: PLC0415 - beside its only use

    try:
        if os.environ.get("PYSPARK_PYTHON") != sys.executable:
            _ = spark.read.format("trail").option("columns", "rba").load("").schema
            return
    except AnalysisException as error:
        if _IN_PIPELINE in str(error):
            return
        if "DATA_SOURCE_NOT_FOUND" not in str(error):
            raise
    try:
        _add(spark)
    except AnalysisException as error:
        if _IN_PIPELINE not in str(error):
            raise


def _add(spark: SparkSession) -> None:
    """Make ``format("trail")`` known to a session; to one that knows it already this does nothing."""
    from pyspark.errors import AnalysisException  # noqa: PLC0415 - beside its only use

    from logdump.spark.source.data_source import TrailSource  # noqa: PLC0415 - the session comes first

    try:
        spark.dataSource.register(TrailSource)
    except AnalysisException as error:
        if "DATA_SOURCE_ALREADY_EXISTS" not in str(error):
            raise


def prepare_workers() -> None:
    """Have workers be this Python, with the folder of this package on their path where it is not installed."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    paths = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    if _ROOT not in paths:
        os.environ["PYTHONPATH"] = os.pathsep.join([_ROOT, *filter(None, paths)])


_TOLD = 2000


def quiet_session(master: str | None) -> SparkSession:
    """The running session; a new one where there is none, or where another master is wanted.

    The output of Java goes to a temporary file. Tables of SQL lie in a folder that is removed with the process.

    Args:
        master: as Spark spells it; None for the running one, or else this machine.

    Raises:
        SourceError: there is no Java, or it does not start.
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
    """The Java of this process; a session that is stopped leaves it to the next."""
    with tempfile.TemporaryFile() as log:
        try:
            return launch_gateway(None, {"stderr": log, "stdout": log})  # type: ignore[no-untyped-call]
        except PySparkRuntimeError:
            raise SourceError(f"Java does not start: {_end_of(log)}") from None


def _end_of(log: IO[bytes]) -> str:
    """The last line that Java has written."""
    size = log.seek(0, os.SEEK_END)
    log.seek(max(size - _TOLD, 0))
    lines = log.read().decode(errors="backslashreplace").splitlines()
    return next((line for line in reversed(lines) if line.strip()), "it says nothing")


@cache
def _warehouse() -> str:
    folder = tempfile.mkdtemp(prefix="logdump-spark-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder

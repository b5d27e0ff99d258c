"""A session for people at a prompt: nothing of it on their terminal, nothing left in their folder."""

from __future__ import annotations

import atexit
import logging
import os
import shutil
import tempfile
import warnings
from functools import cache
from typing import IO, TYPE_CHECKING

from pyspark import SparkConf, SparkContext
from pyspark.errors import PySparkRuntimeError
from pyspark.java_gateway import launch_gateway
from pyspark.sql import SparkSession

from logdump.spark.errors import SourceError
from logdump.spark.jobs.java import missing_java
from logdump.spark.jobs.local_session import prepare_workers, session

if TYPE_CHECKING:
    from py4j.java_gateway import JavaGateway

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

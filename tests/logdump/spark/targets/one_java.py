"""One JVM of Spark for drivers that are killed one after another: only their processes write to a target.

A start of Spark takes ten times as long as a driver of a small trail. Here the JVM, its workers and its session stay,
and the next driver ends the query that a killed one has left.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pyspark import SparkConf, SparkContext

from logdump.spark import session
from logdump.spark.jobs.local_session import prepare_workers
from logdump.spark.stream.apply import SparkDriver
from tests.searching import Random

_PRELOADING = str(Path(__file__).parents[1] / "preloading")
_PROGRAM = """
import sys
from pyspark.java_gateway import launch_gateway

parameters = launch_gateway().java_parameters
print(parameters.port, parameters.auth_token, flush=True)
sys.stdin.read()
"""


@contextmanager
def one_java() -> Iterator[None]:
    """Context with a JVM, which the drivers of processes that are forked in it use."""
    prepare_workers()
    os.environ["PYTHONPATH"] = os.pathsep.join([_PRELOADING, os.environ["PYTHONPATH"]])
    line = [sys.executable, "-W", "ignore", "-c", _PROGRAM]
    with subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as started:
        assert started.stdin is not None
        assert started.stdout is not None
        os.environ["PYSPARK_GATEWAY_PORT"], os.environ["PYSPARK_GATEWAY_SECRET"] = started.stdout.readline().split()
        yield
        started.stdin.close()


def spark_driver(_random: Random) -> SparkDriver:
    """Return the driver of Spark in the session of the JVM, with no query of another process."""
    SparkContext._ensure_initialized()
    java = SparkContext._jvm
    assert java is not None
    active = getattr(getattr(java.org.apache.spark, "SparkContext$"), "MODULE$").getActive()
    if active.isDefined():
        conf = SparkConf(_jconf=active.get().conf())
        SparkContext(jsc=java.JavaSparkContext(active.get()), gateway=SparkContext._gateway, conf=conf)
    spark = session("local[2,4]", spark_sql_streaming_stopTimeout="60s")
    for query in spark.streams.active:
        query.stop()
    return SparkDriver(spark, None, once=True, interval=0.2)

"""Spark Connect, with a server on this machine: what works there, and what says that it does not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from fixtures import TRAILS
from logdump.spark.jobs.java import missing_java
from tests.searching import IS_LONG

pytestmark = [pytest.mark.spark, pytest.mark.skipif(not IS_LONG, reason="make test-long starts a second driver")]

ROOT = Path(__file__).parents[3]
PROGRAM = """
import json, sys
import logdump.spark
from logdump.spark.views import Views
from pyspark.sql import SparkSession

trail, out = sys.argv[1:]
spark = SparkSession.builder.remote("local[2]").getOrCreate()
try:
    assert logdump.spark.session() is spark
    found = {"records": spark.read.format("trail").load(trail).count()}
    found["saved"] = [[one.file, one.records] for one in logdump.spark.save(spark, trail, out)]
    found["changes"] = logdump.spark.changes(spark, trail, "TEAHOUSE.TEAS").count()
    found["view"] = Views(spark, trail, {}).query("SELECT count(*) FROM records").collect()[0][0]
    try:
        logdump.spark.diff(spark, trail, trail)
    except logdump.spark.errors.SourceError as error:
        found["diff"] = str(error)
finally:
    spark.stop()
print(json.dumps(found))
"""


def test_all_but_diff_works_over_connect(tmp_path: Path) -> None:
    pytest.importorskip("grpc_status")
    if missing := missing_java():
        pytest.skip(missing)
    env = {**os.environ, "PYSPARK_PYTHON": sys.executable, "PYTHONPATH": str(ROOT), "SPARK_LOCAL_IP": "127.0.0.1"}
    command = [sys.executable, "-c", PROGRAM, str(TRAILS / "st000000000"), str(tmp_path / "out")]
    done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert found == {
        "records": 19,
        "saved": [[str(tmp_path / "out" / "st000000000"), 18]],
        "changes": found["changes"],
        "view": 19,
        "diff": "diff needs a session with a SparkContext, which Spark Connect has not",
    }
    assert found["changes"]

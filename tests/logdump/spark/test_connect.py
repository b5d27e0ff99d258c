"""Spark Connect, with a server on this machine: all of it works there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from fixtures import TRAILS
from logdump.spark.jobs.java import missing_java
from tests.logdump.line import Line
from tests.logdump.spark.test_diff_frame import of_command
from tests.searching import Random
from tests.simulated.pairs import drawn, edited, written

pytestmark = [pytest.mark.spark, pytest.mark.slow]

ROOT = Path(__file__).parents[3]
PROGRAM = """
import json, sys
import logdump.spark
from logdump.spark.views import Views
from pyspark.sql import SparkSession

trail, a, b, out = sys.argv[1:]
spark = SparkSession.builder.remote("local[2]").getOrCreate()
try:
    assert logdump.spark.session() is spark
    found = {"records": spark.read.format("trail").load(trail).count()}
    found["saved"] = [[one.file, one.records] for one in logdump.spark.save(spark, trail, out)]
    found["changes"] = logdump.spark.changes(spark, trail, "TEAHOUSE.TEAS").count()
    found["view"] = Views(spark, trail, {}).query("SELECT count(*) FROM records").collect()[0][0]
    differences = logdump.spark.diff(spark, a, b, maxPartitionBytes="3k").collect()
    found["differences"] = [one.asDict(recursive=True) for one in differences]
    stream = spark.readStream.format("trail").load(trail).select("rba").writeStream.trigger(availableNow=True)
    query = stream.format("memory").queryName("seen").option("checkpointLocation", out + "-checkpoint").start()
    query.awaitTermination()
    found["streamed"] = spark.table("seen").count()
finally:
    spark.stop()
print(json.dumps(found))
"""


def test_all_of_it_works_over_connect(line: Line, tmp_path: Path) -> None:
    pytest.importorskip("grpc_status")
    if missing := missing_java():
        pytest.skip(missing)
    transactions = drawn(Random(4), 20)
    copy, truth = edited(Random(4), transactions)
    a, b = written(tmp_path / "a", transactions), written(tmp_path / "b", copy)
    env = {**os.environ, "PYSPARK_PYTHON": sys.executable, "PYTHONPATH": str(ROOT), "SPARK_LOCAL_IP": "127.0.0.1"}
    command = [sys.executable, "-c", PROGRAM, str(TRAILS / "st000000000"), a, b, str(tmp_path / "out")]
    done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    told = of_command(line, a, b, "records")
    assert sorted(json.dumps(difference, sort_keys=True) for difference in found.pop("differences")) == sorted(
        told.elements()
    )
    assert len(truth) > 0
    changes, streamed = found.pop("changes"), found.pop("streamed")
    assert found == {"records": 19, "saved": [[str(tmp_path / "out" / "st000000000"), 18]], "view": 19}
    assert changes
    assert streamed

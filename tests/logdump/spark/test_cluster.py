"""A standalone cluster on this machine, master and two workers: its executors have the package from a zip alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
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
from pyspark.sql import SparkSession

archive, trail, out = sys.argv[1:]
builder = SparkSession.builder.master("local-cluster[2,1,700]").config("spark.executor.memory", "600m")
spark = builder.config("spark.ui.enabled", "false").getOrCreate()
spark.sparkContext.addPyFile(archive)
logdump.spark.register(spark)

def places(rows):
    import logdump
    yield logdump.__file__

try:
    where = spark.sparkContext.parallelize(range(2), 2).mapPartitions(places).collect()
    found = {"from_zip": all(archive.rpartition("/")[2] in one for one in where)}
    found["records"] = spark.read.format("trail").load(trail).count()
    summary = spark.read.format("trail").option("summary", True).load(trail)
    found["summary"] = summary.groupBy().sum("records").first()[0]
    found["changes"] = logdump.spark.changes(spark, trail, "TEAHOUSE.TEAS").count()
    found["saved"] = [one.records for one in logdump.spark.save(spark, trail, out)]
    found["differences"] = logdump.spark.diff(spark, trail, out + "/st*").count()
finally:
    spark.stop()
print(json.dumps(found))
"""


def _zipped(path: Path) -> Path:
    """The packages as --py-files takes them."""
    with zipfile.ZipFile(path, "w") as archive:
        for package in ("logdump", "trailformat", "pyspark_trail"):
            for file in sorted((ROOT / package).rglob("*")):
                if file.is_file() and "__pycache__" not in file.parts:
                    archive.write(file, file.relative_to(ROOT))
    return path


def test_a_zip_is_enough_for_the_workers(tmp_path: Path) -> None:
    if missing := missing_java():
        pytest.skip(missing)
    archive = _zipped(tmp_path / "logdump.zip")
    env = {**os.environ, "PYSPARK_PYTHON": sys.executable, "PYTHONPATH": str(archive), "SPARK_LOCAL_IP": "127.0.0.1"}
    command = [sys.executable, "-c", PROGRAM, str(archive), str(TRAILS / "st000000000"), str(tmp_path / "out")]
    done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert found == {**found, "from_zip": True, "records": 19, "summary": 19, "saved": [18]}
    assert found["changes"]
    assert found["differences"] == 0

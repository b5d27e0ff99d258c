"""A standalone cluster, master and two workers: its executors have the package from a zip or an archive alone."""

from __future__ import annotations

import json
import os
import shlex
import socket
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pyspark
import pytest

from fixtures import TRAILS
from logdump.spark.jobs.java import missing_java

pytestmark = [pytest.mark.spark, pytest.mark.slow]

ROOT = Path(__file__).parents[3]
PACKAGES = ("logdump", "trailformat", "pyspark_trail")
PROGRAM = """
import json, sys
import logdump.spark
from pyspark.sql import SparkSession

master, kind, archive, trail, out = sys.argv[1:]
builder = SparkSession.builder.master(master).config("spark.executor.memory", "600m").config("spark.cores.max", "2")
if kind == "packed":
    builder = builder.config("spark.archives", archive + "#environment")
spark = builder.config("spark.ui.enabled", "false").getOrCreate()
if kind == "zip":
    spark.sparkContext.addPyFile(archive)
logdump.spark.register(spark)

def places(rows):
    import logdump
    yield logdump.__file__

try:
    where = spark.sparkContext.parallelize(range(2), 2).mapPartitions(places).collect()
    shipped = archive.rpartition("/")[2] if kind == "zip" else "/environment/"
    found = {"is_shipped": all(shipped in one for one in where)}
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
        for package in PACKAGES:
            for file in sorted((ROOT / package).rglob("*")):
                if file.is_file() and "__pycache__" not in file.parts:
                    archive.write(file, file.relative_to(ROOT))
    return path


def _packed(path: Path) -> Path:
    """An environment as --archives takes it: a Python that has the packages of the archive before all others."""
    python = path.with_name("python")
    python.write_text(f'#!/bin/sh\nPYTHONPATH="$(dirname "$0")/../lib" exec {shlex.quote(sys.executable)} "$@"\n')
    python.chmod(0o755)
    with tarfile.open(path, "w:gz") as archive:
        archive.add(python, "bin/python")
        for package in PACKAGES:
            archive.add(
                ROOT / package, f"lib/{package}", filter=lambda entry: None if "__pycache__" in entry.name else entry
            )
    return path


@pytest.fixture(scope="module")
def standalone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A master and two workers, processes of their own: the address of the master."""
    if missing := missing_java():
        pytest.skip(missing)
    folder = tmp_path_factory.mktemp("standalone")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    starter = [str(Path(pyspark.__file__).parent / "bin" / "spark-class")]
    local = ["--host", "127.0.0.1", "--webui-port", "0"]
    address, deploy = f"spark://127.0.0.1:{port}", "org.apache.spark.deploy"
    worker = [*starter, f"{deploy}.worker.Worker", *local, "-c", "1", "-m", "700m", "-d", str(folder), address]
    master = [*starter, f"{deploy}.master.Master", *local, "--port", str(port)]
    env = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1"}
    with (folder / "log").open("wb") as log:
        started = [subprocess.Popen(command, env=env, stdout=log, stderr=log) for command in (master, worker, worker)]
        try:
            yield address
        finally:
            for process in started:
                process.kill()
                process.wait()


@pytest.mark.parametrize("kind", ["zip", "packed"])
def test_what_is_shipped_is_enough_for_the_workers(kind: str, standalone: str, tmp_path: Path) -> None:
    archive = _zipped(tmp_path / "logdump.zip") if kind == "zip" else _packed(tmp_path / "env.tar.gz")
    of_driver = {"PYSPARK_DRIVER_PYTHON": sys.executable, "PYTHONPATH": str(archive if kind == "zip" else ROOT)}
    of_workers = {"PYSPARK_PYTHON": sys.executable if kind == "zip" else "./environment/bin/python"}
    env = {**os.environ, **of_driver, **of_workers, "SPARK_LOCAL_IP": "127.0.0.1"}
    paths = [str(archive), str(TRAILS / "st000000000"), str(tmp_path / "out")]
    command = [sys.executable, "-c", PROGRAM, standalone, kind, *paths]
    done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert found == {**found, "is_shipped": True, "records": 19, "summary": 19, "saved": [18]}
    assert found["changes"]
    assert found["differences"] == 0

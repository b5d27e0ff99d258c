"""The examples run, and so does a line mode of its own, which leaves nothing behind."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pyspark
import pytest

from fixtures import TRAILS
from tests.logdump.spark.reads import rows
from tests.searching import IS_LONG

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

ROOT = Path(__file__).parents[3]
EXAMPLES = ROOT / "examples"
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}


@pytest.mark.skipif(not IS_LONG, reason="make test-long starts a second driver")
def test_the_job_of_spark_submit(spark: SparkSession, tmp_path: Path) -> None:
    submit, target = Path(pyspark.__file__).parent / "bin" / "spark-submit", tmp_path / "changes"
    example = EXAMPLES / "changes_per_hour.py"
    settings = ["--master", "local[2]", "--conf", "spark.ui.enabled=false"]
    command = [str(submit), *settings, str(example), str(TRAILS / "st*"), str(target)]
    environment = ENVIRONMENT | {"PYSPARK_DRIVER_PYTHON": sys.executable}
    subprocess.run(command, check=True, capture_output=True, cwd=tmp_path, env=environment)
    found = spark.read.parquet(str(target)).groupBy().sum("changes", "bytes").collect()
    named = [row for row in rows(TRAILS / "st*", "table", "record_length") if row["table"] is not None]
    assert [tuple(row) for row in found] == [(len(named), sum(row["record_length"] for row in named))]


def test_the_notebook(spark: SparkSession, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRAIL", str(TRAILS / "st*"))
    try:
        runpy.run_path(str(EXAMPLES / "notebook.py"))
    finally:
        spark.catalog.dropTempView("changes")
    shown = capfd.readouterr().out
    assert "|TEAHOUSE.SALES|" in shown
    assert "|    Insert|     10|" in shown


@pytest.mark.skipif(not IS_LONG, reason="make test-long starts a second driver")
def test_line_mode_prints_nothing_of_java_and_leaves_nothing(tmp_path: Path) -> None:
    commands = f"open {TRAILS / 'et000000000'}; engine spark local[2]; count; sql select count(*) n from records; sql x"
    command = [sys.executable, "-m", "logdump", "-c", commands]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=ENVIRONMENT, check=False)
    assert done.stderr == "Syntax error at or near 'x'.\n"
    assert done.returncode == 1
    assert done.stdout.splitlines()[-4:] == [" n", "--", "22", "1 row"]
    assert not list(tmp_path.iterdir())

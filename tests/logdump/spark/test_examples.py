"""The examples and the samples of docs/spark.md run, and so does a line mode of its own, which leaves nothing."""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyspark
import pytest

import logdump.spark
from fixtures import TRAILS
from logdump.spark import register
from tests.logdump.tables.reads import rows
from tests.test_samples import RUN, SPARK_PAGES, Block, environment, run_console

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

ROOT = Path(__file__).parents[3]
EXAMPLES = ROOT / "examples"
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}


@pytest.mark.slow
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


@pytest.fixture
def own(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> Iterator[SparkSession]:
    """The session that samples get, with no views and no table ``trail``."""
    session = spark.newSession()
    register(session)
    monkeypatch.setattr(logdump.spark, "session", lambda: session)
    session.sql("DROP TABLE IF EXISTS trail")
    yield session
    session.sql("DROP TABLE IF EXISTS trail")


def test_the_samples_of_the_page_run_one_after_the_other(
    own: SparkSession, as_after_make_demo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(as_after_make_demo)
    names: dict[str, Any] = {"spark": own}
    with warnings.catch_warnings(action="ignore"):
        for block in _of_the_page("python", "sql"):
            # the directory of the workers is the one in which the first session began
            text = re.sub(r"\b(fixtures|saved)/", rf"{as_after_make_demo}/\1/", block.text)
            if block.language == "python":
                exec(text, names)
            else:
                for statement in filter(str.strip, re.sub(r"--.*", "", text).split(";")):
                    own.sql(statement).collect()


@pytest.mark.slow
@pytest.mark.usefixtures("spark")
def test_the_session_at_the_prompt_runs_in_a_process_of_its_own(as_after_make_demo: Path) -> None:
    for block in _of_the_page("console"):
        run_console(as_after_make_demo, block.text)


@pytest.mark.slow
def test_the_commands_of_the_page_run(as_after_make_demo: Path) -> None:
    for block in _of_the_page("sh"):
        command, env = ["bash", "-euc", block.text], environment(as_after_make_demo)
        subprocess.run(command, cwd=as_after_make_demo, env=env, check=True)


def _of_the_page(*languages: str) -> list[Block]:
    """Those of the guide first: they make the session."""
    blocks = [block for block in RUN if block.page in SPARK_PAGES and block.language in languages]
    return sorted(blocks, key=lambda block: block.page != "docs/spark.md")


def test_the_notebook(spark: SparkSession, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRAIL", str(TRAILS / "st*"))
    try:
        runpy.run_path(str(EXAMPLES / "notebook.py"))
    finally:
        spark.catalog.dropTempView("changes")
    shown = capfd.readouterr().out
    assert "|TEAHOUSE.SALES|" in shown
    assert "|    Insert|     10|" in shown


@pytest.mark.slow
def test_line_mode_prints_nothing_of_java_and_leaves_nothing(tmp_path: Path) -> None:
    commands = f"open {TRAILS / 'et000000000'}; engine spark local[2]; count; sql select count(*) n from records; sql x"
    command = [sys.executable, "-m", "logdump", "-c", commands]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=ENVIRONMENT, check=False)
    assert done.stderr == "Syntax error at or near 'x'.\n"
    assert done.returncode == 1
    assert done.stdout.splitlines()[-4:] == [" n", "--", "22", "1 row"]
    assert not list(tmp_path.iterdir())

"""ENGINE and SQL, as far as they go without Spark."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from logdump.commands import REGISTRY
from logdump.display.text import render
from logdump.features.sql.command import Query
from logdump.language.reader import Context, parse
from logdump.session.engines import Unsupported
from logdump.session.errors import ArgumentError, CommandError
from logdump.session.events import JobProgress
from logdump.session.settings import Settings
from logdump.spark.jobs import engine as spark_engine
from logdump.spark.jobs import save_job
from logdump.tables import session_options
from tests.logdump.line import Line

ROOT = Path(__file__).parents[3]


def test_it_is_local_at_first(line: Line) -> None:
    assert line("engine") == ["Engine is LOCAL"]


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("spark", "SPARK on local[*]"),
        ("Spark local[4]", "SPARK on local[4]"),
        ("spark local[2,4]", "SPARK on local[2,4]"),
        ("spark spark://host:7077", "SPARK on spark://host:7077"),
        ("spark yarn", "SPARK on yarn"),
        ("spark; engine local", "LOCAL"),
    ],
)
def test_it_is_set(line: Line, typed: str, told: str) -> None:
    assert line(f"engine {typed}") == []
    assert line("engine") == [f"Engine is {told}"]


@pytest.mark.parametrize("typed", ["moon", "local 4", "spark moon", "spark local[x]", "spark local[2] now"])
def test_what_is_no_engine_changes_nothing(line: Line, typed: str) -> None:
    line(f"engine spark yarn; engine {typed}")
    assert len(line.failures) == 1
    assert line("engine") == ["Engine is SPARK on yarn"]


def test_without_the_extra_it_says_what_to_install(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spark_engine, "find_spec", lambda name: None if name == "pyspark" else name)
    missing = "Spark is an extra: pip install 'logdump[spark]' (pyspark not installed)."
    assert line("engine spark") == [missing]
    assert line("engine") == ["Engine is LOCAL"]


def test_without_java_it_says_what_to_install(tmp_path: Path, trails: Path) -> None:
    commands = f"open {trails / 'et000000000'}; engine spark; count"
    environment = {**os.environ, "PATH": str(tmp_path), "JAVA_HOME": "", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "logdump", "-c", commands]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 1
    assert done.stderr == (
        "Spark needs Java 17 or later, and there is none; on Debian and Ubuntu: "
        "apt-get install --yes default-jre-headless.\n"
    )


def _query(text: str) -> object:
    return parse(REGISTRY.find("SQL").form, text, Context())


def test_sql_takes_a_path_before_the_statement(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert _query("select 1") == Query(None, None, None, None, "select 1")
    assert _query("over lt* select\n1") == Query((str(tmp_path / "lt*"),), None, None, None, "select\n1")
    assert _query('OVER "a b/lt*" select 1') == Query((str(tmp_path / "a b/lt*"),), None, None, None, "select 1")


@pytest.mark.parametrize("text", ["", "over", "over lt*"])
def test_sql_takes_a_statement(text: str) -> None:
    with pytest.raises(ArgumentError, match="takes a statement"):
        _query(text)


def test_the_filter_is_handed_over_as_text(line: Line) -> None:
    assert session_options.filter_options(line.session) == {}
    line("filter include filename hr.*; filter exclude rectype 5")
    text = "INCLUDE MATCH ANY; INCLUDE filename hr.*; EXCLUDE MATCH ANY; EXCLUDE rectype 5"
    assert session_options.filter_options(line.session) == {"where": text}
    line("filter off")
    assert session_options.filter_options(line.session) == {}


def test_the_definitions_file_is_handed_over_by_its_path(line: Line) -> None:
    path = Path(__file__).parents[2] / "transcripts" / "obey" / "teahouse.def"
    line(f"sourcedefs {path} override")
    assert session_options.read_options(line.session) == {"sourceDefs": str(path), "sourceDefsOverride": "true"}
    assert save_job._filter(line.session) == {}
    line("filter include value PRICE > 1")
    with pytest.raises(Unsupported, match="by the definitions of a file"):
        save_job._filter(line.session)


def test_the_progress_of_a_job() -> None:
    assert [*render(JobProgress(), Settings())] == ["Spark is getting ready"]
    assert [*render(JobProgress(5, 2, 16), Settings())] == ["Spark: 5 of 16 tasks, 2 running"]


SYNTAX = "[PARSE_SYNTAX_ERROR] Syntax error at or near 'x'. SQLSTATE: 42601 (line 1)\n\n== SQL ==\nx"
OURS = "An exception\nlogdump.tables.errors.BadOption: option where: FILTER has no option X\n\tat Worker"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (SYNTAX, "Syntax error at or near 'x'."),
        (OURS, "option where: FILTER has no option X"),
        ("two\nlines", "two lines"),
    ],
)
def test_errors_of_spark_are_one_line(text: str, shown: str) -> None:
    assert spark_engine.message_of(CommandError(text)) == shown

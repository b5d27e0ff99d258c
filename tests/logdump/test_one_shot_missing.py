"""A verb of the shell on a file that is not there ends with 4, as damage does: what was to be read cannot be."""

from __future__ import annotations

from pathlib import Path

import pytest

from logdump.commands import REGISTRY
from logdump.session.errors import ExitStatus
from tests.logdump.program import logdump

MISSING = {
    "CHECK": ("check nosuch", "check no/such"),
    "DOCTOR": ("doctor nosuch", "doctor no/such*"),
    "COUNT": ("count nosuch", "count log nosuch", "count log no/such*"),
    "DIFF": ("diff nosuch et000000000", "diff et000000000 nosuch", "diff no/such et000000000"),
    "DDL": ("ddl over nosuch all",),
    "RECOVERY": ("recovery over nosuch",),
    "TRANSACTIONS": ("transactions over nosuch",),
    "BR": ("br over nosuch",),
    "COMPRESS": ("compress over nosuch",),
    "HEARTBEAT": ("heartbeat over nosuch",),
    "REPAIR": ("repair over nosuch to xx",),
    "FILES": ("files nosuch", "files no/such*"),
    "REPORT": ("report over nosuch to xx.md",),
    "REDACT": ("redact over nosuch to xx",),
    "WATCH": ("watch nosuch once",),
    "APPLY": ("apply over nosuch to sqlite:///xx.db once",),
    "PUBLISH": ("publish over nosuch to kafka://127.0.0.1:1 once",),
    "SQL": ("sql over nosuch select count(*) from records",),
}
"""The verbs that take files, by their first names."""
_WITHOUT_FILES = {"HELP"}


@pytest.fixture(autouse=True)
def here(trails: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder of the trails."""
    monkeypatch.chdir(trails)


def test_the_table_has_every_verb() -> None:
    verbs = {command.name.split()[0] for command in REGISTRY.commands if command.is_one_shot}
    assert verbs == MISSING.keys() | _WITHOUT_FILES


@pytest.mark.parametrize("words", [line for verb, lines in MISSING.items() if verb != "SQL" for line in lines])
def test_a_file_that_is_not_there_is_status_4(words: str, tmp_path: Path) -> None:
    (tmp_path / "r.prm").write_text("REPLICAT r\nMAP *.*, TARGET *.*;\n")
    entered = f"params {tmp_path / 'r.prm'}; {words}" if words.startswith("ddl") else ""
    answer = logdump("-c", entered) if entered else logdump(*words.split())
    assert answer.status == ExitStatus.BAD_DATA
    assert "such" in answer.err
    assert "Syntax" not in answer.err


@pytest.mark.spark
@pytest.mark.parametrize("words", MISSING["SQL"])
def test_one_of_spark_is_too(words: str) -> None:
    from logdump.spark.jobs.engine import _in_one_line
    from logdump.tables.errors import NoTrailFiles

    error = _in_one_line(NoTrailFiles(f"no trail files match {words.split()[2]}"))
    assert getattr(error, "status", None) is ExitStatus.BAD_DATA

"""What an answer of a Spark job lacks has its status, as that of the local engine has.

A change of which the filter cannot tell whether it passes, and a record that is still being written, are known to the
tasks, which are other processes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.logdump.spark.engines import BothEngines
from tests.logdump.spark.targets.rows import Trail
from tests.searching import Random

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

LINES = {
    "count": "count",
    "lines": "export jsonl to {folder}/rows.jsonl",
    "by table": "export csv to {folder}/tables by table",
    "save": "save {folder}/zz000000",
    "sql": "sql select count(*) from records",
}


@pytest.fixture
def both(spark: SparkSession) -> Iterator[BothEngines]:  # noqa: ARG001 - the one that ENGINE finds
    sessions = BothEngines()
    yield sessions
    sessions.end()


@pytest.mark.parametrize("command", LINES)
@pytest.mark.parametrize("lack", ["undecided", "incomplete", "both"])
def test_it_is_told_by_both_engines(command: str, lack: str, both: BothEngines, tmp_path: Path) -> None:
    random, trail = Random(f"{command} {lack}"), Trail({"S.A": {"ID": "INT64"}, "S.B": {"ID": "INT64"}})
    for number in range(random.randrange(4, 20)):
        trail.insert(random.choice(("S.A", "S.B")), number)
    trail.insert("S.A", 1)
    trail.insert("S.B", 1)
    if lack != "incomplete":
        trail.undefine("S.A")
    path = trail.write(tmp_path / "trail")
    if lack != "undecided":
        path.write_bytes(path.read_bytes()[: -random.randrange(1, 40)])
    value, places = random.randrange(3), []
    for session, name in ((both.local, "here"), (both.spark, "spark")):
        (folder := tmp_path / name).mkdir()
        session(f"open {path}")
        session(f"filter include value ID = {value}")
        told = "\n".join(session(LINES[command].format(folder=folder)))
        status = max(getattr(event, "status", None) or 0 for event in session.events)
        places.append((status, {*map(int, re.findall(r"RBA (\d+)", told))}))
    assert both.spark.has_run_a_job
    assert places[0] == places[1]
    assert places[0][0] == 4

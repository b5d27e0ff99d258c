"""Tasks that die are done again, and what they had begun is nowhere to be seen: exactly once, both ways."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from fixtures import TRAILS
from logdump.spark.jobs.java import missing_java
from tests.logdump.spark.written import body, trail_files

pytestmark = pytest.mark.spark

FILES = 12
ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the run tells, with the folders of the source and of what was written."""
    if missing := missing_java():
        pytest.skip(missing)
    source, out = tmp_path_factory.mktemp("dirdat"), tmp_path_factory.mktemp("out")
    for number in range(FILES):
        (source / f"lt{number:09d}").write_bytes((TRAILS / f"st00000000{number % 2}").read_bytes())
    program = [sys.executable, "-m", "tests.logdump.spark.killed_tasks", str(source), str(out)]
    done = subprocess.run(program, capture_output=True, text=True, check=False, cwd=ROOT, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return {**told, "source": source, "out": out}


@pytest.mark.parametrize("way", ["save", "frame"])
def test_tasks_did_die(run: dict[str, Any], way: str) -> None:
    assert run[f"by_{way}"] >= 1


@pytest.mark.parametrize("way", ["direct", "frame"])
def test_every_record_is_there_once(run: dict[str, Any], way: str) -> None:
    written = trail_files(run["out"] / way)
    assert [body(one) for one in written] == [body(one) for one in trail_files(run["source"])]


@pytest.mark.parametrize("way", ["direct", "frame"])
def test_nothing_else_is_left(run: dict[str, Any], way: str) -> None:
    names = {f"lt{number:09d}" for number in range(FILES)}
    assert {one.name for one in (run["out"] / way).iterdir()} == names | {"_SUCCESS"}


def test_the_job_belongs_to_the_jvm(run: dict[str, Any]) -> None:
    assert run["owner"] == run["jvm"]

"""The repository holds what each submission is checked by, and nothing that only one machine has.

Tests that need Spark run in two workers: each session more would take as long again to start, and to warm.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.conftest import OF_SPARK, scope_of


def test_every_test_that_needs_spark_goes_to_a_worker_of_those(request: pytest.FixtureRequest) -> None:
    nodeids = [item.nodeid for item in request.session.items if item.get_closest_marker("spark")]
    assert {nodeid: scope_of(nodeid) for nodeid in nodeids if scope_of(nodeid) not in OF_SPARK} == {}


ROOT = Path(__file__).parents[2]


def _tracked() -> dict[str, str]:
    """Mode of each tracked file by its name."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a clone: git does not know what is tracked")
    listed = subprocess.run(["git", "ls-files", "-s"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return {line.split("\t", 1)[1]: line.split(" ", 1)[0] for line in listed.splitlines()}


def test_the_checks_are_tracked_as_a_program() -> None:
    assert _tracked()[".ci/run"] == "100755"


def test_no_repository_lies_in_the_repository() -> None:
    assert [name for name, mode in _tracked().items() if mode == "160000"] == []

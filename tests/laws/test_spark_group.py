"""Tests that need Spark run in two workers: each session more would take as long again to start, and to warm."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.conftest import OF_SPARK, scope_of

if TYPE_CHECKING:
    import pytest


def test_every_test_that_needs_spark_goes_to_a_worker_of_those(request: pytest.FixtureRequest) -> None:
    nodeids = [item.nodeid for item in request.session.items if item.get_closest_marker("spark")]
    assert {nodeid: scope_of(nodeid) for nodeid in nodeids if scope_of(nodeid) not in OF_SPARK} == {}

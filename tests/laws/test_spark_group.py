"""Tests that need Spark run in one worker: a second session would take as long again to start, and to warm."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest


def test_xdist_knows_the_group_of_every_test_that_needs_spark(request: pytest.FixtureRequest) -> None:
    if not hasattr(request.config, "workerinput"):
        return  # there is one process
    names = [item.nodeid for item in request.session.items if item.get_closest_marker("spark")]
    assert [name for name in names if not name.endswith("@spark")] == []

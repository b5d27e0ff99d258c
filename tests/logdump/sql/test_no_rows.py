"""A view of Oracle's heartbeat tables without rows says why; another view, and one with rows, does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.logdump.program import logdump

_SAID = "is made of the rows of GG_HEARTBEAT in a trail captured from a target."


@pytest.mark.parametrize("view", ["gg_lag", "gg_lag_history", "gg_heartbeat", "gg_heartbeat_history"])
def test_a_heartbeat_view_of_a_trail_without_its_rows_says_why_it_is_empty(view: str, trails: Path) -> None:
    answer = logdump("sql", f"SELECT * FROM {view}", str(trails / "et"), "--format", "csv")
    assert f"{view} {_SAID}" in answer.err
    assert (answer.status, len(answer.out.splitlines())) == (0, 1)


@pytest.mark.parametrize(
    ("statement", "trail"),
    [("SELECT * FROM gg_lag", "yt"), ("SELECT * FROM restarts", "et"), ("SELECT * FROM heartbeats", "et")],
)
def test_another_result_has_no_such_reason(statement: str, trail: str, trails: Path) -> None:
    answer = logdump("sql", statement, str(trails / trail))
    assert _SAID not in answer.err + answer.out
    assert answer.status == 0

"""A beat that is late is not missing, a beat that nobody has written is: HEARTBEAT, its gaps, DOCTOR and EXPLAIN LAG.

At a target a beat is committed as late as the lag is, so that the newest beat is always as old as the lag.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.logdump.program import logdump
from tests.searching import Random, examples
from tests.simulated.heartbeat_trails import HeartbeatTrail
from tests.simulated.late_replication import MINUTE, SECOND, applied

LEAST = 3 * SECOND
"""What Extract, the pump and Replicat take at least."""


class Source(NamedTuple):
    """A database with a job that writes a beat each minute up to ``last``, and the lag of each of them."""

    name: str
    last: int
    lags: tuple[int, ...]

    def committed(self, minute: int) -> int:
        """When the beat of a minute is in the target; of one that was not written: with the last lag."""
        return minute * MINUTE + self.lags[min(minute, self.last)]

    def missing(self, newest: int) -> int:
        """How many beats should have come by a moment, half a minute of grace for each."""
        minutes = range(self.last + 1, 1000)
        return sum(self.committed(minute) + MINUTE // 2 < newest for minute in minutes)


def written(path: Path, sources: list[Source], newest: int) -> str:
    rows = []
    for source in sources:
        for minute in range(source.last + 1):
            rest = (source.committed(minute) - minute * MINUTE - LEAST) / SECOND
            row = applied(minute * MINUTE, rest, 1.0) | {"REMOTE_DATABASE": source.name}
            rows.append((source.committed(minute), row))
    trail = HeartbeatTrail(path)
    for committed, row in sorted(rows, key=lambda entry: entry[0]):
        trail.insert(row, committed, "_HISTORY")
    trail.worked(newest)
    return str(trail.close())


def objects(*words: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in logdump(*words, "--format", "jsonl").out.splitlines()]


def drawn(random: Random, name: str) -> Source:
    """Steady or growing lags, shorter or much longer than the minute between two beats."""
    last = random.randint(4, 12)
    first = LEAST + random.choice((0, 20, 59, 61, 150, 300, 900)) * SECOND
    growth = random.choice((0, 0, 7)) * SECOND
    return Source(name, last, tuple(first + growth * minute for minute in range(last + 1)))


def check(folder: Path, sources: list[Source], newest: int) -> None:
    path = written(folder / "ov000000000", sources, newest)
    due = {source.name: missing for source in sources if (missing := source.missing(newest))}
    lags = [shown for shown in objects("heartbeat", path) if shown["type"] == "heartbeat_lag"]
    assert {lag["source_database"]: lag["missing"] for lag in lags if lag["missing"]} == due
    gaps = [shown for shown in objects("heartbeat", path, "GAPS") if shown["type"] == "heartbeat_gap"]
    assert {gap["source_database"]: gap["beats"] for gap in gaps} == due
    assert all(gap["before"] is gap["before_at"] is None for gap in gaps)
    doctor = " ".join(logdump("doctor", path).out.split())
    assert [f"{beats} heartbeat{'s' * (beats > 1)} missing" in doctor for beats in due.values()] == [True] * len(due)
    assert ("missing" in doctor) == bool(due)
    answer = logdump("explain", path, "LAG").out
    assert any(f"Path: {name} => TGT" in answer for name in _may_decide(sources, due, newest))
    assert ("missing, and no restart" in answer) == _is_silent(sources, due, newest)


def _silence(source: Source, newest: int) -> int:
    return newest - source.committed(source.last)


def _is_silent(sources: list[Source], due: dict[str, int], newest: int) -> bool:
    """Whether beats have been missing for longer than the greatest lag is."""
    longest = max((_silence(source, newest) for source in sources if source.name in due), default=0)
    return longest > max(max(source.lags) for source in sources)


def _may_decide(sources: list[Source], due: dict[str, int], newest: int) -> list[str]:
    """The sources with the longest silence, or else the greatest lag."""
    decisive = {source.name: max(source.lags) for source in sources}
    if _is_silent(sources, due, newest):
        decisive = {source.name: _silence(source, newest) for source in sources if source.name in due}
    return [name for name, value in decisive.items() if value == max(decisive.values())]


@pytest.mark.parametrize("seed", range(examples(30)))
def test_a_steady_lag_lets_no_beat_be_missing_and_a_stopped_job_does(seed: int, tmp_path: Path) -> None:
    random = Random(seed)
    source = drawn(random, "SRC")
    after = random.choice((0, 1, 40, 89, 91, 200, 600)) * SECOND
    check(tmp_path, [source], source.committed(source.last) + after)


@pytest.mark.parametrize("seed", range(examples(20)))
def test_of_several_sources_the_one_that_has_stopped_is_named(seed: int, tmp_path: Path) -> None:
    random = Random(seed)
    sources = [drawn(random, name) for name in ("EAST", "NORTH", "SOUTH")]
    check(tmp_path, sources, max(source.committed(source.last) for source in sources) + random.randint(0, 3 * MINUTE))


def test_beats_that_are_missing_between_others_come_before_those_after_the_last(tmp_path: Path) -> None:
    trail = HeartbeatTrail(tmp_path / "ov000000000")
    for minute in (0, 1, 2, 3, 6, 7, 8, 12, 13):
        trail.insert(applied(minute * MINUTE, 1.0, 1.0), minute * MINUTE + LEAST, "_HISTORY")
    trail.worked(20 * MINUTE)
    gaps = [shown for shown in objects("heartbeat", str(trail.close()), "GAPS") if shown["type"] == "heartbeat_gap"]
    assert [gap["beats"] for gap in gaps[:2]] == [2, 3]
    assert [gap["before"] is None for gap in gaps] == [False, False, True]


def test_a_process_that_was_renamed_lacks_no_beat_and_one_that_stopped_beside_another_does(tmp_path: Path) -> None:
    for name, first in (("renamed", 6), ("beside", 3)):
        trail = HeartbeatTrail(tmp_path / name)
        for minute in range(20):
            old, new = (applied(minute * MINUTE, 0, 1.0) | {"INCOMING_REPLICAT": each} for each in ("REPA", "REPB"))
            if minute < 6:
                trail.insert(old, minute * MINUTE + LEAST, "_HISTORY")
            if minute >= first:
                trail.insert(new, minute * MINUTE + LEAST, "_HISTORY")
        path = str(trail.close())
        missing = [lag["missing"] for lag in objects("heartbeat", path) if lag["type"] == "heartbeat_lag"]
        assert missing == [13 if name == "beside" else 0, 0]

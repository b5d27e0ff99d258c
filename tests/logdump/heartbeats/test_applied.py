"""Heartbeat rows count when a Replicat applies their transactions: once, however often those stand in the trail."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from logdump.display import json_lines
from logdump.features.count.model import CountShown
from logdump.features.heartbeat.columns import heartbeat_history, lag_history
from logdump.features.heartbeat.model import BeatShown, HeartbeatRow, HeartbeatRowShown, HeartbeatsShown
from logdump.features.heartbeat.reading import HeartbeatReader
from logdump.features.timeline.timeline import TimelineScan
from logdump.session.effective_rows import NotAppliedByFile
from tests.logdump.line import Line
from tests.searching import Random, examples
from tests.simulated.heartbeat_trails import BEGUN, HeartbeatTrail
from tests.simulated.late_replication import MINUTE, applied
from trailformat import TrailFile
from trailformat.records.record_header import INSERT


def history_trail(path: Path) -> Path:
    """History rows 0 to 5, then 3 to 8 as a pump that rebuilds its files writes them: 3 to 5 are copies."""
    trail = HeartbeatTrail(path)
    for minute in range(6):
        trail.insert(applied(minute * MINUTE, 1.0, 0.5), minute * MINUTE, "_HISTORY")
    trail.go_back(3)
    for minute in range(3, 9):
        trail.insert(applied(minute * MINUTE, 1.0, 0.5), minute * MINUTE, "_HISTORY")
    return trail.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return history_trail(tmp_path / "hh000000000")


def rows(path: Path) -> list[HeartbeatRow]:
    with TrailFile(path) as trail:
        found = HeartbeatReader(not_applied_in=NotAppliedByFile().of).rows(trail)
        return [item for item in found if isinstance(item, HeartbeatRow)]


def test_beats_of_a_trail_that_was_written_again_count_once(path: Path, line: Line) -> None:
    line(f"open {path}")
    text = line("heartbeat")
    assert "9 beats, 1 path" in text[0]
    assert "3 rows of transactions that a Replicat does not apply, left out: RECOVERY lists them." in text
    line("heartbeat history")
    assert [(shown.beat.heartbeat_ts - BEGUN) // MINUTE for shown in line.events if isinstance(shown, BeatShown)] == [
        *range(9)
    ]
    line("heartbeat rows")
    assert len([event for event in line.events if isinstance(event, HeartbeatRowShown)]) == 9


@pytest.mark.parametrize("command", ["export jsonl to beats.jsonl heartbeats", "export csv to beats.csv heartbeats"])
def test_they_are_exported_once(
    command: str, path: Path, line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    line(f"open {path}; {command}")
    assert line.failures == []
    lines = (tmp_path / command.split()[3]).read_text().splitlines()
    assert len(lines) == 9 + ("csv" in command)


def test_the_views_have_them_once(path: Path) -> None:
    assert len(list(lag_history(rows(path)))) == len(list(heartbeat_history(rows(path)))) == 9


def test_the_timeline_draws_them_once_though_the_file_grows(path: Path, line: Line) -> None:
    content = path.read_bytes()
    scan = TimelineScan()
    with TrailFile(path) as trail:
        middle = [record.rba for record in trail.records()][-5]
    for size in (middle, middle + 40, len(content)):
        path.write_bytes(content[:size])
        line(f"open {path}")
        for _ in scan.extend(line.session):
            pass
    (way,) = scan.timeline.ways
    assert way.beats == 9


def drawn(random: Random, folder: Path) -> Path:
    """A trail of rows of both tables, over files, with copies and transactions that a restart has cut."""
    done = 0
    for seqno in range(random.randint(1, 3)):
        trail = HeartbeatTrail(folder / f"hh{seqno:09}", behind=done)
        for _ in range(random.randint(2, 8)):
            if done and random.random() < 0.25:
                back = random.randint(1, min(3, done))
                trail.go_back(back)
                done -= back
            row = applied(done * MINUTE, 1.0, 0.5)
            beat = {name: row.get(name) for name in row if name != "HEARTBEAT_RECEIVED_TS"}
            if random.random() < 0.25:
                trail.both(beat, row, done * MINUTE, cut=True)
                trail.restart(done * MINUTE)
            trail.both(beat, row, done * MINUTE)
            done += 1
        path = trail.close()
    return path


@pytest.mark.parametrize("seed", range(examples(8)))
def test_as_many_rows_count_as_a_replicat_applies(seed: int, line: Line, tmp_path: Path) -> None:
    path = drawn(Random(seed), tmp_path)
    for file in sorted(path.parent.iterdir()):
        line(f"open {file}; count effective")
        count = next(event for event in line.events if isinstance(event, CountShown)).counted.total
        line("heartbeat rows")
        found = [event for event in line.events if isinstance(event, HeartbeatRowShown)]
        assert len(found) == count.types[INSERT]
    line(f'heartbeat history over "{path.parent / "hh*"}"')
    times = [event.beat.heartbeat_ts for event in line.events if isinstance(event, BeatShown)]
    assert len(times) == len(set(times))


def test_json_says_how_many_are_not_applied(path: Path, line: Line) -> None:
    line(f"open {path}; heartbeat")
    whole = next(event for event in line.events if isinstance(event, HeartbeatsShown))
    (text,) = json_lines.render(whole, line.session.settings)
    assert json.loads(text)["not_applied"] == 3

"""HEARTBEAT RESTART: of the beats at or below the low watermark, the largest restart CSN."""

from __future__ import annotations

from pathlib import Path

import pytest

from logdump.features.heartbeat import survey
from logdump.features.heartbeat.model import RestartPositionShown
from tests.logdump.commands.test_heartbeat import objects
from tests.logdump.line import Line
from tests.searching import Random, examples
from tests.simulated.heartbeat_trails import HeartbeatTrail
from tests.simulated.heartbeats import Row
from tests.simulated.late_replication import MINUTE, applied, beat


def drawn_rows(random: Random) -> list[Row]:
    """History rows; an open transaction holds the restart CSN back now and then, and Replicat is some beats behind."""
    rows: list[Row] = []
    csns = sorted(random.sample(range(9000, 12_000), 12))
    restarts = sorted(random.sample(range(8000, 12_000), 12))
    for minute, (csn, restart) in enumerate(zip(csns, restarts, strict=True)):
        watermark = csns[max(0, minute - random.randint(0, 4))] + random.choice((-1, 0, 0, 1))
        rows.append(
            applied(minute * MINUTE, 1.0, 0.5)
            | {
                "SOURCE_EXTRACT_HEARTBEAT_CSN": str(csn),
                "SOURCE_EXTRACT_RESTART_CSN": str(min(restart, csn)),
                "SOURCE_EXTRACT_RESTART_CSN_TS": minute * MINUTE - 7,
                "REPLICAT_LOW_WATERMARK_CSN": str(watermark),
            }
        )
    if random.random() < 0.5:
        rows[-2], rows[-3] = rows[-3], rows[-2]
    return rows


def history(rows: list[Row], path: Path) -> Path:
    trail = HeartbeatTrail(path)
    for number, row in enumerate(rows):
        trail.insert(row, number * MINUTE, "_HISTORY")
    return trail.close()


def chosen(rows: list[Row], low_watermark: int) -> int | None:
    """By the sentence of the documentation."""
    at_or_below = [row for row in rows if int(row["SOURCE_EXTRACT_HEARTBEAT_CSN"] or 0) <= low_watermark]
    return max((int(row["SOURCE_EXTRACT_RESTART_CSN"] or 0) for row in at_or_below), default=None)


@pytest.mark.parametrize("seed", range(examples(8, short=2)))
def test_the_position_is_the_largest_at_or_below_the_low_watermark(seed: int, tmp_path: Path) -> None:
    rows = drawn_rows(Random(seed))
    path = history(rows, tmp_path / "hh000000000")
    _, found = objects(path, "heartbeat restart")
    newest = int(rows[-1]["REPLICAT_LOW_WATERMARK_CSN"] or 0)
    assert (found["low_watermark_csn"], found["given"]) == (str(newest), False)
    expected = chosen(rows, newest)
    assert found["restart_csn"] == (str(expected) if expected is not None else None)
    for given in (8000, *(int(row["SOURCE_EXTRACT_HEARTBEAT_CSN"] or 0) for row in rows), 99_999):
        _, found = objects(path, f"heartbeat restart lwm {given}")
        expected = chosen(rows, given)
        assert found["restart_csn"] == (str(expected) if expected is not None else None)


def test_csns_are_compared_as_numbers(tmp_path: Path) -> None:
    rows = [
        applied(minute * MINUTE, 1.0, 0.5)
        | {"SOURCE_EXTRACT_HEARTBEAT_CSN": csn, "SOURCE_EXTRACT_RESTART_CSN": restart}
        for minute, (csn, restart) in enumerate((("900", "800"), ("1000", "990"), ("10000", "1100")))
    ]
    _, found = objects(history(rows, tmp_path / "hh000000000"), "heartbeat restart lwm 9000")
    assert found["restart_csn"] == "990"


def test_in_the_trail_of_an_extract_the_low_watermark_is_given(line: Line, tmp_path: Path) -> None:
    trail = HeartbeatTrail(tmp_path / "lt000000000")
    for minute in range(3):
        csns: Row = {
            "INCOMING_EXTRACT_HEARTBEAT_CSN": str(5000 + 10 * minute),
            "INCOMING_EXTRACT_RESTART_CSN": str(4900 + minute),
            "INCOMING_EXTRACT_RESTART_TS": minute,
        }
        trail.insert(beat(minute * MINUTE, 1.0) | csns, minute * MINUTE)
    line(f"open {trail.close()}")
    assert "  Low watermark  unknown: no beat in this trail has it; give it with LWM <csn>" in line("heartbeat restart")
    shown = line("heartbeat restart lwm 5015")
    assert "  Low watermark  CSN 5015, as given" in shown
    assert any(text.startswith("  Restart        Extract from CSN 4901, redo of 2024/01/01") for text in shown)
    assert any("CSN 5010, RBA" in text for text in shown)
    assert "  Restart        unknown: none of 3 beats with a restart CSN is at or below it" in line(
        "heartbeat restart lwm 4999"
    )


def test_where_not_all_beats_are_kept_the_position_is_not_too_late(
    line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(survey, "MOST_POSITIONS", 5)
    rows = drawn_rows(Random(1))
    line(f"open {history(rows, tmp_path / 'hh000000000')}; heartbeat restart lwm 99999")
    shown = next(event for event in line.events if isinstance(event, RestartPositionShown))
    assert not shown.is_exact
    assert shown.beat is not None
    assert int(shown.beat.restart_csn or 0) <= (chosen(rows, 99_999) or 0)


def test_what_is_no_csn_is_refused(line: Line, tmp_path: Path) -> None:
    line(f"open {history(drawn_rows(Random(1)), tmp_path / 'hh000000000')}")
    assert "is not a CSN" in line("heartbeat restart lwm tea")[0]

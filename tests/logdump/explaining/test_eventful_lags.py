"""EXPLAIN LAG says of trails in which much happens at once what a model says that follows them piece by piece."""

from __future__ import annotations

from pathlib import Path

import pytest

from logdump.features.heartbeat import reading
from tests.logdump.explaining.lag_model import LagModel
from tests.logdump.program import logdump
from tests.logdump.recovery.test_eventful import objects
from tests.searching import Random, examples
from tests.simulated.eventful_beats import MINUTE, SECOND, EventfulBeats
from tests.trailformat.small_batches import in_batches
from trailformat import to_datetime
from trailformat.transactions import whole_trail

MOST_PARTS = 25


def _moments(model: LagModel) -> list[int]:
    """Moments at which the answer may change: of beats, commits, the ends of holes, and of the trail."""
    beats = [seen for beats in model.beats.ways.values() for seen in beats]
    times = [seen.beat.time for seen in beats] + [seen.committed for seen in beats]
    times += [hole.end for hole in model.all_holes] + [piece.time for piece in model.trail.pieces if piece.time]
    newest = model.beats.newest or 0
    behind = [newest + off for off in (0, 1, MINUTE, 3 * MINUTE)]
    return [*(time + off for time in times for off in (0, 0, 1, -1, 20 * SECOND)), *behind * (len(times) // 4 + 1)]


@pytest.mark.parametrize("seed", range(examples(600, short=80)))
def test_lag_tells_what_happened(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(f"lag {seed}")
    trail = EventfulBeats(tmp_path, random)
    for room in (whole_trail, reading):
        monkeypatch.setattr(room, "scan_in_threads", in_batches(random.choice((1, 2, 3, 100))))
    for at in (None, *random.sample(_moments(LagModel(trail, None)), 2)):
        model = LagModel(trail, at)
        moment = to_datetime(at) if at is not None else None
        words = f" at {moment:%Y-%m-%dT%H:%M:%S.%fZ}" if moment is not None else ""
        status, told = objects(str(trail.path), "-c", f"explain lag{words}")
        (answer,) = told["explanation"]
        expected = model.answer()
        assert {name: answer[name] for name in expected} == expected
        assert answer.keys() == expected.keys()
        has_half = any(piece.kind == "half" for piece in trail.pieces)
        assert (status == 4) == (expected["partial"] or has_half)
        if at is None:
            _assert_same_text(trail, words, len(expected["parts"]))


def _assert_same_text(trail: EventfulBeats, words: str, parts: int) -> None:
    text = logdump(str(trail.path), "-c", f"explain lag{words}").out.splitlines()
    assert sum(line.startswith("  ") for line in text) == min(parts, MOST_PARTS)

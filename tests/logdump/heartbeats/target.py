"""The target of a simulated journey: the trail that is captured there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

from tests.simulated.heartbeat_trails import HeartbeatTrail
from tests.simulated.heartbeats import Link, Row, travel

MINUTE = 60_000_000


def received(link: Link, random: Random, beats: int) -> Iterator[tuple[Row, Row, int]]:
    """What the target writes of the beats of a source, and when."""
    for number in range(beats):
        moment = number * MINUTE
        _, rows = travel(link, link.source.beat(link.target.name, moment), moment, random)
        assert rows is not None
        yield *rows, moment


def captured(link: Link, random: Random, trail: HeartbeatTrail, beats: int = 4) -> Path:
    """A trail of what the target writes."""
    former: Row | None = None
    for row, history, moment in received(link, random, beats):
        if former is None:
            trail.insert(row, moment)
        else:
            trail.update(former, row, moment)
        trail.insert(history, moment, "_HISTORY")
        former = row
    return trail.close()

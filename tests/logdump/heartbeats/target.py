"""The target of a simulated journey: the trail that is captured there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

from tests.simulated.heartbeat_trails import HeartbeatTrail
from tests.simulated.heartbeats import Database, Link, Process, Row, travel

MINUTE = 60_000_000


def received(link: Link, random: Random, beats: int) -> Iterator[tuple[Row, Row, int]]:
    """What the target writes of the beats of a source, and when; every second source has beats of the target too."""
    there = Process("EXTB", 10**6), (Process("PMPB", 10**6),) * random.randint(0, 1), Process("REPB", 10**6)
    back = Link(link.target, *there, Database(link.source.name)) if random.random() < 0.5 else None
    for number in range(beats):
        moment = number * MINUTE
        known = _known_by(back, moment - MINUTE // 2, random) if back is not None else {}
        _, rows = travel(link, link.source.beat(link.target.name, moment, **known), moment, random)
        assert rows is not None
        yield *rows, moment


def _known_by(back: Link, moment: int, random: Random) -> Row:
    """What a source knows of the last beat of the other side."""
    _, rows = travel(back, back.source.beat(back.target.name, moment), moment, random)
    assert rows is not None
    return {name: value for name, value in rows[0].items() if name.startswith("INCOMING_")}


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

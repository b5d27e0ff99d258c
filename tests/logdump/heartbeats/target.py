"""The target of a simulated journey: the trail that is captured there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tests.searching import Random
from tests.simulated.heartbeat_trails import HeartbeatTrail
from tests.simulated.heartbeats import Database, Link, Process, Row, travel

MINUTE, JITTER = 60_000_000, 3_000_000


def received(link: Link, random: Random, beats: int, *, is_mutual: bool) -> Iterator[tuple[Row, Row, int]]:
    """What the target writes of the beats of a source, and when; mutual: the source has beats of the target too.

    Beats are up to three seconds off their minutes.
    """
    pumps = tuple(Process(f"PMPB{pump_number}", 10**6) for pump_number in range(random.randint(1, 2)))
    there = Process("EXTB", 10**6), pumps, Process("REPB", 10**6)
    back = Link(link.target, *there, Database(link.source.name)) if is_mutual else None
    for number in range(beats):
        moment = number * MINUTE + random.randint(-JITTER, JITTER)
        known = _known_by(back, moment - MINUTE // 2, random) if back is not None else {}
        _, rows = travel(link, link.source.beat(link.target.name, moment, **known), moment, random)
        assert rows is not None
        yield *rows, moment


def _known_by(back: Link, moment: int, random: Random) -> Row:
    """What a source knows of the last beat of the other side."""
    _, rows = travel(back, back.source.beat(back.target.name, moment), moment, random)
    assert rows is not None
    return {name: value for name, value in rows[0].items() if name.startswith("INCOMING_")}


def captured(
    link: Link, random: Random, trail: HeartbeatTrail, beats: int = 4, *, is_mutual: bool | None = None
) -> Path:
    """A trail of what the target writes; whether the source has beats of the target too is drawn unless given."""
    is_mutual = random.random() < 0.5 if is_mutual is None else is_mutual
    former: Row | None = None
    for row, history, moment in received(link, random, beats, is_mutual=is_mutual):
        if former is None:
            trail.insert(row, moment)
        else:
            trail.update(former, row, moment)
        trail.insert(history, moment, "_HISTORY")
        former = row
    return trail.close()

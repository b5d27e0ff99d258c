"""HEARTBEAT says of trails in which much happens at once what a model says that follows them piece by piece."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from logdump.features.heartbeat import reading
from logdump.notation.times import iso_time
from tests.logdump.heartbeats.beats_model import BeatsModel, Hole, Place, Seen, usual_distance
from tests.logdump.recovery.test_eventful import objects
from tests.searching import Random, examples
from tests.simulated.eventful_beats import MINUTE, SECOND, EventfulBeats, Way
from tests.simulated.heartbeat_trails import BEGUN, HeartbeatTrail
from tests.simulated.late_replication import applied
from tests.trailformat.small_batches import in_batches
from trailformat import to_datetime
from trailformat.transactions import whole_trail

Object = dict[str, Any]
HOPS = ("extract_lag", "routing_lag", "replicat_read_lag", "replicat_lag", "total_lag")


class HeartbeatModel:
    """The answers of HEARTBEAT.

    Args:
        trail: the trail.
        start, end: only the beats from the one to before the other count (Julian microseconds); None: all.
        at: the moment of the answer; None: the newest time.
    """

    def __init__(self, trail: EventfulBeats, start: int | None, end: int | None, at: int | None) -> None:
        self.trail, self.beats, self._end = trail, BeatsModel(trail), end
        for way, beats in list(self.beats.ways.items()):
            kept = [
                seen
                for seen in beats
                if (start is None or seen.beat.time >= start) and (end is None or seen.beat.time < end)
            ]
            self.beats.ways[way] = kept
            if not kept:
                del self.beats.ways[way]
        self.at = max([self.beats.newest or 0, *self._moments()]) if at is None else at

    def _moments(self) -> list[int]:
        moments: list[int] = []
        for seen in self.all:
            beat = seen.beat
            moments += [seen.committed, beat.time]
            moments += [time for time in (beat.extract, beat.routing, beat.replicat, beat.received) if time is not None]
        return moments

    @property
    def all(self) -> list[Seen]:
        """The beats of all paths."""
        return [seen for beats in self.beats.ways.values() for seen in beats]

    def holes(self) -> list[Hole]:
        """Where beats are missing; what is after the moment, or after the last beat that is chosen, is not known."""
        bounds = [bound for bound in (self.beats.newest, self.at, self._end) if bound is not None]
        return self.beats.holes(min(bounds) if not self.beats.is_partial else None)

    def place(self, place: Place) -> Object:
        """A place in the words of JSON."""
        return {"file": str(self.trail.files[place[0]].path), "rba": place[1]}

    def summary(self) -> Object:
        """The numbers of the whole."""
        times = [seen.beat.time for seen in self.all]
        is_partial = self.beats.is_partial
        return {
            "beats": len(times) if times or not is_partial else None,
            "paths": len(self.beats.ways),
            "others": 0,
            "first": iso_time(min(times)) if times else None,
            "last": iso_time(max(times)) if times else None,
            "at": iso_time(self.at),
            "problems": self.beats.spoilt,
            "damaged": len(self.beats.damage),
            "not_applied": self.beats.skipped,
            "same_database": False,
            "deleted": 0,
            "partial": is_partial,
        }

    def lag_objects(self) -> list[Object]:
        """The paths."""
        return [
            {**_way(way), **self._of_way(beats), **self._missing(way), **self._hops(beats)}
            for way, beats in self.beats.ways.items()
        ]

    def _of_way(self, beats: list[Seen]) -> Object:
        newest = beats[0]
        for seen in beats:
            newest = seen if seen.beat.time >= newest.beat.time else newest
        usual = usual_distance(beats)
        return {
            "beats": len(beats),
            "first": self.place(beats[0].place),
            "last": self.place(newest.place),
            "last_beat": iso_time(newest.beat.time),
            "age": None if self.beats.is_partial else (self.at - newest.beat.time) / SECOND,
            "interval": usual / SECOND if usual is not None else None,
            "apply_unknown": any(seen.beat.replicat is not None and seen.beat.received is None for seen in beats),
        }

    def _missing(self, way: Way) -> Object:
        own = [hole for hole in self.holes() if hole.way == way]
        told = {"missing": sum(hole.missing for hole in own), "gaps": len(own)}
        return {name: number or (None if self.beats.is_partial else 0) for name, number in told.items()}

    def _hops(self, beats: list[Seen]) -> Object:
        hops = {name: self._spread(beats, name) for name in HOPS}
        return {**hops, "negative": sum(hop["negative"] for hop in hops.values() if hop is not None)}

    def _spread(self, beats: list[Seen], name: str) -> Object | None:
        """How the lags of a hop are spread; the last is that of the last beat that has not come late."""
        known = [(seen, lag) for seen in beats if (lag := _lags(seen).get(name)) is not None]
        if not known:
            return None
        lags = sorted(lag for _, lag in known)
        greatest, last, newest = known[0], None, beats[0].beat.time
        for seen in beats:
            lag = _lags(seen).get(name)
            is_late, newest = seen.beat.time < newest, max(newest, seen.beat.time)
            last = lag if lag is not None and (not is_late or last is None) else last
        for seen, lag in known:
            greatest = (seen, lag) if lag > greatest[1] else greatest
        return {
            "beats": len(lags),
            "last": last / SECOND if last is not None else None,
            "least": lags[0] / SECOND,
            "median": lags[math.ceil(len(lags) / 2) - 1] / SECOND,
            "p95": lags[math.ceil(len(lags) * 0.95) - 1] / SECOND,
            "greatest": lags[-1] / SECOND,
            "greatest_at": self.place(greatest[0].place),
            "negative": sum(lag < 0 for lag in lags),
            "exact": True,
        }

    def gap_objects(self) -> list[Object]:
        """The times without beats, by path, in order of time."""
        return [
            {
                **_way(way),
                "after": iso_time(hole.after.beat.time),
                "after_at": self.place(hole.after.place),
                "before": iso_time(hole.before.beat.time) if hole.before is not None else None,
                "before_at": self.place(hole.before.place) if hole.before is not None else None,
                "end": iso_time(hole.end),
                "beats": hole.missing,
                "seconds": hole.length / SECOND,
            }
            for way in self.beats.ways
            for hole in self.holes()
            if hole.way == way
        ]

    def interval_objects(self, every: int) -> list[Object]:
        """The beats of each path in intervals, each as long as no beat of another comes."""
        told: list[Object] = []
        for way, beats in self.beats.ways.items():
            runs: list[tuple[int, list[Seen]]] = []
            for seen in beats:
                start = seen.beat.time - seen.beat.time % every
                if not runs or runs[-1][0] != start:
                    runs.append((start, []))
                runs[-1][1].append(seen)
            for start, run in runs:
                bounds = {"start": iso_time(start), "end": iso_time(start + every)}
                hops = {name: self._spread(run, name) for name in HOPS}
                told.append({**bounds, **_way(way), "beats": len(run), **hops})
        return told


def _lags(seen: Seen) -> dict[str, int]:
    """The lags of a beat, with the whole one up to the target, or to Replicat."""
    beat = seen.beat
    end = beat.received if beat.received is not None else beat.replicat
    return {**beat.hops, **({"total_lag": end - beat.time} if end is not None else {})}


def _way(way: Way) -> Object:
    return {
        "source_database": way.source,
        "target_database": way.target,
        "direction": "incoming" if way.is_incoming else "outgoing",
        "path": list(way.processes),
    }


@pytest.mark.parametrize("seed", range(examples(400, short=60)))
def test_heartbeat_tells_what_happened(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(f"heartbeat {seed}")
    trail = EventfulBeats(tmp_path, random)
    for room in (whole_trail, reading):
        monkeypatch.setattr(room, "scan_in_threads", in_batches(random.choice((1, 2, 3, 100))))
    times = [seen.beat.time for beats in BeatsModel(trail).ways.values() for seen in beats]
    start, end = (random.choice((None, None, *times)) for _ in range(2))
    at = random.choice((None, None, None, *times))
    bounds = "".join(f" {word} {_time(time)}" for word, time in (("start", start), ("end", end)) if time is not None)
    model = HeartbeatModel(trail, start, end, at)
    moment = f" at {_time(at)}" if at is not None else ""
    over = f'over "{tmp_path}/hb*"{bounds}{moment}'
    _, told = objects("-c", f"heartbeat {over}")
    expected = model.summary()
    assert {name: told["heartbeats"][0][name] for name in expected} == expected
    _assert_same(_by_way(told.get("heartbeat_lag", [])), _by_way(model.lag_objects()))
    _, told = objects("-c", f"heartbeat gaps {over}")
    _assert_same(_by_way(told.get("heartbeat_gap", [])), _by_way(model.gap_objects()))
    every = random.choice((1, 3, 7))
    _, told = objects("-c", f"heartbeat history every {every} {over}")
    shown = _by_way(told.get("heartbeat_interval", []))
    _assert_same(shown, _by_way(model.interval_objects(every * MINUTE)))


def _by_way(told: list[Object]) -> list[Object]:
    """In the order of their paths: which of two is known first depends on when a later row proves its beat."""
    return sorted(told, key=lambda row: str([row[name] for name in _way(_ANY)]))


_ANY = Way("", "", is_incoming=False, extract="", pump=None)


def _time(julian: int) -> str:
    moment = to_datetime(julian)
    assert moment is not None
    return f"{moment:%Y-%m-%dT%H:%M:%S.%fZ}"


def _assert_same(told: list[Object], expected: list[Object]) -> None:
    assert [{name: item[name] for name in other} for item, other in zip(told, expected, strict=True)] == expected


@pytest.mark.parametrize("minutes", [(0, 3), (3, 0), (1, 1)])
@pytest.mark.parametrize("start", [None, 0, 1, 2, 3, 4])
def test_a_row_is_listed_if_any_of_its_beats_is_chosen(
    minutes: tuple[int, int], start: int | None, tmp_path: Path
) -> None:
    """A row of the history with an incoming beat and one that is reported back; a deleted row has no beat."""
    incoming, reported = (minute * MINUTE for minute in minutes)
    row = applied(incoming, 1.0, 1.0)
    row |= {"OUTGOING_EXTRACT": "EXT9", "OUTGOING_HEARTBEAT_TS": reported, "OUTGOING_EXTRACT_TS": reported + SECOND}
    trail = HeartbeatTrail(tmp_path / "hb000000000")
    trail.insert(row, 5 * MINUTE, "_HISTORY")
    trail.delete(row, 6 * MINUTE, "_HISTORY")
    trail.close()
    for words, path in (("", None), (' path "EXT9"', "EXT9"), (' path "EXT1*"', "EXT1"), (' path "OTHER"', "OTHER")):
        chosen = [
            (path is None or path == name) and (start is None or moment >= start * MINUTE)
            for name, moment in (("EXT1", incoming), ("EXT9", reported))
        ]
        bound = f" start {_time(BEGUN + start * MINUTE)}" if start is not None else ""
        _, told = objects(str(trail.path), "-c", f"heartbeat rows{bound}{words}")
        has_no_choice = start is None and path is None
        expected = ["INSERT"] * any(chosen) + ["DELETE"] * has_no_choice
        assert [item["op"] for item in told.get("heartbeat_row", [])] == expected, (words, bound)

"""The newest heartbeat of each path of a trail."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from logdump.features.heartbeat.beats import NewBeats
from logdump.features.heartbeat.model import Beat, HeartbeatRow, HopLags, way_text
from logdump.features.watch.kept_values import numbers_of, texts_of

MOST_PATHS = 100
"""Paths that are kept: those whose beats are the newest ones."""


class BeatLabels(NamedTuple):
    """The path of a beat as labels have it."""

    source: str
    target: str
    path: str
    direction: str

    @classmethod
    def of(cls, beat: Beat) -> BeatLabels:
        """Return those of a beat."""
        source, target, direction, way = beat.path
        return cls(source or "", target or "", way_text(way) or "", direction.value)


class NewestBeat(NamedTuple):
    """A beat: its time (Julian), and the lag of each hop in microseconds."""

    time: int
    lags: HopLags


class NewestBeats:
    """Takes heartbeat rows in trail order, and keeps the newest beat of each path."""

    def __init__(self) -> None:
        self._beats = NewBeats()
        self._newest: dict[BeatLabels, NewestBeat] = {}

    def add(self, row: HeartbeatRow) -> None:
        """Add a row."""
        for beat in self._beats.of(row):
            self._note(self._newest, beat)
        if len(self._newest) > 2 * MOST_PATHS:
            self._newest = dict(self)

    @staticmethod
    def _note(newest: dict[BeatLabels, NewestBeat], beat: Beat) -> None:
        labels = BeatLabels.of(beat)
        if labels not in newest or beat.heartbeat_ts >= newest[labels].time:
            newest[labels] = NewestBeat(beat.heartbeat_ts, beat.lags)

    def __iter__(self) -> Iterator[tuple[BeatLabels, NewestBeat]]:
        """Yield the newest paths and their beats, by path; a beat is newest as soon as one of its rows is there."""
        newest = dict(self._newest)
        for beat in self._beats.rest():
            self._note(newest, beat)
        kept = sorted(newest.items(), key=lambda item: (-item[1].time, item[0]))[:MOST_PATHS]
        return iter(sorted(kept))

    def as_values(self) -> list[Any]:
        """Return them as values of JSON."""
        return [[*labels, beat.time, *beat.lags] for labels, beat in self]

    @classmethod
    def of_values(cls, values: list[list[Any]]) -> NewestBeats:
        """Return those of such values.

        Raises:
            TypeError, ValueError: they are no such values.
        """
        beats = cls()
        for source, target, path, direction, time, *lags in values:
            labels = BeatLabels(*texts_of([source, target, path, direction]))
            numbers_of([time, *(lag for lag in lags if lag is not None)])
            beats._newest[labels] = NewestBeat(time, HopLags(*lags))
        return beats

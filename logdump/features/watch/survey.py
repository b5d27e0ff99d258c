"""What was read of one trail, kept in the state between two runs: numbers that grow, and the newest heartbeats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from logdump.features.heartbeat.beats import NewBeats
from logdump.features.heartbeat.model import Beat, HeartbeatRow, HopLags, way_text
from logdump.features.watch.kept_values import numbers_of, texts_of
from trailformat import io_type_name
from trailformat.codec.timestamps import FIRST_TIME, LAST_TIME
from trailformat.scan import BAD_SPAN, FILE_HEADER, RECORD, Batch
from trailformat.transactions.tracker import OpenAtEnd, TransactionCounts

FILE_HEADER_NAME = "FileHeader"
_TYPES = 256
_MOST_TABLES = 10_000
"""Tables that are counted one by one; later ones are counted together."""
MOST_PATHS = 100
"""Paths that are kept: those whose beats are the newest ones."""


class TrailCounters:
    """The counters of one trail.

    Attributes:
        records, sizes: numbers and bytes of records, by the name of their type.
        table_records, table_sizes: those of records with a table, by its name; None for tables beyond the limit.
        transactions: the transactions.
        damages, damage_size: places of damage, and their bytes.
        missing, replaced: files that are missing between others; how often the trail was another one.
        unread: files of which it is not known that they were read to their end.
        grown: bytes of the trail that is there now: those before it was another one do not count.
        oldest, newest: the earliest and the latest time of its records (Julian); None before the first.
    """

    def __init__(self) -> None:
        self.records, self.sizes = Counter[str](), Counter[str]()
        self.table_records, self.table_sizes = Counter[str | None](), Counter[str | None]()
        self.transactions = TransactionCounts()
        self.damages = self.damage_size = self.missing = self.replaced = self.unread = self.grown = 0
        self.oldest: int | None = None
        self.newest: int | None = None

    def add(self, batch: Batch) -> None:
        """Add the rows of a batch; an incomplete record at its end counts for nothing."""
        kind, sizes = np.asarray(batch.kind), np.asarray(batch.length).astype(np.int64)
        is_record = kind == RECORD
        types = np.where(is_record, np.asarray(batch.io_type).astype(np.int64), _TYPES)
        is_sound = is_record | (kind == FILE_HEADER)
        for number, records, size in _sums(types[is_sound], sizes[is_sound]):
            name = FILE_HEADER_NAME if number == _TYPES else io_type_name(number)
            self.records[name] += records
            self.sizes[name] += size
            self.grown += size
        tables = np.asarray(batch.table).astype(np.int64)
        for key, records, size in _sums(tables[is_record], sizes[is_record]):
            if name := batch.names[key]:
                is_known = name in self.table_records or len(self.table_records) < _MOST_TABLES
                self.table_records[name if is_known else None] += records
                self.table_sizes[name if is_known else None] += size
        is_bad = kind == BAD_SPAN
        self.damages += int(is_bad.sum())
        self.damage_size += int(sizes[is_bad].sum())
        self._add_times(np.asarray(batch.io_time)[is_record])
        self.transactions.add(batch)

    def _add_times(self, times: Any) -> None:
        times = times[(times >= FIRST_TIME) & (times <= LAST_TIME)]
        if len(times):
            self.oldest = min(int(times.min()), self.oldest if self.oldest is not None else LAST_TIME)
            self.newest = max(int(times.max()), self.newest if self.newest is not None else FIRST_TIME)

    def add_damage(self, size: int) -> None:
        """Add damage that no batch has: an incomplete record that a later file follows, a file without a record."""
        self.damages += 1
        self.damage_size += size

    def cut_open(self) -> None:
        """Count the transaction that is open as one without its end: what follows it is not there."""
        self.transactions.cut += self.transactions.open is not None
        self.transactions.open = None

    def replace(self) -> None:
        """Begin another trail: counters go on, what is of the trail alone begins anew."""
        self.cut_open()
        self.replaced += 1
        self.transactions.largest = self.grown = 0
        self.oldest = self.newest = None

    def as_values(self) -> dict[str, Any]:
        """Return the counters as values of JSON."""
        counts = self.transactions
        values: dict[str, Any] = {
            **{name: dict(own) if isinstance(own, Counter) else own for name, own in vars(self).items()},
            "transactions": [counts.ended, counts.cut, counts.restarts, counts.largest, counts.open],
        }
        for name in ("table_records", "table_sizes"):
            values[name] = [*values[name].items()]
        return values

    @classmethod
    def of_values(cls, values: dict[str, Any]) -> TrailCounters:
        """Return the counters of such values.

        Raises:
            KeyError, TypeError, ValueError: they are no such values.
        """
        counters = cls()
        for name, own in vars(counters).items():
            given = values[name]
            if isinstance(own, Counter):
                given = Counter(dict(given))
                numbers_of([*given.values()])
                texts_of([key for key in given if key is not None])
            elif isinstance(own, TransactionCounts):
                given = _transactions(*given)
            elif given is not None or own is not None:
                numbers_of([given])
            setattr(counters, name, given)
        return counters


def _transactions(ended: int, cut: int, restarts: int, largest: int, last: list[int] | None) -> TransactionCounts:
    """Return the counts of such values. Raises TypeError and ValueError."""
    numbers_of([ended, cut, restarts, largest, *(last or ())])
    return TransactionCounts(ended, cut, restarts, largest, OpenAtEnd(*last) if last is not None else None)


def _sums(keys: Any, sizes: Any) -> list[tuple[int, int, int]]:
    """Return each key with the number of its rows and the sum of their sizes."""
    if not len(keys):
        return []
    records = np.bincount(keys)
    totals = np.zeros(len(records), np.int64)
    np.add.at(totals, keys, sizes)
    return [(key, int(records[key]), int(totals[key])) for key in np.flatnonzero(records).tolist()]


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

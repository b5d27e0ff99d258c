"""The metrics of the trails that are watched."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from logdump.features.doctor.model import Growth
from logdump.features.heartbeat.model import HopLags
from logdump.features.watch.exposition import Metric, Sample
from logdump.features.watch.watched_trail import WatchedTrail
from trailformat.codec.timestamps import FIRST_TIME, JULIAN_UNIX_EPOCH, LAST_TIME

_SECOND = 1_000_000
_HOUR = 3_600
MOST_TABLES = 20
"""Tables that have metrics of their own."""
OTHER = "other"
_PREFIX, _WATCH = "logdump_trail", "logdump_watch"
Value = float | int | None


class _Plain(NamedTuple):
    """A metric with one value for each trail: its name without the prefix, its help, its value at a time."""

    name: str
    help: str
    value: Callable[[WatchedTrail, float], Value]


def _seconds(julian: int | None) -> float | None:
    return None if julian is None else (julian - JULIAN_UNIX_EPOCH) / _SECOND


def _age(julian: int | None, now: float) -> float | None:
    """Return the seconds from a time to now; 0 for a time that is still to come, as of a clock that went back."""
    moment = _seconds(julian)
    return None if moment is None else round(max(0.0, now - moment), 6)


def _open_age(trail: WatchedTrail, now: float) -> float | None:
    """Return the age of the open transaction; None if the time of its first record is none."""
    last = trail.counters.transactions.open
    if last is None:
        return 0.0
    return _age(last.begun, now) if FIRST_TIME <= (last.begun or 0) <= LAST_TIME else None


def _left(trail: WatchedTrail) -> float | None:
    counters = trail.counters
    growth = Growth(counters.grown, counters.oldest, counters.newest, None, trail.free)
    return None if growth.hours_left is None else round(growth.hours_left * _HOUR, 3)


_PLAIN = (
    _Plain("up", "1 if the trail was read to its end at the last look, else 0.", lambda trail, _: int(trail.is_up)),
    _Plain("transactions_total", "Transactions that have ended.", lambda trail, _: trail.counters.transactions.ended),
    _Plain("restarts_total", "Restarts of the writer.", lambda trail, _: trail.counters.transactions.restarts),
    _Plain(
        "cut_transactions_total", "Transactions without their end.", lambda trail, _: trail.counters.transactions.cut
    ),
    _Plain("damages_total", "Places that are no sound record.", lambda trail, _: trail.counters.damages),
    _Plain("damaged_bytes_total", "Bytes of these places.", lambda trail, _: trail.counters.damage_size),
    _Plain("missing_files_total", "Files missing between others.", lambda trail, _: trail.counters.missing),
    _Plain(
        "unread_files_total",
        "Files of which it is not known that they were read to their end.",
        lambda trail, _: trail.counters.unread,
    ),
    _Plain("replacements_total", "Times that it was another trail.", lambda trail, _: trail.counters.replaced),
    _Plain(
        "sequence",
        "Sequence number of the file read last.",
        lambda trail, _: trail.place.number.seqno if trail.place is not None else None,
    ),
    _Plain(
        "position_bytes",
        "RBA in that file up to which it was read.",
        lambda trail, _: trail.place.rba if trail.place is not None else None,
    ),
    _Plain("files", "Files that are there.", lambda trail, _: trail.files),
    _Plain("size_bytes", "Bytes of these files.", lambda trail, _: trail.size),
    _Plain(
        "files_not_closed",
        "Files that their writer left without closing them.",
        lambda trail, _: sum(place.is_open for place in trail.left.values()),
    ),
    _Plain(
        "newest_record_timestamp_seconds",
        "Time of the newest record.",
        lambda trail, _: _seconds(trail.counters.newest),
    ),
    _Plain(
        "newest_record_age_seconds", "Age of the newest record.", lambda trail, now: _age(trail.counters.newest, now)
    ),
    _Plain(
        "open_transactions",
        "Transactions open at the end.",
        lambda trail, _: int(trail.counters.transactions.open is not None),
    ),
    _Plain("open_transaction_age_seconds", "Age of the open transaction; 0 without one.", _open_age),
    _Plain(
        "open_transaction_bytes",
        "Bytes of the open transaction; 0 without one.",
        lambda trail, _: trail.counters.transactions.open.size if trail.counters.transactions.open is not None else 0,
    ),
    _Plain(
        "largest_transaction_bytes",
        "Bytes of the largest one so far.",
        lambda trail, _: trail.counters.transactions.largest,
    ),
    _Plain("disk_free_bytes", "Free bytes on the disk of the trail.", lambda trail, _: trail.free),
    _Plain(
        "disk_left_seconds", "Time until that disk is full at the trail's average rate.", lambda trail, _: _left(trail)
    ),
)


class Metrics:
    """Makes the metrics of some trails.

    A table that has metrics of its own keeps them, so that the sum of the others only grows.

    Attributes:
        failures: how often a file could not be written, by what it is.
        looked: when the last look ended, in seconds since 1970; None before the first.
    """

    def __init__(self, trails: list[WatchedTrail], files: Iterable[str] = ()) -> None:
        self._trails = trails
        self.failures = dict.fromkeys(files, 0)
        self.looked: float | None = None

    def at(self, now: float) -> Iterator[Metric]:
        """Yield the metrics; ``now`` is in seconds since 1970."""
        for name, text, value in _PLAIN:
            values = [(trail, value(trail, now)) for trail in self._trails]
            samples = [Sample(_labels(trail), number) for trail, number in values if number is not None]
            yield Metric(f"{_PREFIX}_{name}", text, samples)
        yield from self._waiting()
        yield from self._by_operation()
        yield from self._by_table()
        yield from self._lags(now)
        failures = [Sample({"file": name}, count) for name, count in self.failures.items()]
        yield Metric(
            f"{_WATCH}_write_failures_total", "Times that a file of this watch could not be written.", failures
        )
        looks = [Sample({}, self.looked)] if self.looked is not None else []
        yield Metric(f"{_WATCH}_last_look_timestamp_seconds", "Time of the last look at the trails.", looks)

    def _waiting(self) -> Iterator[Metric]:
        samples = [
            Sample({**_labels(trail), "kind": kind}, size)
            for trail in self._trails
            if trail.waiting is not None
            for kind, size in trail.waiting._asdict().items()
        ]
        yield Metric(f"{_PREFIX}_waiting_bytes", "Bytes after the last record of the newest file, by kind.", samples)

    def _by_operation(self) -> Iterator[Metric]:
        for what, text in (("records", "Records read, by operation."), ("bytes", "Bytes of these records.")):
            samples = [
                Sample({**_labels(trail), "operation": name}, count)
                for trail in self._trails
                for name, count in sorted(_counts(trail, what).items())
            ]
            yield Metric(f"{_PREFIX}_{what}_total", text, samples)

    def _by_table(self) -> Iterator[Metric]:
        texts = {
            "records": "Records read of the largest tables, and of the others.",
            "bytes": "Bytes of these records.",
        }
        for what, text in texts.items():
            samples = [sample for trail in self._trails for sample in self._of_tables(trail, what)]
            yield Metric(f"{_PREFIX}_table_{what}_total", text, samples)

    def _of_tables(self, trail: WatchedTrail, what: str) -> Iterator[Sample]:
        counts = trail.counters.table_records if what == "records" else trail.counters.table_sizes
        sizes = trail.counters.table_sizes
        own = trail.tables
        free = sorted(
            (name for name in counts if name is not None and name not in (OTHER, *own)),
            key=lambda name: (-sizes[name], name),
        )
        own += free[: max(0, MOST_TABLES - len(own))]
        for name in own:
            yield Sample({**_labels(trail), "table": name}, counts[name])
        yield Sample({**_labels(trail), "table": OTHER}, sum(counts.values()) - sum(counts[name] for name in own))

    def _lags(self, now: float) -> Iterator[Metric]:
        hops, ages = list[Sample](), list[Sample]()
        for trail in self._trails:
            for beat_labels, beat in trail.beats:
                labels = {**_labels(trail), **beat_labels._asdict()}
                hops += [
                    Sample({**labels, "hop": name.removesuffix("_lag")}, value / _SECOND)
                    for name, value in zip(HopLags._fields, beat.lags, strict=True)
                    if value is not None
                ]
                if (age := _age(beat.time, now)) is not None:
                    ages.append(Sample(labels, age))
        yield Metric(f"{_PREFIX}_lag_seconds", "Lag of each hop of the newest heartbeat.", hops)
        yield Metric(f"{_PREFIX}_heartbeat_age_seconds", "Age of the newest heartbeat.", ages)


def _counts(trail: WatchedTrail, what: str) -> dict[str, int]:
    return trail.counters.records if what == "records" else trail.counters.sizes


def _labels(trail: WatchedTrail) -> dict[str, str]:
    return {"trail": str(trail.path)}

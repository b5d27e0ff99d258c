"""Beats: the times of a heartbeat at each hop, and its lags.

    generated  ->  Extract  ->  pump or path  ->  Replicat  ->  received
      heartbeat_ts  extract_ts    routing_ts      replicat_ts    received_ts

A row of GG_HEARTBEAT written by the database's own job describes an outgoing beat: HEARTBEAT_TIMESTAMP, and the
timestamps that Extract and pumps set as the row passes them. A row written by Replicat describes an incoming beat in
its INCOMING_ columns; a row of the history also has the time of receipt. Its OUTGOING_ columns describe an earlier
outgoing beat of this database whose arrival the other database has reported back. Lags are differences between two
clocks and may be negative; the documentation shows them so.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Hashable, Iterator
from typing import Generic, TypeVar

from logdump.features.heartbeat.model import Beat, Direction, HeartbeatRow
from logdump.tables.heartbeat_tables import Role

_ANY = "*"
_ITEM = re.compile(r'\s*(?:"([^"]*)"|([^,"]*))\s*(?:,|$)')
MOST_ITEMS = 10_000


def routing_path(text: str | None) -> tuple[str, ...]:
    """Return the groups of a routing path in order, at most MOST_ITEMS, without ``*`` and empty ones."""
    names: list[str] = []
    position = 0
    while text and position < len(text) and len(names) < MOST_ITEMS:
        match = _ITEM.match(text, position)
        if match is None or match.end() == position:
            return (*names, text[position:].strip())
        name = (match[1] if match[1] is not None else match[2]).strip()
        if name and name != _ANY:
            names.append(name)
        position = match.end()
    return tuple(names)


K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

MOST_KEYS = 10_000


class Recent(Generic[K, V]):
    """The newest value of each key; beyond ``MOST_KEYS`` keys the least recently set one is dropped."""

    def __init__(self) -> None:
        self._values: OrderedDict[K, V] = OrderedDict()

    def get(self, key: K) -> V | None:
        """Return the value of a key, None if it was never set or has been dropped."""
        return self._values.get(key)

    def set(self, key: K, value: V) -> None:
        """Set the newest value of a key."""
        self._values[key] = value
        self._values.move_to_end(key)
        if len(self._values) > MOST_KEYS:
            self._values.popitem(last=False)

    def drop(self, key: K) -> None:
        """Remove a key if it is present."""
        self._values.pop(key, None)

    def newest_first(self) -> Iterator[tuple[K, V]]:
        """Yield keys and values, the most recently set first."""
        return reversed(self._values.items())

    def __iter__(self) -> Iterator[tuple[K, V]]:
        return iter(self._values.items())


def beats_of(row: HeartbeatRow) -> Iterator[Beat]:
    """Yield the beats in a row: none if the row is deleted, else at most one in each direction."""
    if row.op == "DELETE":
        return
    if row.incoming_heartbeat_ts is not None:
        yield Beat(
            row,
            Direction.INCOMING,
            row.incoming_heartbeat_ts,
            row.incoming_extract_ts,
            row.incoming_routing_ts,
            row.incoming_replicat_ts,
            row.received_ts,
            row.incoming_extract,
            routing_path(row.incoming_routing_path),
            row.incoming_replicat,
        )
    if _is_own(row) and row.heartbeat_timestamp is not None:
        yield Beat(
            row,
            Direction.OUTGOING,
            row.heartbeat_timestamp,
            row.outgoing_extract_ts,
            row.outgoing_routing_ts,
            None,
            None,
            row.outgoing_extract,
            routing_path(row.outgoing_routing_path),
            None,
        )
    elif row.outgoing_heartbeat_ts is not None:
        yield _reported(row, row.outgoing_heartbeat_ts)


def _reported(row: HeartbeatRow, heartbeat_ts: int) -> Beat:
    """Return the outgoing beat that a row written by Replicat reports back."""
    return Beat(
        row,
        Direction.OUTGOING,
        heartbeat_ts,
        row.outgoing_extract_ts,
        row.outgoing_routing_ts,
        row.outgoing_replicat_ts,
        None,
        row.outgoing_extract,
        routing_path(row.outgoing_routing_path),
        row.outgoing_replicat,
        is_reported=True,
    )


def _is_own(row: HeartbeatRow) -> bool:
    """True if HEARTBEAT_TIMESTAMP is that of the row's own database, not copied from the incoming beat by Replicat.

    Extract and pumps then set the outgoing timestamps of the row for this beat.
    """
    if row.role is Role.HISTORY or row.heartbeat_timestamp is None:
        return False
    return row.role is Role.SEED or row.heartbeat_timestamp != row.incoming_heartbeat_ts


class NewBeats:
    """Yields each beat of the rows once, with the facts of all its rows; rows must come in trail order.

    A row is written again with old beats in it, and the history repeats a beat of GG_HEARTBEAT with its time of
    receipt. So the last beat of each path is held until the next one.
    """

    def __init__(self) -> None:
        self._last: Recent[tuple[object, ...], int] = Recent()
        self._waiting: Recent[tuple[object, ...], Beat] = Recent()

    def of(self, row: HeartbeatRow) -> Iterator[Beat]:
        """Yield the beats that a row completes."""
        for beat in beats_of(row):
            key = (row.table, row.role, row.key, beat.direction)
            if row.role is not Role.HISTORY:
                if self._last.get(key) == beat.heartbeat_ts:
                    continue
                self._last.set(key, beat.heartbeat_ts)
            before = self._waiting.get(beat.path)
            if before is not None and before.heartbeat_ts == beat.heartbeat_ts:
                beat = before if beat.received_ts is None else beat  # noqa: PLW2901 - both are the same beat
            elif before is not None:
                yield before
            self._waiting.set(beat.path, beat)

    def rest(self) -> Iterator[Beat]:
        """Yield the beats still held, after the last row."""
        for _, beat in self._waiting:
            yield beat

"""What a restart at a moment reads: with Bounded Recovery and without."""

from __future__ import annotations

from array import array
from bisect import bisect_right

from logdump.features.bounded_recovery.checkpoints import BrCheckpoints, is_before, start_of
from logdump.features.bounded_recovery.model import (
    Began,
    BrRestartShown,
    ObservedRestart,
    RedoStart,
    RestartKind,
    RestartReach,
)
from logdump.features.bounded_recovery.options import BrOptions
from trailformat.transactions.redo_clock import RedoPlace

_MOST_ENDS = 4_000_000
"""So many of the last commits are kept to count what is captured again."""


class RestartAt:
    """Gathers what is open at a moment, and what has been committed before it.

    Args:
        checkpoints: those up to it.
        options: the moment, whether the last checkpoint is not completed, bytes of a redo log.
    """

    def __init__(self, checkpoints: BrCheckpoints, options: BrOptions) -> None:
        self._at, self._checkpoints, self._options = options.restart or 0, checkpoints, options
        self._number = checkpoints.number_at(self._at) - options.fails
        self._oldest: Began | None = None
        self._has_persisted = False
        self._reached: RedoPlace | None = None
        self._ends: array[int] = array("q")

    def add(self, one: Began) -> None:
        """Take a transaction in."""
        if one.end is not None and one.end <= self._at:
            self._ends.append(one.end)
            if len(self._ends) > _MOST_ENDS:
                del self._ends[: _MOST_ENDS // 2]
            if one.last_place is not None:
                self._reached = max(one.last_place, self._reached or one.last_place)
        elif one.high <= self._at:
            if self._oldest is None or is_before(one, self._oldest):
                self._oldest = one
            is_persisted = not self._options.is_off and self._checkpoints.is_persisted_at(one, self._number)
            self._has_persisted = self._has_persisted or is_persisted

    def shown(self, heartbeat: ObservedRestart | None, header: ObservedRestart | None) -> BrRestartShown:
        """What there is, when all transactions are in."""
        ends = sorted(self._ends)
        here = RedoStart(self._at, self._reached)
        without = self._reach(start_of(self._oldest) if self._oldest is not None else here, ends)
        kind = RestartKind.NORMAL if self._oldest is not None else RestartKind.READ_CHECKPOINT
        kind = RestartKind.BOUNDED if self._has_persisted else kind
        is_bounded = kind is RestartKind.BOUNDED
        number, checkpoints = self._number, self._checkpoints
        last_number = checkpoints.number_at(self._at)
        late = self._at - checkpoints.time(last_number) if self._options.fails else 0
        return BrRestartShown(
            self._at,
            kind,
            checkpoints.time(number) if number >= 0 else None,
            self._reach(checkpoints.restart(number), ends) if is_bounded else without,
            without,
            checkpoints.persisted_at(number) if is_bounded else 0,
            None if self._options.is_off else 2 * checkpoints.interval + late,
            self._options.fails,
            heartbeat,
            header,
        )

    def _reach(self, start: RedoStart, ends: list[int]) -> RestartReach:
        logs = size = None
        if start.place is not None and self._reached is not None:
            logs = max(0, self._reached.log - start.place.log) + 1
            size = self._bytes(start.place, self._reached, logs)
        recaptured = len(ends) - bisect_right(ends, start.time)
        return RestartReach(start, self._at - start.time, logs, size, recaptured)

    def _bytes(self, start: RedoPlace, reached: RedoPlace, logs: int) -> int | None:
        """Redo between two places; over several logs only where their size is known, as if all were full."""
        if logs == 1:
            return max(0, reached.position - start.position)
        log_size = self._options.log_size
        if log_size is None:
            return None
        return max(0, log_size - start.position) + (logs - 2) * log_size + reached.position

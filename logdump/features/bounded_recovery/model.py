"""Bounded Recovery: checkpoints, what is open at them, and how far back a restart reads; the events of BR.

Times and durations are Julian microseconds and microseconds.
"""

from __future__ import annotations

import enum
from typing import NamedTuple

from logdump.parameters.model import Rule
from logdump.session.errors import ExitStatus
from trailformat.trail.sequence import Spot
from trailformat.transactions.redo_clock import RedoPlace


class BeginSource(enum.Enum):
    """The source of the moment at which a transaction began: a file, times of its operations, the redo clock, none."""

    GIVEN = "given"
    OPERATIONS = "operations"
    REDO_CLOCK = "redo_clock"
    NONE = "none"


class FirstSource(enum.Enum):
    """The source of the first checkpoint: the user, a restart record, the file header, the first commit."""

    GIVEN = "given"
    RESTART = "restart"
    CREATED = "created"
    COMMIT = "commit"


_FIRST = {
    FirstSource.GIVEN: "",
    FirstSource.RESTART: "the last restart",
    FirstSource.CREATED: "the beginning of the first file",
    FirstSource.COMMIT: "the first commit",
}


class ClockState(enum.Enum):
    """State of the redo clock; MIXED: several redo threads or sources, ABSENT: no positions."""

    USED = "used"
    MIXED = "mixed"
    ABSENT = "absent"


class RestartKind(enum.Enum):
    """The way Extract recovers: from where it read, from the oldest open transaction, or from a BR checkpoint."""

    READ_CHECKPOINT = "read_checkpoint"
    NORMAL = "normal"
    BOUNDED = "bounded"


class TransactionInterval(NamedTuple):
    """A transaction from its begin to its end.

    Attributes:
        csn, xid: LOGCSN and TRANID; csn is None if it is not in the trail.
        low, high: the bounds of its begin; ``low`` is None if unknown. ``high`` is the begin used in calculations.
        source: where these bounds come from.
        end: time of the commit; None if still open.
        place, last_place: the redo positions of its first and its last record.
        spot, last_spot: its first and its last record; None if not in the trail.
        records, size: its records and bytes in the trail, or as given.
    """

    csn: str | None
    xid: str | None
    low: int | None
    high: int
    source: BeginSource
    end: int | None
    place: RedoPlace | None
    last_place: RedoPlace | None
    spot: Spot | None
    records: int
    size: int
    last_spot: Spot | None = None


class RedoStart(NamedTuple):
    """The position from which redo is read: the begin of a transaction, or a time without a transaction.

    ``place`` is None if no transaction provides a redo position.
    """

    time: int
    place: RedoPlace | None = None
    csn: str | None = None
    xid: str | None = None


class BoundedRecoveryShown(NamedTuple):
    """BR: the summary.

    Attributes:
        title: name of the trail or of the files read.
        interval: BRINTERVAL.
        first, first_source, first_spot: the first checkpoint, its source and record; None without any time.
        clock: state of the redo clock.
        sources: number of transactions by source of their begin.
        checkpoints: number of checkpoints; ``busy``: those with an open transaction.
        parameter: the BR statement of the parameter file of Extract that PARAMS has read.
        unknown_vendor: True if no header names Oracle as the source.
        damaged: places of damage.
        copies: later copies of whole transactions; only the first copy counts.
        is_partial: True if not all was read.
    """

    title: str
    interval: int
    first: int | None
    first_source: FirstSource
    first_spot: Spot | None
    clock: ClockState
    sources: dict[BeginSource, int]
    checkpoints: int
    busy: int
    parameter: Rule | None
    unknown_vendor: bool
    damaged: int
    copies: int
    is_partial: bool

    @property
    def assumed(self) -> str:
        """The assumptions of the answer, and the options that would replace them by facts."""
        is_given = bool(self.sources.get(BeginSource.GIVEN))
        only = "committed transactions and those given" if is_given else "committed transactions"
        parts = [f"{only} only, so that all figures are lower bounds"]
        parts += [f"a BR checkpoint at {what}"] if (what := _FIRST[self.first_source]) else []
        parts += ["the source is Oracle"] if self.unknown_vendor else []
        would = ([] if is_given else ["BEGINS <file>"]) + (["FIRST <time>"] if what else [])
        return f"{'; '.join(parts)} (to be exact, give {' and '.join(would)})" if would else "; ".join(parts)

    @property
    def status(self) -> ExitStatus:
        """Bad data when there is damage."""
        return ExitStatus.BAD_DATA if self.damaged else ExitStatus.OK


class CheckpointShown(NamedTuple):
    """BR: a checkpoint.

    Attributes:
        number: from 0 at the first one.
        open, persisted: the transactions that are open, and those of them that are written to disk.
        dirty: persisted before and written again because they have grown.
        persisted_bytes: bytes of the persisted ones up to here, as the trail has them.
        restart: position from which Extract reads after it; None if not all was read.
    """

    number: int
    time: int
    open: int
    persisted: int
    dirty: int
    persisted_bytes: int
    restart: RedoStart | None


class RestartReach(NamedTuple):
    """The redo that a restart reads: from where, how far back, in how many logs, and at least how many bytes."""

    start: RedoStart
    back: int
    logs: int | None
    bytes: int | None
    recaptured: int


class ObservedRestart(NamedTuple):
    """A restart position that Extract itself has written: in a heartbeat, or in a file header."""

    spot: Spot
    written: int
    csn: str | None
    time: int | None


class BrRestartShown(NamedTuple):
    """BR RESTART: what a restart at a moment reads.

    Attributes:
        at: the moment.
        kind: how Extract recovers with BR.
        checkpoint: the time of the checkpoint that it recovers from.
        with_br, without_br: what it reads.
        from_disk: transactions that are restored from disk.
        bound: how far back BR reads at most; None without it (BROFF).
        fails: whether the last checkpoint is taken as failed.
        heartbeat, header: what Extract has written.
    """

    at: int
    kind: RestartKind
    checkpoint: int | None
    with_br: RestartReach
    without_br: RestartReach
    from_disk: int
    bound: int | None
    fails: bool
    heartbeat: ObservedRestart | None
    header: ObservedRestart | None

    @property
    def older(self) -> int | None:
        """The observed moment to which transactions reach back that the trail does not show; None without one."""
        if self.heartbeat is None or self.heartbeat.time is None:
            return None
        return self.heartbeat.time if self.heartbeat.time < self.without_br.start.time else None


class LongTransactionShown(NamedTuple):
    """BR: a transaction that was, or may have been, open for longer than the interval.

    Attributes:
        began: it.
        certain: whether it is long whatever its begin was between the bounds.
        intervals: how many intervals it was open at least.
        persisted: whether a checkpoint writes it to disk.
        reach: how far back a restart reads at most because of it, with BR.
    """

    began: TransactionInterval
    certain: bool
    intervals: int
    persisted: bool
    reach: int


class LongTransactionsEnd(NamedTuple):
    """BR: how many of them there are, and whether all are listed."""

    longer: int
    certain: int
    possible: int
    listed: int


class BrIntervalShown(NamedTuple):
    """BR COMPARE: what an interval would cost and gain.

    Attributes:
        interval: it.
        checkpoints: how many there are up to the last commit.
        persisted: transactions that are ever written to disk.
        written: bytes written to disk.
        greatest, mean: how far back a restart reads, over all moments.
    """

    interval: int
    checkpoints: int
    persisted: int
    written: int
    greatest: int
    mean: int

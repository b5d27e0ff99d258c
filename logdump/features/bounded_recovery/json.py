"""The answers of BR as JSON; durations are seconds with at most six decimals."""

from __future__ import annotations

from logdump.display.json_fields import fields
from logdump.display.json_shape import PARTIAL, Shape, member, time_at
from logdump.features.bounded_recovery.model import (
    BoundedRecoveryShown,
    BrIntervalShown,
    BrRestartShown,
    CheckpointShown,
    LongTransactionsEnd,
    LongTransactionShown,
    ObservedRestart,
    RedoStart,
    RestartReach,
    TransactionInterval,
)

START = Shape(
    "redo_start",
    "A place from which redo is read.",
    (
        member(
            "redo", "number or null", "Sequence number of the redo log; null if no transaction shows it", "place?.log"
        ),
        member("position", "number or null", "Byte in it", "place?.position"),
        *fields(RedoStart, "csn xid time"),
    ),
)

REACH = Shape("restart_reach", "The redo that a restart reads.", fields(RestartReach, RedoStart=START))

OBSERVED = Shape("observed_restart", "A restart position that Extract has written.", fields(ObservedRestart))

RECOVERY = Shape(
    "bounded_recovery",
    "BR: the whole in numbers.",
    (
        member("assumed", "string", "Assumptions, and how to confirm them"),
        *fields(BoundedRecoveryShown, "title interval first first_source clock"),
        member(
            "sources",
            "object",
            "Transactions by the source of their begin: `given`, `operations`, `redo_clock`, `none`",
            lambda shown: {source.value: number for source, number in shown.sources.items()},
        ),
        *fields(BoundedRecoveryShown, "checkpoints busy"),
        member("parameter", "string or null", "The BR statement of a parameter file in use", "parameter?.text"),
        *fields(BoundedRecoveryShown, "damaged copies"),
        PARTIAL,
    ),
    BoundedRecoveryShown,
)

CHECKPOINT = Shape(
    "br_checkpoint",
    "BR: a checkpoint at which transactions are open.",
    (
        *fields(CheckpointShown, "number time open persisted dirty persisted_bytes restart", RedoStart=START),
        member("oldest_xid", "string or null", "TRANID of the oldest that is not persisted", "restart?.xid"),
    ),
    CheckpointShown,
)

RESTART = Shape(
    "br_restart",
    "BR RESTART: the redo that a restart reads.",
    (
        *fields(BrRestartShown, "at kind checkpoint with_br without_br from_disk", RestartReach=REACH),
        member("recaptured", "number", "Transactions that are captured again with BR", "with_br.recaptured"),
        *fields(BrRestartShown, "bound fails heartbeat header", ObservedRestart=OBSERVED),
        member(
            "older", "string or null", "How far back transactions reach that the trail does not show", time_at("older")
        ),
    ),
    BrRestartShown,
)

TRANSACTION = Shape(
    "br_transaction",
    "BR: a transaction that is, or may be, open for longer than LONGER or the interval.",
    (
        *fields(TransactionInterval, "csn xid position low high source end records size", of="began"),
        *fields(LongTransactionShown, "certain intervals"),
    ),
    LongTransactionShown,
)

TRANSACTIONS = Shape(
    "br_transactions", "BR: how many `br_transaction` there are.", fields(LongTransactionsEnd), LongTransactionsEnd
)

INTERVAL = Shape(
    "br_interval",
    "BR COMPARE: cost and gain of an interval, up to the last commit.",
    fields(BrIntervalShown),
    BrIntervalShown,
)
PARTS = (START, REACH, OBSERVED)

"""The answers of BR as JSON; durations are seconds with at most six decimals."""

from __future__ import annotations

from typing import Any

from logdump.display.json_shape import PARTIAL, SPOT, Member, Shape, at, member, renamed, time_at
from logdump.features.bounded_recovery.model import (
    BoundedRecoveryShown,
    BrIntervalShown,
    BrRestartShown,
    CheckpointShown,
    LongTransactionsEnd,
    LongTransactionShown,
)


def _duration(name: str, meaning: str, path: str = "") -> Member:
    get = at(path or name)

    def value(source: Any) -> float | None:
        microseconds = get(source)
        return None if microseconds is None else round(microseconds / 1_000_000, 6)

    return member(name, "number or null" if "null" in meaning else "number", f"{meaning}, seconds", value)


START = Shape(
    "redo_start",
    "A place from which redo is read.",
    (
        member(
            "redo",
            "number or null",
            "Sequence number of the redo log; null if no transaction shows it",
            "place?.log",
        ),
        member("position", "number or null", "Byte in it", "place?.position"),
        member("csn", "string or null", "LOGCSN of the transaction that begins there; null where none does"),
        member("xid", "string or null", "Its TRANID"),
        member("time", "string", "The moment of it", time_at("time")),
    ),
)

REACH = Shape(
    "restart_reach",
    "The redo that a restart reads.",
    (
        member("start", "redo_start", "From where", START.one("start")),
        _duration("back", "How far back that is"),
        member("logs", "number or null", "Redo logs, the first and the last too"),
        member("bytes", "number or null", "Bytes; over several logs only with LOGSIZE, as if all were full"),
        member("recaptured", "number", "Transactions that are captured again"),
    ),
)

OBSERVED = Shape(
    "observed_restart",
    "A restart position that Extract has written.",
    (
        *renamed("spot", member("place", "place", "The heartbeat row, or the file", SPOT.one("spot"))),
        member("written", "string", "When: its commit, or CreationTime", time_at("written")),
        member("csn", "string or null", "The CSN of the position"),
        member("time", "string or null", "Its time", time_at("time")),
    ),
)

RECOVERY = Shape(
    "bounded_recovery",
    "BR: the whole in numbers.",
    (
        member("assumed", "string", "Assumptions, and how to confirm them"),
        member("title", "string", "The trail, as in the text"),
        _duration("interval", "BRINTERVAL"),
        member("first", "string or null", "The first checkpoint", time_at("first")),
        member("first_source", "string", "Its source: `given`, `restart`, `created`, `commit`", "first_source.value"),
        member(
            "clock", "string", "The redo clock: `used`, `mixed` (several threads or sources), `absent`", "clock.value"
        ),
        member(
            "sources",
            "object",
            "Transactions by the source of their begin: `given`, `operations`, `redo_clock`, `none`",
            lambda shown: {source.value: number for source, number in shown.sources.items()},
        ),
        member("checkpoints", "number", "Checkpoints"),
        member("busy", "number", "Those with an open transaction, one `br_checkpoint` each"),
        member("parameter", "string or null", "The BR statement of a parameter file in use", "parameter?.text"),
        member("damaged", "number", "Places of damage"),
        member("copies", "number", "Whole transactions that came before; the first copy alone counts"),
        PARTIAL,
    ),
    BoundedRecoveryShown,
)

_RESTART = "From where a restart after it reads; null in a partial reading"
CHECKPOINT = Shape(
    "br_checkpoint",
    "BR: a checkpoint at which transactions are open.",
    (
        member("number", "number", "Its number, from 0"),
        member("time", "string", "Its moment", time_at("time")),
        member("open", "number", "Transactions that are open"),
        member("persisted", "number", "Those of them that are written to disk"),
        member("dirty", "number", "The number of these that are written again"),
        member("persisted_bytes", "number", "Bytes of the persisted ones up to here, as in the trail"),
        member("restart", "redo_start or null", _RESTART, START.one("restart")),
        member("oldest_xid", "string or null", "TRANID of the oldest that is not persisted", "restart?.xid"),
    ),
    CheckpointShown,
)

RESTART = Shape(
    "br_restart",
    "BR RESTART: the redo that a restart reads.",
    (
        member("at", "string", "The moment", time_at("at")),
        member("kind", "string", "With BR: `read_checkpoint`, `normal`, `bounded`", "kind.value"),
        member("checkpoint", "string or null", "The checkpoint; null before the first", time_at("checkpoint")),
        member("with_br", "restart_reach", "The redo that is read with BR", REACH.one("with_br")),
        member("without_br", "restart_reach", "The redo that is read without BR", REACH.one("without_br")),
        member("from_disk", "number", "Transactions that are restored from disk"),
        member("recaptured", "number", "Transactions that are captured again with BR", "with_br.recaptured"),
        _duration("bound", "How far back BR reads at most; null with BROFF"),
        member("fails", "boolean", "Whether the last checkpoint is taken as failed"),
        member("observed", "observed_restart or null", "Of the last heartbeat", OBSERVED.one("heartbeat")),
        member("logbsn", "observed_restart or null", "Of the last file header", OBSERVED.one("header")),
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
        member("csn", "string or null", "LOGCSN; null where it is not in the trail", "began.csn"),
        member("xid", "string or null", "TRANID", "began.xid"),
        *renamed("spot", member("place", "place or null", "Its first record", SPOT.one("began.spot"))),
        member("begin_low", "string or null", "It did not begin before this; null: not known", time_at("began.low")),
        member("begin_high", "string", "It began by this", time_at("began.high")),
        member("begin_source", "string", "`given`, `operations`, `redo_clock`, `none`", "began.source.value"),
        member("end", "string or null", "Its commit; null while it is open", time_at("began.end")),
        member("records", "number", "Its records", "began.records"),
        member("bytes", "number", "Their bytes in the trail", "began.size"),
        member("certain", "boolean", "Whether it is long for any begin between the two"),
        member("intervals", "number", "How many intervals it was open at least"),
    ),
    LongTransactionShown,
)

TRANSACTIONS = Shape(
    "br_transactions",
    "BR: how many `br_transaction` there are.",
    (
        _duration("longer", "Longer than this"),
        member("certain", "number", "For certain"),
        member("possible", "number", "Possibly"),
        member("listed", "number", "Those that are listed"),
    ),
    LongTransactionsEnd,
)

INTERVAL = Shape(
    "br_interval",
    "BR COMPARE: cost and gain of an interval, up to the last commit.",
    (
        _duration("interval", "The interval"),
        member("checkpoints", "number", "Checkpoints"),
        member("persisted", "number", "Transactions that are ever written to disk"),
        member("written", "number", "Bytes written to disk"),
        _duration("greatest", "Greatest reach of a restart"),
        _duration("mean", "Mean reach, over all moments"),
    ),
    BrIntervalShown,
)
PARTS = (START, REACH, OBSERVED)

"""The findings of RECOVERY as JSON."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from logdump.notation.times import iso_time
from logdump.render.json_safe import SPOT
from logdump.render.json_shape import Field, Shape
from logdump.session.recovery_events import Again, TransactionRef
from trailformat.trail.sequence import Spot


def _spot(spot: Spot | None) -> Any:
    return SPOT.build(spot) if spot is not None else None


def _ref(ref: TransactionRef | None) -> Any:
    return TRANSACTION_REF.build(ref) if ref is not None else None


def _time(time: int | None) -> str | None:
    return iso_time(time) if time is not None else None


def _plain(*names: tuple[str, str, str]) -> tuple[Field, ...]:
    """Members that are what the attributes of their names are."""

    def get(name: str) -> Callable[[Any], Any]:
        return lambda shown: getattr(shown, name)

    return tuple(Field(name, kind, meaning, get(name)) for name, kind, meaning in names)


TRANSACTION_REF = Shape(
    "transaction_ref",
    "A transaction of the trail.",
    (
        *_plain(("csn", "string or null", "LOGCSN"), ("xid", "string or null", "TRANID")),
        Field("begin", "spot or null", "Its first record; null when that is not there", lambda ref: _spot(ref.begin)),
        Field(
            "after", "spot or null", "The first place behind it; null while it is open", lambda ref: _spot(ref.after)
        ),
        *_plain(("records", "number", "Its records")),
        Field("bytes", "number", "Their bytes", lambda ref: ref.size),
        Field(
            "tables",
            "object or null",
            "How many records of each table, by its name; null where they were not looked at",
            lambda ref: ref.tables,
        ),
        Field("ended", "string", "How it ended, as in `safe_point`", lambda ref: ref.ended.value),
    ),
)

DIFFERENCE = Shape(
    "first_difference",
    "The first records of a cut transaction and of its second copy that differ.",
    (
        Field("cut", "spot or null", "The record in the cut one; null behind its end", lambda pair: _spot(pair[0])),
        Field("again", "spot or null", "The record in the other; likewise", lambda pair: _spot(pair[1])),
    ),
)


def _of_again(get: Callable[[Again], Any]) -> Callable[[Any], Any]:
    return lambda shown: get(shown.again) if shown.again is not None else None


_CUT = (
    Field("again", "transaction_ref or null", "Its whole copy behind it", _of_again(lambda again: _ref(again.ref))),
    Field(
        "again_is",
        "string or null",
        "`equal`; `prefix`: the cut records are its first ones; `differs`",
        _of_again(lambda again: again.likeness),
    ),
    Field(
        "first_difference",
        "first_difference or null",
        "Where the two differ first",
        _of_again(lambda again: DIFFERENCE.build(again.difference) if again.difference is not None else None),
    ),
)

RESTART = Shape(
    "restart",
    "RECOVERY: Extract was started again.",
    (
        Field("file", "string", "Path of the file", lambda shown: str(shown.spot.path)),
        Field("rba", "number", "The restart record, or 0 where a new file tells", lambda shown: shown.spot.rba),
        *_plain(("kind", "string", "`abend`, `ok` (RestartAbend, RestartOK), `rollover` (a new file)")),
        Field(
            "time", "string or null", "IO Time of the record, CreationTime of the file", lambda shown: _time(shown.time)
        ),
        Field(
            "last_complete",
            "transaction_ref or null",
            "The last whole transaction before it",
            lambda shown: _ref(shown.last_complete),
        ),
        Field(
            "recovery_point",
            "spot or null",
            "Where readers go on: behind that",
            lambda shown: _spot(shown.recovery_point),
        ),
        Field("cut", "transaction_ref or null", "The transaction that it cut", lambda shown: _ref(shown.cut)),
        *_CUT,
    ),
)

CUT = Shape(
    "cut_transaction",
    "RECOVERY: a transaction that was cut, which no `restart` tells of; under CUT every one.",
    (Field("cut", "transaction_ref", "The transaction", lambda shown: _ref(shown.cut)), *_CUT),
)

SECOND_COPY = Shape(
    "second_copy",
    "RECOVERY: a whole transaction that stands in the trail a second time.",
    (
        *_plain(("csn", "string", "LOGCSN"), ("xid", "string", "TRANID")),
        Field("first", "spot", "Where it begins first", lambda shown: _spot(shown.first)),
        Field("copy", "transaction_ref", "The copy, which a Replicat skips", lambda shown: _ref(shown.copy)),
    ),
)

ORDER_BREAK = Shape(
    "order_break",
    "RECOVERY: a place where CSNs go back.",
    (
        Field("spot", "spot", "The first transaction there", lambda shown: _spot(shown.spot)),
        *_plain(
            ("csn", "string or null", "Its LOGCSN"),
            ("xid", "string or null", "Its TRANID"),
            ("greatest", "string", "The greatest CSN before it"),
            ("transactions", "number", "How many stand below that, up to the next `order_break`"),
        ),
    ),
)

PRODUCER_CHANGE = Shape(
    "producer_change",
    "RECOVERY: a file header tells another writer, machine or source than that of the file before.",
    (
        Field("file", "string", "Path of the file", lambda shown: str(shown.path)),
        *_plain(
            ("member", "string", "Group and token of the header"),
            ("before", "string or null", "Its value in the file before"),
            ("after", "string or null", "Its value in this one"),
        ),
    ),
)

OVERWRITE = Shape(
    "overwrite",
    "RECOVERY: damage behind which the trail goes on with what it had come to before: old data under new.",
    (
        Field("spot", "spot", "The damage", lambda shown: _spot(shown.spot)),
        *_plain(
            ("length", "number", "Its bytes"),
            ("csn", "string or null", "LOGCSN of the first whole transaction behind it"),
        ),
    ),
)

TRAIL_FILE = Shape(
    "trail_file",
    "RECOVERY FILES: a file, as its header tells.",
    (
        Field("file", "string", "Path of the file", lambda shown: str(shown.path)),
        Field("bytes", "number", "Its size", lambda shown: shown.size),
        *_plain(
            ("version", "number or null", "Compatibility"),
            ("recovery_mode", "number or null", "RecoveryMode: 1 append, 0 overwrite"),
        ),
        Field("created", "string or null", "CreationTime", lambda shown: _time(shown.created)),
        *_plain(
            ("first_csn", "string or null", "FirstCSN"),
            ("last_csn", "string or null", "LastCSN, set when the file is closed"),
            ("problem", "string or null", "Why it is no trail"),
        ),
        Field("too_new", "boolean", "Whether the release of READER cannot read it", lambda shown: shown.is_too_new),
        Field(
            "needed", "boolean or null", "Whether a reader at the place of `keep` needs it", lambda shown: shown.keeps
        ),
    ),
)

KEEP = Shape(
    "keep",
    "RECOVERY KEEP: the files that a reader needs.",
    (
        Field("spot", "spot", "The place of the reader", lambda shown: _spot(shown.spot)),
        Field("first", "string", "The first file that it needs", lambda shown: str(shown.first)),
        Field("free", "list of string", "The files before that", lambda shown: [str(path) for path in shown.free]),
        Field("bytes", "number", "Bytes in those", lambda shown: shown.size),
    ),
)

TRAIL_GAP = Shape(
    "trail_gap",
    "Files that are missing.",
    (
        Field("first", "string", "Path of the first", lambda gap: str(gap.first)),
        Field("last", "string", "Path of the last", lambda gap: str(gap.last)),
    ),
)

RECOVERY = Shape(
    "recovery",
    "RECOVERY: the whole in numbers, before all findings.",
    (
        *_plain(("title", "string", "What was looked at, as in the text")),
        Field("mode", "list of number", "RecoveryMode of the files, each once", lambda shown: list(shown.modes)),
        *_plain(
            ("files", "number", "Files"),
            ("restarts", "number", "Restarts"),
            ("transactions", "number", "Transactions, cut and open ones too"),
            ("effective", "number", "Those that a Replicat applies: whole, and the first copy"),
            ("cut", "number", "Those that were cut"),
            ("lost", "number", "Cut ones without a whole copy"),
            ("twice", "number", "Whole copies of whole transactions"),
            ("twice_records", "number", "Records in those"),
            ("order_breaks", "number", "Places where CSNs go back"),
            ("unnamed", "number", "Whole transactions without CSN or TRANID, of which no copy can be told"),
        ),
        Field("unsure", "boolean", "Whether some copies may have been missed", lambda shown: shown.is_unsure),
        *_plain(
            ("damaged", "number", "Places of damage"),
            ("incomplete", "number", "Transactions that damage or a missing file has left without a part"),
        ),
        Field(
            "gaps",
            "list of trail_gap",
            "Files that are missing",
            lambda shown: [TRAIL_GAP.build(gap) for gap in shown.gaps],
        ),
        Field(
            "unreadable",
            "list of string",
            "Files that are no trail",
            lambda shown: [str(one) for one in shown.unreadable],
        ),
        Field(
            "versions", "list of number", "Compatibility of the files, each once", lambda shown: list(shown.versions)
        ),
        *_plain(("reader", "string or null", "The release that READER named")),
        Field(
            "too_new", "list of string", "Files that it cannot read", lambda shown: [str(one) for one in shown.too_new]
        ),
        Field(
            "open", "transaction_ref or null", "The transaction in which the trail ends", lambda shown: _ref(shown.open)
        ),
        Field(
            "half_record", "spot or null", "The record in which the trail ends", lambda shown: _spot(shown.half_record)
        ),
        Field("listed", "boolean", "Whether all findings are listed", lambda shown: shown.is_listed),
        Field(
            "filtered",
            "boolean",
            "Whether only findings are listed that hold a record that passes the filter",
            lambda shown: shown.is_filtered,
        ),
        Field("partial", "boolean", "Whether it was stopped before the end", lambda shown: shown.is_partial),
    ),
)
SHAPES = (
    RECOVERY,
    RESTART,
    CUT,
    SECOND_COPY,
    ORDER_BREAK,
    PRODUCER_CHANGE,
    OVERWRITE,
    TRAIL_FILE,
    KEEP,
)
PARTS = (TRANSACTION_REF, DIFFERENCE, TRAIL_GAP)

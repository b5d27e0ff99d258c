"""The findings of RECOVERY as JSON."""

from __future__ import annotations

from logdump.display.json_shape import (
    HEADER_MISMATCH,
    PARTIAL,
    SPOT,
    TRAIL_GAP,
    Shape,
    member,
    renamed,
    time_at,
    verdict,
)
from logdump.features.recovery.model import (
    BeginMissingShown,
    CutShown,
    KeepShown,
    OrderBreakShown,
    OverwriteShown,
    ProducerChangeShown,
    RecoveryEnd,
    RecoveryShown,
    RestartShown,
    SecondCopyShown,
    TrailFileShown,
)

_MISMATCHES = "What headers of closed files say about their end, and the files contradict"
_TABLES = "How many records of each table, by its name; null where they were not looked at"

TRANSACTION_REF = Shape(
    "transaction_ref",
    "A transaction of the trail.",
    (
        member("csn", "string or null", "LOGCSN"),
        member("xid", "string or null", "TRANID"),
        member("begin", "place or null", "Its first record; null when that is not there", SPOT.one("begin")),
        member("after", "place or null", "The first place after it; null while it is open", SPOT.one("after")),
        member("records", "number", "Its records"),
        member("bytes", "number", "Their bytes", "size"),
        member("tables", "object or null", _TABLES),
        member("ended", "string", "How it ended, as in `safe_point`", "ended.value"),
    ),
)

DIFFERENCE = Shape(
    "first_difference",
    "The first records of a cut transaction and of its second copy that differ.",
    (
        member("cut", "place or null", "The record in the cut one; null after its end", SPOT.one("0")),
        member("again", "place or null", "The record in the copy; null after its end", SPOT.one("1")),
    ),
)

_LIKENESS = "`equal`; `prefix`: the cut records are its first ones; `differs`"
_AGAIN = (
    member("again", "transaction_ref or null", "Its whole copy after it", TRANSACTION_REF.one("again?.ref")),
    member("again_is", "string or null", _LIKENESS, "again?.likeness"),
    member(
        "first_difference",
        "first_difference or null",
        "Where the two differ first",
        DIFFERENCE.one("again?.difference"),
    ),
)
_LAST = "The last whole transaction before it"

RESTART = Shape(
    "restart",
    "RECOVERY: Extract restarted.",
    (
        member("file", "string", "Path of the file", "spot.path"),
        member("rba", "number", "The restart record, or 0 for a new file", "spot.rba"),
        member("kind", "string", "`abend`, `ok` (RestartAbend, RestartOK), `rollover` (a new file)"),
        member("time", "string or null", "IO Time of the record, CreationTime of the file", time_at("time")),
        member("last_complete", "transaction_ref or null", _LAST, TRANSACTION_REF.one("last_complete")),
        member(
            "recovery_point",
            "place or null",
            "The place after that, where readers continue",
            SPOT.one("recovery_point"),
        ),
        member("cut", "transaction_ref or null", "The transaction that it cut", TRANSACTION_REF.one("cut")),
        *_AGAIN,
    ),
    RestartShown,
)

CUT = Shape(
    "cut_transaction",
    "RECOVERY: a cut transaction that is not in a `restart`; under CUT every one.",
    (member("cut", "transaction_ref", "The transaction", TRANSACTION_REF.one("cut")), *_AGAIN),
    CutShown,
)

SECOND_COPY = Shape(
    "second_copy",
    "RECOVERY: a whole transaction that the trail has a second time.",
    (
        member("csn", "string", "LOGCSN"),
        member("xid", "string", "TRANID"),
        member("first", "place", "Where it begins first", SPOT.one("first")),
        member("copy", "transaction_ref", "The copy, which a Replicat skips", TRANSACTION_REF.one("copy")),
    ),
    SecondCopyShown,
)

ORDER_BREAK = Shape(
    "order_break",
    "RECOVERY: a place where CSNs go back.",
    (
        *renamed("spot", member("place", "place", "The first transaction there", SPOT.one("spot"))),
        member("csn", "string or null", "Its LOGCSN"),
        member("xid", "string or null", "Its TRANID"),
        member("greatest", "string", "The greatest CSN before it"),
        member("transactions", "number", "Number of transactions below that, up to the next `order_break`"),
    ),
    OrderBreakShown,
)

PRODUCER_CHANGE = Shape(
    "producer_change",
    "RECOVERY: a file header with another writer, machine or source than the file before.",
    (
        member("file", "string", "Path of the file", "path"),
        member("member", "string", "Group and token of the header"),
        member("before", "string or null", "Its value in the file before"),
        member("after", "string or null", "Its value in this one"),
    ),
    ProducerChangeShown,
)

OVERWRITE = Shape(
    "overwrite",
    "RECOVERY: damage before data that an Extract in overwrite mode may have left: older than the data before it.",
    (
        *renamed("spot", member("place", "place", "The damage", SPOT.one("spot"))),
        member("length", "number", "Its bytes"),
        member("csn", "string or null", "LOGCSN of the first whole transaction after it"),
        member("was_passed", "boolean", "Whether the trail had passed it before; else the file is in overwrite mode"),
    ),
    OverwriteShown,
)

BEGIN_MISSING = Shape(
    "begin_missing",
    "RECOVERY: a transaction whose first records are missing in the middle of the trail.",
    (
        *renamed("spot", member("place", "place", "Its first record that is there", SPOT.one("spot"))),
        member("transaction", "transaction_ref", "What is there of it", TRANSACTION_REF.one("transaction")),
    ),
    BeginMissingShown,
)

TRAIL_FILE = Shape(
    "trail_file",
    "RECOVERY FILES: a file, from its header.",
    (
        member("file", "string", "Path of the file", "path"),
        member("bytes", "number", "Its size", "size"),
        member("version", "number or null", "Compatibility"),
        member("recovery_mode", "number or null", "RecoveryMode: 1 append, 0 overwrite"),
        member("created", "string or null", "CreationTime", time_at("created")),
        member("first_csn", "string or null", "FirstCSN"),
        member("last_csn", "string or null", "LastCSN, set when the file is closed"),
        member("problem", "string or null", "Why it is not a trail"),
        member("too_new", "boolean", "Whether the release of READER cannot read it", "is_too_new"),
        member("needed", "boolean or null", "Whether a reader at the place of `keep` needs it; null: unknown", "keeps"),
        member("encrypted", "boolean", "Whether its record data looks encrypted", "looks_encrypted"),
        member("mismatches", "list of header_mismatch", _MISMATCHES, HEADER_MISMATCH.each("mismatches")),
        member("database_unique_name", "string or null", "DbUniqueName, from 21c on", "unique_name"),
        member("unborn", "boolean", "Whether it is the newest file and has no records yet", "is_unborn"),
    ),
    TrailFileShown,
)

KEEP = Shape(
    "keep",
    "RECOVERY KEEP: the files that a reader needs.",
    (
        *renamed("spot", member("place", "place", "The place of the reader", SPOT.one("spot"))),
        member("first", "string", "The first file that it needs"),
        member("free", "list of string", "The files before that"),
        member("bytes", "number", "Bytes in those", "size"),
    ),
    KeepShown,
)


_INCOMPLETE = "Transactions that lack a part by damage, a missing file, or in files before the first"
_BEGINS_MISSING = "Those whose beginning is missing in the middle of the trail"
_LEFT_OPEN = "Files that their writer has not closed, although a later file exists"
_AFTER_DAMAGE = "Whole ones, and first copies, that it does not reach: it abends at damage"
_UNNAMED = "Whole transactions without CSN or TRANID, whose copies are not detected"
_FILTERED = "Whether only findings are listed that hold a record that passes the filter"

RECOVERY = Shape(
    "recovery",
    "RECOVERY: the whole in numbers, before all findings.",
    (
        member("title", "string", "The trail, as in the text"),
        member("mode", "list of number", "RecoveryMode of the files, each once", "modes"),
        member("files", "number", "Files"),
        member("restarts", "number", "Restarts", "state.restarts"),
        member("transactions", "number", "Transactions, cut and open ones too"),
        member("effective", "number", "Those that a Replicat applies: whole, the first copy, before the first damage"),
        *renamed("behind_damage", member("after_damage", "number", _AFTER_DAMAGE, "behind_damage")),
        member("cut", "number", "Those that were cut"),
        verdict("lost", "number", "Cut ones without a whole copy", "state.lost"),
        verdict("begins_missing", "number", _BEGINS_MISSING, "state.begins_missing", tells_findings=True),
        verdict("twice", "number", "Whole copies of whole transactions", "state.twice", tells_findings=True),
        verdict("twice_records", "number", "Records in those", tells_findings=True),
        verdict("order_breaks", "number", "Places where CSNs go back", "state.order_breaks", tells_findings=True),
        member("unnamed", "number", _UNNAMED),
        member("unsure", "boolean", "Whether some copies may have been missed", "is_unsure"),
        member("damaged", "number", "Places of damage", "state.damaged"),
        member("incomplete", "number", _INCOMPLETE),
        member("gaps", "list of trail_gap", "Files that are missing", TRAIL_GAP.each("state.gaps")),
        member("unreadable", "list of string", "Files that are not trail files", "state.unreadable"),
        member("mismatches", "list of header_mismatch", _MISMATCHES, HEADER_MISMATCH.each("state.mismatches")),
        member("left_open", "list of string", _LEFT_OPEN, "state.left_open"),
        member("versions", "list of number", "Compatibility of the files, each once"),
        member("reader", "string or null", "The release that READER named"),
        verdict("too_new", "list of string", "Files that it cannot read", tells_findings=True),
        member(
            "open", "transaction_ref or null", "The transaction in which the trail ends", TRANSACTION_REF.one("open")
        ),
        member("half_record", "place or null", "The record in which the trail ends", SPOT.one("half_record")),
        verdict("listed", "boolean", "Whether all findings are listed", "is_listed"),
        member("filtered", "boolean", _FILTERED, "is_filtered"),
        PARTIAL,
    ),
    RecoveryShown,
)
END = Shape("", "Not output: `recovery` has the facts of the closing sentence.", (), RecoveryEnd, lambda _: ())

"""The findings of RECOVERY as JSON."""

from __future__ import annotations

from logdump.display.json_fields import fields
from logdump.display.json_shape import PARTIAL, PLACE, Shape, member, verdict
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
    TrailState,
    TransactionRef,
)

TRANSACTION_REF = Shape(
    "transaction_ref",
    "A transaction of the trail.",
    fields(TransactionRef, "csn xid begin after records size tables ended"),
)

DIFFERENCE = Shape(
    "first_difference",
    "The first records of a cut transaction and of its second copy that differ.",
    (
        member("cut", "place or null", "The record in the cut one; null after its end", PLACE.one("0")),
        member("again", "place or null", "The record in the copy; null after its end", PLACE.one("1")),
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

RESTART = Shape(
    "restart",
    "RECOVERY: Extract restarted.",
    (
        member("file", "string", "Path of the file", "position.path"),
        member("rba", "number", "The restart record, or 0 for a new file", "position.rba"),
        *fields(RestartShown, "kind time last_complete recovery_point cut", TransactionRef=TRANSACTION_REF),
        *_AGAIN,
    ),
    RestartShown,
)

CUT = Shape(
    "cut_transaction",
    "RECOVERY: a cut transaction that is not in a `restart`; under CUT every one.",
    (*fields(CutShown, "cut", TransactionRef=TRANSACTION_REF), *_AGAIN),
    CutShown,
)

SECOND_COPY = Shape(
    "second_copy",
    "RECOVERY: a whole transaction that the trail has a second time.",
    fields(SecondCopyShown, TransactionRef=TRANSACTION_REF),
    SecondCopyShown,
)

ORDER_BREAK = Shape("order_break", "RECOVERY: a place where CSNs go back.", fields(OrderBreakShown), OrderBreakShown)

PRODUCER_CHANGE = Shape(
    "producer_change",
    "RECOVERY: a file header with another writer, machine or source than the file before.",
    fields(ProducerChangeShown),
    ProducerChangeShown,
)

OVERWRITE = Shape(
    "overwrite",
    "RECOVERY: damage before data that an Extract in overwrite mode may have left: older than the data before it.",
    fields(OverwriteShown),
    OverwriteShown,
)

BEGIN_MISSING = Shape(
    "begin_missing",
    "RECOVERY: a transaction whose first records are missing in the middle of the trail.",
    fields(BeginMissingShown, TransactionRef=TRANSACTION_REF),
    BeginMissingShown,
)

TRAIL_FILE = Shape("trail_file", "RECOVERY FILES: a file, from its header.", fields(TrailFileShown), TrailFileShown)

KEEP = Shape("keep", "RECOVERY KEEP: the files that a reader needs.", fields(KeepShown), KeepShown)


_BEGINS_MISSING = "Those whose beginning is missing in the middle of the trail"

RECOVERY = Shape(
    "recovery",
    "RECOVERY: the whole in numbers, before all findings.",
    (
        *fields(RecoveryShown, "title modes files"),
        member("restarts", "number", "Restarts", "state.restarts"),
        *fields(RecoveryShown, "transactions effective after_damage cut"),
        *verdict(member("lost", "number", "Cut ones without a whole copy", "state.lost")),
        *verdict(
            member("begins_missing", "number", _BEGINS_MISSING, "state.begins_missing"),
            member("twice", "number", "Whole copies of whole transactions", "state.twice"),
            *fields(RecoveryShown, "twice_records"),
            member("order_breaks", "number", "Places where CSNs go back", "state.order_breaks"),
            tells_findings=True,
        ),
        *fields(RecoveryShown, "unnamed is_unsure"),
        *fields(TrailState, "damaged", of="state"),
        *fields(RecoveryShown, "incomplete"),
        *fields(TrailState, "gaps unreadable mismatches left_open", of="state"),
        *fields(RecoveryShown, "versions reader"),
        *verdict(*fields(RecoveryShown, "too_new"), tells_findings=True),
        *fields(RecoveryShown, "open half_record", TransactionRef=TRANSACTION_REF),
        *verdict(*fields(RecoveryShown, "is_listed")),
        *fields(RecoveryShown, "is_filtered"),
        PARTIAL,
    ),
    RecoveryShown,
)
END = Shape("", "Not output: `recovery` has the facts of the closing sentence.", (), RecoveryEnd, lambda _: ())

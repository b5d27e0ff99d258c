"""The results of REPAIR as JSON."""

from __future__ import annotations

from logdump.display.json_shape import SPOT, TRAIL_GAP, Shape, member, renamed
from logdump.features.repair.model import LossReason, RepairLoss, RepairShown

_REASONS = ", ".join(f"`{reason.value}`" for reason in LossReason)

REPAIR_LOSS = Shape(
    "repair_loss",
    "REPAIR: a transaction that the copy lacks or has in part, or damage with unknown contents.",
    (
        member("csn", "string or null", "LOGCSN of the transaction, where its first record is there"),
        member("xid", "string or null", "TRANID of the transaction; null if unknown"),
        member("begin", "place or null", "Its first record; null where that is lost", SPOT.one("begin")),
        member("records", "number", "Its sound records"),
        member("reason", "string", f"One of {_REASONS}", "reason.value"),
        *renamed(
            "spot",
            member("place", "place or null", "The damage, or the record whose definition is lost", SPOT.one("spot")),
        ),
        member("copied", "boolean", "Whether its sound records are in the copy", "is_copied"),
    ),
    RepairLoss,
)

COPIED_HEADER = Shape(
    "copied_header",
    "The file header of a file of the copy.",
    (
        member("file", "string", "The file of the source", "path"),
        member("origin", "string", "`kept`, `rebuilt`, or `none` where the source has none", "origin.value"),
        member("from", "string or null", "The file that gave the values that the header itself lacks", "source"),
        member("dropped", "list of string", "Tokens without a known name that were left out"),
        member(
            "reopened", "boolean", "Whether FileSize, LastCSN and LastIOTime are not set in the copy", "is_reopened"
        ),
    ),
)

COPIED_DEFINITION = Shape(
    "copied_definition",
    "A lost definition that was copied from another file.",
    (
        member("file", "string", "The damaged file", "path"),
        member("index", "number or null", "The index of the table in it; null for the database", "table_index"),
        member("name", "string", "The name of the table, or of the database"),
        member("source", "place", "Where it was found", SPOT.one("source")),
    ),
)

REPAIR = Shape(
    "repair",
    "REPAIR: the copy in numbers, after all losses.",
    (
        member("title", "string", "The source"),
        member("target", "string", "The first file of the copy"),
        member("files", "number", "Files of the source"),
        member("gaps", "list of trail_gap", "Files of it that are missing", TRAIL_GAP.each("gaps")),
        member("unreadable", "list of string", "Files of it without a sound record"),
        member("copied", "number", "Records of the source that are in the copy"),
        member("left_out_transactions", "number", "Transactions that are known and not in the copy"),
        member("left_out_records", "number", "Sound records that are not in it"),
        member("partial_transactions", "number", "Under ALL: transactions that are in it in part"),
        member("bytes_lost", "number", "Bytes that hold no sound record; under STOP all after the first damage"),
        member("damage", "number", "Places of damage", "places"),
        member("unknown", "number", "Those in no known transaction: their contents are unknown"),
        member("embedded", "number", "Records inside damaged ones: their data, not copied"),
        member("header", "list of copied_header", "The file headers of the copy", COPIED_HEADER.each("headers")),
        *renamed(
            "definitions_taken",
            member(
                "definitions_copied",
                "list of copied_definition",
                "Lost definitions that were copied from elsewhere",
                COPIED_DEFINITION.each("definitions_taken"),
            ),
        ),
        member("definitions_lost", "list of string", "Lost definitions that were not found"),
        member("restart_at", "place or null", "Where a reader continues in the source", SPOT.one("restart_at")),
        member("after_csn", "string or null", "The CSN of the last whole transaction in the copy"),
        member("stopped_at", "place or null", "Under STOP: the damage at which the copy ends", SPOT.one("stopped_at")),
        member("dry", "boolean", "Whether nothing was written", "is_dry"),
        member("listed", "number", "How many losses were listed"),
    ),
    RepairShown,
)

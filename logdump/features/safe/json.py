"""SAFE as JSON."""

from __future__ import annotations

from typing import Any

from logdump.display.json_shape import PLACE, TYPE_COUNT, Shape, member
from logdump.features.safe.model import SafePointShown

_TYPES = TYPE_COUNT.each(lambda item: sorted(item[1].items()))

TABLE_RECORDS = Shape(
    "table_records",
    "The records of a transaction in one table.",
    (
        member("table", "string", "Table name, empty where it is not known", "0"),
        member("records", "number", "How many", lambda item: sum(item[1].values())),
        member("types", "list of type_count", "How many of each type, by number", _TYPES),
    ),
)

DAMAGE = Shape(
    "damage",
    "Bytes that hold no sound record.",
    (
        member("file", "string", "Path of the file", "path"),
        member("rba", "number", "Byte offset in it"),
        member("length", "number", "Bytes up to the next good record, or the end of the file"),
        member("partial", "boolean", "Whether it is a last record that is not complete (yet)", "is_partial"),
    ),
)

_SAFE = "Whether a Replicat started at the position applies no transaction in part, and misses none"
_AFTER = "Where a Replicat that starts there does not apply it, nor its copies; null while its end is missing"
_ENDED = "How it ended: last, cut (by a restart), overtaken (by the next one), file_end, damage"


def _tables(shown: SafePointShown) -> Any:
    return sorted(shown.places.extent.tables.items()) if shown.places.extent else None


def _skipped(shown: SafePointShown) -> Any:
    return sorted(shown.places.skipped.items())


def _damage(shown: SafePointShown) -> Any:
    places = shown.places
    between = (places.damage,) if places.damage is not None else None
    return places.extent.damage if places.extent is not None else between


OCCURRENCE = Shape(
    "occurrence",
    "A further occurrence of the same transaction (CSN and TRANID).",
    (
        member("begin", "place", "Its first record", PLACE.one("begin")),
        member("end", "place or null", "The first RBA after it; null while it is open", PLACE.one("after")),
        member("records", "number", "Its records there"),
        member("whole", "boolean", "Whether it is whole there, so that a Replicat can apply it", "is_whole"),
        member("late", "boolean", "Whether a later transaction is before it, so that a Replicat skips it", "is_late"),
    ),
)

SAFE_POINT = Shape(
    "safe_point",
    "SAFE: the places around a position at which a Replicat can be started, and the transaction there; between two "
    "transactions all that is about one is null.",
    (
        member("file", "string", "Path of the file", "places.asked.path"),
        member("rba", "number", "The position", "places.asked.rba"),
        member("safe", "boolean", _SAFE, "places.is_safe"),
        member("csn", "string or null", "LOGCSN", "places.extent?.transaction.csn"),
        member("xid", "string or null", "TRANID", "places.extent?.transaction.xid"),
        member(
            "begin", "place or null", "Its first record; null when that is not there", PLACE.one("places.extent?.begin")
        ),
        member("last", "place or null", "The last of its records that was found", PLACE.one("places.extent?.last")),
        member(
            "end",
            "place or null",
            "The first RBA after this occurrence of it; null while it is open",
            PLACE.one("places.extent?.after"),
        ),
        member("after", "place or null", _AFTER, PLACE.one("places.leave_out")),
        member("leave_out", "place or null", "The same as `after`", PLACE.one("places.leave_out")),
        member(
            "skipped",
            "list of table_records",
            "The changes that a restart at `after` skips of it, each once, by table",
            TABLE_RECORDS.each(_skipped),
        ),
        member("lost_bytes", "number", "Bytes of damage that a restart at `after` passes over", "places.lost_bytes"),
        member(
            "others_left_out",
            "number",
            "Other transactions that such a restart skips, and that a Replicat would apply",
            "places.others",
        ),
        member("again", "list of occurrence", "Its copies after this one", OCCURRENCE.each("places.copies")),
        member("copy_of", "place or null", "Where the trail has it whole before", PLACE.one("places.copy_of")),
        member("has_end", "boolean or null", "Whether its last record is marked as the last", "places.extent?.has_end"),
        member("ended", "string or null", _ENDED, "places.extent?.ended.value"),
        member(
            "marker", "place or null", "The restart record that cut it", PLACE.one("places.extent?.marker?.position")
        ),
        member("records", "number or null", "Its records", "places.extent?.records"),
        member("records_before", "number or null", "Those before the position", "places.extent?.before"),
        member("tables", "list of table_records, or null", "Its records by table", TABLE_RECORDS.each(_tables)),
        member(
            "damage",
            "list of damage, or null",
            "Damage between its beginning and its end",
            DAMAGE.each(_damage),
        ),
        member(
            "missing",
            "string or null",
            "The missing file in which it begins or continues",
            "places.extent?.missing",
        ),
    ),
    SafePointShown,
)

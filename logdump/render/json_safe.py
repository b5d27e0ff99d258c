"""The answer of SAFE as JSON."""

from __future__ import annotations

from typing import Any

from logdump.render.json_count import TYPE_COUNT
from logdump.render.json_shape import PARTIAL, Shape, member, verdict
from logdump.render.safe_text import restart_text
from logdump.session.check_events import SafePointShown
from trailformat import TrailName
from trailformat.trail.sequence import Spot


def _seqno(spot: Spot) -> int | None:
    name = TrailName.parse(spot.path)
    return name.seqno if name else None


SPOT = Shape(
    "spot",
    "A place in a trail.",
    (
        member("file", "string", "Path of the file", "path"),
        member("seqno", "number or null", "Its sequence number, null where its name has none", _seqno),
        member("rba", "number", "Byte offset in it"),
        member("alter", "string", "What sets a Replicat there, to be pasted into GGSCI", restart_text),
    ),
)
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

_SAFE = "Whether a restart at the position loses nothing: no transaction has begun before it and not ended"
_ENDED = "How it ended: last, cut (by a restart), overtaken (by the next one), file_end, damage"


def _is_safe(shown: SafePointShown) -> bool:
    return shown.extent is None or shown.extent.begin == (shown.path, shown.rba)


def _tables(shown: SafePointShown) -> Any:
    return sorted(shown.extent.tables.items()) if shown.extent else None


SAFE_POINT = Shape(
    "safe_point",
    "SAFE: the transaction that holds a position; between two transactions all that is about one is null.",
    (
        member("file", "string", "Path of the file", "path"),
        member("rba", "number", "The position"),
        verdict("safe", "boolean", _SAFE, _is_safe),
        member("csn", "string or null", "LOGCSN", "extent?.transaction.csn"),
        member("xid", "string or null", "TRANID", "extent?.transaction.xid"),
        member("begin", "spot or null", "Its first record; null when that is not there", SPOT.one("extent?.begin")),
        member("last", "spot or null", "The last of its records that was found", SPOT.one("extent?.last")),
        member(
            "after",
            "spot or null",
            "The first RBA after it, where a restart leaves it out; null while it is open",
            SPOT.one("extent?.after"),
        ),
        member("has_end", "boolean or null", "Whether its last record is marked as the last", "extent?.has_end"),
        member("ended", "string or null", _ENDED, "extent?.ended.value"),
        member("marker", "spot or null", "The restart record that cut it", SPOT.one("extent?.marker?.spot")),
        member("records", "number or null", "Its records", "extent?.records"),
        member("records_before", "number or null", "Those before the position", "extent?.before"),
        member("tables", "list of table_records, or null", "Its records by table", TABLE_RECORDS.each(_tables)),
        member(
            "damage",
            "list of damage, or null",
            "What cannot be read between its beginning and its end",
            DAMAGE.each("extent?.damage"),
        ),
        member(
            "missing",
            "string or null",
            "The file in which it begins or goes on, and which is not there",
            "extent?.missing",
        ),
        PARTIAL,
    ),
    SafePointShown,
)

"""The answer of SAFE as JSON."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from logdump.render.json_count import TYPE_COUNT
from logdump.render.json_shape import Field, Shape
from logdump.render.safe_text import restart_text
from logdump.session.events import SafePointShown
from trailformat import TrailName
from trailformat.search.transaction_walk import Extent
from trailformat.trail.sequence import Spot


def _seqno(spot: Spot) -> int | None:
    name = TrailName.parse(spot.path)
    return name.seqno if name else None


SPOT = Shape(
    "spot",
    "A place in a trail.",
    (
        Field("file", "string", "Path of the file", lambda spot: str(spot.path)),
        Field("seqno", "number or null", "Its sequence number, null where its name has none", _seqno),
        Field("rba", "number", "Byte offset in it", lambda spot: spot.rba),
        Field("alter", "string", "What sets a Replicat there, to be pasted into GGSCI", restart_text),
    ),
)

TABLE_RECORDS = Shape(
    "table_records",
    "The records of a transaction in one table.",
    (
        Field("table", "string", "Table name, empty where it is not known", lambda item: item[0]),
        Field("records", "number", "How many", lambda item: sum(item[1].values())),
        Field(
            "types",
            "list of type_count",
            "How many of each type, by number",
            lambda item: [TYPE_COUNT.build(pair) for pair in sorted(item[1].items())],
        ),
    ),
)

DAMAGE = Shape(
    "damage",
    "Bytes that hold no sound record.",
    (
        Field("file", "string", "Path of the file", lambda one: str(one.path)),
        Field("rba", "number", "Byte offset in it", lambda one: one.rba),
        Field("length", "number", "Bytes up to the next good record, or the end of the file", lambda one: one.length),
        Field(
            "partial", "boolean", "Whether it is a last record that is not complete (yet)", lambda one: one.is_partial
        ),
    ),
)


def _of_extent(get: Callable[[Extent], Any], shown: SafePointShown) -> Any:
    return get(shown.extent) if shown.extent is not None else None


def _spot(get: Callable[[Extent], Spot | None], shown: SafePointShown) -> Any:
    spot = _of_extent(get, shown)
    return SPOT.build(spot) if spot is not None else None


SAFE_POINT = Shape(
    "safe_point",
    "SAFE: the transaction that holds a position; between two transactions all that is about one is null.",
    (
        Field("file", "string", "Path of the file", lambda shown: str(shown.path)),
        Field("rba", "number", "The position", lambda shown: shown.rba),
        Field(
            "safe",
            "boolean",
            "Whether a restart at the position loses nothing: no transaction has begun before it and not ended",
            lambda shown: shown.extent is None or shown.extent.begin == (shown.path, shown.rba),
        ),
        Field("csn", "string or null", "LOGCSN", partial(_of_extent, lambda extent: extent.transaction.csn)),
        Field("xid", "string or null", "TRANID", partial(_of_extent, lambda extent: extent.transaction.xid)),
        Field(
            "begin",
            "spot or null",
            "Its first record; null when that is not there",
            partial(_spot, lambda extent: extent.begin),
        ),
        Field(
            "last", "spot or null", "The last of its records that was found", partial(_spot, lambda extent: extent.last)
        ),
        Field(
            "after",
            "spot or null",
            "The first RBA after it, where a restart leaves it out; null while it is open",
            partial(_spot, lambda extent: extent.after),
        ),
        Field(
            "has_end",
            "boolean or null",
            "Whether its last record is marked as the last",
            partial(_of_extent, lambda extent: extent.has_end),
        ),
        Field(
            "ended",
            "string or null",
            "How it ended: last, cut (by a restart), overtaken (by the next one), file_end, damage",
            partial(_of_extent, lambda extent: extent.ended.value),
        ),
        Field(
            "marker",
            "spot or null",
            "The restart record that cut it",
            partial(_spot, lambda extent: extent.marker.spot if extent.marker else None),
        ),
        Field("records", "number or null", "Its records", partial(_of_extent, lambda extent: extent.records)),
        Field(
            "records_before",
            "number or null",
            "Those before the position",
            partial(_of_extent, lambda extent: extent.before),
        ),
        Field(
            "tables",
            "list of table_records, or null",
            "Its records by table",
            partial(_of_extent, lambda extent: [TABLE_RECORDS.build(item) for item in sorted(extent.tables.items())]),
        ),
        Field(
            "damage",
            "list of damage, or null",
            "What cannot be read between its beginning and its end",
            partial(_of_extent, lambda extent: [DAMAGE.build(one) for one in extent.damage]),
        ),
        Field(
            "missing",
            "string or null",
            "The file in which it begins or goes on, and which is not there",
            partial(_of_extent, lambda extent: str(extent.missing) if extent.missing else None),
        ),
    ),
)

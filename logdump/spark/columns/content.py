"""What a record carries: images, DDL, and what of it cannot be decoded."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa

from logdump.spark.column_types import IMAGE, STRINGS, TEXTS
from logdump.spark.columns.tokens import of_records
from logdump.spark.rows import Rows
from trailformat import Record, TrailError, parse_ddl
from trailformat.columns import Columns
from trailformat.ddl import DDL_NAMES
from trailformat.io_types import DDL_OP

_PARTS: dict[str, Callable[[Record], Any]] = {
    "images": lambda record: record.images,
    "gg_tokens": lambda record: record.gg_tokens,
    "user_tokens": lambda record: record.user_tokens,
}
"""What may be undecodable in a record whose framing is sound."""
_CUT = "the columns go on in the record fragments that follow"


def _image(which: int) -> Callable[[Rows], Any]:
    def build(rows: Rows) -> Any:
        values: list[list[tuple[int, str | None, bytes | None, bool]] | None] = []
        for record in rows.records:
            columns = None
            if record is not None:
                try:
                    columns = record.images and record.images[which]
                except TrailError as error:
                    rows.source.undecodable(error)
            values.append(None if record is None or columns is None else _described(rows, record, columns))
        return pa.array(values, IMAGE.arrow(pa))

    return build


def _described(rows: Rows, record: Record, columns: Columns) -> list[tuple[int, str | None, bytes | None, bool]]:
    names = _column_names(rows, record)
    return [
        (
            one.index,
            names[one.index] if one.index < len(names) else None,
            None if one.is_null else one.value,
            one.is_null,
        )
        for one in columns
    ]


def _column_names(rows: Rows, record: Record) -> list[str]:
    trail = rows.source.trail
    entry = trail.table_of(record)
    definition = trail.tables.columns(entry) if entry else None
    return [column.name for column in definition.columns] if definition else []


def _ddl(record: Record) -> list[tuple[str, str]] | None:
    if record.header.io_type != DDL_OP:
        return None
    return [(DDL_NAMES.get(key, key), value) for key, value in parse_ddl(record.data)]


def _problems(rows: Rows) -> Any:
    found = [list(_problems_of(record)) or None if record is not None else None for record in rows.records]
    return pa.array(found, STRINGS.arrow(pa))


def _problems_of(record: Record) -> Iterator[str]:
    for what, part in _PARTS.items():
        try:
            part(record)
        except TrailError as error:
            is_cut = what == "images" and record.header.continued
            yield f"{what}: {_CUT if is_cut else error.problem}"


BUILDERS = {
    "before": _image(0),
    "after": _image(1),
    "ddl": of_records(_ddl, TEXTS.arrow),
    "problems": _problems,
}

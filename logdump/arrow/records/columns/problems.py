"""DDL, and what of a record cannot be decoded."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from logdump.arrow.records.column_types import STRINGS, TEXTS
from logdump.arrow.records.columns.images import SIDES, image_parts, report_undecodable, value_problems
from logdump.arrow.records.rows import Rows
from logdump.arrow.records.tokens import gg_parts, user_tokens_by_row
from trailformat import Record, TrailError, parse_ddl
from trailformat.records.ddl import ddl_name
from trailformat.records.record_header import DDL_OP

_PARTS: dict[str, Callable[[Record], Any]] = {
    "images": lambda record: record.images,
    "gg_tokens": lambda record: record.gg_tokens,
    "user_tokens": lambda record: record.user_tokens,
}
"""What may be undecodable in a record whose framing is sound."""
_CUT = "the columns continue in the record fragments that follow"


def _ddl(rows: Rows) -> Any:
    texts: list[list[tuple[str, str]] | None] = [None] * len(rows)
    for row in np.flatnonzero(rows.is_record & (rows.of("io_type") == DDL_OP)).tolist():
        with contextlib.suppress(TrailError):
            texts[row] = [(ddl_name(key) or key, value) for key, value in parse_ddl(rows.record(row).data)]
    return pa.array(texts, TEXTS.arrow(pa))


def _problems(rows: Rows) -> Any:
    suspects = rows.is_record & (rows.is_too_large | ~(image_parts(rows).is_sound & gg_parts(rows).is_sound))
    values: dict[int, list[str]] = {}
    for which, side in enumerate(SIDES):
        report_undecodable(rows, which)
        for problem in value_problems(rows, which):
            values.setdefault(problem.row, []).append(f"{side}.{problem.column}: {problem.reason}")
    suspects[[row for row, pairs in user_tokens_by_row(rows).items() if isinstance(pairs, TrailError)]] = True
    lists: list[list[str] | None] = [None] * len(rows)
    for row in np.flatnonzero(suspects).tolist():
        lists[row] = list(_problems_of(rows, rows.record(row))) or None
    for row, problems in values.items():
        lists[row] = [*problems, *(lists[row] or ())]
    return pa.array(lists, STRINGS.arrow(pa))


def _problems_of(rows: Rows, record: Record) -> Iterator[str]:
    for what, part in _PARTS.items():
        try:
            part(record)
        except TrailError as error:
            is_cut = what == "images" and bool(record.header.continued)
            rows.source.undecodable(error, is_cut=is_cut)
            yield f"{what}: {_CUT if is_cut else error.problem}"


BUILDERS = {"ddl": _ddl, "problems": _problems}

"""Columns that parse records or need other records: tokens, transactions and their ends, DDL, problems."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from logdump.arrow.records.columns.images import SIDES, image_parts, report_undecodable, value_problems
from logdump.arrow.records.rows import Array, Rows
from logdump.arrow.records.schema import BYTES, STRINGS, TEXTS
from logdump.arrow.records.texts import gg_parts, row_ids, user_tokens_by_row
from trailformat import Record, TrailError, parse_ddl
from trailformat.arrays.arrow import arrow_strings, bytes_at, lists, masked, numbered, replaced, text_array
from trailformat.changes.row_changes import UNKNOWN_EFFECT, doubt_of, is_unknown
from trailformat.codec.tokens import GGS_TOKENS, token_name
from trailformat.records.ddl import ddl_name
from trailformat.records.record_header import DDL_OP
from trailformat.scan.rows import Fields, unknown_among
from trailformat.transactions.batches import ENDINGS, LAST
from trailformat.transactions.not_applied import NO_ROW, endings_of_rows, no_ranges, rows_not_applied

_WORDS = text_array([ending.value for ending in ENDINGS])


def _endings(rows: Rows) -> Array:
    return endings_of_rows(rows.source.not_applied or no_ranges(), rows.batch, rows.rows)


def _ended(rows: Rows) -> Any:
    endings = _endings(rows)
    return numbered(_WORDS, np.maximum(endings, 0).astype(np.int32), endings != NO_ROW)


def _cut(rows: Rows) -> Any:
    endings = _endings(rows)
    return masked(endings != LAST, endings != NO_ROW)


def _is_effective(rows: Rows) -> Any:
    not_applied = rows_not_applied(rows.source.not_applied or no_ranges(), rows.batch, rows.rows)
    return masked(~not_applied, _endings(rows) != NO_ROW)


def _csn(rows: Rows) -> Any:
    return _of_owners(rows, "csns")


def _xid(rows: Rows) -> Any:
    return _of_owners(rows, "xids")


def _of_owners(rows: Rows, part: str) -> Any:
    owners = rows.source.owners(rows.batch)
    texts = pa.array(list(getattr(owners, part)), pa.string())
    return numbered(texts, np.asarray(owners.index)[rows.rows])


_PARTS: dict[str, Callable[[Record], Any]] = {
    "images": lambda record: record.images,
    "gg_tokens": lambda record: record.gg_tokens,
    "user_tokens": lambda record: record.user_tokens,
}
"""The parts that may be undecodable in a sound record."""
_IS_UNKNOWN = np.array([is_unknown(number) for number in range(256)])
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
    suspects |= rows.is_record & (_IS_UNKNOWN[rows.of("io_type")] | unknown_among(gg_parts(rows)))
    words: list[list[str] | None] = [None] * len(rows)
    for row in np.flatnonzero(suspects).tolist():
        words[row] = list(_problems_of(rows, rows.record(row))) or None
    for row, problems in values.items():
        words[row] = [*problems, *(words[row] or ())]
    return pa.array(words, STRINGS.arrow(pa))


def _problems_of(rows: Rows, record: Record) -> Iterator[str]:
    for what, part in _PARTS.items():
        try:
            part(record)
        except TrailError as error:
            is_cut = what == "images" and bool(record.header.continued)
            rows.source.undecodable(error, is_cut=is_cut)
            yield f"{what}: {_CUT if is_cut else error.problem}"
    if (doubt := doubt_of(record)) is not None:
        yield doubt
    if is_unknown(record.header.io_type):
        yield UNKNOWN_EFFECT


_NAMES = text_array([token_name(GGS_TOKENS, number) or f"x{number:02x}" for number in range(256)])


def _gg_tokens(rows: Rows) -> Any:
    parts = gg_parts(rows)
    kind = BYTES.arrow(pa)
    pairs = [_NAMES.take(pa.array(parts.number)), bytes_at(rows.view, parts.start, parts.size)]
    struct = pa.StructArray.from_arrays(pairs, fields=[kind.key_field, kind.item_field])
    array = lists(kind, parts.first, struct, rows.is_record)
    unsound = np.flatnonzero(~parts.is_sound | _repeats(parts)).tolist()
    return replaced(array, unsound, [_tokens_of(rows, row) for row in unsound])


def _repeats(parts: Fields) -> Array:
    """Return a mask of the regions with two tokens of one id."""
    place = parts.region * 256 + parts.number
    last = np.empty(256 * len(parts.is_sound), np.int64)
    order = np.arange(len(place))
    last[place] = order
    repeats = np.zeros(len(parts.is_sound), dtype=bool)
    repeats[parts.region[last[place] != order]] = True
    return repeats


def _tokens_of(rows: Rows, row: int) -> list[tuple[str, bytes]] | None:
    """Return the tokens of a record; identical tokens, which DDL records have, are returned once."""
    try:
        tokens = rows.record(row).gg_tokens
    except TrailError as error:
        rows.source.undecodable(error)
        return None
    return list(dict.fromkeys((_NAMES[token.id].as_py(), token.payload) for token in tokens))


def _user_tokens(rows: Rows) -> Any:
    kind = TEXTS.arrow(pa)
    names: list[str] = []
    values: list[str] = []
    count = np.zeros(len(rows), np.int64)
    valid = rows.is_record.copy()
    for row, pairs in sorted(user_tokens_by_row(rows).items()):
        if isinstance(pairs, TrailError):
            rows.source.undecodable(pairs.at(rows.source.trail.path, int(rows.batch.rba[rows.rows[row]])))
            valid[row] = False
            continue
        count[row] = len(pairs)
        names += [_text(name) for name, _ in pairs]
        values += [_text(value) for _, value in pairs]
    first = np.concatenate((np.zeros(1, np.int64), np.cumsum(count)))
    pairs_array = [pa.array(names, pa.string()), pa.array(values, pa.string())]
    struct = pa.StructArray.from_arrays(pairs_array, fields=[kind.key_field, kind.item_field])
    return lists(kind, first, struct, valid)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace")


BUILDERS = {
    "row_id": lambda rows: arrow_strings(row_ids(rows)),
    "gg_tokens": _gg_tokens,
    "user_tokens": _user_tokens,
    "ended": _ended,
    "cut": _cut,
    "is_effective": _is_effective,
    "csn": _csn,
    "xid": _xid,
    "ddl": _ddl,
    "problems": _problems,
}

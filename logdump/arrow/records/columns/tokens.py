"""Tokens as maps, and the row id."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from logdump.arrow.records.column_types import BYTES, TEXTS
from logdump.arrow.records.columns.arrow_values import bytes_at, lists, replaced
from logdump.arrow.records.rows import Array, Rows
from logdump.arrow.records.tokens import gg_parts, row_ids, user_tokens_by_row
from trailformat import TrailError
from trailformat.arrays.arrow import arrow_strings
from trailformat.codec.tokens import GGS_TOKENS, token_name
from trailformat.scan.rows import Fields

_NAMES = pa.array([token_name(GGS_TOKENS, number) or f"x{number:02x}" for number in range(256)])


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
    """Return the tokens of a record; identical ones that occur twice, as in DDL records, once."""
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


BUILDERS = {"row_id": lambda rows: arrow_strings(row_ids(rows)), "gg_tokens": _gg_tokens, "user_tokens": _user_tokens}

"""Tokens: those of GoldenGate, the row id among them, and those of the user; for all rows together."""

from __future__ import annotations

import numpy as np

from logdump.arrow.records.rows import Array, Rows
from trailformat import TrailError
from trailformat.arrays import Strings
from trailformat.codec.tokens import ROWID
from trailformat.records.large_record import LARGEST
from trailformat.records.record import UserTokens, parse_user_tokens
from trailformat.scan.rows import Fields, tokens_in
from trailformat.scan.rows.definitions import are_wide

_USER = ord("U")
_ROW_ID_SIZE = 18
_FRAME, _WIDE_FRAME = 4, 6
_NOT_ASCII = 0x80


def gg_parts(rows: Rows) -> Fields:
    """The places of the GGS tokens of the rows; found once, for all columns that need them."""
    if "gg_tokens" not in rows.walked:
        rows.walked["gg_tokens"] = tokens_in(rows.view, *rows.payload("token"), rows.is_little)
    fields: Fields = rows.walked["gg_tokens"]
    return fields


def row_ids(rows: Rows) -> Strings:
    """Return the ORAROWID of each row."""
    parts = gg_parts(rows)
    at, region = _first_of(parts, ROWID)
    texts = Strings.at(rows.view, parts.start[at], np.minimum(parts.size[at], _ROW_ID_SIZE))
    unsound, ids = np.flatnonzero(~parts.is_sound), Strings.nulls(len(rows))
    if (texts.data >= _NOT_ASCII).any():
        unsound = np.union1d(unsound, region)
    elif len(region):
        ids = ids.replaced(region, texts)
    return ids.replaced(unsound, Strings.of(_row_id_of(rows, row) for row in unsound.tolist())) if len(unsound) else ids


def _row_id_of(rows: Rows, row: int) -> str | None:
    try:
        return rows.record(row).row_id
    except TrailError as error:
        rows.source.undecodable(error)
        return None


def _first_of(parts: Fields, number: int) -> tuple[Array, Array]:
    """The first token with an id in each region that has one: the places among the parts, and the regions."""
    at = np.flatnonzero(parts.number == number)
    region, first = np.unique(parts.region[at], return_index=True)
    return at[first], region


def user_tokens_by_row(rows: Rows) -> dict[int, UserTokens | TrailError]:
    """Return the user tokens of the rows that have some, or their error; computed once."""
    if "user_tokens" not in rows.walked:
        rows.walked["user_tokens"] = _user_tokens_by_row(rows)
    tokens: dict[int, UserTokens | TrailError] = rows.walked["user_tokens"]
    return tokens


def _user_tokens_by_row(rows: Rows) -> dict[int, UserTokens | TrailError]:
    parts = bodies(rows)
    at, region = _first_of(parts, _USER)
    tokens: dict[int, UserTokens | TrailError] = {}
    for row, start, size in zip(region.tolist(), parts.start[at].tolist(), parts.size[at].tolist(), strict=True):
        tokens[row] = _parsed(rows.view[start : start + size].tobytes()) if size <= LARGEST else _read(rows, row)
    tokens |= {row: _read(rows, row) for row in np.flatnonzero(~parts.is_sound).tolist()}
    return tokens


def _read(rows: Rows, row: int) -> UserTokens | TrailError:
    try:
        return rows.record(row).user_tokens
    except TrailError as error:
        return error


def bodies(rows: Rows) -> Fields:
    """The tokens that the records are made of; found once."""
    if "bodies" not in rows.walked:
        rows.walked["bodies"] = _bodies(rows)
    parts: Fields = rows.walked["bodies"]
    return parts


def _bodies(rows: Rows) -> Fields:
    begins, length = rows.starts, rows.of("length")
    info = rows.view[np.minimum(begins + 1, len(rows.view) - 1)]
    frame = np.where(are_wide(info), _WIDE_FRAME, _FRAME)
    starts, ends = np.where(rows.is_record, begins + frame, 0), np.where(rows.is_record, begins + length - frame, 0)
    return tokens_in(rows.view, starts, ends, rows.is_little)


def _parsed(data: bytes) -> UserTokens | TrailError:
    try:
        return parse_user_tokens(data)
    except TrailError as error:
        return error

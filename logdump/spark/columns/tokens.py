"""Tokens: those of GoldenGate, those of the user, and the row id among the former."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa

from logdump.spark.column_types import BYTES, TEXTS
from logdump.spark.rows import Rows
from trailformat import Record, TrailError
from trailformat.token_names import GGS_TOKENS, token_name


def of_records(part: Callable[[Record], Any], make_type: Callable[[Any], Any]) -> Callable[[Rows], Any]:
    """A builder that asks each record; what cannot be decoded is null, or ends the read."""

    def build(rows: Rows) -> Any:
        values = []
        for record in rows.records:
            value = None
            if record is not None:
                try:
                    value = part(record)
                except TrailError as error:
                    rows.source.undecodable(error)
            values.append(value)
        return pa.array(values, make_type(pa))

    return build


def _gg_tokens(record: Record) -> list[tuple[str, bytes]]:
    """Names and payloads; a token that stands there twice with one payload, as in DDL records, stands here once."""
    pairs = [(token_name(GGS_TOKENS, one.id) or f"x{one.id:02x}", one.payload) for one in record.gg_tokens]
    return list(dict.fromkeys(pairs))


def _user_tokens(record: Record) -> list[tuple[str, str]]:
    return [(_text(name), _text(value)) for name, value in record.user_tokens]


def _text(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace")


BUILDERS = {
    "row_id": of_records(lambda record: record.row_id, lambda arrow: arrow.string()),
    "gg_tokens": of_records(_gg_tokens, BYTES.arrow),
    "user_tokens": of_records(_user_tokens, TEXTS.arrow),
}

"""Changes as GoldenGate's JSON formatter writes them (``format=json`` of its handlers): an update is one message.

    table, op_type, op_ts, current_ts, pos, primary_keys, before, after

The images are those of the trail: a column that an image lacks is no member, and so is a value that does not decode.
docs/export.md lists what is inferred.
"""

from __future__ import annotations

import base64
import json
import os
import re
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import partial

import numpy as np
import pyarrow as pa

from logdump.arrow.tables.changes import Changed
from logdump.arrow.tables.group import Array
from logdump.arrow.tables.layout import TableLayout
from logdump.tables.messages.blocks import ColumnTokens, Scene, column_tokens, is_finite, row_object
from trailformat import ColumnDefinition
from trailformat.arrays import DecodePath, TextForm, ValueSpelling, array_type
from trailformat.arrays.array_types import BINARY
from trailformat.arrays.text_arrays import PLAIN_TEXT
from trailformat.values import Family, Value, data_type_of, decoded_text

_LETTERS = {"insert": "I", "upsert": "I", "update": "U", "key update": "U", "delete": "D", "truncate": "T"}
_MOMENT = re.compile(rb"(\d{4}-\d\d-\d\d)[: T](\d\d:\d\d:\d\d(?:\.\d{1,9})?(?: ?[\w/+:-]{1,63})?)")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NO_SEQNO = "00000000-1"
"""Number of a file without a number, as it was seen."""


class MessageClock:
    """The times of messages: milliseconds of the clock, then three digits that tell messages of one millisecond apart.

    With SOURCE_DATE_EPOCH in the environment the first message has that time, so that two exports are alike.
    """

    def __init__(self) -> None:
        fixed = os.environ.get("SOURCE_DATE_EPOCH", "")
        self._fixed = int(fixed) * 1_000_000 if fixed.isdecimal() else None
        self._last = -1
        self._lock = threading.Lock()

    def take(self, count: int) -> int:
        """Return the time of the first of ``count`` messages in microseconds since 1970, UTC; each is 1 later."""
        now = self._fixed if self._fixed is not None else time.time_ns() // 1_000_000 * 1000
        with self._lock:
            first = max(now, self._last + 1)
            self._last = first + count - 1
        return first


class OggForm:
    """The form of GoldenGate's JSON formatter.

    Args:
        now: ``current_ts`` of the first record of a block in microseconds since 1970; each one after it is 1 later.
    """

    is_split = False
    has_truncates = True
    needs_definition = True

    def __init__(self, now: int) -> None:
        self._now = now

    def spelling(self, definition: ColumnDefinition) -> ValueSpelling:
        """Return the spelling of values: their text; of dates and times, that of the trail with a blank."""
        data_type = data_type_of(definition)
        if data_type.family is not Family.DATETIME:
            return PLAIN_TEXT
        one_by_one = {path: TextForm(most=0) for path in (DecodePath.MOMENT, DecodePath.DATE)}
        return ValueSpelling(one_by_one, partial(_moment, is_variable=data_type.is_variable))

    def messages(
        self, layout: TableLayout, changed: Changed, places: Array, scene: Scene
    ) -> Iterator[tuple[str | None, str]]:
        """Yield the key and the value of the message of each change of a table."""
        ops, rbas = (changed.fixed[name].to_pylist() for name in ("_op", "_rba"))
        times = changed.fixed["_time"].cast(pa.int64()).to_pylist()
        images = changed.images
        before = _Image(layout, images.before, images.is_known_before & ~images.is_lost_before)
        after = _Image(layout, images.after, images.is_known_after & ~images.is_lost_after)
        keys = [name for name, column in zip(layout.column_names, layout.columns or (), strict=True) if column.is_key]
        table = _json(layout.name)
        primary_keys = f'"primary_keys":{_json(keys or layout.column_names)}'
        seqno = _NO_SEQNO if scene.seqno is None else f"{scene.seqno:010d}"
        for row, (op, rba, io_time, place) in enumerate(zip(ops, rbas, times, places.tolist(), strict=True)):
            letter = _LETTERS.get(op, op.upper())
            members = [
                f'"table":{table},"op_type":{_json(letter)},"op_ts":{_time(io_time, " ")}',
                f'"current_ts":{_time(self._now + place, "T")},"pos":"{seqno}{rba:010d}",{primary_keys}',
            ]
            is_deleted_after = letter == "D" and not before.is_there[row]
            if letter in "UD":
                members.append(f'"before":{(after if is_deleted_after else before).object(row)}')
            if letter not in "DT":
                members.append(f'"after":{after.object(row)}')
            own = before if letter == "D" and not is_deleted_after else after
            yield None if letter == "T" else own.key(row, keys or layout.column_names), f"{{{','.join(members)}}}"


class _Image:
    """One image of the changes of a table.

    Attributes:
        is_there: a mask of the changes that have one of its columns.
    """

    def __init__(self, layout: TableLayout, arrays: list[pa.Array], is_stored: Array) -> None:
        definitions = zip(layout.column_names, layout.columns or (), arrays, strict=True)
        self._columns = [_tokens(name, column, layout.codec, array) for name, column, array in definitions]
        self._texts = dict(zip(layout.column_names, arrays, strict=True))
        self._absent = [set(np.flatnonzero(~known).tolist()) for known in is_stored.T]
        self.is_there: Array = np.any(is_stored, axis=0)

    def object(self, row: int) -> str:
        """Return the columns of a change that the image has."""
        return row_object(self._columns, row, self._absent[row])

    def key(self, row: int, names: list[str]) -> str | None:
        """Return the values of the key joined by ``_``; None if one of them is not known."""
        values = [self._texts[name][row].as_py() for name in names]
        return None if not values or None in values else "_".join(values)


def _tokens(name: str, definition: ColumnDefinition, codec: str, texts: pa.Array) -> ColumnTokens:
    is_binary = array_type(definition, codec).type == BINARY
    make = _base64 if is_binary else _MAKERS.get(data_type_of(definition).family, _json)
    return column_tokens(name, texts, make, is_ascii=False)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _number(text: str) -> str:
    """Return a decimal number with its digits; zero without decimals, as it was seen."""
    return "0" if not Decimal(text) else text


def _real(text: str) -> str:
    """Return a floating-point number; text, as Java spells it, if JSON has no such number."""
    return text if is_finite(text) else _json({"inf": "Infinity", "-inf": "-Infinity"}.get(text, "NaN"))


def _base64(text: str) -> str:
    return _json(base64.b64encode(bytes.fromhex(text)).decode("ascii"))


_MAKERS = {Family.INTEGER: _number, Family.DECIMAL: _number, Family.REAL: _real}
"""How values become JSON by their kind: text unless it is here. Numbers that the trail stores as text are text."""


def _moment(value: Value, *, is_variable: bool) -> str | None:
    """Return a date and time with all digits of the trail, joined by a blank; others as plain_text has them."""
    if value.value is None:
        return None
    stored = value.data[2:] if is_variable else value.data
    match = _MOMENT.fullmatch(stored.strip(b" \0"))
    return f"{match[1].decode()} {match[2].decode()}" if match else decoded_text(value)


def _time(micros: int | None, joint: str) -> str:
    """Return microseconds since 1970 as text in UTC with six decimals."""
    if micros is None:
        return "null"
    return f'"{(_EPOCH + timedelta(microseconds=micros)).replace(tzinfo=None).isoformat(joint, "microseconds")}"'

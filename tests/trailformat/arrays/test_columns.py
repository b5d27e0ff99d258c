"""The arrays of columns say what decode_value says of each value, one by one."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fixtures import TRAILS
from fixtures.flavour import ORACLE_12
from trailformat import (
    ByteOrder,
    Column,
    ColumnDefinition,
    Images,
    Record,
    TrailError,
    TrailFile,
    TrailWriter,
    make_header,
)
from trailformat.arrays import ColumnArray, Image, column_array, locate_columns
from trailformat.arrays.kernels import BROKEN
from trailformat.io_types import DELETE, INSERT, UNIFIED_UPDATE
from trailformat.record_header import COMPRESSED, name_field
from trailformat.scan import Batch, Engine, scan
from trailformat.values import Value, decode_value, plain_text

_DEFINITION = ORACLE_12.sales.columns[0]
_KINDS: dict[str, dict[str, Any]] = {
    "CHAR": {"data_type": 0, "sub_data_type": 5},
    "VARCHAR": {"data_type": 64, "sub_data_type": 5},
    "NUMBER": {"data_type": 64, "sub_data_type": 2},
    "NUMBER(9,2) as text": {"data_type": 64, "sub_data_type": 3, "scale": 2},
    "NUMBER(9,2) as CHAR": {"data_type": 0, "sub_data_type": 3, "scale": 2},
    "NUMBER in EBCDIC": {"data_type": 64, "sub_data_type": 2, "charset": 1072},
    "NUMBER(9,2) in Latin-1": {"data_type": 64, "sub_data_type": 3, "scale": 2, "charset": 1003},
    "NUMBER(9,40) as text": {"data_type": 64, "sub_data_type": 3, "scale": 40},
    "CHAR(4)": {"data_type": 0, "sub_data_type": 5, "internal_length": 4},
    "RAW(4)": {"data_type": 0, "sub_data_type": 4, "internal_length": 4},
    "VARCHAR in windows-1252": {"data_type": 64, "sub_data_type": 5, "charset": 1003},
    "VARCHAR in UTF-16": {"data_type": 64, "sub_data_type": 1},
    "VARCHAR in EBCDIC": {"data_type": 64, "sub_data_type": 5, "charset": 1072},
    "RAW": {"data_type": 64, "sub_data_type": 4},
    "INT16": {"data_type": 130, "scale": 0, "sub_data_type": 0},
    "INT32": {"data_type": 132, "scale": 0, "sub_data_type": 0},
    "UINT16": {"data_type": 131, "scale": 0, "sub_data_type": 0},
    "UINT64": {"data_type": 135, "scale": 0, "sub_data_type": 0},
    "INT64, scale 2": {"data_type": 134, "scale": 2, "sub_data_type": 0},
    "INT64, scale 19": {"data_type": 134, "scale": 19, "sub_data_type": 0},
    "UINT32, scale 3": {"data_type": 133, "scale": 3, "sub_data_type": 0},
    "scale 99": {"data_type": 134, "scale": 99, "sub_data_type": 0},
    "DOUBLE": {"data_type": 143, "sub_data_type": 0},
    "REAL": {"data_type": 142, "sub_data_type": 0},
    "DECIMAL": {"data_type": 154, "scale": 2, "sub_data_type": 0},
    "DATE": {"data_type": 192, "least_significant": 2, "sub_data_type": 0},
    "TIMESTAMP": {"data_type": 192, "least_significant": 6, "sub_data_type": 0},
    "TIMESTAMP WITH TIME ZONE": {"data_type": 192, "least_significant": 6, "native_type": 188},
    "DATETIME with a length": {"data_type": 191, "least_significant": 6, "sub_data_type": 0},
    "TIME": {"data_type": 192, "most_significant": 3, "least_significant": 5},
    "INTERVAL": {"data_type": 212, "sub_data_type": 0},
    "unknown": {"data_type": 999},
}
_NUMBERS = st.one_of(*(st.binary(min_size=size, max_size=size) for size in (2, 4, 8)))
_ZONES = st.integers(-1439, 1439).map(lambda minutes: timezone(timedelta(minutes=minutes)))


def _zoned(moment: datetime) -> bytes:
    """A moment and its offset, a blank between them."""
    text = moment.isoformat(sep=":")
    return f"{text[:-6]} {text[-6:]}".encode()


_TEXTS = st.one_of(
    st.text(max_size=9).map(str.encode),
    st.decimals(allow_nan=False, allow_infinity=False).map(lambda number: str(number).encode()),
    st.decimals(-(10**20), 10**20, places=2).map(lambda number: f"{number:f}".encode()),
    st.from_regex(r"-?[0-9]{0,19}\.?[0-9]{0,3}", fullmatch=True).map(str.encode),
    st.datetimes().map(lambda moment: moment.isoformat(sep=":").encode()),
    st.datetimes(timezones=_ZONES).map(_zoned),
    st.datetimes().map(lambda moment: moment.isoformat(sep=" ", timespec="seconds").encode() + b".123456000"),
    st.dates().map(lambda day: day.isoformat().encode()),
    st.times().map(lambda clock: clock.isoformat().encode()),
    st.sampled_from(
        [
            b"2024-02-30:10:00:00",
            b"2024-03-14:10:00:00.1234567",
            b"2023-02-29",
            b"-0044-03-15:00:00:00",
            b"2024-03-14 10:00:00 +05:30",
            b"2024-03-14 10:00:00+05:30",
            b"2024-03-14 10:00:00 +24:00",
            b"2024-03-14 10:00:00 *05:30",
            b"2024-03-14 10:00:00.123456 +05:60",
            b"0001-01-01 00:00:00 +00:01",
            b"9999-12-31 23:59:59 -00:01",
            b"2024-03-14:24:00:00",
            b"0000-00-00",
            b"1900-02-29",
            b"2000-02-29",
            b"2024-03-14:10:00:00.",
            b"1e400",
        ]
    ),
    st.binary(max_size=24),
)
_INDICATORS = st.sampled_from([b"\0\0"] * 9 + [b"\xff\xff", b"\0\1", b""])


def _raw(order: ByteOrder) -> st.SearchStrategy[bytes]:
    prefixed = _TEXTS.map(lambda text: order.encode(len(text), 2) + text)
    return st.builds(bytes.__add__, _INDICATORS, st.one_of(_NUMBERS, _TEXTS, prefixed))


def _images(trail: TrailFile, columns: int) -> Iterator[tuple[Batch, Any, Image, list[dict[int, Column]]]]:
    """Each image of all rows of the file, and its columns as the records have them."""
    (batch,) = scan(trail, engine=Engine.NUMBA)
    rows = np.flatnonzero(np.asarray(batch.kind) == 0)
    spans = locate_columns(bytes(trail.buffer[:]), 0, batch, rows, columns)
    records = [trail.record_at(int(batch.rba[row])) for row in rows]
    for which, image in enumerate((spans.before, spans.after)):
        found = [_columns_of(record, which) if record else () for record in records]
        yield batch, spans, image, [{column.index: column for column in one} for one in found]


def _columns_of(record: Record, which: int) -> tuple[Column, ...]:
    images = record.images
    return ((images.before, images.after)[which] if images else None) or ()


def _check(got: ColumnArray, expected: list[Value | None]) -> None:
    problems = {problem.row for problem in got.problems}
    for row, (shown, value) in enumerate(zip(got.array.to_pylist(), expected, strict=True)):
        if value is None or value.is_null:
            assert (shown, row in problems) == (None, False)
        elif value.problem is not None:
            assert (shown, row in problems) == (None, True) or shown == value.data
        elif row not in problems:
            assert _same(shown, value)


def _same(shown: Any, value: Value) -> bool:
    plain = value.value
    if isinstance(shown, str):
        return shown == plain_text(plain)
    if isinstance(shown, datetime) and isinstance(plain, datetime) and plain.tzinfo is not None:
        return shown == plain.astimezone(UTC)
    if isinstance(shown, date) and isinstance(plain, date):
        return shown.isoformat()[:10] == plain.isoformat()[:10] and _clock(shown) == _clock(plain)
    return bool(shown == plain) or (shown != shown and plain != plain)  # noqa: PLR0124 - NaN


def _clock(value: date) -> time:
    return value.time() if isinstance(value, datetime) else time()


@pytest.mark.parametrize("order", ByteOrder)
@pytest.mark.parametrize("kind", _KINDS)
@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_an_array_holds_what_each_value_decodes_to(
    tmp_path: Path, kind: str, order: ByteOrder, data: st.DataObject
) -> None:
    definition = _DEFINITION._replace(**_KINDS[kind])
    values = data.draw(st.lists(st.one_of(st.none(), _raw(order)), min_size=1, max_size=12))
    path = tmp_path / "ar000000000"
    path.unlink(missing_ok=True)
    with TrailWriter(path, order=order) as writer:
        for raw in values:
            columns = () if raw is None else (Column(0, raw),)
            writer.write_values(_header(INSERT, order), Images(None, columns))
    with TrailFile(path) as trail:
        for _, spans, image, found in _images(trail, 1):
            expected = [decode_value(row[0], definition, order) if 0 in row else None for row in found]
            _check(column_array(spans, image, 0, definition), expected)


def _header(io_type: int, order: ByteOrder) -> Any:
    before_after = ord("B" if io_type == DELETE else "A")
    header = make_header(io_type, io_time=0, name_field=name_field("A.B", order))
    return header._replace(partition=COMPRESSED, before_after=before_after)


@pytest.mark.parametrize("path", sorted(TRAILS.iterdir()), ids=lambda path: path.name)
def test_both_images_of_the_fixtures(path: Path) -> None:
    with TrailFile(path) as trail:
        for record in _sound_records(trail):
            entry = trail.table_of(record)
            definition = trail.tables.columns(entry) if entry else None
            if definition is None or record.is_metadata:
                continue
            _check_record(trail, record, definition.columns)


def _sound_records(trail: TrailFile) -> Iterator[Record]:
    (batch,) = scan(trail)
    for rba, kind in zip(batch.rba, batch.kind, strict=True):
        record = trail.record_at(rba) if kind == 0 else None
        if record is not None:
            yield record


def _check_record(trail: TrailFile, record: Record, columns: tuple[ColumnDefinition, ...]) -> None:
    (batch,) = scan(trail, record.rba, record.rba + record.length, engine=Engine.NUMBA)
    rows = np.zeros(1, np.int64)
    spans = locate_columns(record.raw, record.rba, batch, rows, len(columns))
    for which, image in enumerate((spans.before, spans.after)):
        try:
            held = {one.index: one for one in _columns_of(record, which)}
        except TrailError:
            assert spans.states.tolist() == [BROKEN]
            held = {}
        for index, definition in enumerate(columns):
            value = decode_value(held[index], definition, record.order) if index in held else None
            _check(column_array(spans, image, index, definition), [value])


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("DATE", date(1994, 9, 30)),
        ("INT16", -2),
        ("INT64, scale 2", Decimal("17520.00")),
        ("VARCHAR", "CAR"),
        ("TIMESTAMP", datetime(1994, 9, 30, 15, 33)),  # noqa: DTZ001 - a moment without a zone
    ],
)
def test_values_of_every_family(tmp_path: Path, kind: str, expected: object) -> None:
    raw = {
        "DATE": b"1994-09-30",
        "INT16": b"\xff\xfe",
        "INT64, scale 2": bytes.fromhex("00000000001abbc0"),
        "VARCHAR": b"\0\3CAR",
        "TIMESTAMP": b"1994-09-30:15:33:00",
    }[kind]
    path = tmp_path / "ar000000000"
    with TrailWriter(path, order=ByteOrder.BIG) as writer:
        column = (Column(0, b"\0\0" + raw),)
        writer.write_values(_header(UNIFIED_UPDATE, ByteOrder.BIG), Images(column, column, 4))
    with TrailFile(path) as trail:
        for _, spans, image, _found in _images(trail, 1):
            definition = _DEFINITION._replace(**_KINDS[kind])
            assert column_array(spans, image, 0, definition).array.to_pylist() == [expected]

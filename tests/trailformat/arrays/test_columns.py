"""The arrays of columns say what decode_value says of each value, one by one."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fixtures import TRAILS
from fixtures.flavour import ORACLE_12
from tests.searching import examples, in_turn, some_trails
from tests.trailformat.arrays.stored import KINDS, raw_values
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
from trailformat.arrays import Image, locate_columns
from trailformat.arrays.columns import ColumnArray, column_arrays
from trailformat.native.scan.arguments import BROKEN
from trailformat.records.record_header import COMPRESSED, DELETE, INSERT, UNIFIED_UPDATE, name_field
from trailformat.scan import Batch, scan
from trailformat.scan.rows import RowBytes
from trailformat.values import Value, decode_value, plain_text

_DEFINITION = ORACLE_12.sales.columns[0]


def _images(trail: TrailFile, columns: int) -> Iterator[tuple[Batch, Any, Image, list[dict[int, Column]]]]:
    """Each image of all rows of the file, and its columns as the records have them."""
    (batch,) = scan(trail)
    rows = np.flatnonzero(np.asarray(batch.kind) == 0)
    spans = locate_columns(RowBytes(trail.buffer, batch, rows), columns)
    records = [trail.record_at(int(batch.rba[row])) for row in rows]
    for which, image in enumerate((spans.before, spans.after)):
        found = [_columns_of(record, which) if record else () for record in records]
        yield batch, spans, image, [{column.index: column for column in image_columns} for image_columns in found]


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


@pytest.mark.parametrize(("kind", "order"), in_turn(KINDS, ByteOrder))
@settings(max_examples=examples(6), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_an_array_holds_what_each_value_decodes_to(
    tmp_path: Path, kind: str, order: ByteOrder, data: st.DataObject
) -> None:
    definition = _DEFINITION._replace(**KINDS[kind])
    values = data.draw(st.lists(st.one_of(st.none(), raw_values(order)), min_size=1, max_size=12))
    path = tmp_path / "ar000000000"
    path.unlink(missing_ok=True)
    with TrailWriter(path, order=order) as writer:
        for raw in values:
            columns = () if raw is None else (Column(0, raw),)
            writer.write_values(_header(INSERT, order), Images(None, columns))
    with TrailFile(path) as trail:
        for _, spans, image, found in _images(trail, 1):
            expected = [decode_value(row[0], definition, order) if 0 in row else None for row in found]
            _check(column_arrays(spans, image, [definition])[0], expected)


def _header(io_type: int, order: ByteOrder) -> Any:
    before_after = ord("B" if io_type == DELETE else "A")
    header = make_header(io_type, io_time=0, name_field=name_field("A.B", order))
    return header._replace(partition=COMPRESSED, before_after=before_after)


@pytest.mark.parametrize("path", some_trails(TRAILS.iterdir(), __name__), ids=lambda path: path.name)
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
        record = trail.record_at(int(rba)) if kind == 0 else None
        if record is not None:
            yield record


def _check_record(trail: TrailFile, record: Record, columns: tuple[ColumnDefinition, ...]) -> None:
    (batch,) = scan(trail, record.rba, record.rba + record.length)
    spans = locate_columns(RowBytes(trail.buffer, batch, np.zeros(1, np.int64)), len(columns))
    for which, image in enumerate((spans.before, spans.after)):
        try:
            held = {column.index: column for column in _columns_of(record, which)}
        except TrailError:
            assert spans.states.tolist() == [BROKEN]
            held = {}
        made = column_arrays(spans, image, columns)
        for index, (definition, found) in enumerate(zip(columns, made, strict=True)):
            value = decode_value(held[index], definition, record.order) if index in held else None
            _check(found, [value])


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
            definition = _DEFINITION._replace(**KINDS[kind])
            assert column_arrays(spans, image, [definition])[0].array.to_pylist() == [expected]


def test_a_value_longer_than_its_column_is_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "ar000000000"
    with TrailWriter(path, order=ByteOrder.BIG) as writer:
        writer.write_values(_header(INSERT, ByteOrder.BIG), Images(None, (Column(0, b"\0\0abcd"),)))
    with TrailFile(path) as trail:
        _, (_, spans, image, _found) = _images(trail, 1)
        definition = _DEFINITION._replace(data_type=0, sub_data_type=5, internal_length=3)
        found = column_arrays(spans, image, [definition])[0]
    assert found.array.to_pylist() == [None]
    assert found.problems[0].reason == "CHAR: value is longer than its column; expected at most 3 bytes; found 4 bytes"

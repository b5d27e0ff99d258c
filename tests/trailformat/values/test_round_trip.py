from __future__ import annotations

import contextlib
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.searching import examples
from tests.trailformat.samples import header, metadata_record
from tests.trailformat.strategies import COLUMN_DEFINITIONS, ORDERS
from tests.trailformat.values.kinds import EXAMPLES, KINDS, LOSSY, UNKNOWN, Kind, of
from trailformat import (
    ByteOrder,
    CannotWrite,
    Column,
    ColumnDefinition,
    Images,
    TableDefinition,
    TrailFile,
    TrailWriter,
    decode_value,
    encode_value,
    make_column,
    make_record,
)
from trailformat.changes.row_changes import changes
from trailformat.definitions.metadata import build_table
from trailformat.values import DATA_TYPES, Plain

ROWS = st.tuples(*(st.none() | kind.values for kind in KINDS.values()))
COLUMNS = tuple(kind.definition for kind in KINDS.values())


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
@given(data=st.data(), order=ORDERS)
def test_a_value_comes_back_as_it_was(kind: Kind, data: st.DataObject, order: ByteOrder) -> None:
    value = data.draw(kind.values)
    stored = make_column(0, encode_value(value, kind.definition, order))
    decoded = decode_value(stored, kind.definition, order)
    assert (decoded.value, decoded.problem) == (value, None)
    assert type(decoded.value) is type(value) or isinstance(value, int)


def test_every_known_type_is_tried() -> None:
    tried = {kind.definition.data_type for kind in KINDS.values()}
    assert tried | LOSSY | UNKNOWN == DATA_TYPES.keys()
    assert {code for code, data_type in DATA_TYPES.items() if data_type.decode is None} == UNKNOWN


def row_record(row: tuple[Plain, ...], order: ByteOrder) -> Any:
    stored = [
        make_column(at, None if value is None else encode_value(value, COLUMNS[at], order))
        for at, value in enumerate(row)
    ]
    return make_record(header(1, order), Images(None, tuple(stored)), order=order)


@given(rows=st.lists(ROWS, min_size=1, max_size=2), order=ORDERS)
@settings(max_examples=examples(25))
def test_a_trail_of_every_type_reads_back(rows: list[tuple[Plain, ...]], order: ByteOrder) -> None:
    table = build_table(TableDefinition(1, 0, COLUMNS), order)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "tt000000000"
        with TrailWriter(path, order=order) as writer:
            writer.write(metadata_record(2, 1, "TEA.EVERYTHING", table, order))
            for row in rows:
                writer.write(row_record(row, order))
        with TrailFile(path) as trail:
            read = [[column.after for column in change.columns] for change in changes(trail, trail.records())]
    assert [tuple(value.value if value else "absent" for value in row) for row in read] == rows
    assert {value.problem for row in read for value in row if value} == {None}


@given(st.binary(max_size=40), COLUMN_DEFINITIONS, st.sampled_from(sorted(DATA_TYPES)), ORDERS)
def test_any_bytes_have_a_value_and_a_text(
    raw: bytes, definition: ColumnDefinition, data_type: int, order: ByteOrder
) -> None:
    value = decode_value(Column(0, raw), definition._replace(data_type=data_type), order)
    assert isinstance(value.text, str)
    assert value.problem is None or value.value is None


@given(st.binary(max_size=40), st.sampled_from(sorted(DATA_TYPES)), st.integers(0, 3), ORDERS)
def test_what_decodes_can_be_written_and_means_the_same(
    data: bytes, data_type: int, scale: int, order: ByteOrder
) -> None:
    definition = of(data_type, len(data), scale=scale)
    value = decode_value(make_column(0, data), definition, order)
    if value.problem is None and value.value == value.value:
        again = decode_value(make_column(0, encode_value(value.value, definition, order)), definition, order)
        assert again.value == value.value


@pytest.mark.parametrize("value", EXAMPLES, ids=lambda parameter: type(parameter).__name__)
def test_a_value_of_another_type_is_written_or_refused(value: Plain) -> None:
    for data_type in DATA_TYPES:
        with contextlib.suppress(CannotWrite):
            assert isinstance(encode_value(value, of(data_type), ByteOrder.BIG), bytes), data_type

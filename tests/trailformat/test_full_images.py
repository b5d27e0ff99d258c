from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.trailformat.samples import BOTH, column
from tests.trailformat.strategies import COLUMN_DEFINITIONS, ORDERS
from trailformat import (
    BadData,
    ByteOrder,
    CannotWrite,
    Column,
    ColumnDefinition,
    TableDefinition,
    decode_value,
    make_column,
)
from trailformat.full_images import build_full_image, split_full_image
from trailformat.values import CHAR, VARCHAR


def nonstop(name: str, data_type: int, size: int, offset: int) -> ColumnDefinition:
    kind = column(name, data_type=data_type, scale=0, sub_data_type=0)
    return kind._replace(internal_length=size, external_length=size, fetch_offset=offset)


def table(*columns: ColumnDefinition) -> TableDefinition:
    return TableDefinition(1, 1, columns)


PLAIN = table(nonstop("CODE", CHAR, 6, 0), nonstop("GRAMS", 132, 4, 6), nonstop("NOTE", CHAR, 4, 10))
"""A NonStop file: values side by side, no column is NULL."""
NULLABLE = TableDefinition(
    1, 1, (nonstop("CODE", CHAR, 5, 0), nonstop("GRAMS", 132, 4, 8), nonstop("NOTE", VARCHAR, 4, 14))
)
"""A table: room for an indicator in front of each value, rounded up to even offsets."""


def values(data: bytes, definition: TableDefinition, order: ByteOrder) -> list[object]:
    columns = split_full_image(data, definition, order)
    return [decode_value(one, definition.columns[one.index], order).value for one in columns]


@pytest.mark.parametrize("order", BOTH)
def test_values_stand_at_their_offsets(order: ByteOrder) -> None:
    assert values(b"SEN01 \0\0\3\x7agood", PLAIN, order) == ["SEN01 ", 890, "good"]


@pytest.mark.parametrize(("order", "length"), [(ByteOrder.BIG, b"\0\3"), (ByteOrder.LITTLE, b"\3\0")])
def test_where_there_is_room_an_indicator_stands_in_front(order: ByteOrder, length: bytes) -> None:
    data = b"\0\0SEN01\0" + b"\0\0\0\0\3\x7a" + b"\0\0" + length + b"hot\0"
    assert values(data, NULLABLE, order) == ["SEN01", 890, "hot"]
    nulls = b"\0\0SEN01\0" + b"\xff\xff\0\0\0\0" + b"\xff\xff\0\0\0\0\0\0"
    assert values(nulls, NULLABLE, order) == ["SEN01", None, None]


def test_columns_beyond_the_end_are_absent() -> None:
    assert [one.index for one in split_full_image(b"SEN01 \0\0\3\x7a", PLAIN, ByteOrder.BIG)] == [0, 1]


def test_a_system_key_stands_in_front_of_the_columns() -> None:
    assert split_full_image(b"\0\0\0\7SEN01 ", PLAIN, ByteOrder.BIG, 4)[0].value == b"SEN01 "


def test_offsets_that_leave_no_room_are_bad_data() -> None:
    crossed = PLAIN._replace(columns=(nonstop("CODE", CHAR, 6, 0), nonstop("GRAMS", 132, 4, 3)))
    with pytest.raises(BadData, match="column CODE does not fit"):
        split_full_image(b"SEN01 \0\0\3\x7a", crossed, ByteOrder.BIG)


@pytest.mark.parametrize("definition", [PLAIN, NULLABLE], ids=["plain", "nullable"])
def test_an_image_is_built_of_columns(definition: TableDefinition) -> None:
    grams = make_column(1, b"\0\0\3\x7a")
    image = build_full_image((make_column(0, b"SEN01"), grams), definition, 22)
    code, same, _ = split_full_image(image, definition, ByteOrder.BIG)
    assert (code.value.rstrip(b"\0"), same) == (b"SEN01", grams)


@pytest.mark.parametrize("column", [make_column(3, b""), make_column(0, b"much too long")])
def test_columns_that_do_not_fit_are_refused(column: Column) -> None:
    with pytest.raises(CannotWrite):
        build_full_image((column,), PLAIN, 14)


@given(st.binary(max_size=60), st.lists(COLUMN_DEFINITIONS, max_size=4), ORDERS)
def test_any_definition_splits_or_is_bad(data: bytes, columns: list[ColumnDefinition], order: ByteOrder) -> None:
    with contextlib.suppress(BadData):
        assert len(split_full_image(data, TableDefinition(1, 0, tuple(columns)), order)) <= len(columns)

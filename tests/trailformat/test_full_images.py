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
    ColumnDefinition,
    TableDefinition,
    decode_value,
)
from trailformat.changes.encrypted import split_full_image
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
    return [decode_value(cell, definition.columns[cell.index], order).value for cell in columns]


@pytest.mark.parametrize("order", BOTH)
def test_values_stand_at_their_offsets(order: ByteOrder) -> None:
    assert values(b"SEN01 \0\0\3\x7agood", PLAIN, order) == ["SEN01 ", 890, "good"]


@pytest.mark.parametrize(("order", "length"), [(ByteOrder.BIG, b"\0\3"), (ByteOrder.LITTLE, b"\3\0")])
def test_where_there_is_room_an_indicator_stands_in_front(order: ByteOrder, length: bytes) -> None:
    data = b"\0\0SEN01\0" + b"\0\0\0\0\3\x7a" + b"\0\0" + length + b"hot\0"
    assert values(data, NULLABLE, order) == ["SEN01", 890, "hot"]
    nulls = b"\0\0SEN01\0" + b"\xff\xff\0\0\0\0" + b"\xff\xff\0\0\0\0\0\0"
    assert values(nulls, NULLABLE, order) == ["SEN01", None, None]


LENGTHS = {
    "plain": (PLAIN, range(14, 16)),
    "indicators": (NULLABLE, range(22, 25)),
    "one column": (table(nonstop("CODE", CHAR, 6, 0)), range(6, 11)),
    "one with a length": (table(nonstop("NOTE", VARCHAR, 4, 0)), range(6, 11)),
    "some have room": (
        table(nonstop("A", CHAR, 2, 0), nonstop("B", CHAR, 2, 4), nonstop("C", CHAR, 2, 6)),
        range(8, 13),
    ),
}


@pytest.mark.parametrize("syskey_length", [0, 4, 8])
@pytest.mark.parametrize(("definition", "lengths"), LENGTHS.values(), ids=LENGTHS)
def test_a_row_of_another_length_than_its_definition_is_not_decoded(
    definition: TableDefinition, lengths: range, syskey_length: int
) -> None:
    assert split_full_image(b"", definition, ByteOrder.BIG, syskey_length) == ()
    for length in range(0 if syskey_length else 1, 40):
        data = bytes(syskey_length + length)
        if length in lengths:
            assert len(split_full_image(data, definition, ByteOrder.BIG, syskey_length)) == len(definition.columns)
            continue
        with pytest.raises(BadData) as caught:
            split_full_image(data, definition, ByteOrder.BIG, syskey_length)
        assert str(caught.value) == f"the row has {length} bytes, its definition {lengths[0]} to {lengths[-1]}"


@pytest.mark.parametrize("size", [4, 8])
def test_a_system_key_stands_in_front_of_the_columns(size: int) -> None:
    first = split_full_image(bytes(range(size)) + b"SEN01 \0\0\3\x7agood", PLAIN, ByteOrder.BIG, size)[0]
    assert first.value == b"SEN01 "


def test_offsets_that_leave_no_room_are_bad_data() -> None:
    crossed = PLAIN._replace(columns=(nonstop("CODE", CHAR, 6, 0), nonstop("GRAMS", 132, 4, 3)))
    with pytest.raises(BadData, match="column CODE does not fit"):
        split_full_image(b"SEN01 \0", crossed, ByteOrder.BIG)


SPLIT: dict[str, tuple[TableDefinition, bytes, list[tuple[int, bytes]]]] = {
    "values side by side": (
        PLAIN,
        b"SEN01 \0\0\3\x7agood",
        [(0, b"\0\0SEN01 "), (1, b"\0\0\0\0\3\x7a"), (2, b"\0\0good")],
    ),
    "an indicator where two bytes are left": (
        table(nonstop("CODE", CHAR, 5, 0)),
        b"\xff\xffSEN01\0",
        [(0, b"\xff\xffSEN01")],
    ),
    "no indicator where one byte is left": (table(nonstop("CODE", CHAR, 5, 0)), b"SEN01\0", [(0, b"\0\0SEN01")]),
    "the rest of the record behind the last": (
        table(nonstop("CODE", CHAR, 2, 0)),
        b"\xff\xffABmo",
        [(0, b"\xff\xffAB")],
    ),
    "a length that says more than there is": (
        table(nonstop("NOTE", VARCHAR, 4, 0)),
        b"\0\0\0\x09abcd",
        [(0, b"\0\0\0\x09abcd")],
    ),
    "a length and its indicator": (
        table(nonstop("NOTE", VARCHAR, 4, 0)),
        b"\xff\xff\0\4fine",
        [(0, b"\xff\xff\0\4fine")],
    ),
    "a length without room for an indicator": (
        table(nonstop("NOTE", VARCHAR, 4, 0)),
        b"\0\2hi\0\0\0",
        [(0, b"\0\0\0\2hi")],
    ),
    "a length of nothing": (table(nonstop("NOTE", VARCHAR, 4, 0)), bytes(6), [(0, b"\0\0\0\0")]),
    "a type that is not known": (table(nonstop("NOTE", 999, 2, 0)), b"\0\0AB", [(0, b"\0\0AB")]),
    "offsets in another order": (
        table(nonstop("B", CHAR, 2, 2), nonstop("A", CHAR, 2, 0)),
        b"aabb",
        [(0, b"\0\0bb"), (1, b"\0\0aa")],
    ),
    "no definition of any column": (table(), b"SEN01 ", []),
}


@pytest.mark.parametrize(("definition", "data", "columns"), SPLIT.values(), ids=SPLIT)
def test_an_image_comes_apart_into_these_columns(
    definition: TableDefinition, data: bytes, columns: list[tuple[int, bytes]]
) -> None:
    assert [(cell.index, cell.raw) for cell in split_full_image(data, definition, ByteOrder.BIG)] == columns


def test_what_does_not_fit_is_said() -> None:
    with pytest.raises(BadData) as read:
        split_full_image(bytes(8), table(nonstop("CODE", CHAR, 6, 0), nonstop("GRAMS", 132, 4, 3)), ByteOrder.BIG)
    assert str(read.value) == "column CODE does not fit between its offset and the next; expected 6 bytes"


@given(st.binary(max_size=60), st.lists(COLUMN_DEFINITIONS, max_size=4), ORDERS)
def test_any_definition_splits_or_is_bad(data: bytes, columns: list[ColumnDefinition], order: ByteOrder) -> None:
    with contextlib.suppress(BadData):
        assert len(split_full_image(data, TableDefinition(1, 0, tuple(columns)), order)) <= len(columns)

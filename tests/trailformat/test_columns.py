from __future__ import annotations

import pytest
from hypothesis import given

from tests.trailformat.strategies import COLUMNS, ORDERS
from trailformat import BadData, ByteOrder, CannotWrite, Column, make_column, spec
from trailformat.codec import layout
from trailformat.codec.tokens import MOST_PARTS
from trailformat.records import columns as module
from trailformat.records.columns import Columns, build_columns, parse_columns

CITY = bytes.fromhex("0002 000b 0000 0007 53454154544c45")


@given(COLUMNS, ORDERS)
def test_parsing_what_was_built_gives_the_columns(columns: Columns, order: ByteOrder) -> None:
    data = build_columns(columns, order)
    assert len(data) == sum(4 + len(column.raw) for column in columns)
    assert parse_columns(data, order) == columns


@given(COLUMNS, ORDERS)
def test_columns_cut_anywhere_are_those_of_the_layout(columns: Columns, order: ByteOrder) -> None:
    whole = build_columns(columns, order)
    for size in range(len(whole) + 1):
        data = whole[:size]
        try:
            expected = [*layout.parse_all(spec.column(order.value), data, BadData, "column", most=MOST_PARTS)]
        except BadData:
            with pytest.raises(BadData, match=r"column at byte \d+ does not fit"):
                parse_columns(data, order)
        else:
            assert [(column.index, column.raw) for column in parse_columns(data, order)] == [
                (column.index, column.raw) for column in expected
            ]


def test_a_column_is_index_length_indicator_value() -> None:
    (column,) = parse_columns(CITY, ByteOrder.BIG)
    assert column.index == 2
    assert column.value == b"\0\7SEATTLE"
    assert not column.is_null


def test_index_and_length_are_in_file_order() -> None:
    assert build_columns([make_column(1, b"x")], ByteOrder.LITTLE) == b"\1\0\3\0\0\0x"


def test_the_indicator_ffff_is_null() -> None:
    column = make_column(3, None)
    assert column.raw == b"\xff\xff"
    assert column.is_null


def test_what_follows_a_null_indicator_is_kept() -> None:
    data = b"\0\3\0\4\xff\xff\0\0"
    assert build_columns(parse_columns(data, ByteOrder.BIG), ByteOrder.BIG) == data


@pytest.mark.parametrize("cut", range(1, len(CITY)))
def test_a_column_cut_anywhere_is_bad_data(cut: int) -> None:
    with pytest.raises(BadData, match="column at byte 0"):
        parse_columns(CITY[:cut], ByteOrder.BIG)


def test_more_columns_than_an_index_can_count_are_bad_data(monkeypatch: pytest.MonkeyPatch) -> None:
    assert MOST_PARTS == 65_536
    monkeypatch.setattr(module, "MOST_PARTS", 50)
    assert len(parse_columns(bytes(4 * 50), ByteOrder.BIG)) == 50
    with pytest.raises(BadData, match="at most 50"):
        parse_columns(bytes(4 * 51), ByteOrder.BIG)


@pytest.mark.parametrize(
    "column", [Column(0x10000, b""), Column(-1, b""), Column(0, bytes(0x10000))], ids=["index", "sign", "length"]
)
def test_a_column_that_does_not_fit_cannot_be_written(column: Column) -> None:
    with pytest.raises(CannotWrite, match=f"column {column.index} cannot be written"):
        build_columns([column], ByteOrder.BIG)


def test_columns_are_equal_when_index_and_bytes_are() -> None:
    assert make_column(1, b"x") == Column(1, b"\0\0x")
    assert make_column(1, b"x") != make_column(2, b"x")
    assert make_column(1, b"x") != make_column(1, b"y")

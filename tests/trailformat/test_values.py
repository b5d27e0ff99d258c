from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.trailformat.samples import BOTH, column
from tests.trailformat.strategies import COLUMN_DEFINITIONS, ORDERS
from trailformat import ByteOrder, Column, ColumnDefinition, decode_value, make_column
from trailformat.values import CHAR, DATETIME, VARCHAR


@pytest.mark.parametrize("order", BOTH)
def test_an_integer_is_big_endian_in_both_orders_and_divided_by_its_scale(order: ByteOrder) -> None:
    stored = make_column(4, bytes.fromhex("00000000001abbc0"))
    assert decode_value(stored, column(scale=2), order).text == "17520.00"


@pytest.mark.parametrize(
    ("data_type", "stored", "value"), [(130, "fffe", -2), (132, "0000000a", 10), (134, "ffffffffffffffff", -1)]
)
def test_integers_have_two_four_or_eight_bytes_and_a_sign(data_type: int, stored: str, value: int) -> None:
    definition = column(data_type=data_type, scale=0)
    assert decode_value(make_column(0, bytes.fromhex(stored)), definition, ByteOrder.BIG).value == value


@pytest.mark.parametrize(("order", "length"), [(ByteOrder.BIG, b"\0\3"), (ByteOrder.LITTLE, b"\3\0")])
def test_the_length_of_a_varchar_is_in_file_order(order: ByteOrder, length: bytes) -> None:
    definition = column(data_type=VARCHAR)
    assert decode_value(make_column(0, length + b"CAR"), definition, order).value == "CAR"


@pytest.mark.parametrize(("data_type", "text"), [(CHAR, "WA"), (CHAR, "W ")])
def test_fixed_text_is_as_it_stands(data_type: int, text: str) -> None:
    definition = column(data_type=data_type)
    assert decode_value(make_column(0, text.encode()), definition, ByteOrder.BIG).value == text


def test_null_is_none_whatever_follows_the_indicator() -> None:
    assert decode_value(make_column(0, None), column(), ByteOrder.BIG).is_null
    value = decode_value(Column(0, b"\xff\xff1900-01-01"), column(data_type=DATETIME), ByteOrder.BIG)
    assert (value.is_null, value.value, value.text) == (True, None, "NULL")


@pytest.mark.parametrize(
    ("definition", "value"),
    [
        (column(), b"\0\0\1"),
        (column(data_type=VARCHAR), b"\0\4CAR"),
        (column(data_type=VARCHAR), b"\0"),
        (column(data_type=999), b"raw"),
    ],
    ids=["short integer", "wrong length", "half a length", "unknown type"],
)
def test_bytes_that_do_not_fit_the_definition_stay_bytes(definition: ColumnDefinition, value: bytes) -> None:
    decoded = decode_value(make_column(0, value), definition, ByteOrder.BIG)
    assert (decoded.data, decoded.value, decoded.text) == (value, None, value.hex())
    assert decoded.problem


def test_text_of_another_charset_is_its_bytes() -> None:
    variable = decode_value(make_column(0, b"\0\3\xe9t\xe9"), column(data_type=VARCHAR), ByteOrder.BIG)
    assert (variable.value, variable.problem) == (None, "VARCHAR: not utf-8 at byte 0; found e974e9")
    fixed = decode_value(make_column(0, b"\xe9t\xe9"), column(data_type=CHAR), ByteOrder.BIG)
    assert (fixed.value, fixed.text) == (None, "e974e9")


@given(st.binary(max_size=20), COLUMN_DEFINITIONS, st.sampled_from([CHAR, VARCHAR, 130, 132, 134, DATETIME]), ORDERS)
def test_any_bytes_have_a_value(raw: bytes, definition: ColumnDefinition, data_type: int, order: ByteOrder) -> None:
    decode_value(Column(0, raw), definition._replace(data_type=data_type), order)

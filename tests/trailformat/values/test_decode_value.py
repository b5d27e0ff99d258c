"""What holds for every type: NULL, indicators, definitions that do not fit; and text."""

from __future__ import annotations

import pytest

from tests.trailformat.values.kinds import of
from trailformat import ByteOrder, CannotWrite, Column, ColumnDefinition, Value, decode_value, encode_value, make_column
from trailformat.values import CHAR, DATETIME, VARCHAR


@pytest.mark.parametrize(("order", "length"), [(ByteOrder.BIG, b"\0\3"), (ByteOrder.LITTLE, b"\3\0")])
def test_the_length_of_a_varchar_is_in_file_order(order: ByteOrder, length: bytes) -> None:
    assert decode_value(make_column(0, length + b"CAR"), of(VARCHAR), order).value == "CAR"


@pytest.mark.parametrize("order", list(ByteOrder))
@pytest.mark.parametrize("data_type", [VARCHAR, 65, 191])
def test_a_value_is_as_long_as_its_length_says(data_type: int, order: ByteOrder) -> None:
    """Neither longer nor shorter, whichever number of bytes follows."""
    text = b"2024-03-14"
    for length in (0, 1, len(text) - 1, len(text), len(text) + 1, 0xFFFF):
        value = decode_value(make_column(0, order.encode(length, 2) + text), of(data_type), order)
        assert (value.problem is None) == (length == len(text)), length


@pytest.mark.parametrize("text", ["WA", "W ", ""])
def test_fixed_text_is_as_it_stands(text: str) -> None:
    assert decode_value(make_column(0, text.encode()), of(CHAR), ByteOrder.BIG).value == text


def test_fixed_text_is_written_with_blanks_up_to_its_length() -> None:
    assert encode_value("WA", of(CHAR, 4), ByteOrder.BIG) == b"WA  "
    assert encode_value("WA", of(CHAR, 8, sub=1), ByteOrder.BIG) == "WA  ".encode("utf-16-be")
    assert encode_value(b"\1", of(CHAR, 2, sub=4), ByteOrder.BIG) == b"\1\0"


@pytest.mark.parametrize("stored", [b"\xff\xff", b"\xff\xff\0\0\0\0", b"\xff\xff1900-01-01"])
def test_null_is_null_whatever_follows_the_indicator(stored: bytes) -> None:
    value = decode_value(Column(0, stored), of(DATETIME), ByteOrder.BIG)
    assert (value.is_null, value.value, value.text, value.problem) == (True, None, "NULL", None)


@pytest.mark.parametrize(
    ("definition", "data", "problem"),
    [
        (of(134), b"\0\0\1", "INT64: wrong size of the value; expected 8 bytes; found 3 bytes"),
        (of(VARCHAR), b"\0\4CAR", "VARCHAR: the length does not match the data; expected 3; found 4"),
        (of(VARCHAR), b"\0", "VARCHAR: the 2-byte length is missing; expected 2 bytes; found 1 bytes"),
        (of(VARCHAR), b"\0\3\xe9t\xe9", "VARCHAR: not utf-8 from byte 0 on; found e974e9"),
        (of(CHAR), b"\xe9t\xe9", "CHAR: not utf-8 from byte 0 on; found e974e9"),
        (of(CHAR, 2), b"CAR", "CHAR: value is longer than its column; expected at most 2 bytes; found 3 bytes"),
        (of(CHAR, charset=7), b"\xe9", "CHAR: character set UTF-EBCDIC is not supported"),
        (of(CHAR, charset=4711), b"\xe9", "CHAR: character set 4711 is not supported"),
        (of(999), b"raw", "data type 999: its storage format is not known"),
        (None, b"raw", "no definition of this column"),
    ],
)
def test_bytes_that_do_not_fit_the_definition_stay_bytes_and_say_why(
    definition: ColumnDefinition | None, data: bytes, problem: str
) -> None:
    value = decode_value(make_column(0, data), definition, ByteOrder.BIG)
    assert value == Value(data, problem=problem)
    assert value.text == data.hex()


@pytest.mark.parametrize(("stored", "found"), [(b"\0\1CAR", "0001"), (b"\0", "00"), (b"", "missing")])
def test_an_unknown_indicator_is_a_problem(stored: bytes, found: str) -> None:
    value = decode_value(Column(0, stored), of(CHAR), ByteOrder.BIG)
    assert value.problem == f"indicator {found}, expected 0000 or ffff"


@pytest.mark.parametrize(
    ("charset", "data", "text"),
    [
        (0, b"\xc3\xa9", "é"),
        (1, b"\0\xe9", "é"),
        (2, b"\0\xe9", "é"),
        (3, b"\xe9\0", "é"),
        (8, bytes.fromhex("eda0bdedb880"), "\N{GRINNING FACE}"),
        (1003, b"\x80", "€"),
        (1032, b"\xe9", "é"),
        (1072, b"\x51\x5f", "é^"),
        (5000, b"\x83\x65", "テ"),
        (-1, b"\xe9", "é"),
        (0xFFFFFFFF, b"\xe9", "é"),
    ],
)
def test_text_is_in_the_character_set_of_its_column_or_of_the_database(charset: int, data: bytes, text: str) -> None:
    value = decode_value(make_column(0, data), of(CHAR, charset=charset), ByteOrder.BIG, "cp1252")
    assert value.value == text


def test_a_binary_column_is_bytes_and_shown_as_hex() -> None:
    value = decode_value(make_column(0, b"\0\2\xca\xfe"), of(VARCHAR, sub=4), ByteOrder.BIG)
    assert (value.value, value.text, value.problem) == (b"\xca\xfe", "cafe", None)


@pytest.mark.parametrize(
    ("definition", "value"),
    [
        (of(CHAR, 2), "long"),
        (of(VARCHAR, charset=1000), "é"),
        (of(VARCHAR, charset=1072), "€"),
        (of(VARCHAR), b"bytes"),
        (of(VARCHAR, sub=4), "text"),
        (of(VARCHAR, sub=2), "text"),
        (of(VARCHAR), "x" * 70000),
        (of(999), "x"),
    ],
)
def test_a_value_that_does_not_fit_is_not_written(definition: ColumnDefinition, value: str | bytes) -> None:
    with pytest.raises(CannotWrite):
        encode_value(value, definition, ByteOrder.BIG)

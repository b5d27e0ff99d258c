"""Bytes at the edge of what a type holds: what is still a value, and in which words the rest is refused."""

from __future__ import annotations

import pytest

from tests.trailformat.values.kinds import of
from trailformat import ByteOrder, ColumnDefinition, decode_value, make_column
from trailformat.values import decoded_text, sql_type

PACKED = "not a packed number; expected digits, then a sign of a to f; found "
NO_DATE = "DATETIME: not a date; found "
ARABIC = "\N{ARABIC-INDIC DIGIT ONE}"
NO_NUMBER = "CHAR: not a number; found "

PROBLEMS: list[tuple[ColumnDefinition, bytes, str]] = [
    (of(130, 2), b"\0", "INT16: wrong size of the value; expected 2 bytes; found 1 bytes"),
    (of(135, 8), bytes(9), "UINT64: wrong size of the value; expected 8 bytes; found 9 bytes"),
    (of(130, 2, scale=1001), b"\0\1", "INT16: impossible scale; found 1001"),
    (of(130, 2, scale=-1001), b"\0\1", "INT16: impossible scale; found -1001"),
    (of(140, 4), b"\0", "TANDEM REAL: wrong size of the value; expected 4 bytes; found 1 bytes"),
    (of(143, 8), b"\0", "DOUBLE: wrong size of the value; expected 8 bytes; found 1 bytes"),
    (of(150), b"", "DECIMAL UNSIGNED: no digits, or too many; found 0 bytes"),
    (of(150), b"1" * 1001, "DECIMAL UNSIGNED: no digits, or too many; found 1001 bytes"),
    (of(151), b"", "DECIMAL LSS: no digits, or too many; found 0 bytes"),
    (of(153), b"-", "DECIMAL TSS: no digits, or too many; found 1 bytes"),
    (of(150), b"1x", "DECIMAL UNSIGNED: not a digit; found x78"),
    (of(151), b"1-", "DECIMAL LSS: not a sign; found x31"),
    (of(153), b"-1", "DECIMAL TSS: not a sign; found x31"),
    (of(152), b"\x0112", "DECIMAL LSE: not a digit with a sign; found x01"),
    (of(154), b"12!", "DECIMAL TSE: not a digit with a sign; found x21"),
    (of(189), b"\x12\x34", "DECIMAL PACKED: " + PACKED + "1234"),
    (of(189), b"\x1a\x3c", "DECIMAL PACKED: " + PACKED + "1a3c"),
    (of(189), b"", "DECIMAL PACKED: " + PACKED),
    (of(189), bytes(1000) + b"\x0c", "DECIMAL PACKED: " + PACKED + "0" * 40),
    (of(0, 2), b"CAR", "CHAR: value is longer than its column; expected at most 2 bytes; found 3 bytes"),
    (of(64), b"", "VARCHAR: the 2-byte length is missing; expected 2 bytes; found 0 bytes"),
    (of(64), b"\0\1", "VARCHAR: the length does not match the data; expected 0; found 1"),
    (of(0, 40, sub=2), b"1_000", NO_NUMBER + "'1_000'"),
    (of(0, 40, sub=2), b"sNaN", NO_NUMBER + "'sNaN'"),
    (of(0, 40, sub=2), b"x" * 30, NO_NUMBER + "'" + "x" * 20 + "'"),
    (of(0, 40, sub=2), b"1E+1001", "CHAR: number out of range; found '1E+1001'"),
    (of(0, 40, sub=2), b"1.000000000000000E-1001", "CHAR: number out of range; found '1.000000000000000E-1'"),
    (of(192), b"", NO_DATE + "''"),
    (of(192), b"x" * 50, NO_DATE + "'" + "x" * 40 + "'"),
    (of(192), b"09:30.5", NO_DATE + "'09:30.5'"),
    (of(192), b"2024-03-14:09:30.5", NO_DATE + "'2024-03-14:09:30.5'"),
    (of(192), b"infinity-", NO_DATE + "'infinity-'"),
    (of(192), b"+09:30", NO_DATE + "'+09:30'"),
    (of(195), b"1-2", "INTERVAL YEAR: not an interval YEAR; found '1-2'"),
    (of(197), b"12", "INTERVAL YEAR TO MONTH: not an interval YEAR TO MONTH; found '12'"),
    (of(198), b"", "INTERVAL DAY: not an interval DAY; found ''"),
    (of(198), b"-", "INTERVAL DAY: not an interval DAY; found '-'"),
    (of(198), b"1" * 65, "INTERVAL DAY: not an interval DAY; found '" + "1" * 40 + "'"),
    (of(208), b"1" * 65, "INTERVAL FRACTION: not an interval FRACTION; found '" + "1" * 40 + "'"),
    (of(208), b"", "INTERVAL FRACTION: not an interval FRACTION; found ''"),
    (of(212), ARABIC.encode(), "INTERVAL DAY TO FRACTION: not an interval DAY TO FRACTION; found '" + ARABIC + "'"),
]


@pytest.mark.parametrize(("column", "data", "problem"), PROBLEMS)
def test_bytes_that_are_no_value_say_why(column: ColumnDefinition, data: bytes, problem: str) -> None:
    value = decode_value(make_column(0, data), column, ByteOrder.BIG)
    assert (value.problem, value.value, value.text, value.data) == (problem, None, data.hex(), data)
    assert decoded_text(value) is None


TEXTS: list[tuple[ColumnDefinition, bytes, str]] = [
    (of(130, 2, scale=1000), b"\0\1", "0." + "0" * 999 + "1"),
    (of(130, 2, scale=-1000), b"\0\1", "1" + "0" * 1000),
    (of(150), b"1" * 1000, "1" * 1000),
    (of(151), b" 12", "12"),
    (of(189), bytes(999) + b"\x1c", "1"),
    (of(0, 2), b"CA", "CA"),
    (of(0, 2, sub=99), b"CA", "CA"),
    (of(0, 40, sub=2), b" 144 \0", "144"),
    (of(0, 40, sub=2), b"1E+1000", "1" + "0" * 1000),
    (of(0, 40, sub=2), b"1E-1000", "0." + "0" * 999 + "1"),
    (of(0, 40, sub=2), b"0.1E+1001", "1" + "0" * 1000),
    (of(0, 40, sub=2), b"1.5E-1000", "0." + "0" * 999 + "15"),
    (of(0, 40, sub=2), b"15E+1000", "15" + "0" * 1000),
    (of(0, 40, sub=2), b"+inf", "inf"),
    (of(0, 40, sub=2), b"inf", "inf"),
    (of(0, 40, sub=2), b"-Inf", "-inf"),
    (of(0, 40, sub=2), b"infinity", "inf"),
    (of(0, 40, sub=2), b"+Infinity", "inf"),
    (of(0, 40, sub=2), b"-Infinity", "-inf"),
    (of(0, 40, sub=2), b"nan", "nan"),
    (of(192), b" 2022-12-22 \0", "2022-12-22"),
    (of(192), b"2022-12-22T09:30:01", "2022-12-22 09:30:01"),
    (of(192), b"09:30", "09:30:00"),
    (of(192), b"09:30:01.", "09:30:01"),
    (of(192), b"09:30:01.000001000", "09:30:01.000001"),
    (of(192), b"09:30:01.0000001", "09:30:01.0000001"),
    (of(192), b"24:00:00.5", "24:00:00.5"),
    (of(192), b"+infinity", "+infinity"),
    (of(192), b"-INF", "-INF"),
    (of(192), b"2024-03-14:09:30:00+09", "2024-03-14 09:30:00+09:00"),
    (of(192), b"2024-03-14:09:30:00 +0930", "2024-03-14 09:30:00+09:30"),
    (of(192), b"2024-03-14:09:30:00 -09:30:15", "2024-03-14 09:30:00-09:30:15"),
    (of(192), b"2024-03-14:09:30:00 -00:30", "2024-03-14 09:30:00-00:30"),
    (of(192), b"2024-03-14:09:30:00 Z", "2024-03-14 09:30:00+00:00"),
    (of(192), b"2024-03-14:09:30:00 gmt", "2024-03-14 09:30:00+00:00"),
    (of(192), b"2024-03-14:09:30:00 utc", "2024-03-14 09:30:00+00:00"),
    (of(192), b"09:30:00 EST", "09:30:00 EST"),
    (of(192, charset=1072), "2022-12-22".encode("cp037"), "2022-12-22"),
    (of(195), b"+012", "12"),
    (of(198), b" +03 \0", "3 00:00:00"),
    (of(198), b"- 03", "-3 00:00:00"),
    (of(198, charset=1072), " -03 ".encode("cp037"), "-3 00:00:00"),
    (of(198), b"9" * 64, "9" * 64),
    (of(197), b"1" * 62 + b"-2", "1" * 62 + "-2"),
    (of(208), b"5", "0 00:00:00.5"),
    (of(208), b"000001000", "0 00:00:00.000001"),
    (of(208), b"0000010001", "0000010001"),
    (of(209), b"61", "0 00:01:01"),
    (of(212), b"+03.04.05.06.5", "3 04:05:06.5"),
]


@pytest.mark.parametrize(("column", "data", "text"), TEXTS)
def test_bytes_at_the_edge_are_still_a_value(column: ColumnDefinition, data: bytes, text: str) -> None:
    value = decode_value(make_column(0, data), column, ByteOrder.BIG)
    assert (value.problem, value.text, decoded_text(value)) == (None, text, text)


def test_text_of_the_database_is_read_where_a_column_names_no_character_set() -> None:
    dates = [(of(192), "2022-12-22"), (of(198), "3")]
    for column, text in dates:
        value = decode_value(make_column(0, text.encode("cp037")), column, ByteOrder.BIG, "cp037")
        assert value.problem is None


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (of(150, 0), "DECIMAL(1,0)"),
        (of(151, 1), "DECIMAL(1,0)"),
        (of(151, 3), "DECIMAL(2,0)"),
        (of(189, 0), "DECIMAL(1,0)"),
        (of(130, 2, scale=-2), "NUMERIC(4,-2)"),
        (of(64, 30, sub=99), "VARCHAR(30)"),
    ],
)
def test_a_sql_type_has_a_digit_at_least(column: ColumnDefinition, expected: str) -> None:
    assert sql_type(column._replace(character_length=0)) == expected

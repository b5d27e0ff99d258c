"""What is written for a value, byte for byte by hand, and in which words a value is refused."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal

import pytest

from tests.trailformat.values.kinds import of
from trailformat import ByteOrder, CannotWrite, ColumnDefinition, encode_value
from trailformat.values import Plain

SOUTH = timezone(-timedelta(hours=3, minutes=30))

WRITTEN: list[tuple[ColumnDefinition, Plain, str]] = [
    (of(130, 2), 123, "007b"),
    (of(130, 2), -32768, "8000"),
    (of(130, 2), "-2", "fffe"),
    (of(130, 2, scale=2), Decimal("1.5"), "0096"),
    (of(130, 2, scale=2), -1.25, "ff83"),
    (of(130, 2, scale=-3), 12000, "000c"),
    (of(131, 2), 65535, "ffff"),
    (of(132, 4), 10, "0000000a"),
    (of(133, 4), 4294967295, "ffffffff"),
    (of(134, 8, scale=2), Decimal("17520.00"), "00000000001abbc0"),
    (of(135, 8), 1 << 63, "8000000000000000"),
    (of(140, 4), 0.0, "00000000"),
    (of(140, 4), 1, "00000100"),
    (of(140, 4), -1.0, "80000100"),
    (of(140, 4), 0.5, "000000ff"),
    (of(140, 4), 3.0, "40000101"),
    (of(140, 4), 1.99999999, "00000101"),
    (of(140, 4), 2.0**255, "000001ff"),
    (of(140, 4), -(2.0**-256), "80000000"),
    (of(141, 8), 1.0, "0000000000000100"),
    (of(141, 8), -2.5, "a000000000000101"),
    (of(142, 4), 1.5, "3fc00000"),
    (of(142, 4), math.inf, "7f800000"),
    (of(143, 8), 2.2, "400199999999999a"),
    (of(143, 8), "-2", "c000000000000000"),
    (of(150, 4), 1234, "31323334"),
    (of(150, 6, scale=2), Decimal("12.34"), "303031323334"),
    (of(150, 1, scale=1000), "1E-1000", "31"),
    (of(150, 1, scale=-1000), "1E+1000", "31"),
    (of(150, 4000), "9" * 4000, "39" * 4000),
    (of(151, 5), 1234, "2b31323334"),
    (of(151, 5), -1234, "2d31323334"),
    (of(151, 5), 0, "2b30303030"),
    (of(152, 4), 1234, "31323334"),
    (of(152, 4), -1234, "b1323334"),
    (of(153, 5), 1234, "313233342b"),
    (of(153, 5), -1234, "313233342d"),
    (of(154, 4), -1234, "313233b4"),
    (of(154, 1), -7, "b7"),
    (of(189, 3), 1234, "01234c"),
    (of(189, 3), 0, "00000c"),
    (of(189, 3, scale=2), Decimal("-12.34"), "01234d"),
    (of(189, 1), -5, "5d"),
    (of(0, 4), "WA", "57412020"),
    (of(0, 2), "WA", "5741"),
    (of(0, 3, charset=1072), "Z", "e94040"),
    (of(0, 6, sub=1), "é", "00e900200020"),
    (of(0, 3, sub=4), b"\1", "010000"),
    (of(0, 4, sub=2), 144, "31343420"),
    (of(64), "CAR", "0003434152"),
    (of(64), "", "0000"),
    (of(64, charset=1003), "€", "000180"),
    (of(64, sub=2), "-0.50", "00052d302e3530"),
    (of(64, sub=2), Decimal("-0.50"), "00052d302e3530"),
    (of(64, sub=4), b"\0\xff", "000200ff"),
    (of(64, 0xFFFF), "x" * 0xFFFF, "ffff" + "78" * 0xFFFF),
    (of(191), date(2022, 12, 22), "000a" + b"2022-12-22".hex()),
    (of(192), date(2022, 12, 22), b"2022-12-22".hex()),
    (of(192), time(9, 30), b"09:30:00".hex()),
    (of(192), datetime(1994, 9, 30, 15, 33), b"1994-09-30:15:33:00".hex()),  # noqa: DTZ001 - it has no zone
    (of(192), datetime(1994, 9, 30, 15, 33, tzinfo=UTC), b"1994-09-30:15:33:00 +00:00".hex()),
    (of(192), datetime(1994, 9, 30, 15, 33, 0, 5, tzinfo=SOUTH), b"1994-09-30:15:33:00.000005 -03:30".hex()),
    (of(192), "0000-00-00", b"0000-00-00".hex()),
    (of(195), "+12", b"+12".hex()),
    (of(197), "-1-02", b"-1-02".hex()),
    (of(198), timedelta(days=3), b"+03".hex()),
    (of(200), -timedelta(days=3, hours=4), b"-03 04".hex()),
    (of(199), timedelta(days=5), b"+120".hex()),
    (of(207), timedelta(0), b"+00 00:00:00".hex()),
    (of(208), timedelta(microseconds=5), b"+000005".hex()),
    (of(209), timedelta(seconds=6, microseconds=250_000), b"+06.250000".hex()),
    (of(212), timedelta(days=100, hours=4, microseconds=5), b"+100 04:00:00.000005".hex()),
]


@pytest.mark.parametrize(("column", "value", "stored"), WRITTEN)
def test_a_value_is_written_as_these_bytes(column: ColumnDefinition, value: Plain, stored: str) -> None:
    assert encode_value(value, column, ByteOrder.BIG).hex() == stored


def test_a_length_is_written_in_the_order_of_the_file() -> None:
    assert encode_value("CAR", of(64), ByteOrder.LITTLE).hex() == "0300434152"
    assert encode_value("12:30", of(191), ByteOrder.LITTLE).hex() == "050031323a3330"


def test_text_is_written_in_the_character_set_of_the_database_where_the_column_names_none() -> None:
    assert encode_value("é", of(0, 1), ByteOrder.BIG, "cp1252") == b"\xe9"
    assert encode_value("é", of(64), ByteOrder.BIG, "cp1252") == b"\0\1\xe9"


LONG = "x" * 60
NO_NUMBER = "not a number; found "

REFUSED: list[tuple[ColumnDefinition, Plain, str]] = [
    (of(130, 2), 32768, "number does not fit into 2 bytes; found 32768"),
    (of(131, 2), -1, "number does not fit into 2 bytes; found -1"),
    (of(130, 2), Decimal("1.50"), "number has more than 0 decimals; found 1.50"),
    (of(130, 2, scale=2), Decimal("1.001"), "number has more than 2 decimals; found 1.001"),
    (of(130, 2, scale=-3), 12500, "number has more than -3 decimals; found 12500"),
    (of(130, 2), "0." + "1" * 60, "number has more than 0 decimals; found 0." + "1" * 38),
    (of(130, 2), LONG, NO_NUMBER + LONG[:40]),
    (of(130, 2), None, NO_NUMBER + "None"),
    (of(150, 9), "Infinity", "not a number of this column; found Infinity"),
    (of(150, 9, scale=1001), "1E-1001", "not a number of this column; found 1E-1001"),
    (of(150, 9, scale=-1001), "1E+1001", "not a number of this column; found 1E+1001"),
    (of(150, 4001), "9" * 4001, "not a number of this column; found " + "9" * 40),
    (of(150, 4), -1, "column has no sign; found -1"),
    (of(150, 4), 12345, "number has more than 4 digits; found 12345"),
    (of(151, 5), 12345, "number has more than 4 digits; found 12345"),
    (of(153, 5), -12345, "number has more than 4 digits; found -12345"),
    (of(152, 4), 12345, "number has more than 4 digits; found 12345"),
    (of(151, 1), 0, "number has more than 0 digits; found 0"),
    (of(189, 3), 123456, "number has more than 5 digits; found 123456"),
    (of(140, 4), math.inf, "Tandem numbers are finite; found inf"),
    (of(140, 4), 2.0**256, f"number does not fit into 4 bytes; found {2.0**256}"),
    (of(141, 8), 2.0**-257, f"number does not fit into 8 bytes; found {2.0**-257}"),
    (of(140, 4), 2.0**-256, f"Tandem has no such number: its bytes mean 0; found {2.0**-256}"),
    (of(141, 8), LONG, NO_NUMBER + LONG[:40]),
    (of(143, 8), None, NO_NUMBER + "None"),
    (of(142, 4), 10**39, "number does not fit into 4 bytes; found " + "1" + "0" * 39),
    (of(142, 4), 10**45, "number does not fit into 4 bytes; found " + "1" + "0" * 39),
    (of(143, 8), 10**400, NO_NUMBER + "1" + "0" * 39),
    (of(0, 2), "CAR", "value is longer than its column; expected 2 bytes"),
    (of(64), "x" * 0x10000, "value is too long for a length of 2 bytes; found 65536 bytes"),
    (of(64), b"bytes", "a binary column takes bytes, other columns do not; found bytes"),
    (of(64, sub=4), "text", "a binary column takes bytes, other columns do not; found str"),
    (of(64, sub=2), LONG, NO_NUMBER + LONG[:40]),
    (of(64, sub=2), math.inf, NO_NUMBER + "inf"),
    (of(64, sub=2), "Infinity", NO_NUMBER + "Infinity"),
    (of(64, sub=2), date(2022, 12, 22), NO_NUMBER + "2022-12-22"),
    (of(195), timedelta(1), "not an interval YEAR; found 1 00:00:00"),
    (of(196), timedelta(1), "not an interval MONTH; found 1 00:00:00"),
    (of(212), 5, "not an interval DAY TO FRACTION; found 5"),
    (of(198), timedelta(hours=36), "interval has more than DAY; found 1 12:00:00"),
    (of(207), timedelta(microseconds=1), "interval has more than DAY TO SECOND; found 0 00:00:00.000001"),
    (of(156), 5, "data type 156 cannot be written: its storage format is not known"),
    (of(999), 5, "data type 999 cannot be written: its storage format is not known"),
]


@pytest.mark.parametrize(("column", "value", "problem"), REFUSED)
def test_a_value_that_a_column_cannot_hold_is_refused_in_these_words(
    column: ColumnDefinition, value: Plain, problem: str
) -> None:
    with pytest.raises(CannotWrite) as caught:
        encode_value(value, column, ByteOrder.BIG)
    assert str(caught.value) == problem


def test_text_beyond_the_character_set_is_refused() -> None:
    for column in (of(0, 4, charset=1000), of(192), of(212)):
        with pytest.raises(CannotWrite):
            encode_value("é", column, ByteOrder.BIG)

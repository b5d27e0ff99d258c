"""Values by fixed examples, written by hand from docs/values.md, the transcripts and the documents of the types.

A row: data type, bytes in hex with the indicator in front, text, SQL type, and what else the definition says.
No expectation is computed, least of all from a table of the code.
"""

from __future__ import annotations

from typing import NamedTuple

import pytest

from tests.trailformat.samples import BOTH
from trailformat import ByteOrder, ColumnDefinition, decode_value
from trailformat.definitions.metadata import TAIL_12_2
from trailformat.records.columns import Column
from trailformat.values import sql_type


class Of(NamedTuple):
    """What a definition says of a column beside its data type; ``size`` is the internal length."""

    size: int = 8
    scale: int = 0
    sub: int = 0
    charset: int = -1
    most: int = 0
    least: int = 0
    characters: int = 0


NONE = "(no value)"
"""Of bytes that are no value of their type."""

Row = tuple[int, str, str, str, Of]

INTEGERS: list[Row] = [
    (130, "0000 007b", "123", "SMALLINT", Of(2)),
    (130, "0000 7fff", "32767", "SMALLINT", Of(2)),
    (130, "0000 8000", "-32768", "SMALLINT", Of(2)),
    (130, "0000 fffe", "-0.02", "NUMERIC(4,2)", Of(2, scale=2)),
    (131, "0000 fffe", "65534", "NUMERIC(5,0)", Of(2)),
    (131, "0000 0001", "0.001", "NUMERIC(5,3)", Of(2, scale=3)),
    (132, "0000 0000000a", "10", "INTEGER", Of(4)),
    (132, "0000 fffffff6", "-10", "INTEGER", Of(4)),
    (132, "0000 0001e240", "1234.56", "NUMERIC(9,2)", Of(4, scale=2)),
    (133, "0000 ffffffff", "4294967295", "NUMERIC(10,0)", Of(4)),
    (133, "0000 80000000", "2147483.648", "NUMERIC(10,3)", Of(4, scale=3)),
    (134, "0000 00000000001abbc0", "17520.00", "NUMERIC(18,2)", Of(8, scale=2)),
    (134, "0000 0000000000000078", "120", "BIGINT", Of(8)),
    (134, "0000 ffffffffffffffff", "-1", "BIGINT", Of(8)),
    (134, "0000 ffffffffffe54440", "-17520.00", "NUMERIC(18,2)", Of(8, scale=2)),
    (134, "0000 000000000000000c", "12000", "NUMERIC(18,-3)", Of(8, scale=-3)),
    (135, "0000 ffffffffffffffff", "18446744073709551615", "NUMERIC(20,0)", Of(8)),
    (135, "0000 0000000000000001", "0.0001", "NUMERIC(20,4)", Of(8, scale=4)),
]

FLOATS: list[Row] = [
    (140, "0000 00000000", "0.0", "REAL", Of(4)),
    (140, "0000 00000100", "1.0", "REAL", Of(4)),
    (140, "0000 000000ff", "0.5", "REAL", Of(4)),
    (140, "0000 a0000101", "-2.5", "REAL", Of(4)),
    (141, "0000 0000000000000100", "1.0", "DOUBLE PRECISION", Of(8)),
    (141, "0000 a000000000000101", "-2.5", "DOUBLE PRECISION", Of(8)),
    (142, "0000 4048f5c3", "3.14", "REAL", Of(4)),
    (142, "0000 42f6e979", "123.456", "REAL", Of(4)),
    (142, "0000 3dcccccd", "0.1", "REAL", Of(4)),
    (142, "0000 c0490fdb", "-3.1415927", "REAL", Of(4)),
    (142, "0000 3f800000", "1.0", "REAL", Of(4)),
    (142, "0000 3a800ed0", "0.000977004", "REAL", Of(4)),
    (142, "0000 4640e6b7", "12345.679", "REAL", Of(4)),
    (142, "0000 3c344c41", "0.0110045085", "REAL", Of(4)),
    (142, "0000 bc344c41", "-0.0110045085", "REAL", Of(4)),
    (142, "0000 4b7fffff", "16777215.0", "REAL", Of(4)),
    (142, "0000 4b800000", "16777216.0", "REAL", Of(4)),
    (142, "0000 4c21c49c", "42406512.0", "REAL", Of(4)),
    (142, "0000 ff800000", "-inf", "REAL", Of(4)),
    (142, "0000 7fc00000", "nan", "REAL", Of(4)),
    (143, "0000 400199999999999a", "2.2", "DOUBLE PRECISION", Of(8)),
    (143, "0000 4036000000000000", "22.0", "DOUBLE PRECISION", Of(8)),
    (143, "0000 3ef711947cfa26a2", "2.2e-05", "DOUBLE PRECISION", Of(8)),
    (143, "0000 c000000000000000", "-2.0", "DOUBLE PRECISION", Of(8)),
]

ZONED: list[Row] = [
    (150, "0000 31323334", "1234", "DECIMAL(4,0)", Of(4)),
    (150, "0000 f1f2f3f4", "12.34", "DECIMAL(4,2)", Of(4, scale=2)),
    (151, "0000 2b31323334", "1234", "DECIMAL(4,0)", Of(5)),
    (151, "0000 2d31323334", "-12.34", "DECIMAL(4,2)", Of(5, scale=2)),
    (151, "0000 4ef1f2f3f4", "1234", "DECIMAL(4,0)", Of(5)),
    (151, "0000 60f1f2f3f4", "-1234", "DECIMAL(4,0)", Of(5)),
    (152, "0000 31323334", "1234", "DECIMAL(4,0)", Of(4)),
    (152, "0000 b1323334", "-1234", "DECIMAL(4,0)", Of(4)),
    (152, "0000 c1f2f3f4", "1234", "DECIMAL(4,0)", Of(4)),
    (152, "0000 d1f2f3f4", "-1234", "DECIMAL(4,0)", Of(4)),
    (152, "0000 41323334", "1234", "DECIMAL(4,0)", Of(4)),
    (152, "0000 4a323334", "-1.234", "DECIMAL(4,3)", Of(4, scale=3)),
    (153, "0000 313233342b", "1234", "DECIMAL(4,0)", Of(5)),
    (153, "0000 313233342d", "-123.4", "DECIMAL(4,1)", Of(5, scale=1)),
    (154, "0000 31323334", "1234", "DECIMAL(4,0)", Of(4)),
    (154, "0000 313233b4", "-1234", "DECIMAL(4,0)", Of(4)),
    (154, "0000 313233d4", "-1234", "DECIMAL(4,0)", Of(4)),
    (154, "0000 31323374", "-1234", "DECIMAL(4,0)", Of(4)),
    (154, "0000 3132337b", "1230", "DECIMAL(4,0)", Of(4)),
    (154, "0000 3132337d", "-1230", "DECIMAL(4,0)", Of(4)),
    (154, "0000 31323344", "1234", "DECIMAL(4,0)", Of(4)),
    (154, "0000 3132334d", "-12.34", "DECIMAL(4,2)", Of(4, scale=2)),
]

PACKED: list[Row] = [
    (189, "0000 01234a", "1234", "DECIMAL(5,0)", Of(3)),
    (189, "0000 01234b", "-1234", "DECIMAL(5,0)", Of(3)),
    (189, "0000 01234c", "1234", "DECIMAL(5,0)", Of(3)),
    (189, "0000 01234d", "-1234", "DECIMAL(5,0)", Of(3)),
    (189, "0000 01234e", "1234", "DECIMAL(5,0)", Of(3)),
    (189, "0000 01234f", "1234", "DECIMAL(5,0)", Of(3)),
    (189, "0000 01234b", "-12.34", "DECIMAL(5,2)", Of(3, scale=2)),
    (189, "0000 5d", "-5", "DECIMAL(1,0)", Of(1)),
]

FIXED_TEXT: list[Row] = [
    (0, "0000 5741", "WA", "CHAR(2)", Of(2)),
    (0, "0000 4120", "A ", "CHAR(2)", Of(2)),
    (0, "0000 e88cb6", "茶", "CHAR(1)", Of(4, characters=1)),
    (1, "0000 5741", "WA", "CHAR(2)", Of(2)),
    (2, "0000 5741", "WA", "CHAR(2)", Of(2)),
    (0, "0000 313434", "144", "NUMERIC", Of(50, sub=2)),
    (0, "0000 00ff", "00ff", "BINARY(2)", Of(2, sub=4)),
    (0, "0000 00e98336", "é茶", "CHAR(4)", Of(4, sub=1)),
    (0, "0000 80", "€", "CHAR(1)", Of(1, charset=1003)),
]

MOMENTS: list[Row] = [
    (192, "0000" + b"1994-09-30:15:33:00".hex(), "1994-09-30 15:33:00", "TIMESTAMP", Of(19, least=5)),
    (192, "0000" + b"2022-12-22".hex(), "2022-12-22", "DATE", Of(10, least=2)),
    (192, "0000" + b"2022-12".hex(), NONE, "DATE", Of(7, least=1)),
    (192, "0000" + b"12:30:00".hex(), "12:30:00", "TIME", Of(8, most=3, least=5)),
    (192, "0000" + b"12:30:00.25".hex(), "12:30:00.250000", "TIME", Of(8, most=3, least=6)),
    (192, "0000" + b"1999-12-31:00:00:00.000001".hex(), "1999-12-31 00:00:00.000001", "TIMESTAMP", Of(26, least=6)),
    (192, "0000" + b"2024-03-14:09:30".hex(), "2024-03-14 09:30:00", "TIMESTAMP", Of(16, least=4)),
    (192, "0000" + b"2024-03-14:09".hex(), NONE, "TIMESTAMP", Of(13, least=3)),
    (192, "0000" + b"2024-03-14:09:30:00 +09:00".hex(), "2024-03-14 09:30:00+09:00", "TIMESTAMP", Of(35, least=6)),
    (192, "0000" + b"2024-03-14:09:30:00 -03:30".hex(), "2024-03-14 09:30:00-03:30", "TIMESTAMP", Of(35, least=6)),
    (192, "0000" + b"-0044-03-15:12:00:00".hex(), "-0044-03-15 12:00:00", "TIMESTAMP", Of(20, least=5)),
    (192, "0000" + b"0000-00-00".hex(), "0000-00-00", "DATE", Of(10, least=2)),
    (192, "0000" + b"24:00:00".hex(), "24:00:00", "TIME", Of(8, most=3, least=5)),
    (
        192,
        "0000" + b"2024-03-14:09:30:00.123456789".hex(),
        "2024-03-14 09:30:00.123456789",
        "TIMESTAMP",
        Of(29, least=6),
    ),
    (192, "0000" + b"infinity".hex(), "infinity", "TIMESTAMP", Of(29, least=6)),
]

INTERVALS: list[Row] = [
    (195, "0000" + b"+12".hex(), "12", "INTERVAL YEAR", Of()),
    (195, "0000" + b"-12".hex(), "-12", "INTERVAL YEAR", Of()),
    (196, "0000" + b"+05".hex(), "5", "INTERVAL MONTH", Of()),
    (197, "0000" + b"+01-02".hex(), "1-02", "INTERVAL YEAR TO MONTH", Of()),
    (197, "0000" + b"-01-02".hex(), "-1-02", "INTERVAL YEAR TO MONTH", Of()),
    (198, "0000" + b"+03".hex(), "3 00:00:00", "INTERVAL DAY", Of()),
    (199, "0000" + b"+10".hex(), "0 10:00:00", "INTERVAL HOUR", Of()),
    (200, "0000" + b"-03 04".hex(), "-3 04:00:00", "INTERVAL DAY TO HOUR", Of()),
    (201, "0000" + b"+15".hex(), "0 00:15:00", "INTERVAL MINUTE", Of()),
    (202, "0000" + b"+10:30".hex(), "0 10:30:00", "INTERVAL HOUR TO MINUTE", Of()),
    (203, "0000" + b"+03 04:05".hex(), "3 04:05:00", "INTERVAL DAY TO MINUTE", Of()),
    (204, "0000" + b"-59".hex(), "-0 00:00:59", "INTERVAL SECOND", Of()),
    (205, "0000" + b"+15:59".hex(), "0 00:15:59", "INTERVAL MINUTE TO SECOND", Of()),
    (206, "0000" + b"+10:15:59".hex(), "0 10:15:59", "INTERVAL HOUR TO SECOND", Of()),
    (207, "0000" + b"+03 04:05:06".hex(), "3 04:05:06", "INTERVAL DAY TO SECOND", Of()),
    (208, "0000" + b"+500000".hex(), "0 00:00:00.5", "INTERVAL FRACTION", Of()),
    (209, "0000" + b"+06.250000".hex(), "0 00:00:06.25", "INTERVAL SECOND TO FRACTION", Of()),
    (210, "0000" + b"+05:06.250000".hex(), "0 00:05:06.25", "INTERVAL MINUTE TO FRACTION", Of()),
    (211, "0000" + b"+04:05:06.250000".hex(), "0 04:05:06.25", "INTERVAL HOUR TO FRACTION", Of()),
    (212, "0000" + b"-03 04:05:06.500000".hex(), "-3 04:05:06.5", "INTERVAL DAY TO FRACTION", Of()),
    (212, "0000" + b"+03:04:05:06.000001".hex(), "3 04:05:06.000001", "INTERVAL DAY TO FRACTION", Of()),
]

SAME_IN_BOTH_ORDERS = INTEGERS + FLOATS + ZONED + PACKED + FIXED_TEXT + MOMENTS + INTERVALS

VARYING: list[tuple[int, str, str, str, str, Of]] = [
    (64, "0000 0003 434152", "0000 0300 434152", "CAR", "VARCHAR(30)", Of(30)),
    (64, "0000 0000", "0000 0000", "", "VARCHAR(30)", Of(30)),
    (64, "0000 0003 e88cb6", "0000 0300 e88cb6", "茶", "VARCHAR(10)", Of(40, characters=10)),
    (65, "0000 0003 434152", "0000 0300 434152", "CAR", "VARCHAR(30)", Of(30)),
    (66, "0000 0003 434152", "0000 0300 434152", "CAR", "VARCHAR(30)", Of(30)),
    (64, "0000 0004 00e98336", "0000 0400 00e98336", "é茶", "VARCHAR(30)", Of(30, sub=1)),
    (64, "0000 0003 313434", "0000 0300 313434", "144", "NUMERIC", Of(50, sub=2)),
    (64, "0000 0005 2d302e3530", "0000 0500 2d302e3530", "-0.50", "NUMERIC", Of(50, sub=3)),
    (64, "0000 0002 00ff", "0000 0200 00ff", "00ff", "VARBINARY(30)", Of(30, sub=4)),
    (64, "0000 0002 5741", "0000 0200 5741", "WA", "VARCHAR(50)", Of(150, sub=5, characters=50)),
    (64, "0000 0002 5741", "0000 0200 5741", "WA", "VARCHAR(30)", Of(30, sub=6)),
    (64, "0000 0003 e88cb6", "0000 0300 e88cb6", "茶", "VARCHAR(30)", Of(30, sub=7, charset=1003)),
    (64, "0000 0004 36426139", "0000 0400 36426139", "6Ba9", "VARCHAR(30)", Of(30, sub=8)),
    (64, "0000 0004 3c612f3e", "0000 0400 3c612f3e", "<a/>", "VARCHAR(30)", Of(30, sub=10)),
    (64, "0000 0002 3432", "0000 0200 3432", "42", "NUMERIC", Of(30, sub=27, charset=1003)),
    (64, "0000 0002 3432", "0000 0200 3432", "42", "NUMERIC", Of(30, sub=37)),
    (64, "0000 0001 80", "0000 0100 80", "€", "VARCHAR(30)", Of(30, charset=1003)),
    (191, "0000 0005 31323a3330", "0000 0500 31323a3330", "12:30:00", "TIME", Of(8, most=3, least=4)),
    (191, "0000 000a 323032322d31322d3232", "0000 0a00 323032322d31322d3232", "2022-12-22", "DATE", Of(10, least=2)),
]


def defined(code: int, of: Of) -> ColumnDefinition:
    """The definition of a column of this type."""
    return ColumnDefinition(
        name="C",
        data_type=code,
        internal_length=of.size,
        external_length=of.size,
        binary_length=of.size,
        table_length=0,
        character_length=of.characters,
        fetch_offset=0,
        charset=of.charset,
        native_type=0,
        sub_data_type=of.sub,
        most_significant=of.most,
        least_significant=of.least,
        scale=of.scale,
        reserved=0,
        flags=0x22,
        tail=TAIL_12_2,
    )


def text_of(code: int, stored: str, of: Of, order: ByteOrder) -> str:
    """The text; NONE where the bytes are no value of the type."""
    value = decode_value(Column(0, bytes.fromhex(stored)), defined(code, of), order)
    return NONE if value.problem else value.text


@pytest.mark.parametrize("order", BOTH)
@pytest.mark.parametrize(("code", "stored", "text", "_sql", "of"), SAME_IN_BOTH_ORDERS)
def test_bytes_mean_this_text(code: int, stored: str, text: str, _sql: str, of: Of, order: ByteOrder) -> None:
    assert text_of(code, stored, of, order) == text


@pytest.mark.parametrize(("code", "big", "little", "text", "_sql", "of"), VARYING)
def test_a_length_in_front_is_in_the_order_of_the_file(
    code: int, big: str, little: str, text: str, _sql: str, of: Of
) -> None:
    assert text_of(code, big, of, ByteOrder.BIG) == text
    assert text_of(code, little, of, ByteOrder.LITTLE) == text
    assert big == little or text_of(code, little, of, ByteOrder.BIG) == NONE


SQL_TYPES = [(row[0], row[3], row[4]) for row in SAME_IN_BOTH_ORDERS] + [(row[0], row[4], row[5]) for row in VARYING]


@pytest.mark.parametrize(("code", "expected", "of"), SQL_TYPES)
def test_a_column_has_this_sql_type(code: int, expected: str, of: Of) -> None:
    assert sql_type(defined(code, of)) == expected


@pytest.mark.parametrize("code", [155, 156, 3, 67, 136, 144, 157, 190, 193, 194, 213, 999])
def test_a_type_whose_bytes_are_not_known_has_no_value_and_no_sql_type(code: int) -> None:
    assert text_of(code, "0000 31", Of(), ByteOrder.BIG) == NONE
    assert sql_type(defined(code, Of())) is None


def test_every_code_of_the_documents_has_an_example() -> None:
    codes = {code for code, _, _ in SQL_TYPES}
    texts, integers, floats = {0, 1, 2, 64, 65, 66}, set(range(130, 136)), set(range(140, 144))
    assert codes == texts | integers | floats | set(range(150, 155)) | {189, 191, 192} | set(range(195, 213))

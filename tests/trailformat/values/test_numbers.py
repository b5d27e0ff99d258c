"""Numbers: binary integers and floats, digits, and text."""

from __future__ import annotations

import math
import struct
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.trailformat.samples import BOTH
from tests.trailformat.values.kinds import of
from trailformat import ByteOrder, CannotWrite, Value, decode_value, encode_value, make_column


def decoded(data: bytes | str, data_type: int, *, scale: int = 0, sub: int = 0) -> Value:
    stored = bytes.fromhex(data) if isinstance(data, str) else data
    return decode_value(make_column(0, stored), of(data_type, len(stored), scale=scale, sub=sub), ByteOrder.BIG)


@pytest.mark.parametrize("order", BOTH)
def test_an_integer_is_big_endian_in_both_orders_and_divided_by_its_scale(order: ByteOrder) -> None:
    stored = make_column(4, bytes.fromhex("00000000001abbc0"))
    assert decode_value(stored, of(134, 8, scale=2), order).text == "17520.00"


@pytest.mark.parametrize(
    ("data_type", "stored", "value"),
    [
        (130, "fffe", -2),
        (131, "fffe", 65534),
        (132, "0000000a", 10),
        (133, "ffffffff", 4294967295),
        (134, "ffffffffffffffff", -1),
        (135, "ffffffffffffffff", 18446744073709551615),
    ],
)
def test_integers_have_two_four_or_eight_bytes_and_perhaps_a_sign(data_type: int, stored: str, value: int) -> None:
    assert decoded(stored, data_type).value == value


def test_a_negative_scale_multiplies() -> None:
    assert decoded("000c", 130, scale=-3).text == "12000"


@pytest.mark.parametrize("scale", [5000, -5000])
def test_an_impossible_scale_leaves_the_bytes(scale: int) -> None:
    value = decoded("000c", 130, scale=scale)
    assert (value.text, value.problem) == ("000c", f"INT16: impossible scale; found {scale}")


@pytest.mark.parametrize(
    ("data_type", "stored", "value"),
    [
        (143, "400199999999999a", 2.2),
        (142, "3dcccccd", 0.1),
        (142, "4c21c49c", 42406512.0),
        (143, "fff0000000000000", -math.inf),
    ],
)
def test_ieee_numbers(data_type: int, stored: str, value: float) -> None:
    assert decoded(stored, data_type).value == value


@given(st.binary(min_size=4, max_size=4).filter(lambda data: not math.isnan(struct.unpack(">f", data)[0])))
def test_the_short_form_of_a_single_stands_for_the_same_bytes(data: bytes) -> None:
    assert encode_value(decoded(data, 142).value, of(142, 4), ByteOrder.BIG) == data


@pytest.mark.parametrize(
    ("data_type", "stored", "value"),
    [
        (140, "00000000", 0.0),
        (140, "00000100", 1.0),
        (140, "80000100", -1.0),
        (140, "40000101", 3.0),
        (141, "0000000000000101", 2.0),
    ],
)
def test_tandem_numbers_have_their_exponent_at_the_end(data_type: int, stored: str, value: float) -> None:
    assert decoded(stored, data_type).value == value
    assert encode_value(value, of(data_type), ByteOrder.BIG).hex() == stored


@pytest.mark.parametrize(
    ("data_type", "stored", "value"),
    [
        (150, b"01234", "12.34"),
        (151, b"-1234", "-12.34"),
        (151, b"+1234", "12.34"),
        (152, b"\xb1234", "-12.34"),
        (153, b"1234-", "-12.34"),
        (154, b"123\xb4", "-12.34"),
        (154, b"1234", "12.34"),
        (154, b"123M", "-12.34"),
        (154, b"123D", "12.34"),
        (154, b"123}", "-12.30"),
        (154, b"123t", "-12.34"),
        (154, bytes.fromhex("f1f2f3c4"), "12.34"),
        (154, bytes.fromhex("f1f2f3d4"), "-12.34"),
        (189, bytes.fromhex("01234c"), "12.34"),
        (189, bytes.fromhex("01234d"), "-12.34"),
        (189, bytes.fromhex("01234f"), "12.34"),
    ],
)
def test_decimals_by_digits_with_the_sign_at_its_place(data_type: int, stored: bytes, value: str) -> None:
    assert decoded(stored, data_type, scale=2).text == value


@pytest.mark.parametrize(
    ("data_type", "stored", "problem"),
    [
        (150, b"12x4", "DECIMAL UNSIGNED: not a digit; found x78"),
        (150, b"", "DECIMAL UNSIGNED: no digits, or too many; found 0 bytes"),
        (151, b"1234", "DECIMAL LSS: not a sign; found x31"),
        (154, b"123!", "DECIMAL TSE: not a digit with a sign; found x21"),
        (189, b"\x12\x34", "DECIMAL PACKED: not a packed number; expected digits, then a sign of a to f; found 1234"),
        (189, b"", "DECIMAL PACKED: not a packed number; expected digits, then a sign of a to f; found "),
    ],
)
def test_digits_that_are_none_leave_the_bytes(data_type: int, stored: bytes, problem: str) -> None:
    value = decoded(stored, data_type)
    assert (value.value, value.problem) == (None, problem)


@pytest.mark.parametrize("text", ["144", "-1.50", "0.000001", "1E+5", "99999999999999999999999999999999999999.5"])
def test_a_number_in_text_keeps_its_digits(text: str) -> None:
    assert decoded(b"\0" + bytes([len(text)]) + text.encode(), 64, sub=2).value == Decimal(text)


@pytest.mark.parametrize("text", ["Inf", "-Infinity", "NaN"])
def test_a_number_in_text_may_be_infinite(text: str) -> None:
    value = decoded(b"\0" + bytes([len(text)]) + text.encode(), 64, sub=2).value
    assert repr(value) == repr(float(text))


@pytest.mark.parametrize("text", ["", "WILL", "1_000", "1E+999999999", "1E-999999999", "sNaN", "0x10"])
def test_text_that_is_no_number_of_any_database_stays_bytes(text: str) -> None:
    value = decoded(text.encode(), 0, sub=3)
    assert value.problem is not None
    assert value.text == text.encode().hex()


@pytest.mark.parametrize("data_type", [155, 156])
def test_big_numbers_of_sql_mx_are_not_known(data_type: int) -> None:
    assert str(decoded("0102", data_type).problem).endswith("its storage format is not known")
    with pytest.raises(CannotWrite, match="not known"):
        encode_value(1, of(data_type), ByteOrder.BIG)


@pytest.mark.parametrize(
    ("data_type", "value", "scale"),
    [
        (130, 32768, 0),
        (131, -1, 0),
        (130, Decimal("1.5"), 0),
        (134, "x", 0),
        (134, Decimal("1e5000"), 0),
        (134, "9" * 5000, 0),
        (142, 1e300, 0),
        (143, "x", 0),
        (140, math.inf, 0),
        (141, 1e300, 0),
        (150, -1, 0),
        (152, 123456, 0),
        (189, 10**9, 2),
    ],
)
def test_a_number_beyond_its_type_is_not_written(data_type: int, value: object, scale: int) -> None:
    with pytest.raises(CannotWrite):
        encode_value(value, of(data_type, 5, scale=scale), ByteOrder.BIG)  # type: ignore[arg-type]  # whatever comes

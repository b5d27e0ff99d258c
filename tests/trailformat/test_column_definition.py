from __future__ import annotations

import pytest
from hypothesis import given

from tests.trailformat.samples import column
from tests.trailformat.strategies import COLUMN_DEFINITIONS, ORDERS
from trailformat import BadData, ByteOrder, CannotWrite, ColumnDefinition
from trailformat.definitions.metadata import build_column, parse_column

PRODUCT_PRICE = "0086 00000008 0000000a 00000008 00000008 00000000 00000066 ffffffff 0002 0003 0000 0000 0002 0000 0022"


@given(COLUMN_DEFINITIONS, ORDERS)
def test_parsing_what_was_built_gives_the_definition(definition: ColumnDefinition, order: ByteOrder) -> None:
    assert parse_column(build_column(definition, order), order) == definition


def test_the_44_bytes_of_a_real_column() -> None:
    fixed = b"\0\x0dPRODUCT_PRICE" + bytes.fromhex(PRODUCT_PRICE)
    data = bytes([0, len(fixed)]) + fixed + b"\0\x0e" + bytes(14)
    parsed = parse_column(data, ByteOrder.BIG)
    assert parsed == column("PRODUCT_PRICE")
    assert (parsed.data_type, parsed.external_length, parsed.fetch_offset, parsed.scale) == (134, 10, 102, 2)


def test_a_column_of_12_2_takes_its_name_and_64_bytes() -> None:
    assert len(build_column(column("AB"), ByteOrder.BIG)) == 2 + (2 + 2 + 44) + (2 + 14)


def test_a_column_of_21c_has_no_tail() -> None:
    data = build_column(column("AB", tail=None), ByteOrder.LITTLE)
    assert len(data) == 2 + (2 + 2 + 44)
    assert parse_column(data, ByteOrder.LITTLE).tail is None


@pytest.mark.parametrize(("flags", "is_key"), [(0x22, False), (0x23, True)])
def test_flag_1_is_the_key(flags: int, *, is_key: bool) -> None:
    assert column(flags=flags).is_key is is_key


@pytest.mark.parametrize("cut", range(1, 49))
def test_a_definition_that_is_cut_is_bad_data(cut: int) -> None:
    data = build_column(column("AB", tail=None), ByteOrder.BIG)
    with pytest.raises(BadData, match="column definition cannot be decoded"):
        parse_column(data[:cut], ByteOrder.BIG)


@pytest.mark.parametrize("extra", [b"?", b"\0\x09?"])
def test_bytes_that_no_source_explains_are_bad_data(extra: bytes) -> None:
    data = build_column(column("AB"), ByteOrder.BIG) + extra
    with pytest.raises(BadData, match=f"unknown bytes at its end; found {extra.hex()}"):
        parse_column(data, ByteOrder.BIG)


def test_a_name_that_is_no_utf_8_is_escaped() -> None:
    data = build_column(column("AB"), ByteOrder.BIG).replace(b"AB", b"A\xe9")
    assert parse_column(data, ByteOrder.BIG).name == "A\\xe9"


@pytest.mark.parametrize("fields", [{"name": "\ud800"}, {"data_type": -1}, {"scale": 0x8000}], ids=ascii)
def test_a_field_that_does_not_fit_cannot_be_written(fields: dict[str, int | str]) -> None:
    with pytest.raises(CannotWrite):
        build_column(column()._replace(**fields), ByteOrder.BIG)  # type: ignore[arg-type]

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.trailformat.samples import header
from tests.trailformat.strategies import HEADERS, ORDERS
from trailformat import (
    IO_TYPES,
    BadRecord,
    ByteOrder,
    CannotWrite,
    RecordHeader,
    io_type_name,
    io_type_number,
    make_header,
)
from trailformat.records.record_header import (
    HEADER_SIZE,
    PLACES,
    build_header,
    name_field,
    name_text,
    parse_header,
)


@pytest.mark.parametrize(
    ("number", "name"),
    [
        (3, "Delete"),
        (5, "Insert"),
        (15, "FieldComp"),
        (100, "GGSPurgedata"),
        (115, "GGSPKUpdate"),
        (134, "GGSUnifiedUpdate"),
        (135, "GGSUnifiedPKUpdate"),
        (151, "RestartOK"),
        (160, "DDLOP"),
        (170, "Metadata"),
        (205, "GGSComment"),
    ],
)
def test_numbers_have_the_names_that_logdump_prints(number: int, name: str) -> None:
    assert io_type_name(number) == name


def test_a_number_that_no_source_lists_says_so() -> None:
    assert io_type_name(77) == "Type 77"


@pytest.mark.parametrize("number", IO_TYPES)
def test_every_name_leads_back_to_its_number_whatever_its_case(number: int) -> None:
    assert io_type_number(IO_TYPES[number].lower()) == number
    assert io_type_number(IO_TYPES[number].upper()) == number


@pytest.mark.parametrize(
    ("text", "number"), [("ddl", 160), ("PKUpdate", 115), ("purgedata", 100), ("unifiedupdate", 134)]
)
def test_short_spellings_are_understood(text: str, number: int) -> None:
    assert io_type_number(text) == number


@pytest.mark.parametrize(("text", "number"), [("0", 0), ("5", 5), ("005", 5), ("255", 255)])
def test_a_decimal_number_stands_for_itself(text: str, number: int) -> None:
    assert io_type_number(text) == number


@pytest.mark.parametrize("text", ["", "256", "-5", "5.0", "\u0665", "insertion", "9" * 5000], ids=ascii)
def test_anything_else_is_no_type(text: str) -> None:
    assert io_type_number(text) is None


PRINTED = "450c 0041 003a 05ff 02f2 4a02 fd11 6400 0000 0000 014a daec 0001 a7b2 0052 0000 0001 0001"
LITTLE = "450c 0041 2500 05ff c0ab 5600 9a16 f302 0400 0000 0000 0000 2804 0000 0352 0000 0001 0100"


@given(HEADERS, ORDERS)
def test_parsing_what_was_built_gives_the_header(header: RecordHeader, order: ByteOrder) -> None:
    assert parse_header(build_header(header, order), order) == header


@given(st.binary(min_size=HEADER_SIZE, max_size=80), ORDERS)
def test_building_what_was_parsed_gives_the_bytes(data: bytes, order: ByteOrder) -> None:
    assert build_header(parse_header(data, order), order) == data


@pytest.mark.parametrize("name", PLACES)
@given(order=ORDERS)
def test_the_bytes_at_a_fields_place_are_the_field_alone(name: str, order: ByteOrder) -> None:
    start, end = PLACES[name]
    data = bytes(start) + b"\1" * (end - start) + bytes(HEADER_SIZE - end)
    fields = parse_header(data, order)._asdict()
    assert [field for field, value in fields.items() if value] == [name]


def test_the_fields_of_a_real_big_endian_header() -> None:
    parsed = parse_header(bytes.fromhex(PRINTED), ByteOrder.BIG)
    assert parsed.partition == 0x0C
    assert parsed.before_after == ord("A")
    assert parsed.record_length == 58
    assert parsed.io_type == 5
    assert parsed.orig_node == 255
    assert parsed.audit_pos == 21_682_924
    assert parsed.audit_rba == 108_466
    assert parsed.trans_ind == 0
    assert parsed.format_type == ord("R")
    assert parsed.rec_count == 1
    assert parsed.name_field == b"\0\1"


def test_the_fields_of_a_real_little_endian_header() -> None:
    parsed = parse_header(bytes.fromhex(LITTLE), ByteOrder.LITTLE)
    assert (parsed.record_length, parsed.audit_pos, parsed.audit_rba) == (37, 4, 1064)


@pytest.mark.parametrize(
    ("partition", "compressed", "indexed"),
    [(0x00, False, False), (0x04, True, False), (0x0C, True, True), (0x4C, True, True)],
)
def test_partition_tells_what_data_and_name_are(partition: int, *, compressed: bool, indexed: bool) -> None:
    built = header(partition=partition)
    assert built.is_compressed is compressed
    assert built.name_is_index is indexed


def test_before_after_b_is_a_before_image() -> None:
    assert header(before_after=ord("B")).is_before
    assert not header(before_after=ord("A")).is_before


def test_a_header_has_the_fields_of_a_record_outside_of_any_table_unless_given() -> None:
    usual = (0x45, 0, 0, 0x41, 0, 5, 0, 0, 0, 0, 3, 0x52, 0, 0, 0, 1, b"\0")
    assert make_header(5) == RecordHeader(*usual)
    assert make_header(5, trans_ind=0, audit_pos=7) == RecordHeader(*usual)._replace(trans_ind=0, audit_pos=7)


@pytest.mark.parametrize(
    ("order", "stored"),
    [
        (ByteOrder.BIG, "45010203 0405 06 07 08090a0b0c0d0e0f 1011121314151617 18191a1b 1c1d1e1f2021 4100"),
        (ByteOrder.LITTLE, "45010203 0504 06 07 0f0e0d0c0b0a0908 1716151413121110 1b1a1918 1c1d1e1f2021 4100"),
    ],
)
def test_the_fields_stand_at_these_bytes(order: ByteOrder, stored: str) -> None:
    fields = RecordHeader(
        *(0x45, 1, 2, 3, 0x0405, 6, 7, 0x08090A0B0C0D0E0F, 0x1011121314151617, 0x18191A1B),
        *(0x1C, 0x1D, 0x1E, 0x1F, 0x20, 0x21, b"A\0"),
    )
    assert build_header(fields, order) == bytes.fromhex(stored)
    assert parse_header(bytes.fromhex(stored), order) == fields


def test_what_cannot_be_written_is_named() -> None:
    refused = {0x10000: "table index 65536 cannot be written", "\ud800": "table name cannot be written"}
    for name, problem in refused.items():
        with pytest.raises(CannotWrite) as caught:
            name_field(name, ByteOrder.BIG)  # type: ignore[arg-type]  # an index or a text
        assert caught.value.problem == problem


@pytest.mark.parametrize("size", [0, 1, HEADER_SIZE - 1])
def test_fewer_than_34_bytes_are_a_bad_record(size: int) -> None:
    with pytest.raises(BadRecord, match=f"record header too short; expected at least 34 bytes; found {size} bytes"):
        parse_header(bytes(size), ByteOrder.BIG)


@pytest.mark.parametrize(
    "drawn_header",
    [header(io_type=256), header(audit_rba=-1), header(io_time=1 << 63)],
    ids=["IOType", "AuditRBA", "IO Time"],
)
def test_a_field_that_does_not_fit_cannot_be_written(drawn_header: RecordHeader) -> None:
    with pytest.raises(CannotWrite, match="record header cannot be written"):
        build_header(drawn_header, ByteOrder.BIG)


def test_a_name_ends_with_a_nul() -> None:
    assert name_field("TEA.LEAVES", ByteOrder.BIG) == b"TEA.LEAVES\0"


def test_a_table_index_is_two_bytes_in_file_order() -> None:
    assert name_field(2, ByteOrder.BIG) == b"\0\2"
    assert name_field(2, ByteOrder.LITTLE) == b"\2\0"


@pytest.mark.parametrize(
    ("stored", "name"),
    [
        *((b"A.B" + behind, "A.B") for behind in (b"", b"\0", b"\0junk", b"\0junk\0", b"\0\0.C")),
        *((b"T\xe9A\0", "T\\xe9A"), (b"\0", ""), (b"", "")),
    ],
)
def test_a_stored_name_ends_at_its_nul_and_bad_utf_8_is_escaped(stored: bytes, name: str) -> None:
    assert name_text(stored) == name

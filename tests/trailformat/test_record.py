from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.trailformat.samples import BOTH, header, metadata_record, row, table_record
from tests.trailformat.strategies import COLUMNS, HEADERS, ORDERS, TOKENS
from trailformat import (
    BadData,
    BadRecord,
    BadToken,
    ByteOrder,
    CannotWrite,
    Images,
    Record,
    RecordHeader,
    Token,
    make_column,
    make_file_header,
    make_file_header_record,
    make_header,
    make_record,
    make_token,
)
from trailformat.codec.tokens import WIDE, build_tokens
from trailformat.definitions.metadata import TableDefinition
from trailformat.records.columns import Columns
from trailformat.records.record import build_record, build_user_tokens, replace_header


@given(HEADERS, st.binary(max_size=40), TOKENS, ORDERS)
def test_the_parts_come_back_as_they_were(
    header: RecordHeader, data: bytes, tokens: tuple[Token, ...], order: ByteOrder
) -> None:
    record = make_record(header, data, tokens, order=order)
    assert record.header == header._replace(record_length=len(data))
    assert record.data == data
    assert record.gg_tokens == tokens


@given(HEADERS, COLUMNS, TOKENS, ORDERS)
def test_build_gives_the_bytes_of_the_record(
    header: RecordHeader, columns: Columns, tokens: tuple[Token, ...], order: ByteOrder
) -> None:
    record = make_record(header, Images(None, columns), tokens, b"a\0b\0", order)
    assert record.build() == record.raw


@pytest.mark.parametrize("order", BOTH)
@pytest.mark.parametrize("trailer_info", [0x00, 0x01, 0x83])
def test_build_keeps_an_info_of_its_own_on_the_trailer(order: ByteOrder, trailer_info: int) -> None:
    body = row(order=order).body
    raw = build_record(0x01, body, order, trailer_info=trailer_info)
    assert Record(raw, order=order).trailer.info == trailer_info
    assert Record(raw, order=order).build() == raw


@pytest.mark.parametrize("order", BOTH)
def test_build_keeps_wide_tokens_wide(order: ByteOrder) -> None:
    tokens = [Token(token.id, token.info | WIDE, token.payload) for token in row(order=order).tokens]
    raw = build_record(WIDE, build_tokens(tokens, order), order)
    assert Record(raw, order=order).build() == raw
    assert Record(raw, order=order).images == row().images


def test_tokens_stand_in_the_order_h_d_t_u() -> None:
    record = make_record(header(), b"data", [make_token("L", b"1")], b"a\0b\0")
    assert [chr(token.id) for token in record.tokens] == ["H", "D", "T", "U"]


def test_empty_parts_are_left_out() -> None:
    assert [chr(token.id) for token in make_record(header()).tokens] == ["H"]


def test_an_unknown_token_is_kept_and_in_nobody_s_way() -> None:
    tokens = [*row().tokens, Token(0xFE, 0x01, b"?")]
    record = Record(build_record(0x01, build_tokens(tokens, ByteOrder.BIG), ByteOrder.BIG))
    assert record.token("\xfe") == Token(0xFE, 0x01, b"?")
    assert record.data == row().data
    assert record.build() == record.raw


def test_a_record_over_64_kb_gets_wide_lengths() -> None:
    record = make_record(header(), bytes(0x10000))
    assert record.frame.is_wide
    assert record.data == bytes(0x10000)
    assert record.header.record_length == 0xFFFF
    assert record.data_length == 0x10000
    assert record.build() == record.raw


@pytest.mark.parametrize("order", BOTH)
@pytest.mark.parametrize(("length", "is_wide"), [(65_534, False), (65_535, False), (65_540, True)])
def test_a_record_is_wide_only_where_two_bytes_do_not_hold_its_length(
    length: int, is_wide: bool, order: ByteOrder
) -> None:
    short = make_record(header(order=order), b"", order=order)
    record = make_record(header(order=order), bytes(length - short.length - 4 - 4 * is_wide), order=order)
    assert (record.length, record.frame.is_wide) == (length, is_wide)
    assert Record(record.raw, order=order).build() == record.raw


def test_data_length_is_rec_length() -> None:
    assert row(b"leaf").data_length == row(b"leaf").header.record_length == 10


def test_data_length_of_a_file_header_is_its_length_without_the_frame() -> None:
    record = make_file_header_record(make_file_header({"TrailInfo": {"Seqno": 1}}))
    assert record.data_length == record.length - 8


def test_the_name_stands_in_the_header_up_to_its_nul() -> None:
    assert row(name="TEA.LEAVES").name == "TEA.LEAVES"
    assert row(name="TEA.LEAVES").table_index is None


@pytest.mark.parametrize("order", BOTH)
def test_an_index_stands_in_place_of_the_name(order: ByteOrder) -> None:
    record = row(name=258, order=order)
    assert record.name == ""
    assert record.table_index == 258


@pytest.mark.parametrize("stored", [b"", b"\1"])
def test_an_index_that_is_cut_is_no_index(stored: bytes) -> None:
    assert make_record(header(1, name_field=stored)).table_index is None


def test_csn_xid_and_row_id_are_texts_of_the_gg_tokens() -> None:
    tokens = [make_token("R", b"AAATeaAAFAAAAHo001\0\1"), make_token("L", b"41882317"), make_token("6", b"5.1.8801")]
    record = make_record(header(), b"", tokens)
    assert (record.csn, record.xid, record.row_id) == ("41882317", "5.1.8801", "AAATeaAAFAAAAHo001")


def test_csn_xid_and_row_id_are_none_without_their_tokens() -> None:
    assert (row().csn, row().xid, row().row_id) == (None, None, None)


def test_bytes_of_a_csn_that_are_no_utf_8_are_escaped() -> None:
    assert make_record(header(), b"", [make_token("L", b"\xff1")]).csn == "\\xff1"


def test_user_tokens_are_pairs() -> None:
    pairs = ((b"TKN-HOST", b"samovar"),)
    assert make_record(header(), b"", user_tokens=build_user_tokens(pairs)).user_tokens == pairs
    assert row().user_tokens == ()


@pytest.mark.parametrize("order", BOTH)
def test_metadata_indexes_are_the_halves_of_audit_rba(order: ByteOrder) -> None:
    assert table_record(7, "TEA.LEAVES", order).metadata_indexes == (1, 7)


def test_metadata_of_a_tdr_is_its_definition() -> None:
    record = table_record(7, "TEA.LEAVES")
    assert record.is_metadata
    assert isinstance(record.metadata, TableDefinition)


def test_a_reference_and_a_row_have_no_metadata() -> None:
    assert metadata_record(3, 7, "TEA.LEAVES").metadata is None
    assert row().metadata is None


def test_images_are_the_columns_before_and_after() -> None:
    assert row(b"leaf").images == Images(None, (make_column(0, b"leaf"),))


def test_repr_tells_type_place_and_length() -> None:
    assert repr(row()) == f"<Record Insert at RBA 0, {row().length} bytes, name 'TEA.LEAVES'>"


BROKEN = {
    "header": (
        BadRecord,
        make_file_header_record(make_file_header({})).raw,
        "record has no header; expected token x47 'G'; found x46",
    ),
    "file_header": (BadData, row().raw, "this record is not a file header"),
    "images": (BadData, make_record(header(), b"\0").raw, "column at byte 0 does not fit into the 1 bytes around it"),
    "tokens": (
        BadToken,
        build_record(1, b"H\0\0\x09", ByteOrder.BIG),
        "token at byte 0 does not fit into the 4 bytes around it",
    ),
    "gg_tokens": (
        BadToken,
        build_record(1, build_tokens([row().tokens[0], make_token("T", b"L\0\0\x09")], ByteOrder.BIG), ByteOrder.BIG),
        "token at byte 0 does not fit into the 4 bytes around it",
    ),
    "user_tokens": (BadData, make_record(header(), user_tokens=b"a").raw, "user token is not terminated"),
    "metadata": (BadToken, metadata_record(2, 7, "TEA.LEAVES", b"junk").raw, "token at byte 0 does not fit"),
}
"""What a part of a record is asked of, and what is said when it is not there."""


@pytest.mark.parametrize("part", BROKEN)
def test_what_is_wrong_with_a_part_is_said_with_file_and_rba(part: str) -> None:
    kind, raw, problem = BROKEN[part]
    with pytest.raises(kind) as caught:
        getattr(Record(raw, rba=77, path=Path("lt000000")), part)
    assert str(caught.value).startswith(f"lt000000, RBA 77: {problem}")


def test_a_record_is_these_bytes() -> None:
    head = bytes.fromhex("4500004100020500 0000000000000000 0000000000000000 00000000 035200000001") + b"A.B\0"
    tokens = b"H\0\0\x26" + head + b"D\0\0\2xy" + b"T\0\0\5L\0\0\0011" + b"U\0\0\4a\0b\0"
    raw = b"G\1\0\x49" + tokens + b"Z\1\0\x49"
    made = make_record(make_header(5, name_field=b"A.B\0"), b"xy", [make_token("L", b"1")], b"a\0b\0")
    assert made.raw == raw
    assert (made.rba, made.path, made.order, made.length) == (0, None, ByteOrder.BIG, 0x49)
    assert (made.frame, made.trailer, made.body) == (Token(0x47, 1, tokens), Token(0x5A, 1, b""), tokens)
    assert made.token("L") is None


@pytest.mark.parametrize("order", BOTH)
def test_a_wide_record_has_its_body_between_six_bytes_each(order: ByteOrder) -> None:
    record = make_record(header(order=order), bytes(0x10000), order=order)
    length = order.encode(record.length, 4)
    assert record.raw == b"G\x41" + length + record.body + b"Z\x41" + length
    assert (record.frame, record.trailer) == (Token(0x47, 0x41, record.body), Token(0x5A, 0x41, b""))


def test_a_file_header_is_these_bytes() -> None:
    record = make_file_header_record(make_file_header({}))
    assert record.raw[:2] == b"F\0"
    assert record.raw[-4:-2] == b"Z\0"
    assert repr(record) == f"<Record FileHeader at RBA 0, {record.length} bytes>"
    assert record.build() == record.raw
    assert (record.is_file_header, record.is_metadata, row().is_file_header) == (True, False, False)


@pytest.mark.parametrize(("size", "length", "printed"), [(65_474, 65_535, 7), (65_475, 65_540, 65_475)])
def test_rec_length_counts_unless_the_record_is_wide(size: int, length: int, printed: int) -> None:
    record = make_record(header(), bytes(size))
    record = replace_header(record, record.header._replace(record_length=7))
    assert (record.length, record.data_length) == (length, printed)


@pytest.mark.parametrize("order", BOTH)
def test_another_header_leaves_everything_else_as_it_was(order: ByteOrder) -> None:
    tokens = [*row(order=order).tokens, Token(0xFE, 0x01, b"?")]
    raw = build_record(0x03, build_tokens(tokens, order), order)
    record = Record(raw, rba=77, order=order, path=Path("lt000000"))
    other = replace_header(record, record.header._replace(trans_ind=2))
    assert (other.rba, other.order, other.path, other.length) == (77, order, Path("lt000000"), record.length)
    assert other.header == record.header._replace(trans_ind=2)
    assert other.tokens[1:] == record.tokens[1:]
    assert (other.frame.info, other.trailer.info) == (0x03, 0x03)
    assert replace_header(other, record.header).raw == raw


def test_the_first_of_two_tokens_counts() -> None:
    body = build_tokens([row().tokens[0], make_token("D", b"one"), make_token("D", b"two")], ByteOrder.BIG)
    assert Record(build_record(1, body, ByteOrder.BIG)).data == b"one"
    assert make_record(header(), b"", [make_token("L", b"1"), make_token("L", b"2")]).csn == "1"


def test_a_short_row_id_is_shown_as_it_is() -> None:
    assert make_record(header(), b"", [make_token("R", b"AAA")]).row_id == "AAA"
    assert make_record(header(), b"", [make_token("R", b"")]).row_id == ""


def test_a_part_that_does_not_fit_cannot_be_written() -> None:
    with pytest.raises(CannotWrite):
        make_record(header(io_type=300))
    with pytest.raises(CannotWrite):
        build_record(0xFF, bytes(0x10000), ByteOrder.BIG)

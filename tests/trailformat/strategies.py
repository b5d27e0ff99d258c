"""What hypothesis makes: values of every kind that a codec takes."""

from __future__ import annotations

from hypothesis import strategies as st

from trailformat import ByteOrder, Column, ColumnDefinition, RecordHeader, Token
from trailformat.codec.tokens import UNSET, WIDE

ORDERS = st.sampled_from(ByteOrder)
BYTE = st.integers(0, 0xFF)
U16 = st.integers(0, 0xFFFF)
U32 = st.integers(0, 0xFFFFFFFF)
U64 = st.integers(0, 0xFFFFFFFFFFFFFFFF)
I16 = st.integers(-0x8000, 0x7FFF)
I32 = st.integers(-0x80000000, 0x7FFFFFFF)
I64 = st.integers(-0x8000000000000000, 0x7FFFFFFFFFFFFFFF)

INFOS = st.sampled_from([0x00, 0x01, WIDE, WIDE | 1, UNSET])
TOKENS = st.lists(st.builds(Token, BYTE, INFOS, st.binary(max_size=40)), max_size=8).map(tuple)
COLUMNS = st.lists(st.builds(Column, U16, st.binary(max_size=30)), max_size=8).map(tuple)

HEADERS = st.builds(
    RecordHeader,
    hdr_ind=BYTE,
    partition=BYTE,
    undo_flag=BYTE,
    before_after=BYTE,
    record_length=U16,
    io_type=BYTE,
    orig_node=BYTE,
    io_time=I64,
    audit_pos=U64,
    audit_rba=U32,
    trans_ind=BYTE,
    format_type=BYTE,
    syskey_len=BYTE,
    incomplete=BYTE,
    continued=BYTE,
    rec_count=BYTE,
    name_field=st.binary(max_size=60),
)

COLUMN_DEFINITIONS = st.builds(
    ColumnDefinition,
    name=st.text(st.characters(codec="utf-8"), max_size=30),
    data_type=U16,
    internal_length=U32,
    external_length=U32,
    binary_length=U32,
    table_length=U32,
    character_length=U32,
    fetch_offset=U32,
    charset=I32,
    native_type=I16,
    sub_data_type=I16,
    most_significant=U16,
    least_significant=U16,
    scale=I16,
    reserved=U16,
    flags=U16,
    tail=st.none() | st.binary(max_size=20),
)

"""Records of every kind that matters to which transaction a record belongs to."""

from __future__ import annotations

from tests.trailformat.samples import header, row, table_record
from tests.trailformat.scan.test_scan import FILE_HEADER_BYTES
from trailformat import ByteOrder, Token, make_record, make_token
from trailformat.codec.tokens import UNSET, WIDE, build_tokens
from trailformat.records.record_header import COMMENT, FIRST, LAST, MIDDLE, ONLY, RESTART_OK


def with_tokens(*tokens: Token, order: ByteOrder = ByteOrder.BIG, **fields: int) -> bytes:
    """A record with these tokens in ``T``."""
    return make_record(header(order=order, **fields), b"leaf", tokens, order=order).raw


def shapes(order: ByteOrder) -> list[bytes]:
    """One of each."""
    csn, xid, rowid = make_token("L", b"00000004:0000095"), make_token("6", b"7.7"), make_token("R", b"AAAT")
    begun = with_tokens(csn, xid, order=order, trans_ind=FIRST)
    damaged = begun.replace(build_tokens([csn], order), b"L\xff\xff\xff" + csn.payload)
    return [
        FILE_HEADER_BYTES,
        begun,
        with_tokens(rowid, csn, xid, csn, order=order, trans_ind=ONLY),
        with_tokens(make_token("6", b"only an xid"), order=order, trans_ind=FIRST),
        with_tokens(csn, order=order, trans_ind=MIDDLE),
        with_tokens(rowid, order=order, trans_ind=MIDDLE),
        with_tokens(xid, order=order, trans_ind=LAST),
        with_tokens(make_token("L", b""), order=order, trans_ind=FIRST),
        with_tokens(make_token("L", b"\xff\0\x80 wide", WIDE), order=order, trans_ind=FIRST),
        with_tokens(make_token("L", b"77", UNSET), xid, order=order, trans_ind=MIDDLE),
        with_tokens(make_token("L", b"order of the other"), order=order.other, trans_ind=FIRST),
        *[row(order=order, trans_ind=number).raw for number in (FIRST, MIDDLE, MIDDLE, LAST, ONLY, 77)],
        damaged,
        damaged[:-8] + begun[-8:],
        with_tokens(csn, order=order, io_type=RESTART_OK),
        with_tokens(csn, order=order, io_type=COMMENT, trans_ind=FIRST),
        table_record(1, "TEAS", order).raw,
        make_record(header(order=order, trans_ind=MIDDLE), b"x" * 70_000, [csn], order=order).raw,
        b"no record at all" * 3,
    ]

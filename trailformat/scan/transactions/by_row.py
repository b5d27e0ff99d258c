"""The transactions that begin in a batch, and the rows that belong to them, in plain Python."""

from __future__ import annotations

from array import array
from itertools import accumulate
from typing import NamedTuple

from trailformat.changes.transactions import BEGINS, ENDS
from trailformat.codec.byte_order import ByteOrder
from trailformat.codec.token_names import LOGCSN, TRANID
from trailformat.codec.tokens import token_places
from trailformat.errors import BadToken
from trailformat.records.framing import Buffer
from trailformat.records.io_types import NOT_TRANSACTIONAL
from trailformat.scan.batch import FILE_HEADER, RECORD, Batch, BatchColumn
from trailformat.scan.kernels.arguments import ABSENT, FIRST_BEGUN, LOOKED_FOR

_NOTHING = (0, ABSENT, 0, ABSENT)
_ORDERS = (ByteOrder.BIG, ByteOrder.LITTLE)


class TokenValues(NamedTuple):
    """LOGCSN or TRANID of the transactions by number: bytes, then where each begins in them and how long it is."""

    data: bytes
    starts: BatchColumn
    sizes: BatchColumn


class BatchTransactions(NamedTuple):
    """The transactions of a batch.

    Attributes:
        numbers: for each row the number of its transaction, int32.
        rows: for each transaction its first row, -1 for the first two.
        csn, xid: their tokens.
        is_open: whether the last one goes on after the batch.
        looked_for: numbers of those that began before their first row.
    """

    numbers: BatchColumn
    rows: BatchColumn
    csn: TokenValues
    xid: TokenValues
    is_open: bool
    looked_for: list[int]


def carry_by_row(batch: Batch, buffer: Buffer, *, is_open: bool) -> BatchTransactions:
    """The transactions of a batch; ``is_open``: one is open where it begins."""
    index = array("i", bytes(4 * len(batch)))
    begun = [(-1, *_NOTHING)] * FIRST_BEGUN
    follows = True
    columns = (batch.kind, batch.io_type, batch.trans_ind, batch.rba, batch.order, batch.token_offset, batch.token_size)
    rows = zip(*(memoryview(column).tolist() for column in columns), strict=True)  # type: ignore[arg-type]
    for row, (kind, io_type, trans_ind, rba, order, offset, size) in enumerate(rows):
        if kind != RECORD or io_type in NOT_TRANSACTIONAL:
            is_open = is_open and follows
            follows = kind <= FILE_HEADER
            continue
        own = _own(buffer, rba + offset, size, _ORDERS[order]) if size else _NOTHING
        if trans_ind in BEGINS or own[1] != ABSENT:
            begun.append((row, *own))
        elif not (follows and is_open):
            begun.append((row, 0, LOOKED_FOR, 0, ABSENT))
        index[row] = len(begun) - 1
        is_open, follows = trans_ind not in ENDS, True
    first, csn_at, csn_size, xid_at, xid_size = (array("q", column) for column in zip(*begun, strict=True))
    looked_for = [number for number, size in enumerate(csn_size) if size == LOOKED_FOR]
    csn, xid = _found(buffer, csn_at, csn_size), _found(buffer, xid_at, xid_size)
    return BatchTransactions(index, first, csn, xid, is_open and follows, looked_for)


def _own(buffer: Buffer, at: int, size: int, order: ByteOrder) -> tuple[int, int, int, int]:
    """Place and size of the first LOGCSN and the first TRANID in the payload of ``T``; none when it is damaged."""
    csn = xid = (0, ABSENT)
    try:
        for token, start, length in token_places(buffer, at, at + size, order):
            if token == LOGCSN and csn[1] == ABSENT:
                csn = start, length
            elif token == TRANID and xid[1] == ABSENT:
                xid = start, length
    except BadToken:
        return _NOTHING
    return (*csn, *xid)


def _found(buffer: Buffer, places: array[int], sizes: array[int]) -> TokenValues:
    data = b"".join(buffer[at : at + size] for at, size in zip(places, sizes, strict=True) if size > 0)
    starts = array("q", accumulate((max(size, 0) for size in sizes[:-1]), initial=0))
    return TokenValues(data, starts, sizes)

"""Where transactions begin in a batch, and which rows belong to them: in plain Python, or by numba's kernel."""

from __future__ import annotations

from array import array

from trailformat.byte_order import ByteOrder
from trailformat.errors import BadToken
from trailformat.framing import Buffer
from trailformat.io_types import NOT_TRANSACTIONAL
from trailformat.scan.batch import FILE_HEADER, RECORD, Batch, Column
from trailformat.scan.engines import Engine
from trailformat.tokens import token_places
from trailformat.transactions import BEGINS, ENDS, LOGCSN, TRANID

Begun = tuple[int, int, int, int, int]
"""A transaction's first row in the batch, then place in the file and size of its LOGCSN and of its TRANID.

A place is ABSENT where there is no such token; that of LOGCSN is LOOKED_FOR where the transaction began before the row.
"""
ABSENT, LOOKED_FOR = -1, -2
_NOTHING = (ABSENT, 0, ABSENT, 0)
_ORDERS = (ByteOrder.BIG, ByteOrder.LITTLE)


def carry(batch: Batch, buffer: Buffer, engine: Engine, *, is_open: bool) -> tuple[Column, list[Begun], bool]:
    """For each row of a batch the number of its transaction, the transactions, and whether the last is open at the end.

    0 stands for none; with ``is_open`` 1 is the transaction that is open where the batch begins, and those in the list
    have the numbers after it.

    Raises:
        NotATrail: ``buffer`` ends before the batch.
    """
    batch.require(buffer)
    if engine is Engine.NUMBA:
        from trailformat.scan.numba_tokens import carry_by_kernel  # noqa: PLC0415 - half a second

        return carry_by_kernel(batch, buffer, is_open=is_open)
    return _carry(batch, buffer, is_open=is_open)


def _carry(batch: Batch, buffer: Buffer, *, is_open: bool) -> tuple[Column, list[Begun], bool]:
    index = array("i", bytes(4 * len(batch)))
    begun: list[Begun] = []
    first, follows = int(is_open), True
    columns = (batch.kind, batch.io_type, batch.trans_ind, batch.rba, batch.order, batch.token_offset, batch.token_size)
    rows = zip(*(memoryview(column).tolist() for column in columns), strict=True)  # type: ignore[arg-type]
    for row, (kind, io_type, trans_ind, rba, order, offset, size) in enumerate(rows):
        if kind != RECORD or io_type in NOT_TRANSACTIONAL:
            is_open = is_open and follows
            follows = kind <= FILE_HEADER
            continue
        own = _own(buffer, rba + offset, size, _ORDERS[order]) if size else _NOTHING
        if trans_ind in BEGINS or own[0] != ABSENT:
            begun.append((row, *own))
        elif not (follows and is_open):
            begun.append((row, LOOKED_FOR, 0, ABSENT, 0))
        index[row] = first + len(begun)
        is_open, follows = trans_ind not in ENDS, True
    return index, begun, is_open and follows


def _own(buffer: Buffer, at: int, size: int, order: ByteOrder) -> tuple[int, int, int, int]:
    """Place and size of the first LOGCSN and the first TRANID in the payload of ``T``; none when it is damaged."""
    csn = xid = (ABSENT, 0)
    try:
        for token, start, length in token_places(buffer, at, at + size, order):
            if token == LOGCSN and csn[0] == ABSENT:
                csn = start, length
            elif token == TRANID and xid[0] == ABSENT:
                xid = start, length
    except BadToken:
        return _NOTHING
    return (*csn, *xid)

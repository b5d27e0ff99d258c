"""Rows by the tokens of their ``T``."""

from __future__ import annotations

from array import array

from trailformat.codec.byte_order import ByteOrder
from trailformat.codec.tokens import token_places
from trailformat.errors import BadToken
from trailformat.records.framing import Buffer
from trailformat.scan.batch import Batch, BatchColumn
from trailformat.scan.engines import Engine

_ORDERS = (ByteOrder.BIG, ByteOrder.LITTLE)


def rows_with_token(batch: Batch, buffer: Buffer, token_id: int, engine: Engine) -> BatchColumn:
    """For each row 1 where the record carries a token with this id, else 0, uint8; of a damaged ``T`` nothing counts.

    Raises:
        NotATrail: ``buffer`` ends before the batch.
    """
    batch.require(buffer)
    if engine is Engine.NUMBA:
        from trailformat.scan.transactions.by_kernel import mark_by_kernel  # noqa: PLC0415 - half a second

        return mark_by_kernel(batch, buffer, token_id)
    columns = (batch.rba, batch.order, batch.token_offset, batch.token_size)
    rows = zip(*(memoryview(column).tolist() for column in columns), strict=True)  # type: ignore[arg-type]
    return array("B", (bool(payloads(buffer, rba + at, size, order, token_id)) for rba, order, at, size in rows))


def payloads(buffer: Buffer, at: int, size: int, order: int, token_id: int) -> list[bytes]:
    """The payloads of the tokens with this id in the ``T`` of ``size`` bytes at ``at``; none when it is damaged.

    ``order`` is the column's: 0 big-endian, 1 little-endian.
    """
    try:
        places = token_places(buffer, at, at + size, _ORDERS[order])
    except BadToken:
        return []
    return [buffer[start : start + length] for token, _, start, length in places if token == token_id]

"""LOGCSN and TRANID of single rows, with numpy."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any

import numpy as np

from trailformat.changes.transactions import NO_TRANSACTION, transaction_in
from trailformat.codec.byte_order import ByteOrder
from trailformat.records.framing import Buffer
from trailformat.scan.batch import FILE_HEADER, RECORD, Batch
from trailformat.scan.kernels.arguments import ABSENT
from trailformat.scan.string_column import StringColumn
from trailformat.scan.transactions.by_kernel import own_tokens

if TYPE_CHECKING:
    from trailformat.scan.rows.row_bytes import Held

_ORDERS = (ByteOrder.BIG, ByteOrder.LITTLE)
_FEW = 64
"""Rows fewer than one in this many are read where they are mapped."""


def told_by(
    batch: Batch, rows: Any, is_told: Any, buffer: Buffer, held: Held | None = None
) -> tuple[StringColumn, StringColumn]:
    """LOGCSN and TRANID in the tokens of single rows of a batch; none of the rows that the mask ``is_told`` lacks.

    ``held`` has the bytes of the batch, where they have been read.

    Raises:
        NotATrail: ``buffer`` ends before the batch.
    """
    batch.require(buffer)
    if isinstance(batch.rba, array) or len(rows) * _FEW < len(batch):
        return _told_by_each(batch, rows.tolist(), is_told.tolist(), buffer)
    single = {name: np.asarray(column)[rows] for name, column in batch.columns()}
    single["kind"] = np.where(is_told, single["kind"], FILE_HEADER).astype(np.uint8)
    return own_tokens(Batch(batch.names, **single), buffer, held)


def _told_by_each(
    batch: Batch, rows: list[int], is_told: list[bool], buffer: Buffer
) -> tuple[StringColumn, StringColumn]:
    """The same without a copy of the batch's bytes."""
    transactions = [NO_TRANSACTION] * len(rows)
    for number, row in enumerate(rows):
        if is_told[number] and batch.kind[row] == RECORD:
            at, order = int(batch.rba[row]) + int(batch.token_offset[row]), _ORDERS[batch.order[row]]
            transactions[number] = transaction_in(buffer, at, int(batch.token_size[row]), order)
    absent = np.full(len(rows), ABSENT, np.int64)
    csns = {number: transaction.csn for number, transaction in enumerate(transactions)}
    xids = {number: transaction.xid for number, transaction in enumerate(transactions)}
    return StringColumn(b"", absent, absent, csns), StringColumn(b"", absent, absent, xids)

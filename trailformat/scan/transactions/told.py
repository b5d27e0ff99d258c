"""LOGCSN and TRANID of single rows, with numpy."""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np

from trailformat.changes.transactions import ONLY, transaction_in
from trailformat.codec.byte_order import ByteOrder
from trailformat.records.framing import Buffer
from trailformat.scan.batch import Batch
from trailformat.scan.kernels.arguments import ABSENT, FIRST_BEGUN
from trailformat.scan.string_column import StringColumn
from trailformat.scan.transactions.by_kernel import carry_by_kernel

_ORDERS = (ByteOrder.BIG, ByteOrder.LITTLE)
_FEW = 64
"""Rows fewer than one in this many are read where they are mapped."""


def told_by(batch: Batch, rows: Any, buffer: Buffer) -> tuple[StringColumn, StringColumn]:
    """LOGCSN and TRANID in the tokens of single rows of a batch.

    Raises:
        NotATrail: ``buffer`` ends before the batch.
    """
    batch.require(buffer)
    if isinstance(batch.rba, array) or len(rows) * _FEW < len(batch):
        return _told_by_each(batch, rows.tolist(), buffer)
    # a row that begins and ends a transaction has what its own tokens hold, whatever stands before it
    single = {name: np.asarray(column)[rows] for name, column in batch.columns()}
    single["trans_ind"] = np.full(len(rows), ONLY, np.uint8)
    carried = carry_by_kernel(Batch(batch.names, **single), buffer, is_open=False)
    csns, xids = (StringColumn(*column, {}).part(FIRST_BEGUN) for column in (carried.csn, carried.xid))
    return csns, xids


def _told_by_each(batch: Batch, rows: list[int], buffer: Buffer) -> tuple[StringColumn, StringColumn]:
    """The same without a copy of the batch's bytes."""
    places = ((int(batch.rba[row]) + int(batch.token_offset[row]), int(batch.token_size[row]), row) for row in rows)
    transactions = [transaction_in(buffer, at, size, _ORDERS[batch.order[row]]) for at, size, row in places]
    absent = array("q", [ABSENT]) * len(rows)
    csns = {number: transaction.csn for number, transaction in enumerate(transactions)}
    xids = {number: transaction.xid for number, transaction in enumerate(transactions)}
    return StringColumn(b"", absent, absent, csns), StringColumn(b"", absent, absent, xids)

"""Batches by the kernel ``fill``: the columns are numpy's."""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np

from trailformat.scan import kernel_arguments as k
from trailformat.scan.batch import Batch
from trailformat.scan.machine_code import kernels
from trailformat.scan.names import Names
from trailformat.scan.place import Place
from trailformat.scan.walk import Walk, address_of
from trailformat.scan.windows import Window

_Columns = tuple[np.ndarray[Any, Any], ...]
"""Octets, ints and longs, see kernel_arguments."""


class NumbaFiller:
    """Fills batches of at most ``batch_size`` rows; see :class:`trailformat.scan.scanning.Filler`."""

    def __init__(self, names: Names, batch_size: int) -> None:
        self._batch_size = batch_size
        self._walk = Walk(kernels()["fill"], names)
        self._columns: _Columns = ()
        self._addresses = array("q", bytes(24))
        self._renew_columns()

    @property
    def transactions(self) -> int:
        """How many transactions have ended."""
        return self._walk.state[k.TRANSACTIONS]

    @property
    def is_full(self) -> bool:
        """Whether the batch has all its rows."""
        return self._walk.state[k.ROW] >= self._batch_size

    def _renew_columns(self) -> None:
        rows = self._batch_size
        self._columns = (
            np.empty((k.OCTETS, rows), np.uint8),
            np.empty((k.INTS, rows), np.uint32),
            np.empty((k.LONGS, rows), np.int64),
        )
        for number, block in enumerate(self._columns):
            self._addresses[number] = block.ctypes.data

    def add_span(self, kind: int, rba: int, length: int) -> None:
        """Add the row of a span that is no sound record."""
        row = self._walk.state[k.ROW]
        octets, ints, longs = self._columns
        octets[:, row], ints[:, row], longs[:, row] = 0, 0, 0
        octets[k.C_KIND, row] = kind
        longs[k.C_RBA, row], longs[k.C_LENGTH, row], longs[k.C_TRANSACTION, row] = rba, length, -1
        self._walk.state[k.ROW] += 1

    def take(self) -> Batch:
        """The rows so far; the next ones go to a new batch."""
        rows = self._walk.state[k.ROW]
        if rows < self._batch_size:
            octets, ints, longs = (block[:, :rows].copy() for block in self._columns)
        else:
            octets, ints, longs = self._columns
            self._renew_columns()
        self._walk.state[k.ROW] = 0
        return Batch(
            rba=longs[k.C_RBA],
            length=longs[k.C_LENGTH],
            kind=octets[k.C_KIND],
            order=octets[k.C_ORDER],
            io_type=octets[k.C_IO_TYPE],
            orig_node=octets[k.C_ORIG_NODE],
            trans_ind=octets[k.C_TRANS_IND],
            before_after=octets[k.C_BEFORE_AFTER],
            partition=octets[k.C_PARTITION],
            record_length=longs[k.C_RECORD_LENGTH],
            io_time=longs[k.C_IO_TIME],
            audit_pos=longs[k.C_AUDIT_POS].view(np.uint64),
            audit_rba=ints[k.C_AUDIT_RBA],
            table=longs[k.C_TABLE],
            transaction=longs[k.C_TRANSACTION],
            data_offset=ints[k.C_DATA_OFFSET],
            data_size=ints[k.C_DATA_SIZE],
            token_offset=ints[k.C_TOKEN_OFFSET],
            token_size=ints[k.C_TOKEN_SIZE],
            names=self._walk.names,
        )

    def fill(self, window: Window, place: Place, end: int, stop: int) -> tuple[Place, int]:
        """Add rows; see the protocol."""
        columns = address_of(self._addresses)
        place, status = self._walk.go(window, place, end, stop, self._batch_size, columns)
        return place, self._walk.state[k.NEED] if status == k.MORE else 0

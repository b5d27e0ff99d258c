"""Batches filled by the kernel ``fill``; their columns are numpy arrays."""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np

from trailformat.native.loaded import address_of, kernels
from trailformat.native.scan import arguments
from trailformat.scan.batch import Batch
from trailformat.scan.kernel_run import KernelRun, Spare, Window
from trailformat.scan.names import Names
from trailformat.scan.position import ScanPosition

_Columns = tuple[np.ndarray[Any, Any], ...]
"""Octets, ints and longs: see ``native.scan.arguments``."""


class BatchFiller:
    """Fills batches of at most ``batch_size`` rows; see :class:`trailformat.scan.scanning.Filler`."""

    def __init__(self, names: Names, batch_size: int) -> None:
        self._batch_size = batch_size
        self._columns: _Columns = ()
        self._addresses = array("q", bytes(24))
        self._renew_columns()
        self._run = KernelRun(kernels()["fill"], names)

    def __del__(self) -> None:
        _SPARE.give(self._batch_size, self._columns)

    @property
    def transactions(self) -> int:
        """The number of transactions that have ended since the start of the scan."""
        return self._run.state[arguments.TRANSACTIONS]

    @property
    def rows(self) -> int:
        """The number of rows in the batch so far."""
        return self._run.state[arguments.ROW]

    @property
    def columns(self) -> _Columns:
        """The columns that are filled now: octets, ints and longs, see ``native.scan.arguments``."""
        return self._columns

    @property
    def is_full(self) -> bool:
        """True if the batch has ``batch_size`` rows."""
        return self.rows >= self._batch_size

    def _renew_columns(self) -> None:
        self._columns = _SPARE.take(self._batch_size)
        for number, block in enumerate(self._columns):
            self._addresses[number] = block.ctypes.data

    def add_span(self, kind: int, rba: int, length: int) -> None:
        """Add a row for a span that is not a sound record."""
        row = self._run.state[arguments.ROW]
        octets, ints, longs = self._columns
        octets[:, row], ints[:, row], longs[:, row] = 0, 0, 0
        octets[arguments.C_KIND, row] = kind
        longs[arguments.C_RBA, row], longs[arguments.C_LENGTH, row], longs[arguments.C_TRANSACTION, row] = (
            rba,
            length,
            -1,
        )
        self._run.state[arguments.ROW] += 1

    def take(self) -> Batch:
        """Return the rows so far as a batch and begin a new one."""
        rows = self._run.state[arguments.ROW]
        if rows < self._batch_size:
            octets, ints, longs = (block[:, :rows].copy() for block in self._columns)
        else:
            octets, ints, longs = self._columns
            self._renew_columns()
        self._run.state[arguments.ROW] = 0
        return Batch(
            rba=longs[arguments.C_RBA],
            length=longs[arguments.C_LENGTH],
            kind=octets[arguments.C_KIND],
            order=octets[arguments.C_ORDER],
            io_type=octets[arguments.C_IO_TYPE],
            orig_node=octets[arguments.C_ORIG_NODE],
            trans_ind=octets[arguments.C_TRANS_IND],
            before_after=octets[arguments.C_BEFORE_AFTER],
            partition=octets[arguments.C_PARTITION],
            record_length=longs[arguments.C_RECORD_LENGTH],
            io_time=longs[arguments.C_IO_TIME],
            audit_pos=longs[arguments.C_AUDIT_POS].view(np.uint64),
            audit_rba=ints[arguments.C_AUDIT_RBA],
            table=longs[arguments.C_TABLE],
            transaction=longs[arguments.C_TRANSACTION],
            data_offset=ints[arguments.C_DATA_OFFSET],
            data_size=ints[arguments.C_DATA_SIZE],
            token_offset=ints[arguments.C_TOKEN_OFFSET],
            token_size=ints[arguments.C_TOKEN_SIZE],
            names=self._run.names,
        )

    def fill(self, window: Window, position: ScanPosition, end: int, stop: int) -> tuple[ScanPosition, int]:
        """Add rows; see ``Filler.fill``."""
        columns = address_of(self._addresses)
        position, status = self._run.go(window, position, end, stop, self._batch_size, columns)
        return position, self._run.state[arguments.NEED] if status == arguments.MORE else 0


def _empty_columns(rows: int) -> _Columns:
    return (
        np.empty((arguments.OCTETS, rows), np.uint8),
        np.empty((arguments.INTS, rows), np.uint32),
        np.empty((arguments.LONGS, rows), np.int64),
    )


_SPARE = Spare(_empty_columns)

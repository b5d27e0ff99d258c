"""Some rows of a batch, as the builders of columns see them."""

from __future__ import annotations

import logging
from functools import cached_property
from typing import Any

import numpy as np

from logdump.arrow.records.windows import Window, window_of
from trailformat import ByteOrder, Record, TrailError, TrailFile
from trailformat.scan import FILE_HEADER, RECORD, Batch
from trailformat.scan.rows.headers import indexes_at
from trailformat.scan.transactions.tracker import RowTransactions, TransactionTracker
from trailformat.trail.row_definitions import RowDefinitions

_LOG = logging.getLogger("logdump")

Array = Any
"""A one-dimensional ``numpy.ndarray``."""
_ORDERS = (ByteOrder.BIG, ByteOrder.LITTLE)


class Source:
    """The source of rows: an open file, and the state that is carried from batch to batch.

    Args:
        trail: the file.

    Attributes:
        seqno: its sequence number; None where its name has none.
        file_order: its place among the files of a read; None where it is alone.
        explains_nulls: whether the column ``problems`` is made, which says why a value is null.
        ends_at_undecodable: whether a part that does not decode ends the read.
        name_parts: by key of the name: catalog, schema and name of a table.
    """

    seqno: int | None = None
    file_order: int | None = None
    explains_nulls = True
    ends_at_undecodable = False

    def __init__(self, trail: TrailFile) -> None:
        self.trail = trail
        self.name_parts: dict[int, tuple[str | None, ...]] = {}
        self._carrier = TransactionTracker(trail)
        self._owners: tuple[Batch, RowTransactions] | None = None

    @property
    def path(self) -> str:
        """Path of the file."""
        return str(self.trail.path)

    @property
    def definitions(self) -> RowDefinitions:
        """The definitions of rows."""
        raise NotImplementedError

    def owners(self, batch: Batch) -> RowTransactions:
        """The transactions of a batch's rows; batches are to be given in order."""
        if self._owners is None or self._owners[0] is not batch:
            self._owners = batch, self._carrier.of(batch)
        return self._owners[1]

    def undecodable(self, error: TrailError, *, is_cut: bool = False) -> None:
        """A part of a sound record cannot be decoded: a null. ``is_cut``: the record goes on in fragments."""

    def too_large(self, text: str) -> None:
        """A record does not fit into a value: a null that the log tells of."""
        _LOG.warning("%s", text)


class Rows:
    """The rows of a batch whose numbers are ``at``, in order.

    Their bytes are read when a column needs them, unless ``window`` holds them; that raises NotATrail when the file has
    become shorter.
    """

    def __init__(self, source: Source, batch: Batch, at: Array, window: Window | None = None) -> None:
        self._window = window
        self.source = source
        self.batch = batch
        self.at = at
        self.walked: dict[str, Any] = {}
        """What several columns need and one of them has found."""

    def __len__(self) -> int:
        return len(self.at)

    def of(self, column: str) -> Array:
        """A column of the batch."""
        return np.asarray(getattr(self.batch, column))[self.at]

    @cached_property
    def kind(self) -> Array:
        """RECORD, FILE_HEADER, BAD_SPAN or PARTIAL."""
        return self.of("kind")

    @cached_property
    def is_record(self) -> Array:
        """A mask of the rows with a record header."""
        return self.kind == RECORD

    @cached_property
    def is_sound(self) -> Array:
        """A mask of the rows that are records, the file header included."""
        return self.kind <= FILE_HEADER

    @cached_property
    def window(self) -> Window:
        """The bytes of the rows."""
        return self._window or window_of(self.source.trail, self.of("rba"), self.of("length"))

    @property
    def view(self) -> Array:
        """The bytes of the rows, and of what stands between them."""
        return self.window.view

    @property
    def starts(self) -> Array:
        """The offset in ``view`` at which each row begins."""
        return self.window.starts

    @cached_property
    def is_little(self) -> Array:
        """The byte order of each row."""
        return self.of("order") == 1

    @cached_property
    def tdr_index(self) -> Array:
        """The table index in each header, -1 where there is none."""
        index = np.full(len(self), -1, np.int64)
        records = self.is_record
        if records.any():
            index[records] = indexes_at(self.view, self.starts[records], self.is_little[records])
        return index

    def payload(self, part: str) -> tuple[Array, Array]:
        """The offsets in ``view`` where the payload of ``data`` or ``token`` begins and ends; equal without one."""
        starts = self.starts + self.of(f"{part}_offset")
        return starts, starts + self.of(f"{part}_size")

    def record(self, row: int) -> Record:
        """One of the rows as a record, which it must be."""
        at, start = self.at[row], self.starts[row]
        raw = self.view[start : start + self.batch.length[at]].tobytes()
        return Record(
            raw, rba=int(self.batch.rba[at]), order=_ORDERS[self.batch.order[at]], path=self.source.trail.path
        )

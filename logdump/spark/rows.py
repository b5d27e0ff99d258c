"""Some rows of a batch, as the builders of columns see them."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from logdump.spark.errors import BadTrail, located
from logdump.spark.options import Options
from logdump.spark.planning import Slice
from logdump.spark.report import report
from logdump.spark.source_definitions import definitions_of
from logdump.spark.windows import Window, window_of
from trailformat import ByteOrder, Record, TrailError, TrailFile
from trailformat.scan import FILE_HEADER, RECORD, Batch
from trailformat.scan.headers import indexes_at
from trailformat.scan.transactions import Owners, TransactionCarrier
from trailformat.trail.row_definitions import RowDefinitions

Array = Any
"""A one-dimensional ``numpy.ndarray``."""
_ORDERS = (ByteOrder.BIG, ByteOrder.LITTLE)


class OpenSlice:
    """A slice that is being read: its open file, and what is carried from batch to batch."""

    def __init__(
        self,
        trail: TrailFile,
        part: Slice,
        options: Options,
        wanted: frozenset[str] = frozenset(),
        definitions: RowDefinitions | None = None,
    ) -> None:
        self.trail = trail
        self.part = part
        self.options = options
        self._wanted = wanted
        self._definitions = definitions
        self.name_parts: dict[int, tuple[str | None, ...]] = {}
        """By key of the name: catalog, schema and name of a table."""
        self._carrier = TransactionCarrier(trail)
        self._owners: tuple[Batch, Owners] | None = None

    @cached_property
    def definitions(self) -> RowDefinitions:
        """What tells the columns of rows, unless given: the trail, and where it does not, the file of ``sourceDefs``.

        Raises:
            BadOption: that file cannot be read, or is no definitions file.
        """
        return self._definitions or definitions_of(self.trail, self.options)

    def owners(self, batch: Batch) -> Owners:
        """The transactions of a batch's rows; batches are to be given in order."""
        if self._owners is None or self._owners[0] is not batch:
            self._owners = batch, self._carrier.of(batch)
        return self._owners[1]

    @property
    def explains_nulls(self) -> bool:
        """Whether the column ``problems`` is read."""
        return "problems" in self._wanted

    def undecodable(self, error: TrailError, *, is_cut: bool = False) -> None:
        """A part of a sound record cannot be decoded: a null; column ``problems`` says why, or the log does.

        Args:
            error: why, and where.
            is_cut: the record goes on in fragments: it is sound, and all of it is in ``raw``.

        Raises:
            BadTrail: option ``undecodable`` is ``fail``; of a cut record where column ``problems`` is not read.
        """
        text = located(error, self.part.path)
        if self.options.undecodable_ends and not (is_cut and self.explains_nulls):
            raise BadTrail(f"{text}; with option undecodable null it is null, and column problems says why") from None
        if not self.explains_nulls:
            report(text)


class Rows:
    """The rows of a batch whose numbers are ``at``, in order.

    Their bytes are read when a column needs them, unless ``window`` holds them; that raises NotATrail when the file has
    become shorter.
    """

    def __init__(self, source: OpenSlice, batch: Batch, at: Array, window: Window | None = None) -> None:
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
        """Which rows have a record header."""
        return self.kind == RECORD

    @cached_property
    def is_sound(self) -> Array:
        """Which rows are records, the file header being one."""
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
        """Where in ``view`` each row begins."""
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
        """Where the payload of ``data`` or ``token`` begins and ends in ``view``; both alike where there is none."""
        starts = self.starts + self.of(f"{part}_offset")
        return starts, starts + self.of(f"{part}_size")

    def record(self, row: int) -> Record:
        """One of the rows as a record, which it must be."""
        at, start = self.at[row], self.starts[row]
        raw = self.view[start : start + self.batch.length[at]].tobytes()
        return Record(
            raw, rba=int(self.batch.rba[at]), order=_ORDERS[self.batch.order[at]], path=self.source.trail.path
        )

"""Some rows of a batch, as the builders of columns see them."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from logdump.range_saving import table_indexes
from logdump.spark.errors import BadTrail, located
from logdump.spark.options import Options
from logdump.spark.planning import Slice
from logdump.spark.report import report
from logdump.spark.source_definitions import source_definitions
from trailformat import NotATrail, Record, TrailError, TrailFile
from trailformat.row_definitions import RowDefinitions
from trailformat.scan import FILE_HEADER, RECORD, Batch
from trailformat.scan.transactions import Owners, TransactionCarrier

Array = Any
"""A one-dimensional ``numpy.ndarray``."""


class OpenSlice:
    """A slice that is being read: its open file, and what is carried from batch to batch."""

    def __init__(self, trail: TrailFile, part: Slice, options: Options, wanted: frozenset[str] = frozenset()) -> None:
        self.trail = trail
        self.part = part
        self.options = options
        self._wanted = wanted
        self.name_parts: dict[int, tuple[str | None, ...]] = {}
        """By key of the name: catalog, schema and name of a table."""
        self._carrier = TransactionCarrier(trail)
        self._owners: tuple[Batch, Owners] | None = None

    @cached_property
    def definitions(self) -> RowDefinitions:
        """What tells the columns of rows: the trail, and the file of the option ``sourceDefs`` where it does not.

        Raises:
            BadOption: that file cannot be read, or is no definitions file.
        """
        return RowDefinitions(self.trail, source_definitions(self.options))

    def owners(self, batch: Batch) -> Owners:
        """The transactions of a batch's rows; batches are to be given in order."""
        if self._owners is None or self._owners[0] is not batch:
            self._owners = batch, self._carrier.of(batch)
        return self._owners[1]

    def undecodable(self, error: TrailError) -> None:
        """A part of a sound record cannot be decoded: a null, which column ``problems`` explains where it is read.

        Raises:
            BadTrail: it is not read, and under FAILFAST nothing goes without a word.
        """
        if "problems" in self._wanted:
            return
        text = located(error, self.part.path)
        if self.options.mode == "FAILFAST":
            raise BadTrail(f"{text}; with the column problems too, or with mode PERMISSIVE, it is null") from None
        report(text)


class Rows:
    """The rows of a batch whose numbers are ``at``, in order."""

    def __init__(self, source: OpenSlice, batch: Batch, at: Array) -> None:
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
    def view(self) -> Array:
        """The bytes of the file."""
        return np.frombuffer(self.source.trail.buffer, np.uint8)

    @cached_property
    def is_little(self) -> Array:
        """The byte order of each row."""
        return self.of("order") == 1

    @cached_property
    def tdr_index(self) -> Array:
        """The table index in each header, -1 where there is none."""
        index = np.full(len(self), -1, np.int64)
        rows = self.at[self.is_record]
        index[self.is_record] = table_indexes(self.batch, rows, self.source.trail.buffer)
        return index

    def payload(self, part: str) -> tuple[Array, Array]:
        """Where the payload of ``data`` or ``token`` begins and ends in the file; both alike where there is none."""
        starts = self.of("rba") + self.of(f"{part}_offset")
        return starts, starts + self.of(f"{part}_size")

    def record(self, row: int) -> Record:
        """One of the rows as a record, which it must be.

        Raises:
            TrailError: the file has changed.
        """
        found = self.source.trail.record_at(int(self.batch.rba[self.at[row]]))
        if found is None:
            raise NotATrail("the file has become shorter", path=self.source.trail.path)
        return found

"""Rows of a batch, as input of the column builders."""

from __future__ import annotations

import logging
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from trailformat import Record, TrailError, TrailFile
from trailformat.codec.mapped_file import FileBuffer
from trailformat.codec.on_demand import on_demand
from trailformat.scan import Batch
from trailformat.scan.rows import NO_INDEX, RowBytes, by_definition, headers_of
from trailformat.scan.rows.row_bytes import RegionBytes
from trailformat.trail.row_definitions import RowDefinition, RowDefinitions

with on_demand:
    from trailformat.transactions import tracker

if TYPE_CHECKING:
    from trailformat.transactions.not_applied import Ranges
    from trailformat.transactions.tracker import RowTransactions, TransactionTracker


_LOG = logging.getLogger("logdump")

Array = Any
"""A one-dimensional ``numpy.ndarray``."""


class Source:
    """The source of rows: an open file, and the state kept from batch to batch.

    Args:
        trail: the file.

    Attributes:
        seqno: its sequence number; None if its name has none.
        file_order: its ordinal among the files of a read; None for a single file.
        not_applied: the ranges of the file that a Replicat does not apply; None if unknown.
        explains_nulls: True if the column ``problems`` is built, with the reasons for nulls.
        ends_at_undecodable: True if an undecodable part ends the read.
    """

    seqno: int | None = None
    file_order: int | None = None
    not_applied: Ranges | None = None
    explains_nulls = True
    ends_at_undecodable = False

    def __init__(self, trail: TrailFile) -> None:
        self.trail = trail
        self._owners: tuple[Batch, RowTransactions] | None = None

    @cached_property
    def carrier(self) -> TransactionTracker:
        """The tracker of the transaction that is open between two batches."""
        return tracker.TransactionTracker(self.trail)

    @property
    def path(self) -> str:
        """Path of the file."""
        return str(self.trail.path)

    @property
    def definitions(self) -> RowDefinitions:
        """The definitions of the tables of rows."""
        raise NotImplementedError

    def owners(self, batch: Batch) -> RowTransactions:
        """Return the transactions of a batch's rows; batches must come in order."""
        if self._owners is None or self._owners[0] is not batch:
            self._owners = batch, self.carrier.of(batch)
        return self._owners[1]

    def undecodable(self, error: TrailError, *, is_cut: bool = False) -> None:
        """Handle a part of a sound record that cannot be decoded. ``is_cut``: the record continues in fragments."""

    def too_large(self, text: str) -> None:
        """Log that a record does not fit into a value, which becomes null."""
        _LOG.warning("%s", text)


class Rows(RowBytes):
    """The rows of a batch with the numbers ``rows``, in order; ``read`` holds their bytes if they have been read."""

    def __init__(self, source: Source, batch: Batch, rows: Array, read: RegionBytes | None = None) -> None:
        super().__init__(source.trail.buffer, batch, rows, read)
        self.source = source
        self.walked: dict[str, Any] = {}
        """Intermediate results that several columns share, by name."""

    @property
    def buffer(self) -> FileBuffer:
        """The current bytes of the file."""
        return self.source.trail.buffer

    @cached_property
    def tdr_index(self) -> Array:
        """The table index in each header; NO_INDEX (-1) if it has none."""
        return headers_of(self).table_index if self.is_record.any() else np.full(len(self), NO_INDEX, np.int64)

    def record(self, row: int, path: Path | None = None) -> Record:
        """Return one of the rows as a record."""
        return super().record(row, path or self.source.trail.path)


class DefinitionGroups(NamedTuple):
    """The definitions of rows: ``group`` holds each row's index in ``definitions``, 0 if the row needs none."""

    group: Array
    definitions: list[RowDefinition]


def definitions_of(rows: Rows, which: Array) -> DefinitionGroups:
    """Return the definitions of the rows in a mask; these rows must be records."""
    row_numbers = np.flatnonzero(which)
    groups = by_definition(rows.subset(row_numbers), rows.tdr_index[row_numbers])
    group = np.zeros(len(rows), np.int64)
    group[row_numbers] = groups.group
    of = rows.source.definitions.of
    return DefinitionGroups(group, [of(rows.record(row)) for row in row_numbers[groups.firsts].tolist()])

"""Rows of one table: what a task does under option ``rowsOf``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from logdump.arrow.records.columns import batch_of_rows
from logdump.arrow.records.columns.names import distinct
from logdump.arrow.records.rows import Array, Rows
from logdump.arrow.records.schema import CORRUPT
from logdump.arrow.tables.batches import TableBatches
from logdump.arrow.tables.piece import pieces
from logdump.spark.source.open_slice import OpenSlice
from logdump.spark.source.request import cut
from logdump.spark.source.slices import MOST_ROWS, wanted_rows
from logdump.spark.source.table_shape import RowShape
from trailformat.scan import FILE_HEADER, RECORD, Batch
from trailformat.scan.rows import learn_definitions
from trailformat.transactions.tracker import RowTransactions

if TYPE_CHECKING:
    from logdump.spark.source.request import Request


def table_batches(source: OpenSlice, request: Request, schema: Any) -> Iterator[Any]:
    """The rows of the table in a slice, as record batches; under PERMISSIVE damage too. Raises like reading.

    Raises:
        DefinedOtherwiseError: the table is not the one that the request foresees.
    """
    name, shape = request.options.rows_of or "", RowShape(source, request.selected, schema, request.foreseen)
    tables = TableBatches(source.trail, source.definitions, lambda _io_type, _records: None)
    has_transactions = not _OF_TRANSACTIONS.isdisjoint(request.wanted)
    for batch, at in wanted_rows(source, MOST_ROWS, request.workers):
        if request.unproven is not None:
            request.unproven.check(batch, source.trail, source.definitions)
        else:
            learn_definitions(source.trail, batch)
        for rows in cut(batch, at[_is_of(name, batch, at)], request.options):
            owners = source.owners(batch) if has_transactions else RowTransactions.unknown(len(batch))
            for piece in pieces(source.trail, batch, rows, owners):
                for group in tables.groups(piece):
                    yield shape.of_group(group)
        damage = at[np.asarray(batch.kind)[at] > FILE_HEADER]
        if len(damage):
            yield _damage(Rows(source, batch, damage), request, schema)
    if request.unproven is not None and source.part.is_read_to_its_end:
        request.unproven.note_read(source.part.path)


def _is_of(name: str, batch: Batch, at: Array) -> Array:
    """A mask of the records of the table; records that are not rows of it are left out with their groups."""
    keys, places = distinct(np.asarray(batch.table)[at])
    is_wanted = np.array([batch.names[key] == name for key in keys.tolist()], bool)
    mask: Array = (np.asarray(batch.kind)[at] == RECORD) & is_wanted[places]
    return mask


def _damage(rows: Rows, request: Request, schema: Any) -> Any:
    """A row for bytes that are no record: where they stand, and why they are none."""
    shown = [
        chosen.column.name if chosen.is_wanted and chosen.column.name in _OF_DAMAGE else None
        for chosen in request.selected
    ]
    return batch_of_rows(rows, shown, schema)


_OF_TRANSACTIONS = frozenset({"csn", "xid"})
_OF_DAMAGE = ("file", "rba", CORRUPT)

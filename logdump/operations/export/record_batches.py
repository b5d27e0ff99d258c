"""Records as Arrow record batches: one row each, with the columns that the Spark data source has (docs/spark.md)."""

from __future__ import annotations

from functools import cache

import pyarrow as pa

from logdump.arrow.tables.batches import Built
from logdump.arrow.tables.layout import ALL
from logdump.arrow.tables.piece import Piece
from logdump.spark.columns import BUILDERS
from logdump.spark.errors import SourceError
from logdump.spark.offered import CORRUPT
from logdump.spark.options import Options
from logdump.spark.planning import Slice
from logdump.spark.rows import OpenSlice, Rows
from logdump.spark.schema import COLUMNS, Selected, arrow_schema
from logdump.spark.windows import Window
from trailformat import CannotWrite, TrailFile, TrailName
from trailformat.trail.row_definitions import RowDefinitions

_OF_SEVERAL_FILES = "file_order"
_COLUMNS = tuple(column for column in COLUMNS if column.name not in (CORRUPT, _OF_SEVERAL_FILES))
_NAMES = frozenset(column.name for column in _COLUMNS)


@cache
def record_schema() -> pa.Schema:
    """The schema of the batches; only damage would fill the column that is left out."""
    schema: pa.Schema = arrow_schema(Selected(column.name, column) for column in _COLUMNS)
    return schema


class RecordBatches:
    """Makes the batches of one trail; pieces are given in the order of the file.

    Args:
        trail: the file.
        definitions: what tells the columns; those in the trail unless given.
    """

    def __init__(self, trail: TrailFile, definitions: RowDefinitions | None = None) -> None:
        name, size = TrailName.parse(trail.path), trail.size
        part = Slice(str(trail.path), name.seqno if name else None, 0, size, size)
        self._source = OpenSlice(trail, part, Options(mode="PERMISSIVE"), _NAMES, definitions)

    def build(self, piece: Piece) -> Built:
        """The rows of a piece.

        Raises:
            CannotWrite: a record is larger than a batch can be.
        """
        rows = Rows(self._source, piece.batch, piece.rows, Window(piece.view, piece.starts(piece.rows)))
        try:
            arrays = [BUILDERS[column.name](rows) for column in _COLUMNS]
        except SourceError as error:
            raise CannotWrite(str(error), path=self._source.trail.path) from error
        batch = pa.RecordBatch.from_arrays(arrays, schema=record_schema())
        told = zip(batch["rba"].to_pylist(), batch["problems"].to_pylist(), strict=True)
        return Built([(ALL, batch)], [(rba, "", reason) for rba, reasons in told for reason in reasons or ()])

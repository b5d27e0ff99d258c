"""Records as Arrow record batches: one row each, with the columns that the Spark data source has (docs/spark.md)."""

from __future__ import annotations

from functools import cache

import pyarrow as pa

from logdump.arrow.records.columns import BUILDERS
from logdump.arrow.records.errors import ValueTooLarge
from logdump.arrow.records.rows import Rows, Source
from logdump.arrow.records.schema import COLUMNS, CORRUPT, Selected, arrow_schema
from logdump.arrow.tables.arrow_rows import Built
from logdump.arrow.tables.layout import ALL
from logdump.arrow.tables.piece import Piece
from trailformat import CannotWrite, TrailFile, TrailName
from trailformat.trail.row_definitions import RowDefinitions

_OF_SEVERAL_FILES = "file_order"
_COLUMNS = tuple(column for column in COLUMNS if column.name not in (CORRUPT, _OF_SEVERAL_FILES))


@cache
def record_schema() -> pa.Schema:
    """The schema of the batches; only damage would fill the column that is left out."""
    schema: pa.Schema = arrow_schema(Selected(column.name, column) for column in _COLUMNS)
    return schema


class _Trail(Source):
    """The trail of a session; what does not decode is null, and column ``problems`` says why."""

    def __init__(self, trail: TrailFile, definitions: RowDefinitions) -> None:
        super().__init__(trail)
        name = TrailName.parse(trail.path)
        self.seqno = name.seqno if name else None
        self._definitions = definitions

    @property
    def definitions(self) -> RowDefinitions:
        """The definitions of rows."""
        return self._definitions


class RecordBatches:
    """Makes the batches of one trail; pieces are given in the order of the file.

    Args:
        trail: the file.
        definitions: those of the rows.
    """

    def __init__(self, trail: TrailFile, definitions: RowDefinitions) -> None:
        self._source = _Trail(trail, definitions)

    def build(self, piece: Piece) -> Built:
        """The rows of a piece.

        Raises:
            CannotWrite: a record is larger than a batch can be.
        """
        rows = Rows(self._source, piece.rows.batch, piece.rows.rows, piece.rows.read)
        try:
            arrays = [BUILDERS[column.name](rows) for column in _COLUMNS]
        except ValueTooLarge as error:
            raise CannotWrite(str(error), path=self._source.trail.path) from error
        batch = pa.RecordBatch.from_arrays(arrays, schema=record_schema())
        problems = zip(batch["rba"].to_pylist(), batch["problems"].to_pylist(), strict=True)
        return Built([(ALL, batch)], [(rba, "", reason) for rba, reasons in problems for reason in reasons or ()])

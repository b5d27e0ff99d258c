"""Changes of rows with large objects behind them: their values are columns like others."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from logdump.display.sql.block_reader import BlockRows, RowsWithObjects
from logdump.display.sql.changed_rows import RowsOfTable
from logdump.display.sql.comments import Refusal
from logdump.display.sql.dialect import Unwritable
from logdump.display.sql.large_objects import UNKNOWN_LAYOUT, ObjectValue, values_of_objects
from trailformat import TrailError
from trailformat.changes.row_changes import OPERATIONS
from trailformat.changes.segments import numbers_of


class ObjectRows:
    """The rows of one table in a block whose statements need the large objects behind them.

    Attributes:
        refusals: those of the rows whose objects are no values.
    """

    def __init__(self, block: BlockRows, objects: RowsWithObjects) -> None:
        self.refusals: list[Refusal] = []
        self._block = block
        self._objects = objects
        self._places: list[int] = []
        self._values: dict[tuple[bool, int], dict[int, ObjectValue]] = {}
        for unit in objects.units.tolist():
            self._take(unit)

    def changes(self) -> Iterator[RowsOfTable]:
        """Those whose objects are values, if there are any."""
        if self._places:
            at = np.array(self._places)
            is_second, rows = self._block.units.is_second[at], self._block.rows.subset(at)
            yield RowsOfTable(self._objects.table, rows, is_second, self._objects.codec, self._values)

    def _take(self, unit: int) -> None:
        block = self._block
        first, behind = int(block.units.heads[unit]), int(block.behind.first[unit])
        row = int(block.units.rows[behind - 1])
        try:
            found = self._values_behind(unit, behind, int(block.rows.batch.rba[row]))
        except (Unwritable, TrailError) as error:
            batch, head = block.rows.batch, int(block.units.rows[first])
            op, name = OPERATIONS[batch.io_type[row]], self._objects.table.name
            self.refusals.append(Refusal(head, int(batch.rba[head]), op, name, str(error)))
            return
        self._places += range(first, behind)
        for one in found:
            self._values.setdefault((one.is_before, one.column), {})[row] = one

    def _values_behind(self, unit: int, behind: int, rba: int) -> list[ObjectValue]:
        """The values of the objects behind the row of a unit; raises like values_of_objects."""
        block, table = self._block, self._objects.table
        if numbers_of(block.rows.record(behind)) is None:
            raise Unwritable(UNKNOWN_LAYOUT.format(1))
        return list(values_of_objects(block.trail, rba, table.columns, self._objects.codec, block.pieces(unit)))

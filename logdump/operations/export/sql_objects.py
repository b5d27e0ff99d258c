"""Changes of rows with large objects behind them: their values are columns like others."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from logdump.operations.export.sql_blocks import BlockRows, TableObjects
from logdump.operations.export.sql_statements import TableChanges
from logdump.render.sql.dialect import Unwritable
from logdump.render.sql.large_objects import UNKNOWN_LAYOUT, ObjectValue, values_of_objects
from trailformat import TrailError
from trailformat.changes.row_changes import OPERATIONS
from trailformat.changes.segments import numbers_of


class ObjectRows:
    """The rows of one table in a block whose statements need the large objects behind them.

    Attributes:
        units: those whose objects are values or cannot be, for their pieces have no known layout.
        remarks: the comments in the places of the latter, by the first row of each.
    """

    def __init__(self, block: BlockRows, objects: TableObjects) -> None:
        self.units: list[int] = []
        self.remarks: list[tuple[int, bytes]] = []
        self._block = block
        self._table = objects.table
        self._places: list[int] = []
        self._values: dict[tuple[bool, int], dict[int, ObjectValue]] = {}
        for unit in objects.units.tolist():
            self._take(unit)

    def changes(self) -> Iterator[TableChanges]:
        """Those whose objects are values, if there are any."""
        if self._places:
            at = np.array(self._places)
            is_second = self._block.units.is_second[at]
            yield TableChanges(self._table, self._block.rows.subset(at), is_second, self._values)

    def _take(self, unit: int) -> None:
        block, table = self._block, self._table
        first, behind = int(block.units.heads[unit]), int(block.behind.first[unit])
        row = int(block.units.rows[behind - 1])
        if numbers_of(block.rows.record(behind)) is None:
            if table.plain:
                self.units.append(unit)
                self.remarks.append(self._remark(int(block.units.rows[first]), row))
            return
        try:
            rba, pieces = int(block.rows.batch.rba[row]), block.pieces(unit)
            found = list(values_of_objects(block.trail, rba, table.columns, table.codec, pieces))
        except (Unwritable, TrailError):
            return
        self.units.append(unit)
        self._places += range(first, behind)
        for one in found:
            self._values.setdefault((one.is_before, one.column), {})[row] = one

    def _remark(self, first: int, last: int) -> tuple[int, bytes]:
        """The comment in the place of a change, by its first row, in the batch as the last one."""
        batch = self._block.rows.batch
        op, name = OPERATIONS[batch.io_type[last]].encode(), self._table.plain[0]
        reason = UNKNOWN_LAYOUT.format(1).encode()
        return first, b"-- RBA %d %s %s: %s\n" % (int(batch.rba[first]), op, name, reason)

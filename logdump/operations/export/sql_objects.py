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
        first, last = int(block.units.heads[unit]), int(block.behind.first[unit]) - 1
        pieces = block.pieces(unit) or []
        row, rba = int(block.units.rows[last]), int(block.rows.batch.rba[block.units.rows[last]])
        if numbers_of(pieces[0]) is None:
            if table.plain:
                self.units.append(unit)
                self.remarks.append((int(block.units.rows[first]), self._remark(first, last)))
            return
        try:
            found = list(values_of_objects(block.trail, rba, table.columns, table.codec, pieces))
        except (Unwritable, TrailError):
            return
        self.units.append(unit)
        self._places += range(first, last + 1)
        for one in found:
            self._values.setdefault((one.is_before, one.column), {})[row] = one

    def _remark(self, first: int, last: int) -> bytes:
        rba, io_type = int(self._block.rows.of("rba")[first]), int(self._block.rows.of("io_type")[last])
        op, name = OPERATIONS[io_type].encode(), self._table.plain[0]
        return b"-- RBA %d %s %s: %s\n" % (rba, op, name, UNKNOWN_LAYOUT.format(1).encode())

"""The rows of a batch under a filter: their columns, and the masks that criteria compute.

A mask is a one-dimensional numpy array of bool, one for each row. A single record is a batch of one row.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from copy import copy
from typing import TYPE_CHECKING, Any

import numpy as np

from trailformat import Record, TrailError, TrailFile
from trailformat.changes.row_changes import ColumnChange, is_change, row_columns
from trailformat.changes.segments import joined
from trailformat.errors import CannotRead
from trailformat.records.record_header import DDL_OP
from trailformat.scan import RECORD, Batch, occurrences
from trailformat.scan.row_tokens import payloads, rows_with_token
from trailformat.scan.rows import NO_INDEX
from trailformat.transactions.not_applied import rows_not_applied

if TYPE_CHECKING:
    from logdump.filters.needle import Needle
    from trailformat.trail.row_definitions import RowDefinition, RowDefinitions
    from trailformat.transactions.not_applied import Ranges
    from trailformat.transactions.tracker import RowTransactions


Mask = Any
"""A one-dimensional numpy array of bool, one for each row of a batch."""
_IS_ROW_CHANGE = np.array([is_change(number) and number != DDL_OP for number in range(256)])


class FilterSource:
    """State shared by the batches of one trail.

    Args:
        trail: the file.
        definitions: returns the definitions of rows; called only if values are needed.

    Attributes:
        kept: values that criteria keep from batch to batch.
    """

    def __init__(self, trail: TrailFile, definitions: Callable[[], RowDefinitions]) -> None:
        self.trail = trail
        self._definitions = definitions
        self.kept: dict[object, Any] = {}

    def definition_at(self, rba: int, table_index: int = NO_INDEX) -> RowDefinition:
        """Return the definition of the row at an RBA, whose header has this index, or with NO_INDEX a name.

        Raises:
            CannotRead: the row does not exist any more.
        """
        if table_index != NO_INDEX:
            return self._definitions().at(table_index, rba)
        record = self.trail.record_at(rba)
        if record is None:
            raise CannotRead("the file has become shorter", path=self.trail.path, rba=rba)
        return self._definitions().of(record)

    @property
    def definitions(self) -> RowDefinitions:
        """The definitions of rows."""
        return self._definitions()

    def columns(self, record: Record) -> tuple[ColumnChange, ...]:
        """Return the columns of a row. Raises TrailError if they cannot be decoded."""
        return row_columns(joined(self.trail, record), self._definitions().of(record))


class FilterRows:
    """Rows of a batch under test.

    Args:
        source: the source of the batch.
        batch: the batch.
        owners: the transactions of its rows; None if no criterion needs them.
        is_hopeful: True if a row about which a criterion cannot decide satisfies it.

    Attributes:
        among: the mask of the rows that are still to be decided; for other rows a criterion may return anything.
        has_doubts: True if a criterion could not decide about a row.
    """

    def __init__(
        self, source: FilterSource, batch: Batch, owners: RowTransactions | None = None, *, is_hopeful: bool = False
    ) -> None:
        self.source = source
        self.batch = batch
        self._owners = owners
        self._is_hopeful = is_hopeful
        self._doubts: list[Mask] = []
        self.is_record: Mask = np.asarray(batch.kind) == RECORD
        self.among: Mask = batch.sound_rows()

    def only(self, among: Mask) -> FilterRows:
        """Return the same rows, with only those in ``among`` to be decided."""
        rows = copy(self)
        rows.among = among
        return rows

    def hopeful(self) -> FilterRows:
        """Return the same rows; those about which a criterion cannot decide satisfy it, and are not noted in these."""
        rows = FilterRows(self.source, self.batch, self._owners, is_hopeful=True)
        return rows.only(self.among)

    @property
    def has_doubts(self) -> bool:
        """True if a criterion could not decide about one of the rows."""
        return bool(self._doubts)

    def in_doubt(self, mask: Mask, doubtful: Mask) -> Mask:
        """Return the mask of a criterion that cannot decide about the rows in ``doubtful``, and note that it cannot."""
        doubtful = doubtful & self.among & ~mask
        if not doubtful.any():
            return mask
        self._doubts.append(doubtful)
        return mask | doubtful if self._is_hopeful else mask

    @property
    def nameless_changes(self) -> Mask:
        """The changes whose table is not known, because it is not defined before them."""
        return self.named(lambda name: not name) & _IS_ROW_CHANGE[self.column("io_type")] & self.is_record

    def none(self) -> Mask:
        """Return a new mask without any row."""
        return np.zeros(len(self.batch), dtype=bool)

    def column(self, name: str) -> Any:
        """Return a column of the batch as an array."""
        return np.asarray(getattr(self.batch, name))

    def any_of(self, name: str, numbers: Collection[int]) -> Mask:
        """Return the records whose value in a column is one of ``numbers``."""
        return np.isin(self.column(name), list(numbers)) & self.is_record

    def named(self, fits: Callable[[str], bool]) -> Mask:
        """Return the rows whose table's name satisfies ``fits``."""
        table, names = self.column("table"), self.batch.names
        is_used = np.bincount(table, minlength=len(names)) > 0
        mask = np.zeros(len(is_used), dtype=bool)
        for key in np.flatnonzero(is_used).tolist():
            mask[key] = fits(names[key])
        return mask[table]

    def not_applied(self, ranges: Ranges) -> Mask:
        """Return the rows of transactions that are in these ranges."""
        mask: Mask = rows_not_applied(ranges, self.batch)
        return mask

    @property
    def transactions(self) -> RowTransactions:
        """The transactions of the rows."""
        if self._owners is None:
            raise ValueError("a filter needs transactions, which were not collected")
        return self._owners

    def of_transactions(self, mask: Mask) -> Mask:
        """Return the rows of the transactions in a mask."""
        return mask[np.asarray(self.transactions.index)]

    def with_bytes(self, needle: Needle, part: str = "data") -> Mask:
        """Return the rows whose data (or token) area contains a needle; the bytes of a batch are searched together."""
        mask = self.none()
        mask[list(self._places(needle, part))] = True
        return mask

    def _places(self, needle: Needle, part: str) -> Iterator[int]:
        batch, buffer = self.batch, self.source.trail.buffer
        rbas, offsets, sizes = self.column("rba"), self.column(f"{part}_offset"), self.column(f"{part}_size")
        last = -1
        for place in occurrences(needle.value, buffer, int(rbas[0]), batch.end, any_case=needle.any_case):
            row = int(np.searchsorted(rbas, place, side="right")) - 1
            start = place - int(rbas[row]) - int(offsets[row])
            if row != last and needle.lies_inside(start, int(sizes[row])):
                yield row
                last = row

    @property
    def is_little(self) -> Mask:
        """The mask of the rows whose record is little-endian."""
        mask: Mask = self.column("order") == 1
        return mask

    def with_token(self, token_id: int) -> Mask:
        """Return the rows that have a GGS token with this id."""
        return np.asarray(rows_with_token(self.batch, self.source.trail.buffer, token_id)) != 0

    def by_payloads(self, token_id: int, among: Mask, holds: Callable[[list[bytes]], bool]) -> Mask:
        """Return the rows of ``among`` whose tokens with this id satisfy ``holds``."""
        mask, batch = self.none(), self.batch
        for row in np.flatnonzero(among).tolist():
            offset, size = int(batch.rba[row]) + int(batch.token_offset[row]), int(batch.token_size[row])
            mask[row] = holds(payloads(self.source.trail.buffer, offset, size, int(batch.order[row]), token_id))
        return mask

    def by_record(self, holds: Callable[[Record], bool | None], among: Mask | None = None) -> Mask:
        """Return the rows whose record, read on its own, satisfies ``holds``; the header of the file does not.

        One that cannot be decoded, or of which ``holds`` returns None, is in doubt.
        """
        mask, doubtful, trail = self.none(), self.none(), self.source.trail
        asked = self.among & self.is_record
        for row in np.flatnonzero(asked if among is None else asked & among).tolist():
            record = trail.record_at(int(self.batch.rba[row]))
            try:
                answer = record is not None and holds(record)
            except TrailError:
                answer = None
            mask[row], doubtful[row] = bool(answer), answer is None
        return self.in_doubt(mask, doubtful)

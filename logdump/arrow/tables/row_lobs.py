"""LOBs whose pieces are in the records after a row, as values of the row's columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from logdump.arrow.tables.group import Group
from logdump.arrow.tables.layout import NULLS, SIDES, RowProblem
from trailformat import TrailError, TrailFile
from trailformat.changes.lobs import Lob, lob_value, whole_lobs
from trailformat.records.record_header import LARGE_OBJECT, METADATA, RECORD_FRAGMENT
from trailformat.scan import RECORD, Batch
from trailformat.scan.rows import WholeLobs

LARGEST = 1 << 27
"""Maximum size in bytes of a LOB that becomes the value of a column."""
_BETWEEN = (METADATA, RECORD_FRAGMENT)
"""Types of the records that may come between a row and the pieces of its LOBs."""


class LobValue(NamedTuple):
    """A LOB of a row: the row's number in its group, the image, the index of the column, the value."""

    row: int
    side: str
    column: int
    value: str | bytes


class RowLobs:
    """The LOBs of the rows of one trail.

    Args:
        trail: the file.
    """

    def __init__(self, trail: TrailFile) -> None:
        self._trail = trail
        self._followed: tuple[Batch, Any] | None = None
        self._whole: tuple[Batch, WholeLobs] | None = None

    def of(self, group: Group) -> tuple[list[LobValue], list[tuple[int, RowProblem]]]:
        """Return the LOBs of a group's rows; for LOBs without a value, the row number and the problem."""
        values: list[LobValue] = []
        problems: list[tuple[int, RowProblem]] = []
        numbers = group.rows.rows
        batch = group.rows.batch
        rows = np.flatnonzero(self._followed_in(batch)[numbers]).tolist()
        if not rows:
            return values, problems
        whole = self._whole_in(batch)
        firsts, stops = (np.searchsorted(whole.row, numbers, side).tolist() for side in ("left", "right"))
        for row in rows:
            lobs = range(firsts[row], stops[row])
            is_plain = bool(lobs) and max(int(whole.size[lob]) for lob in lobs) <= LARGEST
            for result in self._plain_lobs(group, row, whole, lobs) if is_plain else self._lobs_of(group, row):
                if isinstance(result, LobValue):
                    values.append(result)
                else:
                    problems.append((row, result))
        return values, problems

    def _plain_lobs(self, group: Group, row: int, whole: WholeLobs, lobs: range) -> Iterator[LobValue | RowProblem]:
        """Yield the LOBs of a row on the fast path."""
        for lob in lobs:
            column, side = int(whole.column[lob]), SIDES[1 - int(whole.is_before[lob])]
            yield _value_of(group, row, lob - lobs[0] + 1, side, column, whole.data(lob))

    def _lobs_of(self, group: Group, row: int) -> Iterator[LobValue | RowProblem]:
        """Yield the LOBs of a row, searched for record by record."""
        try:
            for lob, data in whole_lobs(self._trail, int(group.rows.of("rba")[row]), LARGEST):
                side = SIDES[1 - int(lob.is_before)]
                if (reason := _why_not(lob)) is not None or lob.column is None:
                    known = group.layout.columns or ()
                    name = known[lob.column].name if lob.column is not None and lob.column < len(known) else None
                    yield RowProblem(name, side, b"", reason or "")
                else:
                    yield _value_of(group, row, lob.ordinal, side, lob.column, data)
        except TrailError as error:
            yield RowProblem(None, None, b"", f"its LOBs cannot be read: {error.problem}")

    def _followed_in(self, batch: Batch) -> Any:
        """Return a mask of the rows of a batch that pieces of LOBs may follow."""
        if self._followed is None or self._followed[0] is not batch:
            io_type = np.asarray(batch.io_type)
            is_piece = np.append((np.asarray(batch.kind) == RECORD) & (io_type == LARGE_OBJECT), self._goes_on(batch))
            self._followed = batch, _followed(batch, io_type, is_piece) if is_piece.any() else is_piece[:-1]
        return self._followed[1]

    def _whole_in(self, batch: Batch) -> WholeLobs:
        """Return the whole LOBs of a batch; they are read for all tables together, so that groups share them."""
        if self._whole is None or self._whole[0] is not batch:
            self._whole = batch, WholeLobs(self._trail.buffer, batch)
        return self._whole[1]

    def _goes_on(self, batch: Batch) -> bool:
        """Return whether a piece may follow a batch; at the end of a file, it may be in the next file."""
        try:
            for record in self._trail.records(batch.end):
                if record.header.io_type not in _BETWEEN:
                    return record.header.io_type == LARGE_OBJECT
        except TrailError:
            return False
        return True


def _followed(batch: Batch, io_type: Any, is_piece: Any) -> Any:
    """Return a mask of the rows that a piece follows; ``is_piece`` includes the row after the batch."""
    is_between = (np.asarray(batch.kind) == RECORD) & np.isin(io_type, _BETWEEN)
    count = len(io_type)
    next_row = np.append(np.where(is_between, count, np.arange(count)), count)
    next_row = np.minimum.accumulate(next_row[::-1])[::-1]
    return is_piece[next_row[1:]] & ~is_piece[:-1]


def _value_of(group: Group, row: int, ordinal: int, side: str, index: int, data: bytes) -> LobValue | RowProblem:
    """Return the value of a whole LOB, or the problem if it has none."""
    columns = group.layout.columns or ()
    if index >= len(columns):
        return RowProblem(None, side, b"", f"LOB {ordinal} is of column {index}, which the definition lacks")
    try:
        value = lob_value(data, columns[index], group.layout.codec).value
    except TrailError as error:
        return RowProblem(columns[index].name, side, data, error.problem)
    return LobValue(row, side, index, value if isinstance(value, str) else data)


def _why_not(lob: Lob) -> str | None:
    """Return why a LOB has no value; None if it may have one."""
    if lob.column is None:
        return f"LOB {lob.ordinal} is in pieces whose layout is not known; raw of its records has them"
    if not lob.is_whole:
        gaps = [f"{gap.length} bytes at byte {gap.offset} are missing" for gap in lob.missing]
        return f"LOB {lob.ordinal} is not whole: {'; '.join([*gaps, *lob.problems])}"
    return f"LOB {lob.ordinal} has {lob.size} bytes, more than {LARGEST}" if lob.size > LARGEST else None


def with_lobs(
    group: Group, built: pa.RecordBatch, lobs: list[LobValue], lost: list[tuple[int, RowProblem]]
) -> tuple[pa.RecordBatch, list[tuple[int, RowProblem]]]:
    """Return the batch of a group with the results of :class:`RowLobs`, and the problems of LOBs without a value."""
    if not lobs and not lost:
        return built, []
    by_column: dict[str, dict[int, str | bytes | None]] = {}
    for row, problem in lost:
        if problem.column is not None:
            by_column.setdefault(f"{problem.image}_{problem.column}", {})[row] = None
    for row, side, index, value in lobs:
        by_column.setdefault(f"{side}_{group.layout.column_names[index]}", {})[row] = value
    by_row: dict[int, set[str]] = {}
    without_value = [*lost]
    for name, values_by_row in by_column.items():
        array, rows = _with_values(built[name], values_by_row)
        built = built.set_column(built.schema.get_field_index(name), name, array)
        side, _, column = name.partition("_")
        without_value += [(row, RowProblem(column, side, b"", f"a LOB is no {array.type}")) for row in rows]
        for row in values_by_row:
            by_row.setdefault(row, set()).add(name)
    built = built.set_column(built.schema.get_field_index(NULLS), NULLS, _without_nulls(built[NULLS], by_row))
    return built, without_value


def _with_values(array: pa.Array, values_by_row: Mapping[int, str | bytes | None]) -> tuple[pa.Array, list[int]]:
    """Return a column with the values of LOBs in their rows, and the rows whose value is not of its type."""
    takes = str if pa.types.is_string(array.type) else bytes if pa.types.is_binary(array.type) else None
    values, misfits = array.to_pylist(), []
    for row, value in values_by_row.items():
        is_fit = value is None or (takes is not None and isinstance(value, takes))
        values[row] = value if is_fit else None
        if not is_fit:
            misfits.append(row)
    return pa.array(values, array.type), misfits


def _without_nulls(nulls: pa.Array, lobs_by_row: Mapping[int, set[str]]) -> pa.Array:
    """Return the names of each row's NULL columns, without columns that have LOBs."""
    names = nulls.to_pylist()
    for row, lobs in lobs_by_row.items():
        names[row] = [name for name in names[row] or () if name not in lobs] or None
    return pa.array(names, nulls.type)

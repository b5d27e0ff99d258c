"""Rows of one table under one definition as an Arrow record batch.

:mod:`logdump.arrow.tables.rows` makes the same of them one by one.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from logdump.arrow.tables.layout import PROBLEMS, ROW_OPERATIONS, SIDES, TableLayout
from logdump.arrow.tables.piece import Array
from logdump.arrow.tables.rows import (
    RowProblem,
    TableRow,
    columns_of,
    data_of,
    table_row,
    time_problem,
)
from logdump.arrow.tables.schema import FIXED_TYPES, NULL_NAMES, PROBLEM_LIST, batch_schema_of
from trailformat import ColumnDefinition, Record, TrailError, Value
from trailformat.arrays import Image, Spans, locate_columns
from trailformat.arrays.columns import column_arrays
from trailformat.arrays.fallback import Problem
from trailformat.changes.row_changes import row_images
from trailformat.codec.timestamps import FIRST_TIME, JULIAN_UNIX_EPOCH, LAST_TIME
from trailformat.records.columns import build_columns
from trailformat.scan.kernels.arguments import GOOD, HAS_NULL, NULL
from trailformat.scan.rows import RowBytes, has_columns
from trailformat.trail.row_definitions import RowDefinition
from trailformat.transactions.tracker import RowTransactions

_OPS = sorted(set(ROW_OPERATIONS.values()))
_OP_NAMES = pa.array(_OPS, pa.string())
_OP_NUMBERS = np.array([_OPS.index(ROW_OPERATIONS.get(number, _OPS[0])) for number in range(256)], np.int8)


class Texts(NamedTuple):
    """A text of each transaction of a batch: its code, -1 where it has none, and the texts by code, all different."""

    codes: Array
    texts: pa.Array

    @classmethod
    def of(cls, texts: Iterable[str | None]) -> Texts:
        """Those texts."""
        coded = pa.array(texts, pa.string()).dictionary_encode()
        return cls(pc.fill_null(coded.indices, -1).to_numpy(), coded.dictionary)

    def of_runs(self, transactions: Array, runs: Array) -> pa.Array:
        """A dictionary array of the texts of these transactions alone; ``runs`` has the place of each row's there."""
        codes = self.codes[transactions]
        if (np.diff(codes, prepend=-1) > 0).all():
            return pa.DictionaryArray.from_arrays(_plain(pa.int32(), runs), self._taken(codes), safe=False)
        used, places = np.unique(np.append(codes, np.int32(-1)), return_inverse=True)
        of_rows = (places[:-1] - 1).astype(np.int32)[runs]
        valid = of_rows >= 0
        indices = _plain(pa.int32(), of_rows, None if valid.all() else valid)
        return pa.DictionaryArray.from_arrays(indices, self._taken(used[1:]), safe=False)

    def _taken(self, codes: Array) -> pa.Array:
        return self.texts.take(_plain(pa.int32(), codes))


Problems = list[tuple[int, RowProblem]]
"""By the number of the row."""


class Group:
    """Rows with one definition.

    Attributes:
        layout: of their file.
        path: of the trail.
        rows: the rows.
    """

    def __init__(
        self,
        rows: RowBytes,
        owners: RowTransactions,
        known: RowDefinition,
        layout: TableLayout,
        path: Path,
        texts: tuple[Texts, Texts],
        wholes: dict[int, Record],
    ) -> None:
        self.layout = layout
        self.rows = rows
        self._owners = owners
        self._known = known
        self.path = path
        self._texts = texts
        self._wholes = wholes
        self._wanted: Container[str] | None = None
        self._problems: Problems = []
        self._nulls: list[tuple[Array, str]] = []

    def build(self, wanted: Container[str] | None = None) -> tuple[pa.RecordBatch, list[tuple[int, str, str]]]:
        """The batch, and what does not decode: RBA, column, reason.

        ``wanted`` has the names of the columns that are to be filled, None for all; where it has ``problems``, every
        value is decoded.
        """
        self._wanted = None if wanted is None or PROBLEMS in wanted else wanted
        rbas = self.rows.of("rba")
        arrays = [*self.fixed(), *(self._images() if self.layout.columns is not None else (self._undefined(),))]
        arrays += [_listed_nulls(len(rbas), self._nulls), _listed_problems(len(rbas), self._problems)]
        problems = [(int(rbas[row]), problem.column or "", problem.reason) for row, problem in self._problems]
        return pa.RecordBatch.from_arrays(arrays, schema=batch_schema_of(self.layout)), problems

    def fixed(self) -> list[pa.Array]:
        """What the rows have whatever their table."""
        count = len(self.rows)
        numbers = np.asarray(self._owners.index)[self.rows.rows]
        begins = np.diff(numbers, prepend=-1) != 0
        runs = numbers[begins], np.cumsum(begins, dtype=np.int32) - np.int32(1)
        return [
            _few(np.zeros(count, np.int8), _paths(str(self.path))),
            _plain(pa.int64(), self.rows.of("rba")),
            _few(_OP_NUMBERS[self.rows.of("io_type")], _OP_NAMES),
            *(texts.of_runs(*runs) for texts in self._texts),
            self._times(),
            _plain(pa.uint8(), self.rows.of("trans_ind")),
        ]

    def located(self) -> Spans:
        """The columns of the images; rows without any, though they have data, become problems."""
        return locate_columns(self.rows, len(self._columns), dict(self._rewritten()))

    @property
    def problem_rows(self) -> list[int]:
        """The rows with problems, as far as they are known."""
        return [row for row, _ in self._problems]

    def row(self, row: int) -> TableRow:
        """A row decoded by itself."""
        transaction = self._owners.of_row(int(self.rows.rows[row]))
        return table_row(self._record(row), self._known, self.layout, transaction)

    def between(self, first: int, stop: int) -> Group:
        """The rows with numbers in the batch from ``first`` to before ``stop``."""
        begin, end = np.searchsorted(self.rows.rows, [first, stop]).tolist()
        wholes = {row - begin: record for row, record in self._wholes.items() if begin <= row < end}
        rows = self.rows.subset(np.arange(begin, end))
        return Group(rows, self._owners, self._known, self.layout, self.path, self._texts, wholes)

    def _record(self, row: int) -> Record:
        """The record of a row, with what it goes on in."""
        return self._wholes.get(row) or self.rows.record(row, self.path)

    def _times(self) -> pa.Array:
        julian = self.rows.of("io_time")
        valid = (julian >= FIRST_TIME) & (julian <= LAST_TIME)
        for row in np.flatnonzero(~valid).tolist():
            self._problems.append((row, time_problem(int(julian[row]))))
        return _plain(FIXED_TYPES["time"], julian - JULIAN_UNIX_EPOCH, None if valid.all() else valid)

    def _undefined(self) -> pa.Array:
        """The data of rows without a definition."""
        records = [self._record(row) for row in range(len(self.rows))]
        for row, record in enumerate(records):
            _, problem = columns_of(record, self._known)
            self._problems += [(row, problem)] if problem is not None else []
        return pa.array([data_of(record) for record in records])

    def _images(self) -> Iterator[pa.Array]:
        count = len(self._columns)
        spans = self.located()
        for row in np.flatnonzero(spans.states != GOOD).tolist():
            self._note_states(row, count)
        for side in SIDES:
            yield from self._image(spans, side)

    def _image(self, spans: Spans, side: str) -> Iterator[pa.Array]:
        """The columns of an image; those that are not wanted are null."""
        image: Image = getattr(spans, side)
        names, wanted = self.layout.column_names, self._wanted
        has_null = (image.seen & HAS_NULL).tolist()
        chosen = None if wanted is None else {at for at, name in enumerate(names) if f"{side}_{name}" in wanted}
        columns = column_arrays(spans, image, self._columns, self.layout.codec, chosen)
        for index, (name, column) in enumerate(zip(names, columns, strict=True)):
            if has_null[index]:
                self._nulls.append((np.flatnonzero(image.sizes[index] == NULL), f"{side}_{name}"))
            for problem in column.problems:
                self._problems.append((problem.row, self._value_problem(problem, side, index, name)))
            yield column.array

    def _value_problem(self, problem: Problem, side: str, index: int, name: str) -> RowProblem:
        """The problem of a value; one with a strange indicator is read again for its bytes."""
        if not problem.data:
            value = self._value(problem.row, side, index)
            if value is not None and value.problem is not None:
                return RowProblem(name, side, value.data, value.problem)
        return RowProblem(name, side, problem.data, problem.reason)

    def stored(self, row: int, side: str, name: str) -> bytes:
        """The bytes of a value as the trail has them, behind the indicator; empty where there is none."""
        value = self._value(row, side, self.layout.column_names.index(name))
        return value.data if value is not None else b""

    def _value(self, row: int, side: str, index: int) -> Value | None:
        """A value decoded by itself."""
        for column in columns_of(self._record(row), self._known)[0]:
            if column.index == index:
                value: Value | None = getattr(column, side)
                return value
        return None

    @property
    def _columns(self) -> tuple[ColumnDefinition, ...]:
        return self.layout.columns or ()

    def _rewritten(self) -> Iterator[tuple[int, bytes]]:
        """The data of rows that go on in others, lists of columns for rows whose data is none; or a problem."""
        listed = has_columns(self.rows)
        yield from ((row, data_of(record)) for row, record in self._wholes.items() if listed[row])
        odd = ~listed & (self.rows.of("data_size") > 0)
        for row in np.flatnonzero(odd).tolist():
            record = self._record(row)
            _, problem = columns_of(record, self._known)
            try:
                if problem is None:
                    before, after, _ = row_images(record, self._known)
                    yield row, build_columns(before or after or (), record.order)
            except TrailError as error:
                problem = RowProblem(None, None, data_of(record), error.problem)
            if problem is not None:
                self._problems.append((row, problem))

    def _note_states(self, row: int, count: int) -> None:
        """Note data that is no list of columns, and columns that the definition lacks."""
        columns, problem = columns_of(self._record(row), self._known)
        if problem is not None:
            self._problems.append((row, problem))
        for side in SIDES:
            for column in columns:
                value: Value | None = getattr(column, side)
                if column.index >= count and value is not None and value.problem is not None:
                    self._problems.append((row, RowProblem(f"#{column.index}", side, value.data, value.problem)))


@lru_cache(maxsize=1)
def _paths(path: str) -> pa.Array:
    """An array of one path; an array of a list costs a search for pandas."""
    return pa.array([path], pa.string())


def _few(numbers: Array, texts: pa.Array) -> pa.Array:
    """A dictionary array of ``texts``, whose numbers are int8."""
    return pa.DictionaryArray.from_arrays(_plain(pa.int8(), numbers), texts)


def _plain(kind: pa.DataType, values: Array, valid: Array | None = None) -> pa.Array:
    """An array of the numbers as they are; pyarrow's own way looks each time for pandas."""
    bits = None if valid is None else pa.py_buffer(np.packbits(valid, bitorder="little"))
    return pa.Array.from_buffers(kind, len(values), [bits, pa.py_buffer(values)])


def _listed_nulls(rows: int, nulls: list[tuple[Array, str]]) -> pa.Array:
    """For each row the names of its NULLs, null where there are none."""
    if not nulls:
        return pa.nulls(rows, NULL_NAMES)
    of_row = np.concatenate([at for at, _ in nulls])
    names = np.repeat(np.arange(len(nulls)), [len(at) for at, _ in nulls])[np.argsort(of_row, kind="stable")]
    counts = np.bincount(of_row, minlength=rows)
    offsets = np.concatenate(([0], np.cumsum(counts))).astype(np.int32)
    texts = pa.array([name for _, name in nulls]).take(_plain(pa.int64(), names))
    return pa.ListArray.from_arrays(_plain(pa.int32(), offsets), texts, mask=pa.array(counts == 0))


def _listed_problems(rows: int, problems: Problems) -> pa.Array:
    """For each row what does not decode, null where everything does."""
    if not problems:
        return pa.nulls(rows, PROBLEM_LIST)
    lists: list[list[dict[str, Any]] | None] = [None] * rows
    for row, problem in problems:
        lists[row] = [*(lists[row] or ()), problem._asdict()]
    return pa.array(lists, PROBLEM_LIST)

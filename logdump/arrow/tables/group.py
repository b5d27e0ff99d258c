"""Rows of tables: a piece of a walk, split by definition; the columns of its images, and undecodable values."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from logdump.arrow.tables.layout import (
    ROW_OPERATIONS,
    SIDES,
    Layouts,
    RowProblem,
    TableLayout,
    columns_of,
    data_of,
    time_problem,
)
from trailformat import Record, TrailError, TrailFile, Value
from trailformat.arrays import Image, Numbered, Spans, Strings, locate_columns
from trailformat.changes.row_changes import doubt_of, is_unknown, operation_of, row_images
from trailformat.changes.segments import joined
from trailformat.codec.timestamps import FIRST_TIME, JULIAN_UNIX_EPOCH, LAST_TIME
from trailformat.native.scan.arguments import GOOD, UNDECIDED
from trailformat.records.columns import build_columns
from trailformat.scan import FILE_HEADER, Batch
from trailformat.scan.rows import RowBytes, by_definition, has_columns, has_unknown_tokens, headers_of
from trailformat.scan.rows.row_bytes import RegionBytes, RowBuffer, read_range
from trailformat.trail.row_definitions import RowDefinition, RowDefinitions
from trailformat.transactions.tracker import RowTransactions

Array = np.ndarray[Any, Any]
_MOST_BYTES = 24 << 20
"""Maximum size of a piece in bytes, unless a single record is larger."""


class Piece(NamedTuple):
    """Rows of a batch, whose columns are numpy arrays, and the transactions of the batch."""

    rows: RowBytes
    owners: RowTransactions


def batch_bytes(trail: TrailFile, batch: Batch, rows: Array) -> RowBuffer | None:
    """Return the bytes of a batch, read once for all uses.

    None if the batch is larger than a piece, or at most half of its rows are wanted.

    Raises:
        CannotRead: the file can no longer be read.
    """
    begin, end = int(batch.rba[0]), batch.end
    return read_range(trail.buffer, begin, end) if end - begin <= _MOST_BYTES and 2 * len(rows) > len(batch) else None


def pieces(
    trail: TrailFile, batch: Batch, rows: Array, owners: RowTransactions, row_buffer: RowBuffer | None = None
) -> Iterator[Piece]:
    """Yield rows of a batch, given by their numbers in order, in pieces of about the same size.

    ``row_buffer`` is the result of :func:`batch_bytes`; with it, all rows are one piece.

    Raises:
        CannotRead: the file was truncated.
    """
    if row_buffer is not None:
        read = RegionBytes(row_buffer.data, np.asarray(batch.rba)[rows] - row_buffer.begin)
        yield Piece(RowBytes(trail.buffer, batch, rows, read), owners)
    elif len(rows):
        last = rows[-1]
        size = int(batch.rba[last]) + int(batch.length[last]) - int(batch.rba[rows[0]])
        most = size // -(-size // _MOST_BYTES) + 1
        yield from (Piece(part, owners) for part in RowBytes.chunks(trail.buffer, batch, rows, most))


_KNOWN_OPS = sorted(set(ROW_OPERATIONS.values()))
_OPS = [*dict.fromkeys([*_KNOWN_OPS, *map(operation_of, range(256))])]
_OP_NAMES, _ALL_NAMES = Strings.of(_KNOWN_OPS), Strings.of(_OPS)
_OP_NUMBERS = np.array([_OPS.index(operation_of(number)) for number in range(256)], np.int32)
_IS_UNKNOWN = np.array([is_unknown(number) for number in range(256)])
_OF_TIME, _OF_RECORD, _OF_VALUE = range(3)


class Texts:
    """An optional text for each transaction of a batch; equal texts are stored once."""

    def __init__(self, texts: Iterable[str | None]) -> None:
        known: dict[str | None, int] = {None: -1}
        self._codes = np.array([known.setdefault(text, len(known) - 1) for text in texts], np.int32)
        self._texts = Strings.of([*known][1:])

    def of_runs(self, transactions: Array, runs: Array) -> Numbered:
        """Return the text of each row; the last text is null. ``runs`` holds each row's index in ``transactions``."""
        codes = self._codes[transactions]
        used, places = np.unique(np.append(codes, np.int32(-1)), return_inverse=True)
        numbers = (places[:-1] - 1).astype(np.int32)
        numbers[numbers < 0] = len(used) - 1
        texts = self._texts.take(used[1:])
        return Numbered(Strings.joined([texts, Strings.nulls(1)]), numbers[runs])


class FixedColumns(NamedTuple):
    """The columns that rows of any table have, except ``file``.

    ``time`` is in microseconds since 1970 (int64), for the rows in the mask ``has_time``. The last text of ``csn`` and
    of ``xid`` is null.
    """

    rba: Array
    op: Numbered
    csn: Numbered
    xid: Numbered
    time: Array
    has_time: Array
    trans_ind: Array


class Group:
    """Rows with one definition.

    Attributes:
        layout: layout of their file.
        path: path of the trail file.
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
        self._problems: list[tuple[int, tuple[int, ...], RowProblem]] = []

    def between(self, first: int, stop: int) -> Group:
        """Return the rows whose numbers in the batch are in ``range(first, stop)``."""
        begin, end = np.searchsorted(self.rows.rows, [first, stop]).tolist()
        wholes = {row - begin: record for row, record in self._wholes.items() if begin <= row < end}
        rows = self.rows.subset(np.arange(begin, end))
        return Group(rows, self._owners, self._known, self.layout, self.path, self._texts, wholes)

    @property
    def fixed(self) -> FixedColumns:
        """The columns that rows of any table have."""
        trans_ind = self.rows.of("trans_ind")
        return FixedColumns(self.rows.of("rba"), self.op, self.csn, self.xid, *self.times, trans_ind)

    @property
    def op(self) -> Numbered:
        """The operations of the rows."""
        numbers = _OP_NUMBERS[self.rows.of("io_type")]
        return Numbered(_ALL_NAMES if (numbers >= len(_KNOWN_OPS)).any() else _OP_NAMES, numbers)

    @property
    def csn(self) -> Numbered:
        """LOGCSN of the transactions; the last text is null."""
        return self._texts[0].of_runs(*self._runs)

    @property
    def xid(self) -> Numbered:
        """TRANID of the transactions; the last text is null."""
        return self._texts[1].of_runs(*self._runs)

    @cached_property
    def _runs(self) -> tuple[Array, Array]:
        """The transaction of each run of rows, and the number of each row's run."""
        numbers = np.asarray(self._owners.index)[self.rows.rows]
        begins = np.diff(numbers, prepend=-1) != 0
        return numbers[begins], np.cumsum(begins, dtype=np.int32) - np.int32(1)

    @cached_property
    def times(self) -> tuple[Array, Array]:
        """Microseconds since 1970, and a mask of the rows with a time; a time outside the calendar is noted."""
        julian = self.rows.of("io_time")
        has_time = (julian >= FIRST_TIME) & (julian <= LAST_TIME)
        for row in np.flatnonzero(~has_time).tolist():
            self._note(row, time_problem(int(julian[row])), _OF_TIME)
        return np.where(has_time, julian - JULIAN_UNIX_EPOCH, 0), has_time

    @cached_property
    def data(self) -> list[bytes]:
        """The data of rows without a definition; data that are not empty are noted as a problem."""
        self._note_doubts()
        records = [self._record(row) for row in range(len(self.rows))]
        for row, record in enumerate(records):
            self._note(row, columns_of(record, self._known)[1])
        return [data_of(record) for record in records]

    @cached_property
    def spans(self) -> Spans:
        """The columns of the images; data that are no list of columns, and undefined columns, are noted as problems."""
        spans = locate_columns(self.rows, len(self.layout.columns or ()), dict(self._rewritten()))
        for row in np.flatnonzero(spans.states != GOOD).tolist():
            self._note_state(row)
        self._note_doubts()
        return spans

    def note_value(self, row: int, side: str, index: int, reason: str) -> None:
        """Note an undecodable value; one with an unknown indicator is decoded again, on its own, to get its bytes."""
        image: Image = getattr(self.spans, side)
        start, size = int(image.starts[index, row]), int(image.sizes[index, row])
        data, name = self.spans.data[start : start + max(size, 0)].tobytes(), self.layout.column_names[index]
        if size == UNDECIDED and (value := self._value(row, side, index)) is not None:
            data, reason = value.data, value.problem or reason
        self._note(row, RowProblem(name, side, data, reason), _OF_VALUE, SIDES.index(side), index)

    @property
    def problems(self) -> list[tuple[int, RowProblem]]:
        """The row number and the problem of each undecodable part, sorted by row and by place in the row."""
        return [(row, problem) for row, _, problem in sorted(self._problems, key=lambda noted: noted[:2])]

    def stored(self, row: int, side: str, name: str) -> bytes:
        """Return the bytes of a value as stored, after its indicator; empty if the image lacks the value."""
        value = self._value(row, side, self.layout.column_names.index(name))
        return value.data if value is not None else b""

    def _note(self, row: int, problem: RowProblem | None, *place: int) -> None:
        if problem is not None:
            self._problems.append((row, place or (_OF_RECORD,), problem))

    def _record(self, row: int) -> Record:
        """Return the record of a row, with its continuations."""
        return self._wholes.get(row) or self.rows.record(row, self.path)

    def _value(self, row: int, side: str, index: int) -> Value | None:
        """Decode one value on its own."""
        for column in columns_of(self._record(row), self._known)[0]:
            if column.index == index:
                value: Value | None = getattr(column, side)
                return value
        return None

    def _rewritten(self) -> Iterator[tuple[int, bytes]]:
        """Yield row numbers and lists of columns, for rows continued in other records and rows in other forms.

        Rows that cannot be converted are noted as problems.
        """
        listed = has_columns(self.rows)
        yield from ((row, data_of(record)) for row, record in self._wholes.items() if listed[row])
        unlisted = ~listed & ((self.rows.of("data_size") > 0) | _IS_UNKNOWN[self.rows.of("io_type")])
        for row in np.flatnonzero(unlisted).tolist():
            record = self._record(row)
            _, problem = columns_of(record, self._known)
            try:
                if problem is None:
                    before, after, _ = row_images(record, self._known)
                    yield row, build_columns(before or after or (), record.order)
            except TrailError as error:
                problem = RowProblem(None, None, data_of(record), error.problem)
            self._note(row, problem)

    def _note_doubts(self) -> None:
        for row in np.flatnonzero(has_unknown_tokens(self.rows)).tolist():
            if (doubt := doubt_of(self._record(row))) is not None:
                self._note(row, RowProblem(None, None, b"", doubt))

    def _note_state(self, row: int) -> None:
        """Note data that are not a list of columns, and columns that the definition lacks."""
        columns, problem = columns_of(self._record(row), self._known)
        self._note(row, problem)
        count = len(self.layout.columns or ())
        for number, side in enumerate(SIDES):
            for column in columns:
                value: Value | None = getattr(column, side)
                if column.index >= count and value is not None and value.problem is not None:
                    beyond = RowProblem(f"#{column.index}", side, value.data, value.problem)
                    self._note(row, beyond, _OF_VALUE, number, column.index)


LeaveOut = Callable[[int | None, int], None]
_MOST_KEYS = 1 << 16
_MOST_CELLS = 1 << 21
"""Maximum of rows times columns at a time: each cell takes some bytes, even if it is absent."""


class TableBatches:
    """Splits the pieces of one trail by definition.

    Args:
        trail: the file.
        definitions: the definitions of its rows.
        leave_out: called with the type of records that are not rows, None for the file header, and their number.
        types: the IOTypes of the records that are rows.
    """

    def __init__(
        self,
        trail: TrailFile,
        definitions: RowDefinitions,
        leave_out: LeaveOut,
        types: Collection[int] = ROW_OPERATIONS.keys(),
    ) -> None:
        self._is_row = np.array([number in types for number in range(256)])
        self._trail = trail
        self._definitions = definitions
        self._leave_out = leave_out
        self._layouts = Layouts()
        self._texts: tuple[RowTransactions, tuple[Texts, Texts]] | None = None

    def groups(self, piece: Piece) -> list[Group]:
        """Return the rows of a piece by definition; records that are not rows are passed to ``leave_out``."""
        io_type, is_header = piece.rows.of("io_type"), piece.rows.kind == FILE_HEADER
        is_row = self._is_row[io_type] & ~is_header
        if is_header.any():
            self._leave_out(None, int(is_header.sum()))
        for number, records in enumerate(np.bincount(io_type[~is_row & ~is_header]).tolist()):
            if records:
                self._leave_out(number, records)
        texts = self._texts_of(piece.owners)
        rows = piece.rows.subset(np.flatnonzero(is_row))
        headers = headers_of(rows)
        return [
            self._group(
                rows.subset(row_numbers),
                np.flatnonzero(headers.is_continued[row_numbers]).tolist(),
                piece.owners,
                texts,
            )
            for row_numbers in split_by_definition(rows, headers.table_index)
        ]

    def _group(
        self, rows: RowBytes, continued: list[int], owners: RowTransactions, texts: tuple[Texts, Texts]
    ) -> Group:
        first = rows.record(0)
        known = self._definitions.of(first)
        wholes = {row: joined(self._trail, rows.record(row, self._trail.path)) for row in continued}
        return Group(rows, owners, known, self._layouts.of(first, known), self._trail.path, texts, wholes)

    def _texts_of(self, owners: RowTransactions) -> tuple[Texts, Texts]:
        """Return LOGCSN and TRANID of the transactions of a batch."""
        if self._texts is None or self._texts[0] is not owners:
            self._texts = owners, (Texts(owners.csns), Texts(owners.xids))
        return self._texts[1]


def blocks(groups: list[Group]) -> Iterator[list[Group]]:
    """Yield the groups of a piece in blocks of about equal numbers of rows, so that memory stays bounded."""
    cells = sum(len(group.rows) * len(group.layout.columns or ()) for group in groups)
    count = -(-cells // _MOST_CELLS)
    if count <= 1:
        yield groups
        return
    rows = np.sort(np.concatenate([group.rows.rows for group in groups]))
    bounds = [*rows[:: -(-len(rows) // count)].tolist(), int(rows[-1]) + 1]
    for first, stop in pairwise(bounds):
        parts = [group.between(first, stop) for group in groups]
        yield [part for part in parts if len(part.rows)]


def split_by_definition(rows: RowBytes, table_index: Array) -> list[Array]:
    """Return the indexes of the rows of each definition, in the order of their first rows."""
    definitions = by_definition(rows, table_index)
    groups = definitions.group.astype(np.uint16) if len(definitions.firsts) < _MOST_KEYS else definitions.group
    order = np.argsort(groups, kind="stable")
    parts = np.split(order, np.cumsum(np.bincount(definitions.group))[:-1])
    return [parts[group] for group in np.argsort(definitions.firsts).tolist()]

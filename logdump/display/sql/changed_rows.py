"""Changes of rows of one table by columns: the columns of their images, and the literals of their values.

There are two kinds: rows of a batch, whose values are read in place, and changes whose values are decoded. Rows that
the first kind cannot read are returned as undecided, to be decoded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from logdump.display.sql.decisions import SqlTable
from logdump.display.sql.dialects import Unwritable
from logdump.display.sql.literals import Literals, ObjectValue
from trailformat.arrays import Image, Spans, Strings, locate_columns, text_column, unequal
from trailformat.changes.row_changes import Change, operation_of
from trailformat.native.scan.arguments import ABSENT, GOOD, HAS_UNDECIDED, NULL, UNDECIDED
from trailformat.scan.rows import RowBytes
from trailformat.scan.rows.row_bytes import Array

BARE = frozenset({"TRUNCATE", "SEQUENCE"})
"""Operations whose statement needs no column of a row."""
_OBJECT = min(ABSENT, NULL, UNDECIDED) - 1
"""Marks, in place of its size, a value that is in a large object."""
Objects = Mapping[tuple[bool, int], Mapping[int, ObjectValue]]


class Cells(NamedTuple):
    """The literals of a column in some rows.

    Attributes:
        texts: the literals; None if no row has one.
        sizes: for each row ABSENT, NULL, or another number if its literal is in ``texts``.
        problems: the rows whose value cannot be written, and why.
        undecided: the rows whose value must be decoded.
    """

    texts: Strings | None
    sizes: Array
    problems: Sequence[tuple[int, str]] = ()
    undecided: Sequence[int] = ()


class ChangedRows(Protocol):
    """Changes of rows of one table.

    Attributes:
        table: the table.
        ops: the operations of the changes; ``op`` is the index of each change's.
        had, has: masks of the columns of the image before and of that after, a row for each column.
        undecided: a mask of the changes whose images cannot be read by columns.
    """

    table: SqlTable
    ops: list[str]
    op: Array
    had: Array
    has: Array
    undecided: Array

    def changed(self, column: int) -> Array:
        """Return a mask of the changes whose two images have different values in a column; NULL equals NULL."""

    def cells(self, column: int, wanted: Array, /, *, is_before: bool) -> Cells:
        """Return the literals of a column of an image for the changes of a mask."""


class RowsOfTable(NamedTuple):
    """Rows of a batch that are changes of one table.

    Attributes:
        table: the table.
        rows: the records, in order.
        is_second: a mask of after images whose before image is the record before them.
        codec: codec of the character set of the database.
        objects: large objects by image (True: before), column, and row number in the batch.
    """

    table: SqlTable
    rows: RowBytes
    is_second: Array
    codec: str
    objects: Objects = {}  # noqa: RUF012 - never changed


class LocatedRows:
    """Changes in rows of a batch.

    Attributes:
        rows: the numbers of the rows in the batch; for an update in two records, that of the second.
        rbas: the RBA of each change's first record.
    """

    def __init__(self, changes: RowsOfTable, literals: Literals) -> None:
        self.table = changes.table
        self._codec = changes.codec
        self._literals = literals
        rows = changes.rows
        spans = locate_columns(rows, len(changes.table.columns))
        seconds = np.flatnonzero(changes.is_second)
        undecided, rbas = spans.states != GOOD, rows.of("rba")
        self.rows, io_types = rows.rows, rows.of("io_type")
        if len(seconds):
            is_kept = np.ones(len(rows), bool)
            is_kept[seconds - 1] = False
            undecided[seconds] |= undecided[seconds - 1]
            rbas[seconds] = rbas[seconds - 1]
            spans = _joined(spans, seconds, is_kept)
            self.rows, rbas, undecided = self.rows[is_kept], rbas[is_kept], undecided[is_kept]
            io_types = io_types[is_kept]
        self.rbas = rbas
        self.ops, self.op = _operations(io_types)
        for image in (spans.before, spans.after):
            for index in np.flatnonzero(image.seen & HAS_UNDECIDED).tolist():
                undecided |= image.sizes[index] == UNDECIDED
        self.undecided = undecided
        self._spans = spans
        placed = {key: _among(self.rows, values) for key, values in changes.objects.items()}
        self._objects = {key: values for key, values in placed.items() if values}
        for (is_before, index), values in self._objects.items():
            self._image(is_before=is_before).sizes[index, [*values]] = _OBJECT
        self.had, self.has = spans.before.sizes != ABSENT, spans.after.sizes != ABSENT

    def changed(self, column: int) -> Array:
        mask = unequal(self._spans, column)
        old, new = (self._objects.get((is_before, column), {}) for is_before in (True, False))
        for place in {*old, *new}:
            if self.had[column, place] and self.has[column, place]:
                old_bytes, new_bytes = (self._stored(column, place, is_before=is_before) for is_before in (True, False))
                mask[place] = old_bytes != new_bytes
        return mask

    def cells(self, column: int, wanted: Array, *, is_before: bool) -> Cells:
        image = self._image(is_before=is_before)
        sizes = np.where(wanted, image.sizes[column], ABSENT)
        is_object = sizes == _OBJECT
        if not ((sizes >= 0) | is_object).any():
            return Cells(None, sizes)
        column_image = Image(image.starts[column : column + 1], sizes[np.newaxis], image.seen[column : column + 1])
        definition = self.table.columns[column]
        text_array = text_column(self._spans, column_image, 0, definition, self._codec, self._literals.of(definition))
        undecided = [problem.row for problem in text_array.problems]
        if not is_object.any():
            return Cells(text_array.array, sizes, undecided=undecided)
        places = np.flatnonzero(is_object).tolist()
        objects = self._objects[is_before, column]
        literals = [self._literals.single(definition, objects[place].value) for place in places]
        undecided += [place for place, literal in zip(places, literals, strict=True) if literal is None]
        texts = text_array.array.replaced(np.array(places), Strings.of(literals))
        return Cells(texts, np.where(is_object, 0, sizes), undecided=undecided)

    def _image(self, *, is_before: bool) -> Image:
        return self._spans.before if is_before else self._spans.after

    def _stored(self, index: int, place: int, *, is_before: bool) -> bytes | None:
        """Return the bytes of a value; None for NULL."""
        values, image = self._objects.get((is_before, index), {}), self._image(is_before=is_before)
        if place in values:
            return values[place].value.data
        start, size = int(image.starts[index, place]), int(image.sizes[index, place])
        return bytes(self._spans.data[start : start + size]) if size >= 0 else None


class BareRows:
    """Changes in rows of a batch without columns.

    Attributes:
        rows: the numbers of the rows in the batch.
        rbas: the RBA of each.
    """

    def __init__(self, changes: RowsOfTable) -> None:
        self.table = changes.table
        self.rows, self.rbas = changes.rows.rows, changes.rows.of("rba")
        self.ops, self.op = _operations(changes.rows.of("io_type"))
        self.had, self.has = np.zeros((2, len(changes.table.names), len(self.rows)), bool)
        self.undecided = np.zeros(len(self.rows), bool)

    def changed(self, column: int) -> Array:
        mask: Array = self.had[column]
        return mask

    def cells(self, _column: int, wanted: Array, *, is_before: bool) -> Cells:  # noqa: ARG002 - the protocol has it
        return Cells(None, np.full(len(wanted), ABSENT))


def _operations(io_types: Array) -> tuple[list[str], Array]:
    """Return the operations of some IOTypes, and the index of each."""
    names = {number: operation_of(number) for number in np.flatnonzero(np.bincount(io_types, minlength=256)).tolist()}
    ops = sorted({*names.values()})
    index = np.zeros(256, np.uint8)
    for number, name in names.items():
        index[number] = ops.index(name)
    return ops, index[io_types]


def _joined(spans: Spans, seconds: Array, is_kept: Array) -> Spans:
    """Join updates in two records: the second gets the before image of the first, which is removed."""
    before, after = spans.before, spans.after
    for places in (before.starts, before.sizes):
        places[:, seconds] = places[:, seconds - 1]
    before, after = (
        Image(np.compress(is_kept, image.starts, axis=1), np.compress(is_kept, image.sizes, axis=1), image.seen)
        for image in (before, after)
    )
    return Spans(spans.data, spans.little[is_kept], before, after, spans.states[is_kept], spans.room)


def _among(rows: Array, values: Mapping[int, ObjectValue]) -> dict[int, ObjectValue]:
    """Return the values of these rows, by index in ``rows`` instead of by row number."""
    numbers = np.fromiter(values, np.int64)
    places = np.searchsorted(rows, numbers).clip(max=len(rows) - 1)
    is_there = rows[places] == numbers
    return {
        place: values[number]
        for place, number in zip(places[is_there].tolist(), numbers[is_there].tolist(), strict=True)
    }


class DecodedChanges:
    """Changes of one table whose values are decoded."""

    def __init__(self, table: SqlTable, changes: Sequence[Change], literals: Literals) -> None:
        self.table = table
        self._changes = changes
        self._literals = literals
        self.ops = sorted({change.op for change in changes})
        self.op = np.array([self.ops.index(change.op) for change in changes], np.uint8)
        shape = len(table.names), len(changes)
        self.had, self.has, self._changed = np.zeros((3, *shape), bool)
        self.undecided = np.zeros(len(changes), bool)
        self._columns = [{column.index: column for column in change.columns} for change in changes]
        for row, columns in enumerate(self._columns):
            for index, column in columns.items():
                self.had[index, row], self.has[index, row] = column.before is not None, column.after is not None
                self._changed[index, row] = column.is_changed

    def changed(self, column: int) -> Array:
        mask: Array = self._changed[column]
        return mask

    def cells(self, column: int, wanted: Array, *, is_before: bool) -> Cells:
        texts: list[str | None] = [None] * len(wanted)
        problems = []
        for row in np.flatnonzero(wanted).tolist():
            cell = self._columns[row][column]
            value = cell.before if is_before else cell.after
            try:
                texts[row] = None if value is None else self._literals.literal(value, cell.definition, cell.name)
            except Unwritable as error:
                problems.append((row, str(error)))
        return Cells(Strings.of(texts), np.where(wanted, 0, ABSENT), problems)

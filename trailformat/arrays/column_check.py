"""The rows of a file whose columns do not fit: images that are no columns, columns twice, undefined, or beyond limits.

Definitions and file headers that do not decode are found with them: without a definition rows do not decode either.
:func:`fault_of` says what is wrong with one record; :class:`ColumnCheck` finds the records in the batches of one pass.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

import numpy as np

from trailformat.changes.segments import joined
from trailformat.codec.byte_order import ByteOrder
from trailformat.definitions.metadata import ColumnDefinition
from trailformat.errors import BadData, CannotRead, NotATrail, TrailError
from trailformat.native.scan import arguments
from trailformat.records.columns import Columns
from trailformat.records.record import LARGEST, Record
from trailformat.scan import FILE_HEADER
from trailformat.scan.measuring import KeyCells, Measured, MeasuredCells, Measuring, RowColumns
from trailformat.scan.rows import RowBytes, learn_definitions, metadata_rows
from trailformat.scan.rows.row_bytes import Array
from trailformat.trail.file import TrailFile
from trailformat.trail.row_definitions import RowDefinition, RowDefinitions
from trailformat.values.data_types import LARGEST_COLUMN, limit_of

Noun = Literal["row", "definition", "file header"]
"""What a record is whose content does not decode; a definition is that of a table or a database."""


class ColumnFault(NamedTuple):
    """A record whose columns do not fit.

    Attributes:
        rba: its RBA.
        table: the name of its table; empty if not known.
        column: the name of the first wrong column, ``#`` and its index if it has none; None if there are no columns.
        error: what is wrong, what was expected, and what was found.
        noun: what the record is.
    """

    rba: int
    table: str
    column: str | None
    error: TrailError
    noun: Noun = "row"


def fault_of(trail: TrailFile, record: Record, known: RowDefinition) -> ColumnFault | None:
    """Return the first fault of a row of ``trail``, with its fragments; None if its columns fit, or it has none.

    A row that does not decode because its fragments are not there (yet), or that is too large to be held, has no fault.
    """
    if record.is_file_header or record.data_size > LARGEST:
        return None
    whole = joined(trail, record)
    try:
        images = whole.images
    except TrailError as error:
        if whole is record and record.header.continued:
            return None
        return ColumnFault(record.rba, known.name, None, error)
    for image in images[:2] if images is not None else ():
        if (fault := _in_image(image or (), known, record.order)) is not None:
            return ColumnFault(record.rba, known.name, fault[0], fault[1].at(trail.path, record.rba))
    return None


def _fault_of_definition(record: Record) -> ColumnFault | None:
    """Return the fault of a definition or a file header; None if it decodes."""
    try:
        _ = record.file_header if record.is_file_header else record.metadata
    except TrailError as error:
        noun: Noun = "file header" if record.is_file_header else "definition"
        return ColumnFault(record.rba, "" if record.is_file_header else record.name, None, error, noun)
    return None


def _in_image(image: Columns, known: RowDefinition, order: ByteOrder) -> tuple[str, BadData] | None:
    """Return the name of the first column of an image that does not fit, and the error."""
    indexes: set[int] = set()
    for column in image:
        definition = known.column(column.index)
        try:
            if definition is not None:
                limit_of(definition).check(column, order)
            _check_index(column.index, indexes, known)
        except BadData as error:
            return definition.name if definition is not None else f"#{column.index}", error
        indexes.add(column.index)
    return None


def _check_index(index: int, before: set[int], known: RowDefinition) -> None:
    """Raise BadData if a column of an image is not defined, or is among those before it."""
    if known.table is not None and index >= len(known.table.columns):
        highest = len(known.table.columns) - 1
        raise BadData("the column is not defined", expected=f"an index up to {highest}", found=str(index))
    if index in before:
        raise BadData("the column is twice in one image")


_ANYTHING = (0, LARGEST_COLUMN + 1, 0)
"""The limit of a column without a definition."""
_NOTHING = (0, LARGEST_COLUMN + 1, -1)
"""The limit of a column that the definition does not have."""


class ColumnCheck:
    """Finds the rows of one file whose columns do not fit.

    Args:
        trail: the file.
        definitions: the definitions of its rows.
    """

    def __init__(self, trail: TrailFile, definitions: RowDefinitions) -> None:
        self._trail, self._definitions = trail, definitions
        self._places: tuple[KeyCells, ...] = ()
        self._known: dict[tuple[int, int], RowDefinition] = {}
        self._limits = np.empty((0, arguments.CELL_SIZE), np.int64)

    def faults(self, measured: Measured) -> Iterator[ColumnFault]:
        """Yield the faults of the next batch of the file, in order.

        Raises:
            CannotRead: the file can no longer be read.
        """
        batch = measured.batch
        learn_definitions(self._trail, batch)
        if measured.places is not self._places:
            self._places = measured.places
            self._limits = self._limits_of(measured)
        rows = (measured.states != arguments.SOUND) | metadata_rows(batch) | (np.asarray(batch.kind) == FILE_HEADER)
        cells, limits = measured.cells, self._limits
        is_beyond = cells[:, arguments.L_LEAST] < limits[:, arguments.L_LEAST]
        is_beyond |= cells[:, arguments.L_MOST] > limits[:, arguments.L_MOST]
        is_beyond |= cells[:, arguments.L_BITS] & limits[:, arguments.L_BITS] != 0
        if is_beyond.any():
            rows |= self._beyond(measured, np.flatnonzero(is_beyond))
        for row in np.flatnonzero(rows).tolist() if rows.any() else ():
            yield from self._fault_at(int(batch.rba[row]))

    def _fault_at(self, rba: int) -> Iterator[ColumnFault]:
        record = self._record(rba)
        if record.is_file_header or record.is_metadata:
            fault = _fault_of_definition(record)
        else:
            fault = fault_of(self._trail, record, self._definitions.of(record))
        if fault is not None:
            yield fault

    def _record(self, rba: int) -> Record:
        """Return a record that was sound when it was measured. Raises CannotRead or NotATrail if it is not there."""
        try:
            record = self._trail.record_at(rba)
            if record is not None and (record.is_file_header or record.header):
                return record
        except TrailError as error:
            raise NotATrail("the file was written over while it was read", path=self._trail.path, rba=rba) from error
        raise CannotRead("the file has become shorter", path=self._trail.path, rba=rba)

    def _limits_of(self, measured: Measured) -> Array:
        """Return the limits of all cells."""
        limits = np.full((len(measured.cells), arguments.CELL_SIZE), _ANYTHING, np.int64)
        for place in measured.places:
            known = self._definition_of(place)
            if known.table is not None:
                limits[place.start : place.start + place.room] = _NOTHING
                columns = known.table.columns[: place.room]
                if columns:
                    limits[place.start : place.start + len(columns)] = [_cell_of(column) for column in columns]
        return limits

    def _definition_of(self, place: KeyCells) -> RowDefinition:
        known = self._known.get((place.key, place.rba))
        if known is None:
            known = self._known[place.key, place.rba] = self._definitions.of(self._record(place.rba))
        return known

    def _beyond(self, measured: Measured, cells: Array) -> Array:
        """Return a mask of the rows with a column beyond its limit, by the numbers of the cells that are beyond."""
        batch = measured.batch
        is_concerned = np.zeros(len(batch.names), bool)
        keys = np.full((len(batch.names), arguments.KEY_SIZE), arguments.NO_CELLS, np.int64)
        for place in self._places:
            begin, end = np.searchsorted(cells, [place.start, place.start + place.room])
            is_concerned[place.key] = begin < end
            room = place.room if self._definition_of(place).table is not None else arguments.FREE
            keys[place.key] = place.start, room
        mask = np.zeros(len(batch), bool)
        numbers = np.flatnonzero(is_concerned[np.asarray(batch.table)] & (measured.states == arguments.SOUND))
        measuring = Measuring(MeasuredCells.of_limits(keys, self._limits), holds=True)
        for rows in RowBytes.chunks(self._trail.buffer, batch, numbers):
            columns = RowColumns(
                kind=rows.kind,
                order=rows.of("order"),
                io_type=rows.of("io_type"),
                partition=rows.of("partition"),
                table=rows.of("table"),
                rba=np.ascontiguousarray(rows.starts, np.int64),
                data_offset=rows.of("data_offset"),
                data_size=rows.of("data_size"),
            )
            measuring.over(rows.view.ctypes.data, columns, 0, len(rows))
            mask[rows.rows] = columns.states != arguments.SOUND
        return mask


def _cell_of(definition: ColumnDefinition) -> tuple[int, int, int]:
    """Return the limit of a column as the kernel takes it."""
    limit = limit_of(definition)
    wrong = arguments.IS_STRANGE * limit.is_strict | arguments.IS_UNPREFIXED * limit.is_prefixed
    return limit.least, limit.most, wrong

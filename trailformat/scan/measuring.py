"""Batches whose columns have been measured by the kernel ``measure`` while their bytes were in the cache.

A scan does not know every definition that applies to its rows, as it may start inside a file. So the kernel collects
what the columns of each definition have; who knows the definition holds it to that. This module needs numpy.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from trailformat.native.loaded import kernels
from trailformat.native.scan import arguments
from trailformat.scan.batch import BATCH_SIZE, RECORD, Batch
from trailformat.scan.batch_filler import BatchFiller
from trailformat.scan.parallel import Earlier, ParallelScan, Workers, is_for_threads, shift
from trailformat.scan.position import first_position
from trailformat.scan.rows.row_bytes import Array
from trailformat.scan.scanning import Scanning

if TYPE_CHECKING:
    from trailformat.scan.kernel_run import Window
    from trailformat.scan.names import Names
    from trailformat.scan.position import ScanPosition
    from trailformat.trail.file import TrailFile

_ROOM = 16
"""Number of cells that a definition begins with."""
MOST_CELLS = 1 << 18
"""Maximum number of cells; rows that need more are put aside."""
_INDEXES = 1 << 16
"""Number of possible indexes of columns."""
_NOTHING = (1 << 62, -1, 0)
"""The cell of a column that no row has."""


class KeyCells(NamedTuple):
    """The cells of the columns of one definition: its key in the batch, the first, their number.

    ``rba`` is that of one of its rows.
    """

    key: int
    start: int
    room: int
    rba: int


@dataclass(slots=True)
class Measured:
    """A batch with what its columns are.

    Attributes:
        batch: the batch; each definition of an index has a key of its own.
        states: uint8, SOUND, FAULTY or ASIDE of each row.
        cells: int64[…, CELL_SIZE], what the columns of the sound rows have, by definition and index.
        places: the places in ``cells``, the same object for batches with the same ones.
    """

    batch: Batch
    states: Array
    cells: Array
    places: tuple[KeyCells, ...]

    def __len__(self) -> int:
        return len(self.batch)


class MeasuredCells:
    """The cells of the definitions of one scan."""

    def __init__(self) -> None:
        self.keys = np.full((_ROOM, arguments.KEY_SIZE), arguments.NO_CELLS, np.int64)
        self.cells = np.empty((4 * _ROOM, arguments.CELL_SIZE), np.int64)
        self.used = 0
        self._addresses: tuple[int, int] | None = None
        self._places: dict[int, KeyCells] = {}
        self._kept: tuple[KeyCells, ...] | None = ()
        self.clear()

    @classmethod
    def of_limits(cls, keys: Array, cells: Array) -> MeasuredCells:
        """Return the cells of limits, and their places for each key: int64[…, KEY_SIZE]."""
        limits = cls()
        limits.keys, limits.cells = keys, cells
        return limits

    @property
    def addresses(self) -> tuple[int, int]:
        """The addresses of ``keys`` and ``cells`` for the kernel."""
        if self._addresses is None:
            self._addresses = self.keys.ctypes.data, self.cells.ctypes.data
        return self._addresses

    def clear(self) -> None:
        """Forget what the columns had."""
        self.cells[: self.used] = _NOTHING

    def give(self, key: int, least: int, rba: int) -> bool:
        """Give a key at least this number of cells; ``rba`` is that of a row. Return False if there are too many."""
        place, self._addresses = self._places.get(key), None
        room = max(_ROOM, 1 << (least - 1).bit_length())
        if self.used + room > MOST_CELLS:
            return False
        while self.used + room > len(self.cells):
            self.cells = np.concatenate((self.cells, np.empty_like(self.cells)))
        if key >= len(self.keys):
            more = np.full((max(len(self.keys), key + 1), arguments.KEY_SIZE), arguments.NO_CELLS, np.int64)
            self.keys = np.concatenate((self.keys, more))
        self.cells[self.used : self.used + room] = _NOTHING
        if place is not None:
            self.cells[self.used : self.used + place.room] = self.cells[place.start : place.start + place.room]
            self.cells[place.start : place.start + place.room] = _NOTHING
        self._places[key] = KeyCells(key, self.used, room, rba)
        self.keys[key] = self.used, room
        self.used += room
        self._kept = None
        return True

    def take(self) -> tuple[Array, tuple[KeyCells, ...]]:
        """Return the cells and their places, and forget what the columns had."""
        if self._kept is None:
            self._kept = tuple(self._places.values())
        cells = self.cells[: self.used].copy()
        self.clear()
        return cells, self._kept


class RowColumns:
    """The columns of rows as the kernel takes them, by their names in a batch; each must be contiguous.

    Attributes:
        states: uint8, the state of each row, which the kernel sets.
        columns_address, states_address: the addresses for the kernel.
    """

    def __init__(
        self,
        *,
        kind: Array,
        order: Array,
        io_type: Array,
        partition: Array,
        table: Array,
        rba: Array,
        data_offset: Array,
        data_size: Array,
    ) -> None:
        self.kind, self.rba, self.table = kind, rba, table
        self.states = np.zeros(len(rba), np.uint8)
        self._columns = kind, order, io_type, partition, table, rba, data_offset, data_size
        self._addresses = np.array([column.ctypes.data for column in self._columns], np.int64)
        self.columns_address, self.states_address = self._addresses.ctypes.data, self.states.ctypes.data


class Measuring:
    """Runs of the kernel.

    Args:
        cells: the cells of the definitions.
        holds: True if the cells are limits to which the columns are held.
    """

    def __init__(self, cells: MeasuredCells, *, holds: bool = False) -> None:
        self._cells = cells
        self._kernel = kernels()["measure"]
        self._run = np.zeros(arguments.MEASURE_SIZE, np.int64)
        self._run[arguments.X_HOLDS] = holds
        self._marks = np.zeros(_INDEXES, np.int64)
        self._forms = np.frombuffer(arguments.FORM_BYTES, np.uint8)
        self._run_address, self._form_address, self._mark_address = (
            array.ctypes.data for array in (self._run, self._forms, self._marks)
        )

    def over(self, data: int, rows: RowColumns, first: int, stop: int) -> None:
        """Set the states of the rows from ``first`` to before ``stop``; ``data``: the address of the byte at RBA 0."""
        run, cells = self._run, self._cells
        run[arguments.X_ROW], run[arguments.X_STOP] = first, stop
        columns, states = rows.columns_address, rows.states_address
        before, after = (self._run_address, self._form_address), (self._mark_address, states)
        status = arguments.FULL
        while status != arguments.STOPPED:
            run[arguments.X_KEYS] = len(cells.keys)
            status = self._kernel(data, columns, *before, *cells.addresses, *after)
            if status != arguments.STOPPED:
                row = int(run[arguments.X_ROW])
                least = 1 if status == arguments.NEW_KEY else int(run[arguments.X_INDEX]) + 1
                if not cells.give(int(rows.table[row]), least, int(rows.rba[row])):
                    rows.states[row] = arguments.ASIDE
                    run[arguments.X_ROW] = row + 1


class MeasuringFiller:
    """Fills batches and measures their columns; see :class:`trailformat.scan.scanning.Filler`."""

    def __init__(self, names: Names, batch_size: int) -> None:
        self._filler = BatchFiller(names, batch_size)
        self._cells = MeasuredCells()
        self._measuring = Measuring(self._cells)
        self._rows: RowColumns | None = None

    @property
    def transactions(self) -> int:
        """The number of transactions that have ended since the start of the scan."""
        return self._filler.transactions

    @property
    def is_full(self) -> bool:
        """True if the batch is full."""
        return self._filler.is_full

    def add_span(self, kind: int, rba: int, length: int) -> None:
        """Add a row for a span that is not a sound record."""
        self._of_batch().states[self._filler.rows] = arguments.SOUND
        self._filler.add_span(kind, rba, length)

    def fill(self, window: Window, position: ScanPosition, end: int, stop: int) -> tuple[ScanPosition, int]:
        """Add rows and measure them; those of a window that is not whole are put aside. See ``Filler.fill``."""
        first, rows = self._filler.rows, self._of_batch()
        result = self._filler.fill(window, position, end, stop)
        if window.is_whole:
            self._measuring.over(window.address - window.base, rows, first, self._filler.rows)
        else:
            large = slice(first, self._filler.rows)
            rows.states[large] = np.where(rows.kind[large] == RECORD, arguments.ASIDE, arguments.SOUND)
        return result

    def take(self) -> Measured:
        """Return the rows so far and begin a new batch."""
        states = self._of_batch().states[: self._filler.rows].copy()
        self._rows = None
        return Measured(self._filler.take(), states, *self._cells.take())

    def _of_batch(self) -> RowColumns:
        if self._rows is None:
            octets, ints, longs = self._filler.columns
            self._rows = RowColumns(
                kind=octets[arguments.C_KIND],
                order=octets[arguments.C_ORDER],
                io_type=octets[arguments.C_IO_TYPE],
                partition=octets[arguments.C_PARTITION],
                table=longs[arguments.C_TABLE],
                rba=longs[arguments.C_RBA],
                data_offset=ints[arguments.C_DATA_OFFSET],
                data_size=ints[arguments.C_DATA_SIZE],
            )
        return self._rows


def measured_batches(trail: TrailFile, workers: Workers, batch_size: int = BATCH_SIZE) -> Iterator[Measured]:
    """Yield the records of ``scan(trail)`` in batches that are measured too, by threads if the file is large enough."""

    def scanner(
        file: TrailFile, position: ScanPosition, stop: int | None, earlier: Earlier | None
    ) -> Scanning[Measured]:
        return Scanning(
            file, position, stop, lambda names: MeasuringFiller(names, batch_size), earlier, by_definition=True
        )

    if not is_for_threads(trail, workers):
        yield from scanner(trail, first_position(trail, 0), None, None)
        return
    parallel = ParallelScan(trail, workers, scanner, lambda measured, _file: measured)
    for measured, transactions in parallel.results():
        shift(measured.batch, transactions)
        yield measured

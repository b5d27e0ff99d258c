"""One run of COMPRESS over files: savings on the network by block, and by image options."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from collections.abc import Set as AbstractSet
from functools import partial
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from logdump.features.compression.blocks import (
    DEFAULT_SIZE,
    DEFAULT_THRESHOLD,
    LEVELS,
    TABLE_LEVEL,
    Compressor,
    Packer,
    RecordPlaces,
    WaitingBlocks,
    WireBlocks,
)
from logdump.features.compression.model import Compression, CompressionShown, ImageSaving, ImagesShown, SurveyedRecords
from logdump.session.events import Event, Progress
from logdump.session.reading import Reading
from logdump.session.selection import Selection
from trailformat.changes.canonical import images_of
from trailformat.changes.transactions import TransactionRole, role_in
from trailformat.codec.on_demand import on_demand
from trailformat.definitions.metadata import TableDefinition
from trailformat.errors import CannotRead
from trailformat.records.columns import Columns, Images
from trailformat.records.large_record import PIECE
from trailformat.records.record import LARGEST, Record
from trailformat.records.record_header import (
    DELETE,
    INSERT,
    LAST,
    PREFIX_SIZES,
    ROW_TYPES,
    UNIFIED_PK_UPDATE,
    UNIFIED_UPDATE,
)
from trailformat.scan import BAD_SPAN, RECORD, Batch, scan
from trailformat.trail.file import TrailFile
from trailformat.trail.row_definitions import RowDefinitions
from trailformat.transactions.whole_trail import note_incomplete

with on_demand:
    import numpy as np

if TYPE_CHECKING:
    from trailformat.scan.rows.row_bytes import Array

_COLUMN_HEAD = 4
_INDICATOR = 2
_UNIFIED = frozenset({UNIFIED_UPDATE, UNIFIED_PK_UPDATE})

PARTS = ("frames", "headers", "tokens", "user tokens", "indicators", "values", "other data")
"""The parts of a record whose bytes are counted; ``indicators`` are the heads and indicators of columns."""


def _length(columns: Columns | None, kept: AbstractSet[int]) -> int:
    """Return the bytes of the columns that are not kept."""
    return sum(_COLUMN_HEAD + len(column.raw) for column in columns or () if column.index not in kept)


def _keys(definition: TableDefinition | None) -> frozenset[int] | None:
    if definition is None:
        return None
    return frozenset(index for index, column in enumerate(definition.columns) if column.is_key)


def _unchanged(images: Images) -> set[int]:
    """Return the columns that have the same bytes in both images."""
    before = {column.index: column.raw for column in images.before or ()}
    return {column.index for column in images.after or () if before.get(column.index) == column.raw}


def _before_of_updates(images: Images, keys: frozenset[int]) -> int:
    """Return the bytes of non-key columns in the before image of a unified update whose value does not change."""
    changed = {column.index for column in images.after or ()} - _unchanged(images)
    return _length(images.before, keys | changed)


def _after_of_updates(images: Images, keys: frozenset[int]) -> int:
    """Return the bytes of unchanged non-key columns in the after image, which COMPRESSUPDATES omits."""
    after = {column.index for column in images.after or ()}
    return _length(images.after, keys | (after - _unchanged(images)))


def _deletes(images: Images, keys: frozenset[int]) -> int:
    """Return the bytes of non-key columns of a delete, which COMPRESSDELETES omits."""
    return _length(images.before, keys)


def _null_filler(images: Images, _: frozenset[int]) -> int:
    """Return the bytes after the indicators of NULLs."""
    columns = (*(images.before or ()), *(images.after or ()))
    return sum(len(column.raw) - _INDICATOR for column in columns if column.is_null)


class _Option(NamedTuple):
    what: str
    types: frozenset[int]
    saved: Callable[[Images, frozenset[int]], int]
    needs_key: bool = True


OPTIONS = (
    _Option("unified updates: unchanged non-key columns before left out", _UNIFIED, _before_of_updates),
    _Option("unified updates: unchanged non-key columns after left out (COMPRESSUPDATES)", _UNIFIED, _after_of_updates),
    _Option("deletes: the key alone (COMPRESSDELETES)", frozenset({DELETE}), _deletes),
    _Option("all rows: no filler after NULL", ROW_TYPES | PREFIX_SIZES.keys(), _null_filler, needs_key=False),
)
"""The options, each with the record types that it affects."""
REPEATED = "definitions: once in a file"
"""The saving if repeated definitions of a file were omitted; no option does that."""


class ImageSavings:
    """Sums of bytes by part and by option over records.

    Attributes:
        parts: bytes by PARTS.
        repeated_definitions: bytes of definitions that repeat an earlier one of the same file.
    """

    def __init__(self) -> None:
        self.parts: Counter[str] = Counter()
        self.repeated_definitions = 0
        self._definition_records = self._definition_bytes = 0
        self._records: Counter[str] = Counter()
        self._judged: Counter[str] = Counter()
        self._bytes: Counter[str] = Counter()
        self._saved: Counter[str] = Counter()
        self._definitions: set[tuple[str, bytes]] = set()

    def new_file(self) -> None:
        """Begin another file, which needs its own definitions."""
        self._definitions.clear()

    def add(self, record: Record, definition: TableDefinition | None) -> None:
        """Add a record; ``definition`` gives the key of its table."""
        if record.is_file_header:
            self.parts["headers"] += record.length
            return
        images = images_of(record)
        self._count_parts(record, images)
        if record.is_metadata:
            said = record.name, record.data
            self._definition_records += 1
            self._definition_bytes += record.length
            self.repeated_definitions += record.length if said in self._definitions else 0
            if len(self._definitions) < _MOST_DEFINITIONS:
                self._definitions.add(said)
            return
        keys = _keys(definition)
        for option in OPTIONS:
            if record.header.io_type not in option.types:
                continue
            self._records[option.what] += 1
            if images is not None and (keys is not None or not option.needs_key):
                self._judged[option.what] += 1
                self._bytes[option.what] += record.length
                self._saved[option.what] += option.saved(images, keys or frozenset())

    def _count_parts(self, record: Record, images: Images | None) -> None:
        sizes = {token.id: len(token.payload) for token in record.tokens}
        counted = 0
        for name, letter in (("headers", "H"), ("tokens", "T"), ("user tokens", "U")):
            self.parts[name] += sizes.get(ord(letter), 0)
            counted += sizes.get(ord(letter), 0)
        data = sizes.get(ord("D"), 0)
        values, indicators = _parts_of_data(images)
        self.parts["values"] += values
        self.parts["indicators"] += indicators
        self.parts["other data"] += data - values - indicators
        self.parts["frames"] += record.length - counted - data

    def savings(self, table: str | None = None) -> list[ImageSaving]:
        """Return the saving of each option; ``table`` is the table counted, None for all."""
        options = [
            ImageSaving(
                option.what,
                table,
                self._records[option.what],
                self._judged[option.what],
                self._bytes[option.what],
                self._saved[option.what],
            )
            for option in OPTIONS
        ]
        number, size = self._definition_records, self._definition_bytes
        return [*options, ImageSaving(REPEATED, table, number, number, size, self.repeated_definitions)]


_MOST_DEFINITIONS = 100_000


def _parts_of_data(images: Images | None) -> tuple[int, int]:
    """Return the bytes of values, and of the heads and indicators before them; both 0 without images."""
    columns = (*(images.before or ()), *(images.after or ())) if images else ()
    indicators = sum(_COLUMN_HEAD + min(_INDICATOR, len(column.raw)) for column in columns)
    return sum(max(0, len(column.raw) - _INDICATOR) for column in columns), indicators


MOST_TABLES = 1000
"""Maximum number of tables counted one by one; the others are added up as one."""
OTHERS = "(other tables)"

T = TypeVar("T")


class CompressOptions(NamedTuple):
    """The options of COMPRESS; ``sample`` is the percentage of the blocks that is tried."""

    over: str | None = None
    by_table: bool = False
    block: int | None = None
    threshold: int | None = None
    level: int | None = None
    sample: int | None = None
    at_commit: bool = False
    images: bool = False


def threshold_of(options: CompressOptions) -> int:
    """Return COMPRESSTHRESHOLD as given, or its default."""
    return DEFAULT_THRESHOLD if options.threshold is None else options.threshold


class _ByTable(Generic[T]):
    """A value for each table, with the tables above MOST_TABLES sharing one."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self.of: dict[str, T] = {}
        self.others: set[str] = set()

    def __getitem__(self, name: str) -> T:
        if name not in self.of and len(self.of) >= MOST_TABLES:
            if len(self.others) < MOST_TABLES:
                self.others.add(name)
            name = OTHERS
        if name not in self.of:
            self.of[name] = self._make()
        return self.of[name]


def _wire_of(options: CompressOptions, waiting: WaitingBlocks, *, is_table: bool) -> WireBlocks:
    level, sample = options.level, options.sample
    levels = (level or TABLE_LEVEL,) if is_table or level is not None else LEVELS
    percent = sample if sample is not None or level is None else 100
    compressor = Compressor(levels, threshold_of(options), percent, waiting)
    return WireBlocks(Packer(options.block or DEFAULT_SIZE), compressor)


class CompressSurvey:
    """Estimates over files, which are added in trail order.

    Args:
        options: the options of COMPRESS.
        selection_of: returns the selection of the records of a file.
        definitions_of: returns the definitions of the rows of a file.
        notify: number of records between two reports of progress.
    """

    def __init__(
        self,
        options: CompressOptions,
        selection_of: Callable[[TrailFile], Selection],
        definitions_of: Callable[[TrailFile], RowDefinitions],
        notify: int,
    ) -> None:
        self._options = options
        self._selection_of, self._definitions_of, self._notify = selection_of, definitions_of, notify
        waiting = WaitingBlocks()
        self._wire = _wire_of(options, waiting, is_table=False)
        self._wires = _ByTable(lambda: _wire_of(options, waiting, is_table=True))
        self._images = ImageSavings()
        self._images_of = _ByTable(ImageSavings)
        self._records = self._bytes = self._damaged = self._read = 0
        self._is_filtered = False
        self.unreadable = self.missing = 0

    def take(self, trail: TrailFile) -> Iterator[Event]:
        """Add a file; yield Progress."""
        selection = self._selection_of(trail)
        self._is_filtered = self._is_filtered or selection.is_active
        add = self._image_taker(trail) if self._options.images else partial(self._add_to_wires, trail)
        try:
            for batch in scan(trail):
                damage = batch.spans()
                for row in damage:
                    self._damaged += int(batch.kind[row]) == BAD_SPAN
                    note_incomplete(trail, int(batch.rba[row]))
                add(batch, np.flatnonzero(selection.rows(batch) & batch.sound_rows()), damage)
                before, self._read = self._read, self._read + len(batch) - len(damage)
                if len(batch) and self._read // self._notify > before // self._notify:
                    yield Progress(self._read, int(batch.rba[-1]), int(batch.io_time[-1]), trail.size)
        finally:
            self._end_blocks()

    def _end_blocks(self) -> None:
        """End all blocks. Raises CannotRead after that, if one of them cannot be read."""
        failure: CannotRead | None = None
        for wire in (self._wire, *self._wires.of.values()):
            try:
                wire.end()
            except CannotRead as error:
                failure = error
        if failure is not None:
            raise failure

    def _add_to_wires(self, trail: TrailFile, batch: Batch, rows: Array, damage: list[int]) -> None:
        """Add records of a batch, which ``damage``, other rows of it, divides. Raises CannotRead."""
        ends = _ending(batch)[rows] if self._options.at_commit else np.zeros(len(rows), bool)
        if self._options.by_table:
            for wire, of_table in self._rows_by_wire(batch, rows):
                wire.add(_parts_of(trail, batch, rows[of_table], ends[of_table]))
        before = np.searchsorted(rows, damage)
        if len(before) and not before[0]:
            self._wire.end()
        ends[before[before > 0] - 1] = True
        self._wire.add(_parts_of(trail, batch, rows, ends))
        self._records += len(rows)
        self._bytes += int(np.asarray(batch.length)[rows].sum())

    def _rows_by_wire(self, batch: Batch, rows: Array) -> Iterator[tuple[WireBlocks, Array]]:
        """Yield the wires of tables, each with the indexes of its records among these."""
        keys, firsts, numbers = np.unique(np.asarray(batch.table)[rows], return_index=True, return_inverse=True)
        places, wires = np.full(len(keys), -1), list[WireBlocks]()
        for number in np.argsort(firsts).tolist():
            if name := batch.names[keys[number]]:
                wire = self._wires[name]
                wires += [] if wire in wires else [wire]
                places[number] = wires.index(wire)
        of_wire = places[numbers]
        yield from ((wire, np.flatnonzero(of_wire == place)) for place, wire in enumerate(wires))

    def _image_taker(self, trail: TrailFile) -> Callable[[Batch, Array, list[int]], None]:
        definitions, by_table = self._definitions_of(trail), self._options.by_table
        for images in (self._images, *self._images_of.of.values()):
            images.new_file()

        def add(batch: Batch, rows: Array, _: list[int]) -> None:
            for row in rows.tolist():
                record = trail.record_at(int(batch.rba[row]))
                if record is None:
                    continue
                self._records += 1
                self._bytes += record.length
                table = None if record.is_file_header else definitions.of(record).table
                self._images.add(record, table)
                if by_table and (name := trail.name_of(record) if not record.is_file_header else ""):
                    self._images_of[name].add(record, table)

        return add

    def reading(self) -> Reading:
        """Return the gaps of the reading."""
        return Reading(damaged=self._damaged, unreadable=self.unreadable, missing=self.missing)

    def results(self, title: str, *, is_partial: bool) -> Iterator[Event]:
        """Yield the results so far; no verdicts if not all was read."""
        for result in self._results(title, is_partial=is_partial):
            if isinstance(result, Compression):
                yield result._replace(is_partial=is_partial)
            elif not (is_partial and isinstance(result, ImageSaving) and not result.records):
                yield result

    def _results(self, title: str, *, is_partial: bool) -> Iterator[Event]:
        surveyed = SurveyedRecords(title, self._records, self._bytes, self._damaged, self._is_filtered, is_partial)
        options = self._options
        if options.images:
            yield ImagesShown(surveyed, dict(self._images.parts), len(self._images_of.others))
            yield from self._images.savings()
            for name, images in self._images_of.of.items():
                yield from (saving for saving in images.savings(name) if saving.records)
            return
        others = len(self._wires.others)
        block = options.block or DEFAULT_SIZE
        yield CompressionShown(surveyed, block, threshold_of(options), options.at_commit, others)
        yield from self._wire.compressor.results()
        results = [result for name, wire in self._wires.of.items() for result in wire.compressor.results(name)]
        yield from sorted(results, key=lambda result: (-result.bytes, result.table))


def _ending(batch: Batch) -> Array:
    """Return a mask of the records that end a transaction."""
    closes, is_inside = (
        np.array([TransactionRole.ENDS in role_in(*numbers) for numbers in pairs])
        for pairs in (((INSERT, number) for number in range(256)), ((number, LAST) for number in range(256)))
    )
    mask: Array = closes[np.asarray(batch.trans_ind)] & is_inside[np.asarray(batch.io_type)]
    mask &= np.asarray(batch.kind) == RECORD
    return mask


def _parts_of(trail: TrailFile, batch: Batch, rows: Array, ends: Array) -> RecordPlaces:
    """Return records as parts, very large ones in pieces; ``ends`` is a mask of those with which a block ends."""
    starts, sizes = np.asarray(batch.rba)[rows], np.asarray(batch.length)[rows]
    if not (sizes > LARGEST).any():
        return RecordPlaces(trail.bytes, starts, sizes, ends)
    pieces = np.where(sizes > LARGEST, -(-sizes // PIECE), 1)
    row = np.repeat(np.arange(len(rows)), pieces)
    number = np.arange(len(row)) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    is_last = number == pieces[row] - 1
    offset = PIECE * number
    size = np.where(is_last, sizes[row] - offset, PIECE)
    return RecordPlaces(trail.bytes, starts[row] + offset, size, ends[row] & is_last)

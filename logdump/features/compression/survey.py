"""One run of COMPRESS over files: savings on the network by block, and by image options."""

from __future__ import annotations

import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from collections.abc import Set as AbstractSet
from typing import Generic, NamedTuple, TypeVar

from logdump.features.compression.model import Compression, CompressionShown, ImageSaving, ImagesShown, SurveyedRecords
from logdump.session.events import Event, Progress
from logdump.session.reading import Reading
from logdump.session.selection import Selection
from trailformat.changes.transactions import TransactionRole, role_of
from trailformat.definitions.metadata import TableDefinition
from trailformat.errors import TrailError
from trailformat.records.columns import Columns, Images
from trailformat.records.record import Record
from trailformat.records.record_header import DELETE, PREFIX_SIZES, ROW_TYPES, UNIFIED_PK_UPDATE, UNIFIED_UPDATE
from trailformat.scan import BAD_SPAN, scan
from trailformat.trail.file import TrailFile
from trailformat.trail.row_definitions import RowDefinitions
from trailformat.transactions.whole_trail import note_incomplete

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
        images = _images(record)
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


def _images(record: Record) -> Images | None:
    """Return the images of a record; None if its data are not columns."""
    try:
        return record.images
    except TrailError:
        return None


def _parts_of_data(images: Images | None) -> tuple[int, int]:
    """Return the bytes of values, and of the heads and indicators before them; both 0 without images."""
    columns = (*(images.before or ()), *(images.after or ())) if images else ()
    indicators = sum(_COLUMN_HEAD + min(_INDICATOR, len(column.raw)) for column in columns)
    return sum(max(0, len(column.raw) - _INDICATOR) for column in columns), indicators


DEFAULT_THRESHOLD = 1000
MOST_THRESHOLD = 28_000
LEVELS = (1, 6, 9)
"""The levels tried unless one is given."""
TABLE_LEVEL = 6
"""The level for tables unless one is given."""
SAMPLE = 200
"""Maximum number of blocks tried if neither LEVEL nor SAMPLE is given."""


class _Trial(NamedTuple):
    number: int
    length: int
    sizes: tuple[int, ...]
    seconds: tuple[float, ...]


class Compressor:
    """Sums of blocks, compressed at several levels.

    Args:
        levels: compression levels of zlib.
        threshold: size in bytes above which a block is compressed.
        percent: percentage of those blocks that is tried; None: at most SAMPLE of them, evenly spaced.
    """

    def __init__(
        self, levels: Iterable[int] = LEVELS, threshold: int = DEFAULT_THRESHOLD, percent: int | None = 100
    ) -> None:
        self._levels = tuple(levels)
        self._threshold = threshold
        self._percent = percent
        self._distance = 1
        self._bytes = self._blocks = self._over = self._over_bytes = 0
        self._sample: list[_Trial] = []
        self._tried = self._tried_bytes = 0
        self._sizes, self._seconds = [0] * len(self._levels), [0.0] * len(self._levels)

    def add(self, block: bytes) -> None:
        """Add a block."""
        self._blocks += 1
        self._bytes += len(block)
        if len(block) <= self._threshold:
            return
        number = self._over
        self._over += 1
        self._over_bytes += len(block)
        if self._is_chosen(number):
            trial = self._trial(number, block)
            self._count(trial, 1)
            if self._percent is None:
                self._sample.append(trial)
                self._thin()

    def _is_chosen(self, number: int) -> bool:
        if self._percent is None:
            return number % self._distance == 0
        return (number + 1) * self._percent // 100 > number * self._percent // 100 or not number

    def _trial(self, number: int, block: bytes) -> _Trial:
        """Compress one block at every level. A block that would grow is sent uncompressed."""
        sizes, seconds = [], []
        for level in self._levels:
            begun = time.perf_counter()
            sizes.append(min(len(zlib.compress(block, level)), len(block)))
            seconds.append(time.perf_counter() - begun)
        return _Trial(number, len(block), tuple(sizes), tuple(seconds))

    def _thin(self) -> None:
        """Drop every other block of a sample that is too large."""
        if len(self._sample) <= SAMPLE:
            return
        self._distance *= 2
        for trial in self._sample:
            if trial.number % self._distance:
                self._count(trial, -1)
        self._sample = [trial for trial in self._sample if not trial.number % self._distance]

    def _count(self, trial: _Trial, sign: int) -> None:
        self._tried += sign
        self._tried_bytes += sign * trial.length
        self._sizes = [sum_ + sign * size for sum_, size in zip(self._sizes, trial.sizes, strict=True)]
        self._seconds = [sum_ + sign * seconds for sum_, seconds in zip(self._seconds, trial.seconds, strict=True)]

    def results(self, table: str | None = None) -> list[Compression]:
        """Return the sums so far at each level; ``table`` is the table counted, None for all."""
        below = self._bytes - self._over_bytes
        return [
            Compression(
                table,
                level,
                self._threshold,
                self._bytes,
                below + (round(self._over_bytes * size / self._tried_bytes) if self._tried_bytes else 0),
                self._blocks,
                self._over,
                self._tried,
                self._tried_bytes,
                max(seconds, 0.0),
            )
            for level, size, seconds in zip(self._levels, self._sizes, self._seconds, strict=True)
        ]


DEFAULT_SIZE = 30_000


class Packer:
    """Packs records into blocks of a maximum size."""

    def __init__(self, size: int = DEFAULT_SIZE) -> None:
        self._size = size
        self._parts: list[bytes] = []
        self._length = 0

    def add(self, record: bytes) -> Iterator[bytes]:
        """Add a record; yield the current block first if the record does not fit into it."""
        if self._length + len(record) > self._size:
            yield from self.end()
        self._parts.append(record)
        self._length += len(record)

    def end(self) -> Iterator[bytes]:
        """End the block, if one was begun."""
        if self._parts:
            yield b"".join(self._parts)
        self._parts, self._length = [], 0


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


class _Wire:
    """Blocks of records, and their sums."""

    def __init__(self, options: CompressOptions, *, is_table: bool) -> None:
        level, sample = options.level, options.sample
        levels = (level or TABLE_LEVEL,) if is_table or level is not None else LEVELS
        percent = sample if sample is not None or level is None else 100
        self.packer = Packer(options.block or DEFAULT_SIZE)
        self.compressor = Compressor(levels, threshold_of(options), percent)

    def add(self, record: bytes, *, ends: bool) -> None:
        """Add a record; ``ends`` if its block ends with it."""
        for block in self.packer.add(record):
            self.compressor.add(block)
        if ends:
            self.end()

    def end(self) -> None:
        """End the current block."""
        for block in self.packer.end():
            self.compressor.add(block)


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
        self._wire = _Wire(options, is_table=False)
        self._wires = _ByTable(lambda: _Wire(options, is_table=True))
        self._images = ImageSavings()
        self._images_of = _ByTable(ImageSavings)
        self._records = self._bytes = self._damaged = self._read = 0
        self._is_filtered = False
        self.unreadable = 0

    def take(self, trail: TrailFile) -> Iterator[Event]:
        """Add a file; yield Progress."""
        selection = self._selection_of(trail)
        self._is_filtered = self._is_filtered or selection.is_active
        add = self._image_taker(trail) if self._options.images else self._wire_taker(trail)
        try:
            for batch in scan(trail):
                damage = dict.fromkeys(batch.spans())
                passing = selection.rows(batch)
                for row in range(len(batch)):
                    if row in damage:
                        self._damage(is_bad=int(batch.kind[row]) == BAD_SPAN)
                        note_incomplete(trail, int(batch.rba[row]))
                        continue
                    if not passing[row]:
                        continue
                    record = trail.record_at(int(batch.rba[row]))
                    if record is not None:
                        self._records += 1
                        self._bytes += record.length
                        add(record)
                before, self._read = self._read, self._read + len(batch) - len(damage)
                if len(batch) and self._read // self._notify > before // self._notify:
                    yield Progress(self._read, int(batch.rba[-1]), int(batch.io_time[-1]), trail.size)
        finally:
            self._end_blocks()

    def _damage(self, *, is_bad: bool) -> None:
        self._damaged += is_bad
        self._wire.end()

    def _end_blocks(self) -> None:
        for wire in (self._wire, *self._wires.of.values()):
            wire.end()

    def _wire_taker(self, trail: TrailFile) -> Callable[[Record], None]:
        at_commit, by_table = self._options.at_commit, self._options.by_table

        def add(record: Record) -> None:
            ends = at_commit and not record.is_file_header and _ends(record)
            name = trail.name_of(record) if by_table and not record.is_file_header else ""
            wires = [self._wire, self._wires[name]] if name else [self._wire]
            left = record.length
            for piece in record.pieces():
                left -= len(piece)
                for wire in wires:
                    wire.add(piece, ends=ends and not left)

        return add

    def _image_taker(self, trail: TrailFile) -> Callable[[Record], None]:
        definitions, by_table = self._definitions_of(trail), self._options.by_table
        for images in (self._images, *self._images_of.of.values()):
            images.new_file()

        def add(record: Record) -> None:
            table = None if record.is_file_header else definitions.of(record).table
            self._images.add(record, table)
            if by_table and (name := trail.name_of(record) if not record.is_file_header else ""):
                self._images_of[name].add(record, table)

        return add

    def reading(self) -> Reading:
        """Return the gaps of the reading."""
        return Reading(damaged=self._damaged, unreadable=self.unreadable)

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


def _ends(record: Record) -> bool:
    return TransactionRole.ENDS in role_of(record)

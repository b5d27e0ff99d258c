"""One run of COMPRESS over the records of files: blocks on the wire, or images."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Generic, NamedTuple, TypeVar

from logdump.features.compression.images import ImageSavings
from logdump.features.compression.model import Compression, CompressionShown, ImageSaving, ImagesShown, SurveyedRecords
from logdump.features.compression.wire import DEFAULT_THRESHOLD, LEVELS, TABLE_LEVEL, Compressor
from logdump.session.events import Event, Progress
from logdump.session.reading import Reading
from logdump.session.selection import Selection
from trailformat.changes.transactions import TransactionRole, role_of
from trailformat.records.record import Record
from trailformat.scan import BAD_SPAN, scan
from trailformat.trail.file import TrailFile
from trailformat.trail.row_definitions import RowDefinitions

DEFAULT_SIZE = 30_000


class Packer:
    """Packs records into blocks of a maximum size."""

    def __init__(self, size: int = DEFAULT_SIZE) -> None:
        self._size = size
        self._parts: list[bytes] = []
        self._length = 0

    def add(self, record: bytes) -> Iterator[bytes]:
        """Take a record in; yields the block before it, where that has no room for it."""
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
    """COMPRESSTHRESHOLD, as given or its default."""
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
        """Take a record in, with which a block may end."""
        for block in self.packer.add(record):
            self.compressor.add(block)
        if ends:
            self.end()

    def end(self) -> None:
        """End the current block."""
        for block in self.packer.end():
            self.compressor.add(block)


class CompressSurvey:
    """Takes files in, in the order of the trail.

    Args:
        options: what is wanted.
        selection_of: the records of a file that count.
        definitions_of: the definitions of a file's rows.
        notify: records between two reports of progress.
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
        """Take a file in; yields Progress."""
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
        for one in self._results(title, is_partial=is_partial):
            if isinstance(one, Compression):
                yield one._replace(is_partial=is_partial)
            elif not (is_partial and isinstance(one, ImageSaving) and not one.records):
                yield one

    def _results(self, title: str, *, is_partial: bool) -> Iterator[Event]:
        surveyed = SurveyedRecords(title, self._records, self._bytes, self._damaged, self._is_filtered, is_partial)
        options = self._options
        if options.images:
            yield ImagesShown(surveyed, dict(self._images.parts), len(self._images_of.others))
            yield from self._images.savings()
            for name, images in self._images_of.of.items():
                yield from (one for one in images.savings(name) if one.records)
            return
        others = len(self._wires.others)
        block = options.block or DEFAULT_SIZE
        yield CompressionShown(surveyed, block, threshold_of(options), options.at_commit, others)
        yield from self._wire.compressor.results()
        found = [one for name, wire in self._wires.of.items() for one in wire.compressor.results(name)]
        yield from sorted(found, key=lambda one: (-one.bytes, one.table))


def _ends(record: Record) -> bool:
    return TransactionRole.ENDS in role_of(record)

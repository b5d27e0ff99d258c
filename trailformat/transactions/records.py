"""The records of transactions of a whole trail, read wherever they stand."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import NamedTuple, Self

from trailformat.changes.transactions import is_transactional
from trailformat.codec.byte_order import ByteOrder
from trailformat.errors import CannotRead, TrailError
from trailformat.records.record import Record
from trailformat.trail.file import TrailFile
from trailformat.trail.row_definitions import RowDefinitions
from trailformat.trail.sequence import Spot
from trailformat.transactions.whole_trail import TrailPosition, WholeTrail

_MOST_OPEN = 4
_CHUNK = 1 << 20


class TransactionRecord(NamedTuple):
    """A record of a transaction, its file while that is open, and the definitions of the rows there."""

    place: TrailPosition
    trail: TrailFile
    record: Record
    definitions: RowDefinitions

    @property
    def spot(self) -> Spot:
        """Its position."""
        return Spot(self.trail.path, self.place.rba)

    def is_same(self, other: TransactionRecord, *, with_columns: bool = False) -> bool:
        """Whether two records have the same bytes, which mean the same table; with the same columns where wanted."""
        record, like = self.record, other.record
        if record.order is not like.order or not record.has_bytes_of(like):
            return False
        if self.trail.name_of(record) != other.trail.name_of(like):
            return False
        return not with_columns or self.definitions.of(record) == other.definitions.of(like)


class TransactionRecords:
    """Reads records of transactions; few files are open at a time. Used as a context manager.

    Args:
        whole: the trail.
        definitions_of: gives the definitions of the rows of a file.
    """

    def __init__(
        self, whole: WholeTrail, definitions_of: Callable[[TrailFile], RowDefinitions] = RowDefinitions
    ) -> None:
        self._whole = whole
        self._definitions_of = definitions_of
        self._open: OrderedDict[int, tuple[TrailFile, RowDefinitions]] = OrderedDict()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the files; they are opened again when they are needed."""
        while self._open:
            self._open.popitem()[1][0].close()

    def at(self, place: TrailPosition) -> TransactionRecord:
        """The record at a place where one is.

        Raises:
            TrailError: there is none any more.
        """
        trail, definitions = self._file(place.ordinal)
        record = trail.record_at(place.rba)
        if record is None:
            raise CannotRead("the file ends here now", path=trail.path, rba=place.rba)
        return TransactionRecord(place, trail, record, definitions)

    def with_file(self, place: TrailPosition, record: Record) -> TransactionRecord:
        """A record that was read before, with its file, which may have been closed meanwhile."""
        trail, definitions = self._file(place.ordinal)
        return TransactionRecord(place, trail, record, definitions)

    def of(self, first: TrailPosition, records: int) -> Iterator[TransactionRecord]:
        """The first ``records`` records of a transaction, over its files; damage is skipped."""
        for ordinal in range(first.ordinal, len(self._whole)):
            rba: int | None = first.rba if ordinal == first.ordinal else self._file(ordinal)[0].first_rba
            while rba is not None:
                trail, definitions = self._file(ordinal)
                try:
                    record = trail.record_at(rba)
                except TrailError:
                    rba = trail.next_good_header(rba + 1)
                    continue
                if record is None:
                    break
                if is_transactional(record):
                    yield TransactionRecord(TrailPosition(ordinal, rba), trail, record, definitions)
                    records -= 1
                    if not records:
                        return
                rba += record.length

    def meaning_at(self, place: TrailPosition) -> tuple[ByteOrder | None, str, int]:
        """What bytes from a place on depend on: byte order and character set, and the definitions in force there."""
        trail, definitions = self._file(place.ordinal)
        return trail.order, definitions.charset_at(place.rba), trail.tables.meaning_at(place.rba)

    def run(self, first: TrailPosition, after: TrailPosition) -> Iterator[bytes]:
        """The bytes from one place of a file to another in it, in chunks.

        Raises:
            TrailError: they are not there any more.
        """
        for start in range(first.rba, after.rba, _CHUNK):
            yield self._file(first.ordinal)[0].bytes[start : min(start + _CHUNK, after.rba)]

    def _file(self, ordinal: int) -> tuple[TrailFile, RowDefinitions]:
        if ordinal not in self._open:
            trail = TrailFile(self._whole.paths[ordinal])
            self._open[ordinal] = trail, self._definitions_of(trail)
            if len(self._open) > _MOST_OPEN:
                self._open.popitem(last=False)[1][0].close()
        self._open.move_to_end(ordinal)
        return self._open[ordinal]

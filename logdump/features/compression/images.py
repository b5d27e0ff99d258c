"""Savings of image options in a trail: bytes by part, and columns that a record need not carry.

Each estimate counts the records it could judge: those whose columns come apart, with the key known from a definition
where it needs the key. Columns that are not in the trail are not guessed: what NOCOMPRESSUPDATES would add is not
known.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from logdump.features.compression.model import ImageSaving
from trailformat.definitions.metadata import TableDefinition
from trailformat.errors import TrailError
from trailformat.records.columns import Columns
from trailformat.records.images import PREFIX_SIZES, ROW_TYPES, Images
from trailformat.records.io_types import DELETE, UNIFIED_PK_UPDATE, UNIFIED_UPDATE
from trailformat.records.record import Record

_COLUMN_HEAD = 4
_INDICATOR = 2
_UNIFIED = frozenset({UNIFIED_UPDATE, UNIFIED_PK_UPDATE})

PARTS = ("frames", "headers", "tokens", "user tokens", "indicators", "values", "other data")
"""The parts that the bytes of a record are counted by; ``indicators`` are heads and indicators of columns."""


def _length(columns: Columns | None, kept: AbstractSet[int]) -> int:
    """The bytes of the columns that are not kept."""
    return sum(_COLUMN_HEAD + len(column.raw) for column in columns or () if column.index not in kept)


def _keys(definition: TableDefinition | None) -> frozenset[int] | None:
    if definition is None:
        return None
    return frozenset(index for index, column in enumerate(definition.columns) if column.is_key)


def _unchanged(images: Images) -> set[int]:
    """The columns that both images have, with the same bytes."""
    before = {column.index: column.raw for column in images.before or ()}
    return {column.index for column in images.after or () if before.get(column.index) == column.raw}


def _before_of_updates(images: Images, keys: frozenset[int]) -> int:
    """A unified update without the columns before that are no key and do not change."""
    changed = {column.index for column in images.after or ()} - _unchanged(images)
    return _length(images.before, keys | changed)


def _after_of_updates(images: Images, keys: frozenset[int]) -> int:
    """An update without the columns after that are no key and do not change: COMPRESSUPDATES."""
    after = {column.index for column in images.after or ()}
    return _length(images.after, keys | (after - _unchanged(images)))


def _deletes(images: Images, keys: frozenset[int]) -> int:
    """A delete with its key alone: COMPRESSDELETES."""
    return _length(images.before, keys)


def _null_filler(images: Images, _: frozenset[int]) -> int:
    """The bytes after the indicator of a NULL."""
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
"""The options, each with the types of records that it is about."""
REPEATED = "definitions: once in a file"
"""The saving of definitions that are in a file repeatedly, which no option omits."""


class ImageSavings:
    """Adds records up.

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
        """Begin another file: definitions have to be written in each."""
        self._definitions.clear()

    def add(self, record: Record, definition: TableDefinition | None) -> None:
        """Take in a record; ``definition`` holds the key of its table."""
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
    """The images of a record; None of data that are no columns."""
    try:
        return record.images
    except TrailError:
        return None


def _parts_of_data(images: Images | None) -> tuple[int, int]:
    """Bytes of values, and of the heads and indicators in front of them; both 0 for data that are no columns."""
    columns = (*(images.before or ()), *(images.after or ())) if images else ()
    indicators = sum(_COLUMN_HEAD + min(_INDICATOR, len(column.raw)) for column in columns)
    return sum(max(0, len(column.raw) - _INDICATOR) for column in columns), indicators

"""Detection of encrypted rows, from the first rows of a file; the result is kept as long as the file is open.

Headers, names and tokens stay readable in a trail whose data is encrypted. docs/robustness.md has the rule in figures.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import NamedTuple
from weakref import WeakKeyDictionary

from trailformat.changes.full_images import split_full_image
from trailformat.definitions.metadata import TableDefinition
from trailformat.errors import TrailError
from trailformat.records.columns import NULL, PRESENT
from trailformat.records.images import PREFIX_SIZES, ROW_TYPES
from trailformat.records.record import Record
from trailformat.trail.file import TrailFile
from trailformat.trail.row_definitions import RowDefinitions

ROWS = 200
"""The rows of a whole sample."""
MOST_RECORDS = 1000
"""The records among which they are looked for."""
FEWEST_ROWS, FEWEST_BYTES = 10, 1000
"""A smaller sample decides nothing."""
MOST_APART = 0.05
"""The part of the rows that may come apart into columns."""
INCOMPRESSIBLE = 1.05
"""The ratio of compression below which bytes do not compress."""

_ROW_BYTES = 1024
_LARGEST = 1 << 16
_TYPES = ROW_TYPES | PREFIX_SIZES.keys()


class RowSample(NamedTuple):
    """The first rows of a file, no more than decide.

    Attributes:
        rows: how many there are.
        apart: those whose data come apart into columns.
        other: the data of the others, each without what goes beyond a kilobyte.
    """

    rows: int
    apart: int
    other: bytes

    @property
    def ratio(self) -> float:
        """The bytes of the others for one of their Huffman code: above 1 where some bytes are more frequent."""
        coder = zlib.compressobj(wbits=-zlib.MAX_WBITS, strategy=zlib.Z_HUFFMAN_ONLY)
        return len(self.other) / len(coder.compress(self.other) + coder.flush())

    @property
    def looks_encrypted(self) -> bool:
        """True if almost no row can be split, and the others do not compress."""
        is_enough = self.rows >= FEWEST_ROWS and len(self.other) >= FEWEST_BYTES
        return is_enough and self.apart <= MOST_APART * self.rows and self.ratio < INCOMPRESSIBLE

    @property
    def is_whole(self) -> bool:
        """True if more rows would not change the result."""
        return self.rows == ROWS or self.apart > MOST_APART * ROWS


_known: WeakKeyDictionary[TrailFile, bool] = WeakKeyDictionary()
"""What whole samples have said; a file that grows may still get more rows."""


def looks_encrypted(trail: TrailFile) -> bool:
    """Return True if the record data of a file looks encrypted; False if there are too few rows."""
    if (known := _known.get(trail)) is not None:
        return known
    sample = row_sample(trail)
    if sample.is_whole:
        _known[trail] = sample.looks_encrypted
    return sample.looks_encrypted


def row_sample(trail: TrailFile) -> RowSample:
    """Return the first rows of a file, up to damage, or until enough could be split to decide."""
    definitions, sample = RowDefinitions(trail), RowSample(0, 0, b"")
    for record in _rows(trail):
        is_apart = _comes_apart(record, definitions)
        other = sample.other if is_apart else sample.other + record.data[:_ROW_BYTES]
        sample = RowSample(sample.rows + 1, sample.apart + is_apart, other)
        if sample.is_whole:
            break
    return sample


def _rows(trail: TrailFile) -> Iterator[Record]:
    """Yield the rows among the first records: with data, neither large nor continued in other records."""
    rba, is_part = trail.first_rba, False
    for _ in range(MOST_RECORDS):
        try:
            length = trail.record_length(rba)
            if not length:
                return
            record = trail.record_at(rba) if length <= _LARGEST else None
            if record is None or record.is_file_header:
                is_part = record is None
            else:
                header = record.header
                if not is_part and not header.continued and header.io_type in _TYPES and record.data:
                    yield record
                is_part = bool(header.continued)
        except TrailError:
            return
        rba += length


def _comes_apart(record: Record, definitions: RowDefinitions) -> bool:
    """Return True if the data of a row are columns, each with an indicator in a full image."""
    try:
        if record.images is not None:
            return True
        table = definitions.of(record).table
        return table is not None and _is_full_image(record, table)
    except TrailError:
        return False


def _is_full_image(record: Record, table: TableDefinition) -> bool:
    columns = split_full_image(record.data, table, record.order, record.header.syskey_len)
    return bool(columns) and all(column.raw[:2] in (NULL, PRESENT) for column in columns)

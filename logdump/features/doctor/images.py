"""The columns in the images of each table, and before images of updates without an after image."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from logdump.features.doctor.model import KeyLack, OpImages, TableImages, Unexplained
from trailformat import TrailFile, io_type_name
from trailformat.arrays import locate_columns
from trailformat.changes.row_changes import FULL, OPERATIONS, Half, is_unknown
from trailformat.native.scan.arguments import ABSENT, GOOD
from trailformat.scan import FILE_HEADER, RECORD, Batch
from trailformat.scan.rows import (
    UNKNOWN,
    RowBytes,
    by_definition,
    halves_of,
    has_columns,
    has_unknown_tokens,
    headers_of,
    learn_definitions,
    metadata_rows,
    related_rows,
)
from trailformat.scan.rows.row_bytes import Array
from trailformat.trail.row_definitions import RowDefinition, RowDefinitions
from trailformat.trail.sequence import FilePosition

_SIDES = ("before", "after")
_WORDS = ("INSERT", "UPSERT", "UPDATE", "PK UPDATE", "DELETE")
_OPS = ("INSERT", "UPSERT", "UPDATE", "UPDATE", "DELETE")
_NUMBERS = np.array([_WORDS.index(OPERATIONS[n]) if OPERATIONS.get(n) in _WORDS else -1 for n in range(256)])
_IS_FULL = np.array([number in FULL for number in range(256)])
_IS_UNKNOWN = np.array([is_unknown(number) for number in range(256)])
_UNKNOWN_TYPES = "whose effect is not known"
_MOST_NAMES = 5
_UNKNOWN_TOKENS = "with GGS tokens that are not known: the values may be parts of those in the row"
_BEFORE = ord("B")
_MOST_BYTES, _MOST_CELLS = 1 << 24, 1 << 21
"""Maximum bytes of rows, and maximum rows times columns, processed at a time."""
_NOWHERE = FilePosition(Path(), -1)
_MOST_LONE = 20
"""Maximum number of before images without an after image whose position is kept."""


@dataclass
class _Tally:
    """The images of one side of one operation of a table."""

    records: int = 0
    least: int = 1 << 62
    most: int = 0
    whole: int = 0
    keys: int = 0
    position: FilePosition = _NOWHERE

    def add(self, numbers: Array, key_numbers: Array, whole: tuple[int, int], path: Path, rbas: Array) -> None:
        """Add the images of some records at ``rbas``.

        Args:
            numbers: the columns in each image.
            key_numbers: those of them that are of the key.
            whole: the columns of the table, and those of its key.
            path: the file of the records.
            rbas: their RBAs.
        """
        columns, keys = whole
        least = int(numbers.argmin())
        self.records += len(numbers)
        if int(numbers[least]) < self.least:
            self.least, self.position = int(numbers[least]), FilePosition(path, int(rbas[least]))
        self.most = max(self.most, int(numbers.max()))
        self.whole += int(np.count_nonzero(numbers == columns))
        if keys:
            self.keys += int(np.count_nonzero((numbers == keys) & (key_numbers == keys)))


@dataclass
class _Table:
    """The images of one table by operation and side, and the records that lack key columns by operation."""

    position: FilePosition
    columns: int = 0
    keys: tuple[str, ...] = ()
    sides: dict[tuple[str, str], _Tally] = field(default_factory=dict)
    lacks: dict[str, KeyLack] = field(default_factory=dict)

    def begin(self, position: FilePosition) -> None:
        """Note a row, if it is the first: those of several definitions in one file come in no order."""
        if position.path == self.position.path and position.rba < self.position.rba:
            self.position = position


class ImageSurvey:
    """Collects the images in the files of a trail, batch by batch, in trail order.

    Args:
        definitions_of: returns the row definitions of a file.

    Attributes:
        lone: positions of the first before images of updates without an after image.
        lone_number: number of all such images.
    """

    def __init__(self, definitions_of: Callable[[TrailFile], RowDefinitions]) -> None:
        self._definitions_of = definitions_of
        self.lone: list[FilePosition] = []
        self.lone_number = 0
        self._tables: dict[str, _Table] = {}
        self._open: tuple[FilePosition, int] | None = None
        self._unexplained: dict[str, Unexplained] = {}
        self._unknown_types = Counter[str]()
        self._of: tuple[TrailFile, RowDefinitions] | None = None

    def take(self, trail: TrailFile, batch: Batch) -> None:
        """Add a batch."""
        if self._of is None or self._of[0] is not trail:
            self._of = trail, self._definitions_of(trail)
        learn_definitions(trail, batch)
        self._take_pairs(trail, batch)
        is_record, io_type = np.asarray(batch.kind) == RECORD, np.asarray(batch.io_type)
        unknown = np.flatnonzero(is_record & _IS_UNKNOWN[io_type])
        self._unknown_types.update(map(io_type_name, io_type[unknown].tolist()))
        self._explain_not(_UNKNOWN_TYPES, trail, np.asarray(batch.rba)[unknown])
        numbers = np.flatnonzero(is_record & (_NUMBERS[io_type] >= 0))
        if len(numbers):
            definitions = self._of[1]
            for rows in RowBytes.chunks(trail.buffer, batch, numbers, _MOST_BYTES):
                self._take_rows(trail, definitions, rows)

    def unexplained(self) -> Iterator[Unexplained]:
        """Yield the records of unknown types, and the rows with unknown tokens."""
        for reason, unexplained in self._unexplained.items():
            if reason != _UNKNOWN_TYPES:
                yield unexplained
                continue
            names = [f"{name} {number:,}" for name, number in self._unknown_types.most_common(_MOST_NAMES)]
            more = len(self._unknown_types) - len(names)
            names += [f"{more} more types"] if more else []
            counts = tuple(self._unknown_types.items())
            yield unexplained._replace(reason=f"{reason}: {', '.join(names)}", counts=counts)

    def _explain_not(self, reason: str, trail: TrailFile, rbas: Array) -> None:
        """Count records of which the effect is not known, for a reason."""
        if len(rbas):
            known = self._unexplained.get(reason, Unexplained(0, reason, FilePosition(trail.path, int(rbas[0]))))
            self._unexplained[reason] = known._replace(records=known.records + len(rbas))

    def tables(self) -> Iterator[TableImages]:
        """Yield the images of each table, in the order of first rows."""
        for name, table in self._tables.items():
            images = tuple(
                OpImages(op, side, tally.records, tally.least, tally.most, tally.whole, tally.keys, tally.position)
                for (op, side), tally in sorted(table.sides.items(), key=_order)
            )
            yield TableImages(name, table.columns, table.keys, images, table.position, tuple(table.lacks.values()))

    def _take_rows(self, trail: TrailFile, definitions: RowDefinitions, rows: RowBytes) -> None:
        self._explain_not(_UNKNOWN_TOKENS, trail, rows.of("rba")[has_unknown_tokens(rows)])
        headers = headers_of(rows)
        rows = rows.subset(np.flatnonzero(~headers.is_continued))
        groups = by_definition(rows, headers.table_index[~headers.is_continued])
        for number, first in enumerate(groups.firsts.tolist()):
            known = definitions.of(rows.record(first))
            if known.table is None or not known.table.columns:
                continue
            members = np.flatnonzero(groups.group == number)
            most = max(1, _MOST_CELLS // len(known.table.columns))
            for start in range(0, len(members), most):
                self._take_group(trail, known, rows.subset(members[start : start + most]))

    def _take_group(self, trail: TrailFile, known: RowDefinition, rows: RowBytes) -> None:
        columns = known.table.columns if known.table is not None else ()
        rbas = rows.of("rba")
        table = self._tables.setdefault(known.name, _Table(FilePosition(trail.path, int(rbas[0]))))
        table.begin(FilePosition(trail.path, int(rbas[0])))
        keys = np.array([index for index, column in enumerate(columns) if column.is_key], np.int64)
        table.columns, table.keys = len(columns), tuple(columns[index].name for index in keys.tolist())
        spans = locate_columns(rows, len(columns))
        images = [image.sizes != ABSENT for image in (spans.before, spans.after)]
        io_type, is_before = rows.of("io_type"), rows.of("before_after") == _BEFORE
        is_full = ~has_columns(rows) & _IS_FULL[io_type] & (rows.of("data_size") > 0)
        for image, is_side in zip(images, (is_before, ~is_before), strict=True):
            image[:, is_full & is_side] = True
        is_read = is_full | ((spans.states == GOOD) & has_columns(rows))
        sides = [(np.count_nonzero(image, axis=0), np.count_nonzero(image[keys], axis=0)) for image in images]
        has_keys = (images[0] | images[1])[keys]
        has_all_keys = has_keys.all(axis=0)
        numbers = np.where(is_read, _NUMBERS[io_type], -1)
        for number in np.flatnonzero(np.bincount(numbers[numbers >= 0])).tolist():
            op, of_op = _OPS[number], numbers == number
            for side, (in_image, in_key) in zip(_SIDES, sides, strict=True):
                rows_of_side = np.flatnonzero(of_op & (in_image > 0))
                if len(rows_of_side):
                    tally = table.sides.setdefault((op, side), _Tally())
                    counted = in_image[rows_of_side], in_key[rows_of_side]
                    tally.add(*counted, (len(columns), len(keys)), trail.path, rbas[rows_of_side])
            lacking = np.flatnonzero(of_op & ~has_all_keys)
            if len(lacking):
                self._take_lack(table, op, FilePosition(trail.path, int(rbas[lacking[0]])), has_keys[:, lacking])

    def _take_lack(self, table: _Table, op: str, position: FilePosition, present: Array) -> None:
        """Note records without all key columns; ``present`` is a mask of the key columns that they have."""
        names = [name for name, has in zip(table.keys, np.all(present, axis=1), strict=True) if not has]
        known = table.lacks.get(op, KeyLack(op, 0, (), position))
        columns = tuple(dict.fromkeys((*known.columns, *names)))
        table.lacks[op] = known._replace(records=known.records + present.shape[1], columns=columns)

    def _take_pairs(self, trail: TrailFile, batch: Batch) -> None:
        """Find before images of updates without an after image, in this batch and at the end of the one before.

        One before damage is not counted, because the damage may have been its after image.
        """
        kind, io_type, half = np.asarray(batch.kind), np.asarray(batch.io_type), halves_of(batch)
        places = np.flatnonzero(~metadata_rows(batch) & (kind != FILE_HEADER))
        if not len(places):
            return
        if self._open is not None:
            (position, open_type), first = self._open, int(places[0])
            is_after = io_type[first] == open_type and half[first] == Half.SECOND
            if kind[first] == RECORD and not is_after:
                self._note(position)
            self._open = None
        is_half = half == Half.FIRST
        if not is_half.any():
            return
        other, is_damage = related_rows(batch).other, np.append(kind[places[1:]] != RECORD, False)
        for row in np.flatnonzero(is_half & (other < 0)).tolist():
            position = FilePosition(trail.path, int(batch.rba[row]))
            if other[row] == UNKNOWN:
                self._open = position, int(io_type[row])
            elif not is_damage[np.searchsorted(places, row)]:
                self._note(position)

    def _note(self, position: FilePosition) -> None:
        self.lone_number += 1
        if len(self.lone) < _MOST_LONE:
            self.lone.append(position)


def _order(item: tuple[tuple[str, str], _Tally]) -> tuple[int, int]:
    (op, side), _ = item
    return _OPS.index(op), _SIDES.index(side)

"""The transactions of a script, from a position of a trail on, in trail order or backwards.

For transactions that are undone only positions are kept, 20 bytes each; nothing else grows with the trail.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np

from logdump.session.selection import Selection
from trailformat import NotATrail, Record, TrailError, TrailFile
from trailformat.changes.row_changes import ChangeSource, Half, half_of, is_change
from trailformat.records.record_header import LARGE_OBJECT, Transaction
from trailformat.scan import scan
from trailformat.scan.position import NEARBY
from trailformat.scan.rows.row_bytes import Array
from trailformat.trail.row_definitions import RowDefinitions
from trailformat.trail.sequence import FilePosition, next_file, previous_file
from trailformat.transactions.around import start_at
from trailformat.transactions.extent import Damage, Extent, Restart, Walked
from trailformat.transactions.extent_columns import PlainTransactions
from trailformat.transactions.extents import TransactionWalk
from trailformat.transactions.not_applied import NotApplied

_MOST_OPEN = 3
"""Maximum number of other open files: two for an update in two records, and one for the records read in between."""


class ScriptFile(NamedTuple):
    """A file, its filter and the definitions of its rows."""

    trail: TrailFile
    definitions: RowDefinitions
    selection: Selection | None


class FileChanges(NamedTuple):
    """A part of a file with changes of one transaction.

    Attributes:
        path: the file.
        start, stop: the RBA of the first change that begins in the file, and the end of the part; equal if none does.
        continued: the records before ``start`` that continue the last change of the previous file; of consecutive
            pieces of large objects after a row only the first.
    """

    path: Path
    start: int
    stop: int
    continued: tuple[Record, ...] = ()


class ScriptFiles:
    """Opens the files of a trail.

    Args:
        trail: one of them, open; it stays open.
        selection_in: returns the selection of a file; None without a filter.
        definitions_of: returns the definitions of a file's rows.
    """

    def __init__(
        self,
        trail: TrailFile,
        selection_in: Callable[[TrailFile], Selection] | None,
        definitions_of: Callable[[TrailFile], RowDefinitions],
    ) -> None:
        self._selection_in = selection_in
        self._definitions_of = definitions_of
        self._own = self._file(trail)
        self._others: dict[Path, ScriptFile] = {}

    def _file(self, trail: TrailFile) -> ScriptFile:
        selection = self._selection_in(trail) if self._selection_in is not None else None
        return ScriptFile(trail, self._definitions_of(trail), selection)

    def of(self, path: Path | None) -> ScriptFile:
        """Return the file with this path, opening it if needed; None is the open file.

        Raises:
            NotATrail: the file cannot be opened, or is not a trail file.
            CannotRead: reading it has failed.
        """
        if path is None or path == self._own.trail.path:
            return self._own
        file = self._others.pop(path, None)
        if file is None:
            while len(self._others) >= _MOST_OPEN:
                self._others.pop(next(iter(self._others))).trail.close()
            file = self._file(TrailFile(path))
        self._others[path] = file
        return file

    def extents(self, stretch: ScriptStretch) -> list[Extent]:
        """Return the transactions of a stretch, one by one."""
        return stretch.extents(self.of(stretch.path).trail)

    def close(self) -> None:
        """Close the files that were opened here."""
        while self._others:
            self._others.popitem()[1].trail.close()

    @property
    def is_filtered(self) -> bool:
        """True if a filter is active."""
        return self._own.selection is not None and self._own.selection.is_active

    def accepts(self, record: Record) -> bool:
        """Return True if a record passes the filter."""
        selection = self.of(record.path).selection
        return selection is None or selection.accepts(record)

    def passing(self, stretch: ScriptStretch) -> Array:
        """Return whether a change of each transaction passes the filter; of one that cannot be read it may."""
        source = stretch.source
        if isinstance(source, Extent):
            return np.array([self._has_passing(source)])
        file, begins = self.of(source.path), np.asarray(source.begins)
        of_rows, of_pieces = np.zeros((2, len(stretch)), bool)
        for batch in scan(file.trail, int(begins[0]), stop=int(source.lasts[-1]) + 1):
            is_passing = np.ones(len(batch.rba), bool) if file.selection is None else file.selection.rows(batch)
            for found, of_type in ((of_rows, _IS_ROW), (of_pieces, _IS_PIECE)):
                rbas = np.asarray(batch.rba)[np.asarray(is_passing) & of_type[np.asarray(batch.io_type)]]
                found[np.searchsorted(begins, rbas, side="right") - 1] = True
        return np.where(source.number_of(_IS_ROW) > 0, of_rows, of_pieces)

    def _has_passing(self, extent: Extent) -> bool:
        with suppress(TrailError):
            for part in self.changes_by_file(extent, is_backwards=False):
                records = chain(part.continued, _changes(self.of(part.path).trail, part.start, part.stop))
                if any(self.accepts(record) for record in records if not _is_piece(record)):
                    return True
            return False
        return True

    def source(self, transaction: Transaction) -> Callable[[Record], ChangeSource]:
        """Return the source of facts about the records of one transaction."""

        def source_of(record: Record) -> ChangeSource:
            file = self.of(record.path)
            return ChangeSource(file.trail, file.definitions, lambda _: transaction)

        return source_of

    def changes_by_file(self, extent: Extent, *, is_backwards: bool) -> Iterator[FileChanges]:
        """Yield the parts of files with the changes of a transaction that has some, the last first if ``is_backwards``.

        Raises:
            TrailError: the transaction has damage; the part up to it is yielded first.
        """
        first, last = extent.first, extent.last
        if first is None or last is None:
            return
        origin = self._first_change(first)
        path: Path | None = last.path
        final, neighbour_of = origin.path, previous_file
        if not is_backwards:
            path, final, neighbour_of = final, path, next_file
        while True:
            trail = self.of(path).trail
            start, stop = origin.rba if path == origin.path else 0, trail.refresh()
            stop = last.rba + 1 if path == last.path else stop
            damages = [damage for damage in extent.damage if damage.path == path and start <= damage.rba < stop]
            if damages and is_backwards:
                start = damages[-1].rba + damages[-1].length
            elif damages:
                stop = damages[0].rba
            is_continued = path != origin.path and not start
            yield _changes_of_file(trail, start, stop, origin if is_continued else None)
            if damages:
                trail.record_at(damages[-1 if is_backwards else 0].rba)
            if path == final:
                return
            path = _neighbour(neighbour_of(trail.path))

    def _first_change(self, first: FilePosition) -> Record:
        """Return the first record at or after a position that is a change or part of one."""
        path, rba = first
        while (record := next(_changes(self.of(path).trail, rba), None)) is None:
            path, rba = _neighbour(next_file(path)), 0
        return record


def _changes(trail: TrailFile, start: int, stop: int | None = None) -> Iterator[Record]:
    """Yield the records that are changes or parts of one."""
    for record in trail.records(start, stop):
        if not record.is_file_header and is_change(record.header.io_type):
            yield record


def _changes_of_file(trail: TrailFile, start: int, stop: int, origin: Record | None) -> FileChanges:
    """Return the changes in a part of a file; ``origin`` is the first change of a transaction that continues in it."""
    continued: list[Record] = []
    for record in _changes(trail, start, stop):
        is_piece = _is_piece(record)
        is_second = half_of(record) is Half.SECOND and all(map(_is_piece, continued))
        if origin is None or not (is_piece or is_second):
            return FileChanges(trail.path, record.rba, stop, tuple(continued))
        if not (is_piece and continued and _is_piece(continued[-1])) or _is_piece(origin):
            continued.append(record)
    return FileChanges(trail.path, stop, stop, tuple(continued))


def _is_piece(record: Record) -> bool:
    return record.header.io_type == LARGE_OBJECT


def _neighbour(neighbour_of: tuple[Path | None, Path | None]) -> Path:
    """Return the file before or after another one.

    Raises:
        NotATrail: the file no longer exists.
    """
    path, missing = neighbour_of
    if path is None:
        raise NotATrail("the file is missing, and a transaction continues in it", path=missing)
    return path


_MANY_RECORDS = 1 << 15
"""Records up to which neighbouring transactions are read again together."""


class ScriptReach(NamedTuple):
    """The part of a trail that a script covers.

    Attributes:
        not_applied: the transactions that a Replicat does not apply; None: copies are not detected.
        later: the files after the open one in which transactions may begin, in order; it may raise at a missing file.
            None: transactions begin in the open file only.
        following: returns the next file after one, and the name of a missing file between them, like ``next_file``.
        counts_passing: True if transactions of which no change passes the filter are not counted.
    """

    not_applied: NotApplied | None = None
    later: Iterator[Path] | None = None
    following: Callable[[Path], tuple[Path | None, Path | None]] = next_file
    counts_passing: bool = False


_IS_ROW, _IS_PIECE = (
    np.array([is_change(number) and (number == LARGE_OBJECT) == is_piece for number in range(256)])
    for is_piece in (False, True)
)


class ScriptStretch:
    """Neighbouring transactions of a script, in trail order: one, or plain ones of one file.

    Args:
        source: the transactions.
        changes: the number of the records of each with changes, as ``changes_in`` counts them.

    Attributes:
        source, changes: as given.
    """

    def __init__(self, source: PlainTransactions | Extent, changes: Array) -> None:
        self.source, self.changes = source, changes
        self._extents: list[Extent] | None = None

    @classmethod
    def of(cls, source: PlainTransactions | Extent) -> ScriptStretch:
        """Return transactions with the number of their changes."""
        if isinstance(source, Extent):
            return cls(source, np.array([changes_in(source)]))
        rows = source.number_of(_IS_ROW)
        return cls(source, np.where(rows > 0, rows, source.number_of(_IS_PIECE)))

    def __len__(self) -> int:
        return len(self.changes)

    def take(self, indexes: Array | slice) -> ScriptStretch:
        """Return some of the transactions, in trail order."""
        source, changes = self.source, self.changes[indexes]
        return ScriptStretch(source.take(indexes) if isinstance(source, PlainTransactions) else source, changes)

    @property
    def path(self) -> Path | None:
        """The file that has all records of the transactions, without damage; None if there is none."""
        if isinstance(self.source, PlainTransactions):
            return self.source.path
        first, last = self.source.first, self.source.last
        is_alone = first is not None and last is not None and first.is_in(last.path) and not self.source.damage
        return first.path if first is not None and is_alone else None

    @property
    def times(self) -> Array:
        """The IO Time (Julian) of the first record of each."""
        source = self.source
        return np.array([source.first_moment.time]) if isinstance(source, Extent) else source.times

    def extents(self, trail: TrailFile) -> list[Extent]:
        """Return the transactions one by one; ``trail`` is the file of plain ones."""
        if self._extents is None:
            self._extents = [self.source] if isinstance(self.source, Extent) else self.source.extents(trail)
        return self._extents

    @cached_property
    def bounds(self) -> tuple[Array, Array]:
        """The RBA of the first known record of each, and one more than that of the last."""
        if isinstance(self.source, PlainTransactions):
            return self.source.begins, self.source.lasts + 1
        first, last = self.source.first, self.source.last
        start, stop = (first.rba, last.rba + 1) if first is not None and last is not None else (0, 0)
        return np.array([start]), np.array([stop])


class ScriptWalk:
    """Walks over the transactions of a script that have changes.

    Args:
        trail: the open file.
        files: the files.
        reach: the part of the trail that the script covers.

    Attributes:
        end: the end of the last transaction, in a file where transactions may begin; None before one.
    """

    def __init__(self, trail: TrailFile, files: ScriptFiles, reach: ScriptReach) -> None:
        self._trail = trail
        self._files = files
        self._reach = reach
        self._ordinals = {trail.path: 0}
        self._last = trail.path
        self._missing: Path | None = None
        self._damage: Damage | None = None
        self.end: FilePosition | None = None

    def stretches(self, rba: int, transactions: int | None, *, is_backwards: bool) -> Iterator[ScriptStretch | Walked]:
        """Yield the transactions from the one that is open at ``rba`` on, or the next one; at most ``transactions``.

        Backwards each stretch is to be read from its end.

        Raises:
            TrailError: there is damage, whose lost records are unknown. Nothing is undone across it.
        """
        passing = self._files.passing if self._reach.counts_passing and self._files.is_filtered else None
        wanted = self._noted(_first_ones(self._stretches(rba), transactions, passing))
        yield from self._last_first(wanted) if is_backwards else wanted
        self._fail_at_damage()

    def ends(self, stretch: ScriptStretch, *, is_backwards: bool) -> Array:
        """Return the RBA at which the script ends after each transaction of the stretch that was yielded last."""
        source = stretch.source
        if isinstance(source, PlainTransactions) and source.path in self._ordinals and not is_backwards:
            return source.afters
        return np.full(len(stretch), self.end.rba if self.end is not None else 0)

    def _noted(self, stretches: Iterator[ScriptStretch | Walked]) -> Iterator[ScriptStretch | Walked]:
        """Yield the items, each once its end is noted."""
        for stretch in stretches:
            if isinstance(stretch, ScriptStretch):
                self.end = self._end_of(stretch.source)
            yield stretch

    def _stretches(self, rba: int) -> Iterator[ScriptStretch | Walked]:
        here = self._trail.path
        position, _, missing = start_at(self._trail, rba)
        before = {**dict.fromkeys(_files_before(position.path, here), None), here: rba}
        for walked in self._walked(position, missing):
            if isinstance(walked, Walked):
                yield walked
            if isinstance(walked, Restart | Walked):
                continue
            if isinstance(walked, PlainTransactions):
                yield from _with_changes(ScriptStretch.of(walked))
                continue
            damages = walked.damage if isinstance(walked, Extent) else (walked,)
            ahead = (damage for damage in damages if not damage.is_partial and not _precedes(damage, before))
            self._damage = next(ahead, None)
            if isinstance(walked, Extent):
                yield from _with_changes(ScriptStretch.of(walked))
            if self._damage is not None:
                return

    def _walked(
        self, position: FilePosition, missing: Path | None
    ) -> Iterator[Extent | PlainTransactions | Damage | Restart | Walked]:
        """Yield the steps of the walk from a position on; after missing files a new walk begins."""
        later = self._reach.later
        until = None if later is not None else self._trail.path
        while True:
            self._missing = None
            walk = TransactionWalk(self._trail, position, until=until, missing=missing, following=self._following)
            yield from walk.stretches()
            following = next((path for path in later or () if path not in self._ordinals), None)
            if following is None:
                return
            self._go_on_in(following)
            position, missing = FilePosition(following, 0), self._missing

    def _following(self, path: Path) -> tuple[Path | None, Path | None]:
        following, self._missing = self._reach.following(path)
        if following is not None and self._reach.later is not None:
            self._go_on_in(following)
        return following, self._missing

    def _go_on_in(self, path: Path) -> None:
        """Count a file among those in which transactions begin."""
        self._last = path
        self._ordinals.setdefault(path, len(self._ordinals))

    def _end_of(self, source: PlainTransactions | Extent) -> FilePosition:
        """Return the end of the last of some transactions; the end of the last file if it is beyond that."""
        after = source.after if isinstance(source, Extent) else FilePosition(source.path, int(source.afters[-1]))
        if after is not None and after.path in self._ordinals:
            return after
        return FilePosition(self._last, self._files.of(self._last).trail.end_of_records())

    def _last_first(self, stretches: Iterator[ScriptStretch | Walked]) -> Iterator[ScriptStretch | Walked]:
        """Yield the transactions backwards; all but the first, which may begin in an earlier file, are read again."""
        first, rbas, sizes, files = None, array("Q"), array("Q"), array("I")
        for stretch in stretches:
            if isinstance(stretch, Walked):
                yield stretch
                continue
            if first is None:
                first, stretch = stretch.take(slice(1)), stretch.take(slice(1, None))  # noqa: PLW2901 - the others
            if (path := _path_of(stretch)) is not None:
                begins, counts = _begins_and_records(stretch)
                rbas.extend(begins)
                sizes.extend(counts)
                files.extend([self._ordinals[path]] * len(begins))
        self._fail_at_damage()
        paths = list(self._ordinals)
        end = len(rbas)
        while end:
            begin, records = end - 1, sizes[end - 1]
            while begin and files[begin - 1] == files[begin] and records < _MANY_RECORDS:
                begin -= 1
                records += sizes[begin]
            yield from reversed(self._again(paths[files[begin]], rbas[begin:end], records))
            end = begin
        if first is not None:
            yield first

    def _again(self, path: Path, rbas: array[int], records: int) -> list[ScriptStretch]:
        """Return the transactions of a file that begin at these RBAs and have up to ``records`` records."""
        nearby = records + 1 if records < NEARBY else 1
        walk = TransactionWalk(self._files.of(path).trail, FilePosition(path, rbas[0]), until=path, nearby=nearby)
        wanted, missing, stretches = np.array(rbas, np.int64), len(rbas), list[ScriptStretch]()
        for walked in walk.stretches():
            if not isinstance(walked, Extent | PlainTransactions):
                continue
            stretch = ScriptStretch.of(walked)
            if _path_of(stretch) == path:
                is_wanted = np.isin(stretch.bounds[0], wanted)
                stretch = stretch.take(np.flatnonzero(is_wanted)[:missing])
                missing -= len(stretch)
                stretches += [stretch] if len(stretch) else []
            if not missing:
                break
        return stretches

    def _fail_at_damage(self) -> None:
        if self._damage is not None:
            self._files.of(self._damage.path).trail.record_at(self._damage.rba)


def _path_of(stretch: ScriptStretch) -> Path | None:
    """Return the file in which transactions begin; None if there are none, or it is not known."""
    source = stretch.source
    if isinstance(source, PlainTransactions):
        return source.path if len(stretch) else None
    return source.first.path if source.first is not None and len(stretch) else None


def _begins_and_records(stretch: ScriptStretch) -> tuple[list[int], list[int]]:
    """Return the RBA of the first known record of each transaction, and the number of its records."""
    source = stretch.source
    records = source.records.tolist() if isinstance(source, PlainTransactions) else [source.records]
    return stretch.bounds[0].tolist(), records


def _with_changes(stretch: ScriptStretch) -> Iterator[ScriptStretch]:
    """Yield the transactions that have changes, if there are any."""
    has_some = stretch.changes > 0
    if has_some.any():
        yield stretch if has_some.all() else stretch.take(np.flatnonzero(has_some))


def _first_ones(
    stretches: Iterator[ScriptStretch | Walked],
    number: int | None,
    counted: Callable[[ScriptStretch], Array] | None = None,
) -> Iterator[ScriptStretch | Walked]:
    """Yield the transactions up to the one of this number; None: all. ``counted`` are those that count, None: all."""
    if number is None:
        yield from stretches
        return
    for stretch in stretches if number else ():
        if isinstance(stretch, Walked):
            yield stretch
            continue
        numbers = np.cumsum(np.ones(len(stretch), int) if counted is None else counted(stretch))
        taken = int(np.searchsorted(numbers, number)) + 1
        yield stretch if len(stretch) <= taken else stretch.take(slice(taken))
        number -= min(int(numbers[-1]), number)
        if not number:
            return


def _files_before(first: Path, here: Path) -> Iterator[Path]:
    """Yield the files of a trail from one up to, but without, another."""
    path: Path | None = first
    while path is not None and path != here:
        yield path
        path = next_file(path)[0]


def _precedes(damage: Damage, before: dict[Path, int | None]) -> bool:
    """Return True if damage is before a position: in an earlier file, or before its RBA."""
    rba = before.get(damage.path, 0)
    return rba is None or damage.rba < rba


def changes_in(extent: Extent) -> int:
    """Return the number of records with changes; pieces of large objects count only if there are no others."""
    rows = pieces = 0
    for types in extent.tables.values():
        for io_type, number in types.items():
            if io_type == LARGE_OBJECT:
                pieces += number
            elif is_change(io_type):
                rows += number
    return rows or pieces

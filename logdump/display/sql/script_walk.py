"""The transactions of a script, from a position of a trail on, in trail order or backwards.

For transactions that are undone only positions are kept, 20 bytes each; nothing else grows with the trail.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from logdump.session.selection import Selection
from trailformat import NotATrail, Record, TrailFile
from trailformat.changes.row_changes import ChangeSource, Half, half_of, is_change
from trailformat.records.record_header import LARGE_OBJECT, Transaction
from trailformat.scan.position import NEARBY
from trailformat.trail.row_definitions import RowDefinitions
from trailformat.trail.sequence import FilePosition, next_file, previous_file
from trailformat.transactions.around import start_at
from trailformat.transactions.extent import Damage, Extent, Restart, Walked
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

    def close(self) -> None:
        """Close the files that were opened here."""
        while self._others:
            self._others.popitem()[1].trail.close()

    def accepts(self, record: Record) -> bool:
        """Return True if a record passes the filter."""
        selection = self.of(record.path).selection
        return selection is None or selection.accepts(record)

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
        final, beside = origin.path, previous_file
        if not is_backwards:
            path, final, beside = final, path, next_file
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
            path = _neighbour(beside(trail.path))

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


def _neighbour(beside: tuple[Path | None, Path | None]) -> Path:
    """Return the file before or after another one.

    Raises:
        NotATrail: the file no longer exists.
    """
    path, missing = beside
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
    """

    not_applied: NotApplied | None = None
    later: Iterator[Path] | None = None
    following: Callable[[Path], tuple[Path | None, Path | None]] = next_file


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

    def extents(self, rba: int, transactions: int | None, *, is_backwards: bool) -> Iterator[Extent | Walked]:
        """Yield the transactions from the one that is open at ``rba`` on, or the next one; at most ``transactions``.

        Raises:
            TrailError: there is damage, whose lost records are unknown. Nothing is undone across it.
        """
        wanted = _first_extents(self._extents(rba), transactions)
        yield from self._last_first(wanted) if is_backwards else wanted
        self._fail_at_damage()

    def _extents(self, rba: int) -> Iterator[Extent | Walked]:
        here = self._trail.path
        spot, _, missing = start_at(self._trail, rba)
        before = {**dict.fromkeys(_files_before(spot.path, here), None), here: rba}
        for walked in self._walked(spot, missing):
            if isinstance(walked, Walked):
                yield walked
            if isinstance(walked, Restart | Walked):
                continue
            damages = walked.damage if isinstance(walked, Extent) else (walked,)
            ahead = (damage for damage in damages if not damage.is_partial and not _precedes(damage, before))
            self._damage = next(ahead, None)
            if isinstance(walked, Extent) and changes_in(walked):
                self.end = self._end_of(walked)
                yield walked
            if self._damage is not None:
                return

    def _walked(self, spot: FilePosition, missing: Path | None) -> Iterator[Extent | Damage | Restart | Walked]:
        """Yield the steps of the walk from a position on; after missing files a new walk begins."""
        later = self._reach.later
        until = None if later is not None else self._trail.path
        while True:
            self._missing = None
            walk = TransactionWalk(self._trail, spot, until=until, missing=missing, following=self._following)
            yield from walk.steps()
            following = next((path for path in later or () if path not in self._ordinals), None)
            if following is None:
                return
            self._go_on_in(following)
            spot, missing = FilePosition(following, 0), self._missing

    def _following(self, path: Path) -> tuple[Path | None, Path | None]:
        following, self._missing = self._reach.following(path)
        if following is not None and self._reach.later is not None:
            self._go_on_in(following)
        return following, self._missing

    def _go_on_in(self, path: Path) -> None:
        """Count a file among those in which transactions begin."""
        self._last = path
        self._ordinals.setdefault(path, len(self._ordinals))

    def _end_of(self, extent: Extent) -> FilePosition:
        """Return the end of a transaction; the end of the last file if it is beyond that."""
        if extent.after is not None and extent.after.path in self._ordinals:
            return extent.after
        return FilePosition(self._last, self._files.of(self._last).trail.end_of_records())

    def _last_first(self, extents: Iterator[Extent | Walked]) -> Iterator[Extent | Walked]:
        """Yield the transactions backwards; all but the first, which may begin in an earlier file, are read again."""
        first, rbas, sizes, files = None, array("Q"), array("Q"), array("I")
        for extent in extents:
            if isinstance(extent, Walked):
                yield extent
            elif first is None:
                first = extent
            elif extent.first is not None:
                rbas.append(extent.first.rba)
                sizes.append(extent.records)
                files.append(self._ordinals[extent.first.path])
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

    def _again(self, path: Path, rbas: array[int], records: int) -> list[Extent]:
        """Return the transactions of a file that begin at these RBAs and have up to ``records`` records."""
        nearby = records + 1 if records < NEARBY else 1
        walk = TransactionWalk(self._files.of(path).trail, FilePosition(path, rbas[0]), until=path, nearby=nearby)
        wanted = {FilePosition(path, rba) for rba in rbas}
        extents = (extent for extent in walk if isinstance(extent, Extent) and extent.first in wanted)
        return list(islice(extents, len(rbas)))

    def _fail_at_damage(self) -> None:
        if self._damage is not None:
            self._files.of(self._damage.path).trail.record_at(self._damage.rba)


def _first_extents(extents: Iterator[Extent | Walked], number: int | None) -> Iterator[Extent | Walked]:
    """Yield the first ``number`` transactions; None: all."""
    if number is None:
        yield from extents
        return
    for extent in extents if number else ():
        yield extent
        number -= isinstance(extent, Extent)
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

"""A script: the statements of whole transactions, in the order of the trail, or backwards to take them back.

A transaction that a Replicat would not apply has no statements: one that was cut, of which a part is not here, or that
stands in the trail before. Of transactions that are taken back only their places are kept, 20 bytes each; nothing else
grows with the trail.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from logdump.render.sql.dialect import Dialect, Unwritable
from logdump.render.sql.large_objects import needs_large_objects, with_large_objects
from logdump.render.sql.script_files import ScriptFile, ScriptFiles
from logdump.render.sql.statement import redo, undo
from logdump.session.statements import Statement
from trailformat import Record, TrailError, TrailFile
from trailformat.changes.row_changes import OPERATIONS, Change, changes_over
from trailformat.changes.transactions import Transaction
from trailformat.records.io_types import LARGE_OBJECT
from trailformat.scan.nearby import NEARBY
from trailformat.trail.row_definitions import RowDefinitions
from trailformat.trail.sequence import Spot, next_file
from trailformat.transactions.around import start_at
from trailformat.transactions.extent import Damage, Extent, Restart, Walked
from trailformat.transactions.extents import TransactionWalk
from trailformat.transactions.not_applied import NotApplied

_MANY_RECORDS = 1 << 15
"""Of neighbours that are read once more together."""


class Opening(NamedTuple):
    """The beginning of a whole transaction: the number of its records with changes, its open file."""

    extent: Extent
    records: int
    trail: TrailFile


class Closing(NamedTuple):
    """It ends, and can be committed.

    ``left_out`` of its changes did not pass the filter, ``remarks`` have a reason in place of a statement.
    """

    left_out: int
    remarks: int


class Skipped(NamedTuple):
    """A transaction that a Replicat would not apply, or whose records are not all here.

    ``first_copy`` is where a copy stands first, if that is known.
    """

    extent: Extent
    records: int
    trail: TrailFile
    first_copy: Spot | None = None


class NotRun(NamedTuple):
    """A statement of such a transaction: to be read, not to be run."""

    statement: Statement


Item = Opening | Statement | Closing | Skipped | NotRun


class ScriptReach(NamedTuple):
    """What a script has of a trail.

    Attributes:
        left_out: the transactions that a Replicat does not apply; None: copies are not sought.
        later: the files in which transactions may begin besides the open one, in order; it may raise at one that is
            missing. None: transactions begin in the open file alone.
        following: gives the file after one and, where that is not there, the name it should have.
    """

    left_out: NotApplied | None = None
    later: Iterator[Path] | None = None
    following: Callable[[Path], tuple[Path | None, Path | None]] = next_file


_OPEN_FILE = ScriptReach()


class SqlScript:
    """Statements for the transactions that begin at a place of a trail's file or behind it.

    Args:
        trail: the file; what a transaction has in others of its trail is read there.
        dialect: how they are spelled.
        accepts_in: gives for a file the test whether a record passes the filter; None where there is none.
        definitions_of: gives for a file the definitions of its rows.
        takes_back: take the changes back, the last one first, instead of repeating them.
        includes_cut: whether the changes of transactions that are skipped are handed out as NotRun.
        reach: the transactions and files that it has of the trail.

    Attributes:
        dialect, takes_back: as given.
        end: the place behind the last transaction, in a file where transactions may begin; None where there was none.
        statements, remarks: what was written, and what could not be.
        skipped: transactions that were left out.
    """

    def __init__(
        self,
        trail: TrailFile,
        dialect: Dialect,
        accepts_in: Callable[[TrailFile], Callable[[Record], bool]] | None = None,
        definitions_of: Callable[[TrailFile], RowDefinitions] = RowDefinitions,
        *,
        takes_back: bool = False,
        includes_cut: bool = False,
        reach: ScriptReach = _OPEN_FILE,
    ) -> None:
        self._trail = trail
        self.dialect = dialect
        self._files = ScriptFiles(trail, accepts_in, definitions_of)
        self.takes_back = takes_back
        self._includes_cut = includes_cut
        self._reach = reach
        self._ordinals = {trail.path: 0}
        self._last = trail.path
        self._missing: Path | None = None
        self._damage: Damage | None = None
        self._with_pieces: set[Spot] = set()
        self.end: Spot | None = None
        self.statements = self.remarks = self.skipped = 0

    def items(self, rba: int, transactions: int | None = None) -> Iterator[Item | Walked]:
        """The script from the transaction on that is open at ``rba``, or the next; at most ``transactions`` of them.

        Those without a change are left out. Between some thousands of records stands how far the walk is.

        Raises:
            TrailError: at damage: what is missing behind it is not known. Nothing is taken back across it.
        """
        for item in self.transactions(rba, transactions):
            if isinstance(item, Extent):
                yield from self.transaction(item)
            else:
                yield item

    def transactions(self, rba: int, transactions: int | None = None) -> Iterator[Extent | Item | Walked]:
        """The same with the extents of transactions in place of their items. Raises like items."""
        wanted = _first_extents(self._extents(rba), transactions)
        try:
            for extent in self._last_first(wanted) if self.takes_back else wanted:
                if isinstance(extent, Walked) or (extent.is_whole and not self._is_copy(extent)):
                    yield extent
                else:
                    yield from self._skip(extent)
            self._fail_at_damage()
        finally:
            self.close()

    def _is_copy(self, extent: Extent) -> bool:
        left_out = self._reach.left_out
        return left_out is not None and extent.begin is not None and left_out.holds(extent.begin)

    def _extents(self, rba: int) -> Iterator[Extent | Walked]:
        start, here = start_at(self._trail, rba), self._trail.path
        spot, missing = (start.spot, start.missing) if start is not None else (Spot(here, rba), None)
        before = {**dict.fromkeys(_files_before(spot.path, here), None), here: rba}
        for walked in self._walked(spot, missing):
            if isinstance(walked, Walked):
                yield walked
            if isinstance(walked, Restart | Walked):
                continue
            damages = walked.damage if isinstance(walked, Extent) else (walked,)
            ahead = (damage for damage in damages if not damage.is_partial and not _precedes(damage, before))
            self._damage = next(ahead, None)
            if isinstance(walked, Extent) and _changes_in(walked):
                self.end = self._end_of(walked)
                yield walked
            if self._damage is not None:
                return

    def _walked(self, spot: Spot, missing: Path | None) -> Iterator[Extent | Damage | Restart | Walked]:
        """The walk from a place on; behind files that are missing it begins anew."""
        later = self._reach.later
        until = None if later is not None else self._trail.path
        while True:
            self._missing = None
            walk = TransactionWalk(self._trail, spot, until=until, missing=missing, following=self._following)
            yield from walk.steps()
            behind = next((path for path in later or () if path not in self._ordinals), None)
            if behind is None:
                return
            self._go_on_in(behind)
            spot, missing = Spot(behind, 0), self._missing

    def _following(self, path: Path) -> tuple[Path | None, Path | None]:
        following, self._missing = self._reach.following(path)
        if following is not None and self._reach.later is not None:
            self._go_on_in(following)
        return following, self._missing

    def _go_on_in(self, path: Path) -> None:
        """Transactions begin in this file from now on."""
        self._last = path
        self._ordinals.setdefault(path, len(self._ordinals))

    def _end_of(self, extent: Extent) -> Spot:
        """The place behind a transaction; the end of the last file where that lies beyond it."""
        if extent.after is not None and extent.after.path in self._ordinals:
            return extent.after
        return Spot(self._last, self._files.of(self._last).trail.end_of_records())

    def _last_first(self, extents: Iterator[Extent | Walked]) -> Iterator[Extent | Walked]:
        """The transactions backwards: all but the first begin in files walked over, and are read there once more."""
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
        """The transactions of a file that begin at these RBAs, and have so many records."""
        nearby = records + 1 if records < NEARBY else 1
        walk = TransactionWalk(self._files.of(path).trail, Spot(path, rbas[0]), until=path, nearby=nearby)
        wanted = {Spot(path, rba) for rba in rbas}
        extents = (one for one in walk if isinstance(one, Extent) and one.first in wanted)
        return list(islice(extents, len(rbas)))

    def _fail_at_damage(self) -> None:
        if self._damage is not None:
            self._files.of(self._damage.path).trail.record_at(self._damage.rba)

    def _skip(self, extent: Extent) -> Iterator[Item]:
        self.skipped += 1
        left_out = self._reach.left_out if extent.is_whole else None
        first = left_out.first_copy(extent.begin) if left_out is not None and extent.begin is not None else None
        yield Skipped(extent, _changes_in(extent), self._trail, first)
        if self._includes_cut:
            for change in self._changes(self._records(extent), extent.transaction):
                yield NotRun(self._statement(change))

    def transaction(self, extent: Extent) -> Iterator[Item]:
        """The items of a transaction."""
        yield self.opening(extent)
        left_out = remarks = 0
        for statement in self.statements_of(self._records(extent), extent.transaction):
            if statement is None:
                left_out += 1
            else:
                remarks += statement.sql is None
                yield statement
        yield Closing(left_out, remarks)

    def opening(self, extent: Extent) -> Opening:
        """The beginning of a transaction."""
        return Opening(extent, _changes_in(extent), self._trail)

    def statements_of(
        self, records: Iterable[Record], transaction: Transaction, pieces: Sequence[Record] | None = None
    ) -> Iterator[Statement | None]:
        """The statements of records of a transaction, in the order of the script; None for what the filter drops.

        ``records`` hold whole changes, the last one first where they are taken back; ``pieces`` are those of large
        objects behind the last of them, where all are known.
        """
        for change in self._changes(records, transaction):
            if not any(map(self._files.accepts, change.records)):
                yield None
                continue
            statement = self._statement(change, pieces)
            self.statements += statement.sql is not None
            self.remarks += statement.sql is None
            yield statement

    def close(self) -> None:
        """Close the files that were opened besides the one given; they are opened again where they are needed."""
        self._files.close()

    def file_of(self, path: Path) -> ScriptFile:
        """A file of the trail."""
        return self._files.of(path)

    def _statement(self, change: Change, pieces: Sequence[Record] | None = None) -> Statement:
        path = change.records[0].path
        return self._written(change, pieces)._replace(elsewhere=path if path != self._trail.path else None)

    def _written(self, change: Change, pieces: Sequence[Record] | None) -> Statement:
        record = change.records[-1]
        file = self._files.of(record.path)
        spot = Spot(file.trail.path, record.rba)
        has_pieces = spot in self._with_pieces
        self._with_pieces.discard(spot)
        try:
            if has_pieces and needs_large_objects(change.op, takes_back=self.takes_back):
                change = with_large_objects(file.trail, change, file.definitions.of(record).charset, pieces)
        except (Unwritable, TrailError) as error:
            return Statement(change, None, str(error))
        return (undo if self.takes_back else redo)(change, self.dialect)

    def _records(self, extent: Extent) -> Iterator[Record]:
        return self._files.records(extent, is_backwards=self.takes_back)

    def _changes(self, records: Iterable[Record], transaction: Transaction) -> Iterator[Change]:
        rows = self._rows_backwards(records) if self.takes_back else self._rows(records)
        return changes_over(rows, self._files.source(transaction), is_backwards=self.takes_back)

    def _rows(self, records: Iterable[Record]) -> Iterator[Record]:
        """The records that are changes; a large object belongs to the row before it, if that is there."""
        row: Record | None = None
        for record in records:
            if record.header.io_type == LARGE_OBJECT and row is not None:
                self._with_pieces.add(_spot(row))
            elif row is not None:
                yield row
                row = record
            elif record.header.io_type == LARGE_OBJECT:
                yield record
            else:
                row = record
        if row is not None:
            yield row

    def _rows_backwards(self, records: Iterable[Record]) -> Iterator[Record]:
        """The same, the last one first."""
        piece: Record | None = None
        for record in records:
            if record.header.io_type == LARGE_OBJECT:
                piece = record
                continue
            if piece is not None:
                self._with_pieces.add(_spot(record))
                piece = None
            yield record
        if piece is not None:
            yield piece


def _first_extents(extents: Iterator[Extent | Walked], number: int | None) -> Iterator[Extent | Walked]:
    """Those up to so many transactions; None: all."""
    if number is None:
        yield from extents
        return
    for extent in extents if number else ():
        yield extent
        number -= isinstance(extent, Extent)
        if not number:
            return


def _spot(record: Record) -> Spot:
    assert record.path is not None  # noqa: S101 - it was read from a file
    return Spot(record.path, record.rba)


def _files_before(first: Path, here: Path) -> Iterator[Path]:
    """The files of a trail from one to before another."""
    path: Path | None = first
    while path is not None and path != here:
        yield path
        path = next_file(path)[0]


def _precedes(damage: Damage, before: dict[Path, int | None]) -> bool:
    """Whether damage lies before a place: in an earlier file, or before its RBA."""
    rba = before.get(damage.path, 0)
    return rba is None or damage.rba < rba


def _changes_in(extent: Extent) -> int:
    """The number of its records with changes; pieces of large objects belong to the rows before them."""
    rows = pieces = 0
    for types in extent.tables.values():
        for io_type, number in types.items():
            if io_type == LARGE_OBJECT:
                pieces += number
            elif io_type in OPERATIONS:
                rows += number
    return rows or pieces

"""Positions around an RBA at which a Replicat can be restarted, and the transactions that it then applies.

A transaction that a restart of Extract has cut is not applied at its begin: Extract writes it again, whole. To skip it,
a Replicat must start after its whole copy:

    RBA 2722  first   begin              to apply it: start here
        2913  middle
        3083  RestartAbend   marker      a Replicat drops the records before
        3130  first                      the same transaction, from its begin
        3502  last
        3691                             to skip it: start here

CSNs rise along a trail, and a Replicat skips transactions with a CSN not above the last one that it has applied
(FILTERDUPTRANSACTIONS, its default). So copies matter only up to the first whole transaction with a greater CSN.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from trailformat.changes.row_changes import Half
from trailformat.errors import NotATrail
from trailformat.records.record_header import LARGE_OBJECT, RECORD_FRAGMENT
from trailformat.scan import FILE_HEADER, StringColumn
from trailformat.scan.rows import halves_of, metadata_rows, related_rows
from trailformat.trail.file import TrailFile
from trailformat.trail.sequence import FilePosition, next_file
from trailformat.transactions.applied import TransactionName
from trailformat.transactions.around import check_reader_may_begin, start_at
from trailformat.transactions.batches import TransactionBatch
from trailformat.transactions.extent import Damage, Ended, Extent, Restart, Walked
from trailformat.transactions.extents import TransactionWalk
from trailformat.transactions.not_applied import NotApplied
from trailformat.transactions.walk import transaction_batches
from trailformat.transactions.whole_trail import FileBatch, TrailPosition, WholeTrail

MOST_LISTED = 100
"""Maximum number of further occurrences of the transaction that are kept."""
MOST_BETWEEN = 10_000
"""Maximum number of other transactions whose positions are kept."""

_DROPPED = frozenset({Ended.CUT, Ended.OVERTAKEN})


class CopyPlace(NamedTuple):
    """A further occurrence of a transaction, after the one that is asked about.

    Attributes:
        begin: its first record.
        after: the first position after it; None while it is open.
        records: the number of its records.
        is_whole: True if it has its first and its last record, without damage or a missing file between them.
        is_late: True if a later transaction that is whole lies before it, so that a Replicat has passed its CSN.
    """

    begin: FilePosition
    after: FilePosition | None
    records: int
    is_whole: bool
    is_late: bool


class RestartPlaces(NamedTuple):
    """The positions around an RBA of a file at which a Replicat can be started.

    Attributes:
        asked: the given position.
        extent: the transaction that is open or begins there; None between two transactions.
        again: further occurrences of that transaction, in trail order, cut or whole.
        whole: the first whole occurrence, which may be ``extent`` itself; None if none was found.
        leave_out: the position from which a Replicat does not apply it; None if its end has not been written. In damage
            between two transactions: the position after that.
        others: number of other transactions that a Replicat started at ``leave_out`` misses, but would apply otherwise.
        damage: the first damage at or after the given position, up to the end of the transaction that is open there, or
            without one up to the next row.
        lost_bytes: bytes of damage that a Replicat started at ``leave_out`` passes over, with whatever stood in them.
        copy_of: the first whole occurrence of that transaction, if it is before the one that is asked about; else None.
        late: whole occurrences after later transactions; set by CopySearch, like ``copy_of`` and ``skipped``.
        skipped: the changes that a Replicat started at ``leave_out`` misses of it, each once, by table and IOType.
    """

    asked: FilePosition
    extent: Extent | None = None
    again: tuple[Extent, ...] = ()
    whole: Extent | None = None
    leave_out: FilePosition | None = None
    others: int = 0
    damage: Damage | None = None
    lost_bytes: int = 0
    copy_of: FilePosition | None = None
    late: tuple[CopyPlace, ...] = ()
    skipped: dict[str, Counter[int]] = {}  # noqa: RUF012 - a tuple's default, never changed

    @property
    def copies(self) -> tuple[CopyPlace, ...]:
        """The further occurrences of the transaction, in trail order."""
        near = (
            CopyPlace(copy.begin, copy.after, copy.records, copy.is_whole, is_late=False)
            for copy in self.again
            if copy.begin is not None
        )
        return (*near, *self.late)

    @property
    def around(self) -> Damage | None:
        """The damage in which the given position lies; None if it lies in none."""
        damage = self.damage
        is_inside = damage is not None and damage.path == self.asked.path and damage.rba <= self.asked.rba
        return damage if is_inside else None

    @property
    def is_begin(self) -> bool:
        """True if a transaction begins at the given position."""
        return self.extent is not None and self.extent.begin == self.asked

    @property
    def is_dropped(self) -> bool:
        """True if a Replicat drops the transaction there, because it is never completed: it was cut."""
        return self.extent is not None and self.extent.ended in _DROPPED

    @property
    def is_safe(self) -> bool:
        """True if a Replicat started at the given position applies no transaction in part and misses none.

        This is so between two transactions, at the begin of one, and after the last record of a cut one; but not before
        damage, at which the Replicat abends.
        """
        extent = self.extent
        if self.damage is not None:
            return False
        return extent is None or self.is_begin or (extent.before == extent.records and extent.after is not None)


class RestartSearch:
    """The search for the restart positions around an RBA.

    Args:
        trail: the file; other files of its trail are opened when needed.
        rba: the RBA of a record, of damage or of the end of the file.

    Attributes:
        unreadable: the later files that are not trail files: the search ends before the first of them.

    Raises:
        BadRecord: ``rba`` is inside a record, complete or not, or outside the file.
    """

    def __init__(self, trail: TrailFile, rba: int) -> None:
        self.unreadable: dict[Path, NotATrail] = {}
        self._trail = trail
        self._asked = FilePosition(trail.path, rba)
        check_reader_may_begin(trail, rba)
        self._start = start_at(trail, rba)
        self._extent: Extent | None = None
        self._name: TransactionName | None = None
        self._again: list[Extent] = []
        self._whole: Extent | None = None
        self._leave_out: FilePosition | None = None
        self._is_at_edge = False
        self._between: list[FilePosition] = []
        self._others = 0
        self._damage: Damage | None = None
        self._passed: dict[FilePosition, int] = {}
        self._lost_bytes = 0
        self._files: dict[Path, int] = {}

    def run(self) -> Iterator[Walked]:
        """Read as far as the answer requires; yield the progress.

        Raises:
            NotATrail: the file of the position is not a trail file any more.
            CannotRead: a file cannot be read.
        """
        position = self._start.position
        self._files[position.path] = 0
        missing, following = self._start.missing, self._following
        walk = TransactionWalk(self._trail, position, asked=self._asked, missing=missing, following=following)
        steps = self._up_to_unreadable(walk.steps())
        for item in steps:
            if isinstance(item, Walked):
                yield item
            elif self._begin(item):
                break
        if self._extent is not None and self._extent.after is not None:
            yield from self._look_ahead(steps)

    def _up_to_unreadable(
        self, steps: Iterator[Extent | Damage | Restart | Walked]
    ) -> Iterator[Extent | Damage | Restart | Walked]:
        """Yield the items up to a later file that is not a trail file: as before a missing one, nothing goes on."""
        try:
            yield from steps
        except NotATrail as error:
            if error.path is None or error.path == self._trail.path:
                raise
            self.unreadable[error.path] = error

    def places(self) -> RestartPlaces:
        """Return the result; valid after ``run``."""
        return RestartPlaces(
            self._asked,
            self._extent,
            tuple(self._again),
            self._whole,
            self._leave_out,
            self._others,
            self._damage,
            self._lost_bytes if self._leave_out is not None else 0,
        )

    def _begin(self, item: Extent | Damage | Restart) -> bool:
        """Add the next item at the given position; return True once the transaction there, or its absence, is known."""
        if isinstance(item, Damage):
            if self._is_ahead(item):
                self._damage = self._damage or item
                self._pass_over(item)
            return False
        if isinstance(item, Restart) or not self._start.holds(item):
            return True
        self._extent, self._is_at_edge = item, True
        self._continue_at(item.after, *item.damage)
        self._whole = item if item.is_whole else None
        self._damage = next((damage for damage in item.damage if self._is_ahead(damage)), None)
        self._name = TransactionName.of(*item.transaction)
        return True

    def _pass_over(self, damage: Damage) -> None:
        """Continue after the damage that the given position is in, and after any that adjoins it."""
        after = FilePosition(damage.path, damage.rba + damage.length)
        is_around = damage.path == self._asked.path and damage.rba <= self._asked.rba
        if is_around or self._leave_out == FilePosition(damage.path, damage.rba):
            self._continue_at(after, damage)

    def _continue_at(self, position: FilePosition | None, *damage: Damage) -> None:
        """Set the place to continue at, after these and all noted spans of damage."""
        self._leave_out = position
        self._note(*damage)
        self._lost_bytes = sum(self._passed.values())

    def _note(self, *damage: Damage) -> None:
        self._passed |= {FilePosition(span.path, span.rba): span.length for span in damage if not span.is_partial}

    def _following(self, path: Path) -> tuple[Path | None, Path | None]:
        """Return the result of ``next_file`` and note the order of the files."""
        following, missing = next_file(path)
        if following is not None:
            self._files[following] = len(self._files)
        return following, missing

    def _is_ahead(self, damage: Damage) -> bool:
        """Return True if damage is at or after the given position; an incomplete record is no damage."""
        if damage.path == self._asked.path:
            return damage.rba + damage.length > self._asked.rba and not damage.is_partial
        ordinal = self._files.get(self._asked.path)
        return ordinal is not None and self._files[damage.path] > ordinal and not damage.is_partial

    def _look_ahead(self, steps: Iterator[Extent | Damage | Restart | Walked]) -> Iterator[Walked]:
        """Read the items directly after the transaction, and its copies."""
        for item in steps:
            if isinstance(item, Walked):
                yield item
            elif self._takes_last(item):
                return

    def _takes_last(self, item: Extent | Damage | Restart) -> bool:
        """Add the next item; return True if no later item can change the answer."""
        if isinstance(item, Restart):
            self._is_at_edge = False
        elif isinstance(item, Damage):
            self._move_over(item)
        elif item.begin is None:
            self._note(*item.damage)
            if self._is_at_edge:
                self._continue_at(item.after)
        elif self._name is not None and self._name.names(item.transaction):
            self._take_copy(item)
        else:
            self._is_at_edge = False
            return self._name is None or self._take_other(item, self._name)
        return False

    def _move_over(self, damage: Damage) -> None:
        if self._is_at_edge and not damage.is_partial:
            self._continue_at(FilePosition(damage.path, damage.rba + damage.length), damage)
        self._note(damage)

    def _take_copy(self, extent: Extent) -> None:
        self._is_at_edge = extent.is_whole
        if len(self._again) < MOST_LISTED:
            self._again.append(extent)
        if extent.is_whole:
            self._whole = self._whole or extent
            self._continue_at(extent.after, *extent.damage)
            self._others += self._applied_between()

    def _take_other(self, extent: Extent, name: TransactionName) -> bool:
        if not extent.is_whole or extent.begin is None:
            return False
        if len(self._between) < MOST_BETWEEN:
            self._between.append(extent.begin)
        is_awaited = self._whole is None and self._extent is not None and self._extent.ended in _DROPPED
        return name.is_passed_at(extent.transaction.csn) and not is_awaited

    def _applied_between(self) -> int:
        """Return the number of transactions since the last occurrence that are not copies, by a pass over the trail."""
        between, self._between = self._between, []
        if not between:
            return 0
        not_applied = NotApplied(WholeTrail.around(self._trail.path), past_damage=True)
        return sum(not not_applied.holds(position) for position in between)


class CopySearch:
    """The search for the other occurrences of the transaction at a position, over the whole trail, by columns.

    Args:
        trail: the file of the position.
        places: the result of RestartSearch there.

    Attributes:
        unreadable: the files that are not trail files; what is in them is not known.
    """

    def __init__(self, trail: TrailFile, places: RestartPlaces) -> None:
        self._trail, self._places = trail, places
        self.unreadable: dict[Path, NotATrail] = {}
        self._copy_of: FilePosition | None = None
        self._late: list[CopyPlace] = []

    def run(self) -> Iterator[Walked]:
        """Read the trail; yield the progress.

        Raises:
            CannotRead: a file cannot be read.
        """
        places, extent = self._places, self._places.extent
        name = TransactionName.of(*extent.transaction) if extent is not None else None
        whole = WholeTrail.around(self._trail.path)
        if extent is None or extent.first is None or name is None or extent.first.path not in whole.ordinals:
            return
        firsts = (copy.first for copy in (extent, *places.again) if copy.first is not None)
        seen = {
            TrailPosition(whole.ordinals[position.path], position.rba)
            for position in firsts
            if position.path in whole.ordinals
        }
        here, read, self.unreadable = min(seen), 0, whole.unreadable
        walked: Walked | None = None
        for batch in transaction_batches(whole):
            if walked is not None and batch.progress is not None:
                yield walked
            for row in _rows_named(batch, name):
                first, after = batch.first(row), batch.after(row)
                if first in seen or not batch.is_whole(row):
                    continue
                position = FilePosition(whole.paths[first.ordinal], first.rba)
                if first < here:
                    self._copy_of = self._copy_of or position
                elif len(self._late) < MOST_LISTED:
                    end = FilePosition(whole.paths[after.ordinal], after.rba) if after is not None else None
                    records = int(batch.columns.records[row])
                    self._late.append(CopyPlace(position, end, records, is_whole=True, is_late=True))
            if batch.progress is not None:
                read += batch.progress.records
                place = batch.progress.place
                walked = Walked(read, FilePosition(whole.paths[place.ordinal], place.rba), batch.progress.time)

    def places(self) -> RestartPlaces:
        """Return the result of RestartSearch with these occurrences and the changes skipped; valid after ``run``."""
        skipped = self._skipped()
        return self._places._replace(copy_of=self._copy_of, late=tuple(self._late), skipped=skipped)

    def _skipped(self) -> dict[str, Counter[int]]:
        """Return the changes of the whole occurrence, or of what there is, by table and IOType."""
        places = self._places
        extent = places.whole or places.extent
        if places.leave_out is None or extent is None or extent.first is None:
            return {}
        walk = TransactionWalk(self._trail, extent.first, chosen=_Changes())
        return next((item.tables for item in walk if isinstance(item, Extent)), {})


class _Changes:
    """Chooses the records that are changes, batch by batch: no pieces of rows and LOBs, of two images the first."""

    def __init__(self) -> None:
        self._open_type: int | None = None

    def __call__(self, file_batch: FileBatch) -> Any:
        """Return the mask of the next batch."""
        batch = file_batch.batch
        io_type, half = np.asarray(batch.io_type), halves_of(batch)
        is_second = (half == Half.SECOND) & (related_rows(batch).other >= 0)
        rows = np.flatnonzero(~metadata_rows(batch) & (np.asarray(batch.kind) != FILE_HEADER))
        if len(rows):
            first, last = int(rows[0]), int(rows[-1])
            is_second[first] = half[first] == Half.SECOND and io_type[first] == self._open_type
            self._open_type = int(io_type[last]) if half[last] == Half.FIRST else None
        return ~is_second & ~np.isin(io_type, (LARGE_OBJECT, RECORD_FRAGMENT))


def _rows_named(batch: TransactionBatch, name: TransactionName) -> Iterator[int]:
    """Yield the rows of a batch that have a name."""
    rows = range(batch.carried if batch.texts is not None else batch.rows)
    others = _rows_with(batch.texts, name.csn) + batch.carried if batch.texts is not None else np.array([], np.int64)
    for row in (*rows, *others.tolist()):
        if (batch.csns[row], batch.xids[row]) == (name.csn, name.xid):
            yield row


def _rows_with(texts: StringColumn, text: str) -> Any:
    """Return the numbers of the texts that may be this one."""
    wanted = np.frombuffer(text.encode("utf-8", "backslashreplace"), np.uint8)
    starts, sizes = np.asarray(texts.starts), np.asarray(texts.sizes)
    known = np.array([number for number, other in texts.known.items() if other == text], np.int64)
    rows = np.flatnonzero(sizes == len(wanted))
    if not len(rows) or not len(wanted):
        return known
    data = np.frombuffer(texts.data, np.uint8)
    is_same = (data[starts[rows][:, None] + np.arange(len(wanted))] == wanted).all(axis=1)
    return np.union1d(rows[is_same], known)


def restart_places(trail: TrailFile, rba: int, *, looks_for_copies: bool = False) -> RestartPlaces:
    """Return the restart positions around an RBA, by ``looks_for_copies`` with those that do not decide.

    Raises like RestartSearch and its ``run``.
    """
    search = RestartSearch(trail, rba)
    for _ in search.run():
        pass
    if not looks_for_copies:
        return search.places()
    copies = CopySearch(trail, search.places())
    for _ in copies.run():
        pass
    return copies.places()

"""The transactions of a trail, one after the other over its files, and how each ended.

    RBA 2374  only                        LAST: its last record is there
        2733  first   begin
        2900  middle  last
        3094  RestartAbend   marker       CUT: Extract was started again inside it
        3141  first   begin
        3500  first                       OVERTAKEN: the next one begins where this one has not ended
        3679  the end of the last file    FILE_END: what comes is not there (yet)

Metadata and comments may stand inside a transaction without belonging to it. A record fragment belongs to the record
before it, whatever its TransInd. Damage inside makes it unknown what was lost, however the records behind it look:
DAMAGE.
"""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from trailformat.changes.transactions import NO_TRANSACTION, Transaction, own_transaction
from trailformat.errors import NotATrail, refuse_denied
from trailformat.records.io_types import NOT_TRANSACTIONAL, RECORD_FRAGMENT
from trailformat.scan import BAD_SPAN, PARTIAL, Batch, Engine, scan
from trailformat.scan.nearby import NEARBY
from trailformat.trail.file import TrailFile
from trailformat.trail.sequence import Spot, next_file
from trailformat.transactions.runs import Moment, RowRun, TableRecords, runs

MOST_DAMAGE = 1000
"""So many spans of damage are listed of one transaction."""


class Ended(enum.Enum):
    """The way a transaction ended."""

    LAST = "last"
    CUT = "cut"
    OVERTAKEN = "overtaken"
    FILE_END = "file_end"
    DAMAGE = "damage"


class Damage(NamedTuple):
    """Bytes that hold no sound record; ``is_partial`` when they are the unfinished end of the last file."""

    path: Path
    rba: int
    length: int
    is_partial: bool


class Restart(NamedTuple):
    """A record that says that Extract was started again: its place, its IOType and IO Time, and the RBA behind it."""

    spot: Spot
    io_type: int
    time: int = 0
    after: int = 0


class Walked(NamedTuple):
    """How far a walk is: the records read, the place behind the last of them, its IO Time."""

    records: int
    spot: Spot
    time: int


class Extent(NamedTuple):
    """A transaction as far as its records are there.

    Attributes:
        transaction: LOGCSN and TRANID.
        begin: its first record; None when that is not there (an earlier file is missing, damage).
        first, last: the first and the last of its records that were found; None when damage hides all of them.
        after: the first RBA behind it, and behind the marker that cut it; None while its end has not come.
        ended: how it ended.
        marker: the restart record that cut it.
        has_end: whether its last record says that it is the last (TransInd 2 or 3).
        records, size: the number of its records, and their bytes.
        before: the number of them before the given place; 0 without one.
        first_moment, last_moment: of its first and its last record; ``latest`` is the latest IO Time of all.
        has_one_time: whether all its records have one IO Time, which is then that of its commit.
        tables: its records by table and IOType.
        damage: what cannot be read between its beginning and ``after``; the last of many spans reaches over the rest.
        missing: the file in which it begins or goes on, and which is not there.
    """

    transaction: Transaction
    begin: Spot | None
    first: Spot | None
    last: Spot | None
    after: Spot | None
    ended: Ended
    marker: Restart | None
    has_end: bool
    records: int
    size: int
    before: int
    first_moment: Moment
    last_moment: Moment
    latest: int
    has_one_time: bool
    tables: dict[str, Counter[int]]
    damage: tuple[Damage, ...]
    missing: Path | None

    @property
    def is_whole(self) -> bool:
        """Whether a Replicat applies it: its first and its last record are there, and nothing between was lost."""
        return self.begin is not None and self.ended is Ended.LAST


class _Growing:
    """A transaction while its records are read."""

    def __init__(self, spot: Spot, transaction: Transaction, *, begins: bool) -> None:
        self.transaction = transaction
        self.begin = spot if begins else None
        self.first = self.last = spot
        self.after: Spot | None = None
        self.marker: Restart | None = None
        self.missing: Path | None = None
        self.is_overtaken = self.has_end = False
        self.records = self.size = self.before = self.latest = 0
        self.moments: tuple[Moment, Moment] | None = None
        self.has_one_time = True
        self.tables: dict[str, Counter[int]] = {}
        self.damage: list[Damage] = []

    def add(self, path: Path, run: RowRun, name_of: Callable[[TableRecords], str], *, is_before: bool) -> None:
        """Take records in."""
        self.last = Spot(path, run.last)
        self.records += run.records
        self.size += run.size
        self.before += run.records if is_before else 0
        first = self.moments[0] if self.moments else run.first_moment
        self.has_one_time = self.has_one_time and run.has_one_time and first.time == run.last_moment.time
        self.latest = max(self.latest, 0 if run.io_type == RECORD_FRAGMENT else run.latest)
        self.moments = first, run.last_moment
        for part in run.tables:
            self.tables.setdefault(name_of(part), Counter())[part.io_type] += part.records

    def _ended(self) -> Ended:
        if self.damage and not all(one.is_partial for one in self.damage):
            return Ended.DAMAGE
        if self.has_end:
            return Ended.LAST
        if self.marker is not None:
            return Ended.CUT
        return Ended.OVERTAKEN if self.is_overtaken else Ended.FILE_END

    def extent(self) -> Extent:
        """The transaction as far as it has been read."""
        first, last = self.moments or (Moment(), Moment())
        return Extent(
            self.transaction,
            self.begin,
            self.first,
            self.last,
            self.after,
            self._ended(),
            self.marker,
            self.has_end,
            self.records,
            self.size,
            self.before,
            first,
            last,
            self.latest,
            self.has_one_time,
            self.tables,
            tuple(self.damage),
            self.missing,
        )


class TransactionWalk:
    """The transactions from a place on, over the files of the trail.

    Args:
        trail: one of the files, open; others are opened one at a time.
        start: where to begin, between two records.
        until: the last file in which transactions are begun; one that is open at its end is read to its own end. None:
            all files.
        asked: the place up to which ``before`` of a transaction counts.
        missing: the file before ``start`` that is not there, where the trail lacks one.
        nearby: the number of records that is probably enough.
        following: gives the file after one and, where that is not there, the name it should have.
    """

    def __init__(
        self,
        trail: TrailFile,
        start: Spot,
        *,
        until: Path | None = None,
        asked: Spot | None = None,
        missing: Path | None = None,
        nearby: int = 0,
        following: Callable[[Path], tuple[Path | None, Path | None]] = next_file,
    ) -> None:
        self._trail = trail
        self._start = start
        self._until = until
        self._asked = asked
        self._missing = missing
        self._nearby = nearby or NEARBY
        self._following = following
        self._is_before = asked is not None and start.path != asked.path
        self._is_past_until = False
        self._growing: _Growing | None = None
        self._lost: list[Damage] = []
        self._names: dict[int, str] = {}
        self._read = 0

    def __iter__(self) -> Iterator[Extent | Damage | Restart]:
        """The same without how far the walk is."""
        return (walked for walked in self.steps() if not isinstance(walked, Walked))

    def steps(self) -> Iterator[Extent | Damage | Restart | Walked]:
        """Every transaction as soon as its end is known, damage where no transaction is open, and restart records.

        Between some thousands of records stands how far the walk is.

        Raises:
            NotATrail: a file cannot be read, and no transaction goes on in it.
        """
        path: Path | None = self._start.path
        while path is not None:
            try:
                yield from self._file(path)
            except NotATrail as error:
                refuse_denied(error)
                if path == self._trail.path or self._growing is None:
                    raise
                self._growing.missing = path
                break
            if self._growing is not None and self._growing.after is not None:
                yield self._ended()
            self._is_past_until = self._is_past_until or path == self._until
            path = None if self._is_done else self._next_file(path)
        if self._growing is not None:
            yield self._ended()

    @property
    def _is_done(self) -> bool:
        return self._is_past_until and self._growing is None

    def _next_file(self, path: Path) -> Path | None:
        following, missing = self._following(path)
        if following is not None or missing is not None:
            self._lost = [one._replace(is_partial=False) for one in self._lost]
        if self._growing is not None:
            self._growing.missing = self._growing.missing or missing
            if following is not None or missing is not None:
                self._growing.damage = [one._replace(is_partial=False) for one in self._growing.damage]
        return following

    def _file(self, path: Path) -> Iterator[Extent | Damage | Restart | Walked]:
        self._is_before = self._is_before and self._asked is not None and path != self._asked.path
        start = self._start.rba if path == self._start.path else 0
        if path == self._trail.path:
            yield from self._records(self._trail, start)
            return
        with TrailFile(path) as other:
            yield from self._records(other, start)

    def _records(self, trail: TrailFile, start: int) -> Iterator[Extent | Damage | Restart | Walked]:
        asked = self._asked
        cut = asked.rba if asked is not None and asked.path == trail.path else None
        before: Batch | None = None
        for batch in _batches(trail, start, self._nearby):
            if before is not None:
                self._read += len(before)
                yield Walked(self._read, Spot(trail.path, before.end), int(before.io_time[-1]))
            before = batch
            self._names.clear()
            for run in runs(trail, batch, cut):
                if run.kind in (BAD_SPAN, PARTIAL):
                    yield from self._damaged(Damage(trail.path, run.rba, run.size, run.kind == PARTIAL))
                elif run.io_type in NOT_TRANSACTIONAL:
                    yield from self._between(trail.path, run)
                else:
                    yield from self._before_run(Spot(trail.path, run.rba), run)
                    if not self._is_done:
                        self._take(trail, run)
                if self._is_done:
                    return

    def _damaged(self, damage: Damage) -> Iterator[Extent | Damage]:
        if self._growing is not None and self._growing.after is None:
            _note(self._growing.damage, damage)
            return
        if self._growing is not None:
            yield self._ended()
        _note(self._lost, damage)
        yield damage

    def _between(self, path: Path, run: RowRun) -> Iterator[Extent | Restart]:
        """A restart marker, which cuts."""
        self._lost.clear()
        marker = Restart(Spot(path, run.rba), run.io_type, run.first_moment.time, run.after)
        if self._growing is not None and self._growing.after is None:
            self._growing.marker = marker
            self._growing.after = Spot(path, marker.after)
        if self._growing is not None:
            yield self._ended()
        yield marker

    def _before_run(self, spot: Spot, run: RowRun) -> Iterator[Extent]:
        """End the transaction that stands before a row, where the row is not of it."""
        growing = self._growing
        if growing is None or run.io_type == RECORD_FRAGMENT:
            return
        if growing.after is None and run.begins:
            growing.is_overtaken, growing.after = True, spot
        if growing.after is not None:
            yield self._ended()

    def _take(self, trail: TrailFile, run: RowRun) -> None:
        spot, is_fragment = Spot(trail.path, run.rba), run.io_type == RECORD_FRAGMENT
        growing = self._growing
        if growing is None:
            if is_fragment:
                return
            transaction = _transaction_at(trail, run.rba) if run.transaction is None else run.transaction
            growing = self._growing = _Growing(spot, transaction, begins=run.begins)
            growing.damage, growing.missing = ([], None) if run.begins else (self._lost, self._missing)
            self._lost, self._missing = [], None
        asked = self._asked
        is_before = self._is_before or (asked is not None and spot.path == asked.path and spot.rba < asked.rba)
        growing.add(trail.path, run, partial(self._name, trail), is_before=is_before)
        if growing.after is not None or (run.ends and not is_fragment):
            growing.after, growing.has_end = Spot(trail.path, run.after), True

    def _name(self, trail: TrailFile, part: TableRecords) -> str:
        name = self._names.get(part.table)
        if name is None:
            record = trail.record_at(part.rba)
            name = self._names[part.table] = trail.name_of(record) if record is not None else ""
        return name

    def _ended(self) -> Extent:
        growing, self._growing = self._growing, None
        assert growing is not None  # noqa: S101 - only a transaction that grows ends
        return growing.extent()


def _note(damages: list[Damage], damage: Damage) -> None:
    """Add a span; where there are too many, the last one grows over it."""
    if len(damages) < MOST_DAMAGE or damages[-1].path != damage.path:
        damages.append(damage)
        return
    last = damages[-1]
    damages[-1] = last._replace(length=damage.rba + damage.length - last.rba)


def _transaction_at(trail: TrailFile, rba: int) -> Transaction:
    record = trail.record_at(rba)
    return own_transaction(record) if record is not None else NO_TRANSACTION


def _batches(trail: TrailFile, start: int, nearby: int) -> Iterator[Batch]:
    first = scan(trail, start, engine=Engine.PYTHON, batch_size=nearby)
    yield from islice(first, 1)
    yield from scan(trail, first.position.rba)

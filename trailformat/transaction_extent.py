"""From where to where a transaction reaches, found from any place in it: back, on, and over files.

    RBA 1811  first   begin
        2008  middle
        2722  last    last
        2980          after: the first RBA that holds nothing of it

Metadata, restart and comment records may stand inside without belonging to it. A first record where a transaction is
open means that its end was never written, or is lost in damage. A record fragment belongs to the record before it,
whatever its TransInd.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from trailformat.errors import BadRecord, NotATrail, TrailError
from trailformat.io_types import RECORD_FRAGMENT
from trailformat.record import Record
from trailformat.scan import PARTIAL, RECORD, Batch, Engine, scan
from trailformat.trail_file import TrailFile
from trailformat.trail_sequence import Spot, next_file, previous_file
from trailformat.transactions import BEGINS, ENDS, NO_TRANSACTION, Transaction, is_transactional, own_transaction

NEARBY = 2000
"""So many records are read one by one, and by the engine that needs no loading, before columns are thought worth it."""


class Damage(NamedTuple):
    """Bytes that hold no sound record; ``is_partial`` when they are the unfinished end of a file."""

    path: Path
    rba: int
    length: int
    is_partial: bool


class Extent(NamedTuple):
    """A transaction as far as its records are there.

    Attributes:
        transaction: LOGCSN and TRANID.
        begin: its first record; None when that is not there (an earlier file is missing, damage).
        last: the last of its records that was found; None when damage hides all of them.
        after: the first RBA behind it; None while its end has not come.
        has_end: whether its last record says that it is the last (TransInd 2 or 3).
        records: how many records of it there are, ``before`` of them before the place asked about.
        tables: its records by table and IOType.
        damage: what cannot be read between its beginning and ``after``.
        missing: the file in which it begins or goes on, and which is not there.
    """

    transaction: Transaction
    begin: Spot | None
    last: Spot | None
    after: Spot | None
    has_end: bool
    records: int
    before: int
    tables: dict[str, Counter[int]]
    damage: tuple[Damage, ...]
    missing: Path | None


class Before(NamedTuple):
    """What precedes a place in one file; both None when the file does not tell.

    ``begin`` is the first record of the transaction that is open there; ``ended`` the RBA behind the last one's end.
    """

    begin: int | None = None
    ended: int | None = None


def extent_at(trail: TrailFile, rba: int) -> Extent | None:
    """The transaction that holds ``rba``, where a record begins, damage lies or the file ends; None between two.

    Other files of the trail are opened as far as it reaches into them.

    Raises:
        BadRecord: ``rba`` lies inside a record, or outside the file.
    """
    start = _start(trail, rba)
    if start is None:
        return None
    walk = _Walk(Spot(trail.path, rba), start)
    walk.read_all(trail)
    return walk.extent()


class _Start(NamedTuple):
    """Where to read a transaction from; whether its first record stands there, and the earlier file that is missing."""

    spot: Spot
    is_begin: bool
    missing: Path | None = None


def _start(trail: TrailFile, asked: int) -> _Start | None:
    before = look_back(trail, rba := _base_of_fragment(trail, asked))
    if _begins_at(trail, rba):
        return _Start(Spot(trail.path, rba), is_begin=True)
    if before.begin is not None:
        return _Start(Spot(trail.path, before.begin), is_begin=True)
    missing = None
    if before.ended is None:
        earlier, missing = previous_file(trail.path)
        found = _start_in_earlier(earlier) if earlier is not None else None
        if found is not None:
            return found
    if not _goes_on_at(trail, rba):
        return None
    return _Start(Spot(trail.path, before.ended or trail.first_rba), is_begin=False, missing=missing)


def _start_in_earlier(path: Path) -> _Start | None:
    """Where the transaction begins that is open at the end of a file; None when none is."""
    with TrailFile(path) as trail:
        before = look_back(trail, trail.size)
        first = trail.first_rba
    if before.begin is not None:
        return _Start(Spot(path, before.begin), is_begin=True)
    if before.ended is not None:
        return None
    earlier, missing = previous_file(path)
    found = _start_in_earlier(earlier) if earlier is not None else None
    return found or (_Start(Spot(path, first), is_begin=False, missing=missing) if missing else None)


def _base_of_fragment(trail: TrailFile, rba: int) -> int:
    """The RBA of the record of which a fragment stands at ``rba``; ``rba`` itself for everything else."""
    try:
        record = trail.record_at(rba)
        while record is not None and (record.is_metadata or is_fragment(record)):
            if record.is_metadata and record.rba == rba:
                break
            record = trail.record_before(record.rba)
    except TrailError:
        return rba
    return record.rba if record is not None else rba


def is_fragment(record: Record) -> bool:
    """Whether the record goes on where the one before it was cut."""
    return not record.is_file_header and record.header.io_type == RECORD_FRAGMENT


def begins_transaction(record: Record) -> bool:
    """Whether this is the first record of a transaction."""
    return is_transactional(record) and record.header.trans_ind in BEGINS and not is_fragment(record)


def _begins_at(trail: TrailFile, rba: int) -> bool:
    try:
        record = trail.record_at(rba)
    except TrailError:
        return False
    return record is not None and begins_transaction(record)


def _goes_on_at(trail: TrailFile, rba: int) -> bool:
    """Whether the next row belongs to a transaction that began before it."""
    for at in trail.sound_rbas(rba, trail.size):
        record = trail.record_at(at)
        if record is not None and is_transactional(record):
            return not begins_transaction(record)
    return False


def look_back(trail: TrailFile, rba: int) -> Before:
    """What precedes ``rba`` in its file: record by record where it is near, else by columns from the beginning.

    Raises:
        BadRecord: ``rba`` lies inside a record, or outside the file.
    """
    if not 0 <= rba <= trail.size:
        raise BadRecord("position lies outside the file", path=trail.path, rba=rba, expected=f"0 to {trail.size}")
    end = rba
    for _ in range(NEARBY):
        try:
            record = trail.record_before(end)
        except TrailError:
            break
        if record is None:
            return Before()
        if is_transactional(record):
            if record.header.trans_ind in ENDS:
                return Before(ended=end)
            if begins_transaction(record):
                return Before(begin=record.rba)
        end = record.rba
    return _look_back_by_columns(trail, rba)


def _look_back_by_columns(trail: TrailFile, rba: int) -> Before:
    before = Before()
    end = 0
    for batch in scan(trail, 0, rba):
        end = int(batch.rba[-1]) + int(batch.length[-1])
        is_damage = batch.kind[-1] > 1
        begins, ends = _last_row(batch, BEGINS), _last_row(batch, ENDS)
        if ends >= 0 and ends >= begins:
            before = Before(ended=int(batch.rba[ends]) + int(batch.length[ends]))
        elif begins >= 0:
            before = Before(begin=int(batch.rba[begins]))
        if end > rba and not is_damage:
            raise BadRecord(
                "position lies inside a record", path=trail.path, rba=rba, expected=f"{int(batch.rba[-1])} or {end}"
            )
    return before


def _last_row(batch: Batch, values: frozenset[int]) -> int:
    """The last row of a transaction with one of these TransInds; -1 for none."""
    found = -1
    for value in values:
        # bytes.rfind runs over a column of bytes in either engine without going through its rows
        column = bytes(memoryview(batch.trans_ind))  # type: ignore[arg-type]
        at = column.rfind(value)
        while at >= 0 and not _counts(batch, at, is_end=values is ENDS):
            at = column.rfind(value, 0, at)
        found = max(found, at)
    return found


def _counts(batch: Batch, row: int, *, is_end: bool) -> bool:
    """Whether the TransInd of a row says where a transaction begins, or ends."""
    is_row = batch.kind[row] == RECORD and batch.transaction[row] >= 0
    return is_row and (is_end or batch.io_type[row] != RECORD_FRAGMENT)


class _Walk:
    """Reading a transaction from its start on."""

    def __init__(self, asked: Spot, start: _Start) -> None:
        self._asked = asked
        self._start = start
        self._is_before = start.spot.path != asked.path
        self._transaction = NO_TRANSACTION
        self._last: Spot | None = None
        self._after: Spot | None = None
        self._has_end = self._is_over = False
        self._records = self._before = 0
        self._tables: dict[str, Counter[int]] = {}
        self._damage: list[Damage] = []
        self._missing = start.missing

    def read_all(self, trail: TrailFile) -> None:
        """Take the records in, file after file, to the end of the transaction; ``trail`` is one of them, open."""
        path: Path | None = self._start.spot.path
        while path is not None:
            if path == trail.path:
                self._read(trail)
            else:
                try:
                    with TrailFile(path) as other:
                        self._read(other)
                except NotATrail:
                    self._missing = path
                    return
            path = None if self._after is not None else self._next_file(path)

    def _next_file(self, path: Path) -> Path | None:
        following, missing = next_file(path)
        self._missing = self._missing or missing
        return following

    def _read(self, trail: TrailFile) -> None:
        self._is_before = self._is_before and trail.path != self._asked.path
        first = self._start.spot.rba if trail.path == self._start.spot.path else 0
        for batch in _batches(trail, first):
            self._take(trail, batch)
            if self._is_over:
                return

    def _take(self, trail: TrailFile, batch: Batch) -> None:
        rows: Counter[tuple[int, int]] = Counter()
        first_rba: dict[int, int] = {}
        columns = (batch.rba, batch.length, batch.kind, batch.transaction, batch.trans_ind, batch.table, batch.io_type)
        for rba, length, kind, ordinal, trans_ind, table, io_type in zip(*map(_listed, columns), strict=True):
            if kind > 1 and self._after is None:
                self._damage.append(Damage(trail.path, rba, length, kind == PARTIAL))
            if kind != RECORD or ordinal < 0:
                continue
            if io_type != RECORD_FRAGMENT and (self._after or (trans_ind in BEGINS and self._records)):
                self._after = self._after or Spot(trail.path, rba)
                self._is_over = True
                break
            if not self._records:
                self._transaction = _transaction_at(trail, rba)
            self._records += 1
            self._before += self._is_before or (trail.path == self._asked.path and rba < self._asked.rba)
            self._last = Spot(trail.path, rba)
            rows[table, io_type] += 1
            first_rba.setdefault(table, rba)
            if self._after or trans_ind in ENDS:
                self._after, self._has_end = Spot(trail.path, rba + length), True
        for (table, io_type), number in rows.items():
            record = trail.record_at(first_rba[table])
            name = trail.name_of(record) if record is not None else ""
            self._tables.setdefault(name, Counter())[io_type] += number

    def extent(self) -> Extent:
        """What has been read."""
        return Extent(
            self._transaction,
            self._start.spot if self._start.is_begin else None,
            self._last,
            self._after,
            self._has_end,
            self._records,
            self._before,
            self._tables,
            tuple(self._damage),
            self._missing,
        )


def _listed(column: object) -> list[int]:
    values: list[int] = column.tolist()  # type: ignore[attr-defined]  # arrays and numpy columns both have it
    return values


def _transaction_at(trail: TrailFile, rba: int) -> Transaction:
    record = trail.record_at(rba)
    return own_transaction(record) if record is not None else NO_TRANSACTION


def _batches(trail: TrailFile, start: int) -> Iterator[Batch]:
    nearby = scan(trail, start, engine=Engine.PYTHON, batch_size=NEARBY)
    yield from islice(nearby, 1)
    yield from scan(trail, nearby.place.rba)

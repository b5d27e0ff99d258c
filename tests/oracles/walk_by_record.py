"""Transactions record by record, in plain Python: how they were read before they were read by columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from trailformat.changes.transactions import own_transaction
from trailformat.errors import NotATrail, refuse_denied
from trailformat.records.record_header import (
    BEGINS,
    ENDS,
    NO_TRANSACTION,
    NOT_TRANSACTIONAL,
    RECORD_FRAGMENT,
    RESTARTS,
    Transaction,
)
from trailformat.scan import BAD_SPAN, PARTIAL, RECORD, Batch, scan
from trailformat.trail.file import TrailFile
from trailformat.trail.sequence import FilePosition, next_file
from trailformat.transactions.extent import Damage, Ended, Extent, Moment, Restart, Walked

MOST_DAMAGE = 1000
_COLUMNS = (
    *("rba", "length", "kind", "io_type", "trans_ind", "table", "record_length", "io_time"),
    *("audit_rba", "audit_pos"),
)


class TableRecords(NamedTuple):
    """Records of one table and IOType: the key of its name, the RBA of a record that has it, the bytes of the data."""

    table: int
    io_type: int
    records: int
    rba: int
    data_size: int


class RowRun(NamedTuple):
    """A run of records.

    Attributes:
        rba: of the first; ``last`` that of the last, ``after`` behind it.
        kind: RECORD, BAD_SPAN or PARTIAL.
        io_type: of the first.
        begins: whether the first begins a transaction; ``ends`` whether the last ends one.
        records, size: how many there are, and their bytes.
        first_moment, last_moment: of the first and the last.
        has_one_time: whether all have one IO Time; ``latest`` is the latest of them.
        tables: how many there are of each table and IOType, as they come first.
        transaction: LOGCSN and TRANID of the first; None where they were not looked for.
    """

    rba: int
    last: int
    after: int
    kind: int
    io_type: int
    begins: bool
    ends: bool
    records: int
    size: int
    first_moment: Moment
    last_moment: Moment
    has_one_time: bool
    latest: int
    tables: Sequence[TableRecords]
    transaction: Transaction | None = None


def _by_row(batch: Batch) -> Iterator[RowRun]:
    """Runs of one record each."""
    rows = zip(*(getattr(batch, name).tolist() for name in _COLUMNS), strict=True)
    for rba, length, kind, io_type, trans_ind, table, data_size, *moment in rows:
        is_span = kind in (BAD_SPAN, PARTIAL)
        if is_span or (kind == RECORD and (io_type in RESTARTS or io_type not in NOT_TRANSACTIONAL)):
            when, after = Moment(*moment), rba + length
            begins, ends = trans_ind in BEGINS, trans_ind in ENDS
            tables = (TableRecords(table, io_type, 1, rba, data_size),)
            is_one, latest = True, when.time
            yield RowRun(*(rba, rba, after, kind, io_type, begins, ends, 1, length, when, when, is_one, latest, tables))


class _Growing:
    """A transaction while its records are read."""

    def __init__(self, position: FilePosition, transaction: Transaction, *, begins: bool) -> None:
        self.transaction = transaction
        self.begin = position if begins else None
        self.first = self.last = position
        self.after: FilePosition | None = None
        self.marker: Restart | None = None
        self.missing: Path | None = None
        self.is_overtaken = self.has_end = False
        self.records = self.size = self.before = self.latest = self.data_size = 0
        self.moments: tuple[Moment, Moment] | None = None
        self.has_one_time = True
        self.tables: dict[str, Counter[int]] = {}
        self.damage: list[Damage] = []

    def add(self, path: Path, run: RowRun, name_of: Callable[[TableRecords], str], *, is_before: bool) -> None:
        """Take records in."""
        self.last = FilePosition(path, run.last)
        self.records += run.records
        self.size += run.size
        self.before += run.records if is_before else 0
        first = self.moments[0] if self.moments else run.first_moment
        self.has_one_time = self.has_one_time and run.has_one_time and first.time == run.last_moment.time
        self.latest = max(self.latest, 0 if run.io_type == RECORD_FRAGMENT else run.latest)
        self.moments = first, run.last_moment
        for part in run.tables:
            self.tables.setdefault(name_of(part), Counter())[part.io_type] += part.records
            self.data_size += part.data_size

    def _ended(self) -> Ended:
        if self.damage and not all(damage.is_partial for damage in self.damage):
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
            self.data_size,
            tuple(self.damage),
            self.missing,
        )


class WalkByRecord:
    """The transactions from a place on, over the files of the trail.

    Args:
        trail: one of the files, open; others are opened one at a time.
        start: where to begin, between two records.
        until: the last file in which transactions are begun; one that is open at its end is read to its own end. None:
            all files.
        asked: the place up to which ``before`` of a transaction counts.
        missing: the file before ``start`` that is not there, where the trail lacks one.
        following: gives the file after one and, where that is not there, the name it should have.
    """

    def __init__(
        self,
        trail: TrailFile,
        start: FilePosition,
        *,
        until: Path | None = None,
        asked: FilePosition | None = None,
        missing: Path | None = None,
        following: Callable[[Path], tuple[Path | None, Path | None]] = next_file,
    ) -> None:
        self._trail = trail
        self._start = start
        self._until = until
        self._asked = asked
        self._missing = missing
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
            self._lost = [damage._replace(is_partial=False) for damage in self._lost]
        if self._growing is not None:
            self._growing.missing = self._growing.missing or missing
            if following is not None or missing is not None:
                self._growing.damage = [damage._replace(is_partial=False) for damage in self._growing.damage]
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
        before: Batch | None = None
        for batch in scan(trail, start):
            if before is not None:
                self._read += len(before)
                yield Walked(self._read, FilePosition(trail.path, before.end), int(before.io_time[-1]))
            before = batch
            self._names.clear()
            for run in _by_row(batch):
                if run.kind in (BAD_SPAN, PARTIAL):
                    yield from self._damaged(Damage(trail.path, run.rba, run.size, run.kind == PARTIAL))
                elif run.io_type in NOT_TRANSACTIONAL:
                    yield from self._between(trail.path, run)
                else:
                    yield from self._before_run(FilePosition(trail.path, run.rba), run)
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
        marker = Restart(FilePosition(path, run.rba), run.io_type, run.first_moment.time, run.after)
        if self._growing is not None and self._growing.after is None:
            self._growing.marker = marker
            self._growing.after = FilePosition(path, marker.after)
        if self._growing is not None:
            yield self._ended()
        yield marker

    def _before_run(self, position: FilePosition, run: RowRun) -> Iterator[Extent]:
        """End the transaction that stands before a row, where the row is not of it."""
        growing = self._growing
        if growing is None or run.io_type == RECORD_FRAGMENT:
            return
        if growing.after is None and run.begins:
            growing.is_overtaken, growing.after = True, position
        if growing.after is not None:
            yield self._ended()

    def _take(self, trail: TrailFile, run: RowRun) -> None:
        position, is_fragment = FilePosition(trail.path, run.rba), run.io_type == RECORD_FRAGMENT
        growing = self._growing
        if growing is None:
            if is_fragment:
                return
            transaction = _transaction_at(trail, run.rba) if run.transaction is None else run.transaction
            growing = self._growing = _Growing(position, transaction, begins=run.begins)
            growing.damage, growing.missing = ([], None) if run.begins else (self._lost, self._missing)
            self._lost, self._missing = [], None
        asked = self._asked
        is_before = self._is_before or (asked is not None and position.path == asked.path and position.rba < asked.rba)
        growing.add(trail.path, run, partial(self._name, trail), is_before=is_before)
        if growing.after is not None or (run.ends and not is_fragment):
            growing.after, growing.has_end = FilePosition(trail.path, run.after), True

    def _name(self, trail: TrailFile, part: TableRecords) -> str:
        name = self._names.get(part.table)
        if name is None:
            record = trail.record_at(part.rba)
            name = self._names[part.table] = trail.name_of(record) if record is not None else ""
        return name

    def _ended(self) -> Extent:
        growing, self._growing = self._growing, None
        assert growing is not None
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

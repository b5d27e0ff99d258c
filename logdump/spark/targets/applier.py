"""Applies batches of changes to a target: each has whole transactions of the source, and is one of the target."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from logdump.spark.targets.net_effect import Changes
from logdump.spark.targets.target import AppliedPosition, ApplyTarget, ChangeRefused, KeyShared, Refused, SourceTable

Rows = Callable[[], Iterator[pa.Table]]
"""Yields the rows of a batch in portions, those of each table in trail order; each call yields them again."""
_IDLE = 10.0
"""Seconds after which a position is committed even without changes, so that files before it may be purged."""
_MOST_ROWS = 200_000
"""Changes that are held at once; a larger batch takes several steps of one transaction."""


class ApplyProgress(NamedTuple):
    """The progress after a commit.

    Attributes:
        rows: number of changes applied since the beginning.
        transactions: number of transactions of the source.
        csn, time: CSN of the last one, and the time at which the source wrote it.
        lag: seconds from that time to the commit in the target.
        rate: changes per second since the commit before.
    """

    rows: int = 0
    transactions: int = 0
    csn: str | None = None
    time: datetime | None = None
    lag: float | None = None
    rate: float = 0.0


class Applier:
    """Applies batches to an open target.

    Args:
        target: a target that is open, and prepared for the tables.
        tables: tables of the source.
        positions: positions of the tables in the target; changes before them are left out.
        overwrite: whether existing rows are replaced, and changes of missing rows left out.
        done: the progress so far.
    """

    def __init__(
        self,
        target: ApplyTarget,
        tables: Sequence[SourceTable],
        positions: Mapping[str, AppliedPosition],
        *,
        overwrite: bool = False,
        done: ApplyProgress | None = None,
    ) -> None:
        self._target = target
        self._tables = {table.name: table for table in tables}
        self._positions = dict(positions)
        self._overwrite = overwrite
        self._committed_at = time.monotonic()
        self.progress = done or ApplyProgress()

    def apply(self, rows: Rows, end: str) -> bool:
        """Apply a batch; return False if there was nothing to commit.

        Args:
            rows: the rows of the batch.
            end: the place in the trail at which it ends; no transaction is open there.

        Raises:
            Refused: the target refuses a change; the message names it, and the transactions before it are applied.
            TargetLost: the connection is lost; either all of the batch is applied or nothing.
        """
        try:
            return self._attempt(rows, end)
        except ChangeRefused as error:
            self._target.rollback()
            refused = error
        raise Refused(self._search(rows, refused)) from None

    def apply_before(self, rows: Rows, place: str) -> None:
        """Apply the changes of a batch before a place that is not a change; commit the position after it.

        Raises like apply.
        """
        try:
            self._attempt(rows, f"{place}9", place, is_needed=True)
        except ChangeRefused as error:
            self._target.rollback()
            refused = error
        else:
            return
        raise Refused(self._search(rows, refused))

    @property
    def place(self) -> str:
        """The place up to which all tables have their changes."""
        return min((position.place for position in self._positions.values()), default="")

    def _attempt(
        self, rows: Rows, place: str, last: str | None = None, *, commits: bool = True, is_needed: bool = False
    ) -> bool:
        """Apply the changes up to ``last``, or all if it is None, and commit ``place`` as the position."""
        step = _Step(self._target, self._tables, self._positions, overwrite=self._overwrite)
        for part in rows():
            step.take(part if last is None else part.filter(pc.less_equal(part["_sequence"], last)))
        step.flush()
        is_idle = time.monotonic() - self._committed_at > _IDLE
        if not commits or not (step.changes or is_idle or is_needed):
            return False
        self._note(step, step.commit(place, is_closed=last is None))
        return True

    def _note(self, step: _Step, positions: Mapping[str, AppliedPosition]) -> None:
        self._positions |= positions
        now, last = time.monotonic(), step.last
        lag = (datetime.now(UTC) - last.time).total_seconds() if last.time else None
        self.progress = ApplyProgress(
            self.progress.rows + step.changes,
            self.progress.transactions + len(step.transactions),
            last.csn or self.progress.csn,
            last.time or self.progress.time,
            lag,
            step.changes / max(now - self._committed_at, 1e-9),
        )
        self._committed_at = now

    def _search(self, rows: Rows, error: ChangeRefused) -> str:
        """Apply the transactions before the refused change, and return a message that names it."""
        ends, every = _places(rows)
        index = _first_failing(ends, lambda last: self._fails(rows, last))
        if index == len(ends):
            return error.problem
        before = ends[index - 1] if index else ""
        if before and self._target.commits_parts:
            self._attempt(rows, f"{before[:-1]}9", before)
        inside = [place for place in every if before < place <= ends[index]]
        change = _first_failing(inside, lambda last: self._fails(rows, last))
        return _named(rows, inside[min(change, len(inside) - 1)], error)

    def _fails(self, rows: Rows, last: str) -> bool:
        try:
            self._attempt(rows, "", last, commits=False)
        except ChangeRefused:
            return True
        finally:
            self._target.rollback()
        return False


class _Step:
    """Changes that are applied together as soon as there are enough of them."""

    def __init__(
        self,
        target: ApplyTarget,
        tables: Mapping[str, SourceTable],
        positions: Mapping[str, AppliedPosition],
        *,
        overwrite: bool,
    ) -> None:
        self._target, self._tables, self._before, self._overwrite = target, tables, positions, overwrite
        self._held: dict[str, Changes] = {}
        self._counts = Counter[str]()
        self._most = _MOST_ROWS
        self._waiting: dict[str, pa.Table] = {}
        self.transactions: set[tuple[Any, Any]] = set()
        self.last = AppliedPosition("", "")

    @property
    def changes(self) -> int:
        return self._counts.total()

    def commit(self, place: str, *, is_closed: bool) -> dict[str, AppliedPosition]:
        """Commit the applied changes with the positions; return those of the tables whose position has moved.

        ``is_closed`` is true if no transaction is open at ``place``.
        """
        positions = {}
        for name in self._tables:
            before = self._before.get(name) or AppliedPosition("", "")
            if before.place < place:
                csn, moment = self.last.csn or before.csn, self.last.time or before.time
                changes = before.changes + self._counts[name]
                positions[name] = AppliedPosition(place, place if is_closed else before.start, csn, moment, changes)
        self._target.commit(positions)
        return positions

    def take(self, rows: pa.Table) -> None:
        """Add later changes. A delete is held until the next change of its table: both may be one key update."""
        if not len(rows):
            return
        ordered = rows.take(pc.sort_indices(rows["_sequence"]))
        for name, own in by_table(ordered, [*self._tables]).items():
            before = self._before.get(name)
            new = own if before is None else own.filter(pc.greater_equal(own["_sequence"], before.place))
            if len(new):
                if (waiting := self._waiting.pop(name, None)) is not None:
                    new = pa.concat_tables([waiting, new], promote_options="default")
                count = len(new) - (new["_op"][-1].as_py() == "delete")
                if count < len(new):
                    self._waiting[name] = new.slice(count)
                self._hold(name, new.slice(0, count))
        pairs = pa.table([ordered["_csn"], ordered["_xid"]], ["csn", "xid"]).group_by(["csn", "xid"]).aggregate([])
        self.transactions |= {*zip(pairs["csn"].to_pylist(), pairs["xid"].to_pylist(), strict=True)}
        [last] = ordered.slice(len(ordered) - 1).select(["_sequence", "_csn", "_time"]).to_pylist()
        if last["_sequence"] > self.last.place:
            self.last = AppliedPosition(last["_sequence"], "", last["_csn"], last["_time"])
        if sum(changes.count for changes in self._held.values()) >= self._most:
            self._flush_some()

    def _hold(self, name: str, changes: pa.Table) -> None:
        if len(changes):
            table = self._tables[name]
            self._held.setdefault(name, Changes([*table.columns], table.keys)).add(changes)
            self._counts[name] += len(changes)

    def flush(self) -> None:
        for name, waiting in self._waiting.items():
            self._hold(name, waiting)
        self._waiting = {}
        for name, changes in self._held.items():
            self._target.apply(name, changes, overwrite=self._overwrite)
        self._held = {}

    def _flush_some(self) -> None:
        """Apply the held changes, except those of a table in which two rows share a key."""
        left = {}
        for name, changes in self._held.items():
            try:
                self._target.apply(name, changes, overwrite=self._overwrite)
            except KeyShared:
                left[name] = changes
        self._held = left
        self._most = _MOST_ROWS + 2 * sum(changes.count for changes in left.values())


def by_table(rows: pa.Table, names: Sequence[str]) -> dict[str, pa.Table]:
    """Return the rows of each table, with its columns under their own names."""
    if len(names) == 1:
        return {names[0]: rows}
    tables = {}
    for name in pc.unique(rows["_table"]).to_pylist():
        own = rows.filter(pc.equal(rows["_table"], name)).combine_chunks()
        struct = own[name].combine_chunks()
        struct = struct.chunk(0) if isinstance(struct, pa.ChunkedArray) else struct
        columns = {field: own[field] for field in own.column_names if field not in names}
        parts = zip(struct.type, struct.flatten(), strict=True)
        tables[name] = pa.table({**columns, **{field.name: part for field, part in parts}})
    return tables


def _places(rows: Rows) -> tuple[list[str], list[str]]:
    """Return ``_sequence`` of the last change of each transaction, and of each change, both sorted."""
    ends: dict[tuple[Any, Any], str] = {}
    every: list[str] = []
    for part in rows():
        ordered = part.take(pc.sort_indices(part["_sequence"]))
        columns = (ordered[name].to_pylist() for name in ("_csn", "_xid", "_sequence"))
        for csn, xid, sequence in zip(*columns, strict=True):
            ends[csn, xid] = max(sequence, ends.get((csn, xid), ""))
            every.append(sequence)
    return sorted(ends.values()), sorted(every)


def _first_failing(places: Sequence[str], fails: Callable[[str], bool]) -> int:
    """Return the index of the first place up to which applying fails; the number of places if it never does."""
    low, high = 0, len(places)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if fails(places[middle]) else (middle + 1, high)
    return low


def _named(rows: Rows, sequence: str, error: ChangeRefused) -> str:
    """Return a message with the change at a place, and why it is refused."""
    for part in rows():
        for row in part.filter(pc.equal(part["_sequence"], sequence)).to_pylist():
            where = f"{row['_file']}, RBA {row['_rba']}, CSN {row['_csn']}"
            return f"{where}: {row['_op']} of {row['_table']}: {error.problem}"
    return error.problem

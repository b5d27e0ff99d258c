"""Applies batches of changes to a target: each has whole transactions of the source, and is one of the target."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, repeat
from types import MappingProxyType
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from logdump.tables.errors import BadTrail, report
from logdump.targets.copied import HIDDEN, CopyRules
from logdump.targets.net_effect import Changes, Key
from logdump.targets.parts import (
    BatchChanges,
    Rows,
    Unit,
    ends_of,
    first_by_prefixes,
    first_failing,
    note_refused,
    up_to,
)
from logdump.targets.refused import ENDS_WAITING, Waiting, has_place, part_changes
from logdump.targets.target import (
    AppliedPosition,
    ApplyProgress,
    ApplyTarget,
    ChangeRefused,
    KeyShared,
    LastTransaction,
    Refused,
    RefusedChange,
    SourceTable,
)
from trailformat.changes.csn import csn_key

IDLE = 10.0
"""Seconds after which a position is committed even without changes, so that files before it may be purged."""
_MOST_REFUSED = 100
"""Most changes of a batch that are refused and noted, those that wait for them aside; with more the run stops."""
_MOST_ROWS = 200_000
"""Changes that are kept in memory at once; a larger batch takes several steps of one transaction."""


Transaction = tuple[str | None, str | None]
"""CSN and XID of a transaction of the source."""
_IMAGE = {"delete": "before"}
"""The image that a change is made of, if it is not the one after it."""


class Undecodable(ChangeRefused):
    """A value of a change does not decode, and may not be left out."""


class FirstCsn(NamedTuple):
    """The CSN with which a table begins.

    Attributes:
        csn: the CSN.
        is_after: whether transactions with this very CSN are left out too: a load has their rows.
    """

    csn: str
    is_after: bool = False

    def includes(self, csn: str) -> bool:
        """Return whether a transaction with a CSN is applied.

        Raises:
            BadTrail: the two cannot be compared.
        """
        own, least = csn_key(csn), csn_key(self.csn)
        if own is None or least is None or own.kind != least.kind:
            of = "of the load " if self.is_after else ""
            raise BadTrail(f"the CSN {self.csn} {of}cannot be compared with {csn}, which the trail has")
        return own.parts > least.parts or (own.parts == least.parts and not self.is_after)


class ApplyRules(NamedTuple):
    """What is done with some changes.

    Attributes:
        overwrite: whether existing rows are replaced, and changes of missing rows left out.
        firsts: the CSN with which tables without a position begin, by name; transactions before it are left out.
        keeps_undecoded: whether a value that does not decode leaves the column of the target as it is; else it stops.
        notes_refused: whether a change that the target refuses is noted in it, and the rest goes on; else it stops.
        copies: the columns, names and masks of tables.
    """

    overwrite: bool = False
    firsts: Mapping[str, FirstCsn] = MappingProxyType({})
    keeps_undecoded: bool = False
    notes_refused: bool = False
    copies: CopyRules = CopyRules({}, {}, {})


class Applier:
    """Applies batches to an open target.

    Args:
        target: a target that is open, and prepared for the tables.
        tables: tables of the source.
        positions: positions of the tables in the target; changes before them are left out.
        overwrite: whether existing rows are replaced, and changes of missing rows left out.
        rules: what is done with some changes, in place of ``overwrite``.
        done: the progress so far.
        witness_at: returns the last transaction before a place of the trail.
        waiting: keys of rows of which a change is noted in the target, by table.
        noted: numbers of changes noted by this run, by table; it is brought up to date.
    """

    def __init__(
        self,
        target: ApplyTarget,
        tables: Sequence[SourceTable],
        positions: Mapping[str, AppliedPosition],
        *,
        overwrite: bool = False,
        rules: ApplyRules | None = None,
        done: ApplyProgress | None = None,
        witness_at: Callable[[str], LastTransaction | None] = lambda _place: None,
        waiting: Waiting = MappingProxyType({}),
        noted: Counter[str] | None = None,
    ) -> None:
        self._target = target
        self._tables = {table.name: table for table in tables}
        self._positions = dict(positions)
        self._rules = rules or ApplyRules(overwrite)
        self._witness_at = witness_at
        self._waiting = {name: {*keys} for name, keys in waiting.items()}
        self._noted: Counter[str] = Counter() if noted is None else noted
        self._refused: dict[str, str] = {}
        self._counted: set[Transaction] = set()
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
        return self._apply(rows, end)

    def apply_before(self, rows: Rows, place: str, table: str, ending: str = "") -> None:
        """Apply the changes of a batch before a statement on a table; commit the position after it.

        Raises like apply; also Refused if the statement is ``ending``, that is ends all rows, and changes are noted.
        """
        if ending:
            self._apply(rows, place, place)
            if self._waiting.get(table):
                raise Refused(f"{ending}: {ENDS_WAITING}")
        self._apply(rows, f"{place}9", place, started=(table,))

    def _apply(self, rows: Rows, place: str, last: str | None = None, *, started: Collection[str] = ()) -> bool:
        """Apply changes; if the target refuses one, note it or stop before its transaction. Arguments as of _attempt.

        A change may be refused for others of its batch, so that only parts of the batch tell which one it is.
        """
        self._refused = {}
        try:
            return self._attempt(rows, place, last, started=started)
        except ChangeRefused as error:
            self._target.rollback()
            refused = error
        if not self._rules.notes_refused:
            raise self._refused_in(rows, refused)
        return self._apply_noting(self._changes(rows, last), place, last, started=started)

    def _apply_noting(self, batch: BatchChanges, place: str, last: str | None, *, started: Collection[str]) -> bool:
        """Apply the changes of a batch in one transaction, but note those that are refused."""
        step = self._step(started)

        def note(number: int, error: ChangeRefused) -> None:
            at = batch.places[number]
            is_noted = at not in self._refused and not isinstance(error, Undecodable)
            if not is_noted or len(self._refused) >= _MOST_REFUSED:
                self._apply_transactions_before(batch, number)
                raise _error(error, _named(batch.rows, batch.last_of(number), error))
            self._refused[at] = error.problem

        note_refused(batch, partial(self._try, batch, step), note)
        try:
            return self._commit(step, place, is_closed=last is None, is_needed=bool(started))
        except ChangeRefused as error:  # a constraint that is checked at the commit: nobody knows by which change
            self._target.rollback()
            raise _error(error, error.problem) from None

    def _try(
        self, batch: BatchChanges, step: _Step, units: Sequence[Unit], *, keeps: bool = True
    ) -> ChangeRefused | None:
        """Apply the changes of units, and add them to a step; undo them if they are refused or not kept."""
        part, target = self._step(step.started, step.waits), self._target
        target.mark()
        try:
            part.take_all(batch.changes(units))
            target.check()
        except ChangeRefused as error:
            target.back_to_mark()
            return error
        if keeps:
            target.forget_mark()
            step.add(part)
        else:
            target.back_to_mark()
        return None

    def _changes(self, rows: Rows, last: str | None, *, after: str = "") -> BatchChanges:
        """Return the changes of a batch after a place up to another."""

        def keys(portion: pa.Table) -> Iterator[tuple[str, str, Key]]:
            for name, own in by_table(portion, self._tables).items():
                columns = (own[key].to_pylist() for key in self._tables[name].keys)
                yield from zip(own["_sequence"].to_pylist(), repeat(name), zip(*columns, strict=True))

        return BatchChanges.of(rows, keys, last, after=after)

    def _apply_transactions_before(self, batch: BatchChanges, number: int) -> None:
        """Undo what is not committed; apply and commit the transactions of a batch before that of a change."""
        self._target.rollback()
        count = batch.before(number)
        if not count:
            return
        before = batch.last_of(count - 1)
        try:
            self._attempt(batch.rows, f"{before[:-1]}9", before)
        except ChangeRefused:  # only together with later ones are they right
            self._target.rollback()

    def place_of(self, table: str) -> str:
        """Return the place before which a table has all changes; empty if it has none."""
        position = self._positions.get(table)
        return position.place if position is not None else ""

    @property
    def place(self) -> str:
        """The place before which all tables have all changes; empty if one has none."""
        return min(map(self.place_of, self._tables), default="")

    def _attempt(self, rows: Rows, place: str, last: str | None = None, *, started: Collection[str] = ()) -> bool:
        """Apply the changes up to ``last``, or all if it is None, and commit ``place`` as the position.

        ``started`` are tables that get this position even if none of their changes was met.
        """
        step = self._step(started)
        step.take_all(rows() if last is None else up_to(rows, last))
        return self._commit(step, place, is_closed=last is None, is_needed=bool(started))

    def _step(self, started: Collection[str], waits: Waiting | None = None) -> _Step:
        step = _Step(self._target, self._tables, self._positions, self._rules, started)
        own = self._waiting if waits is None else waits
        step.refused, step.waits = self._refused, {name: {*keys} for name, keys in own.items()}
        return step

    def _commit(self, step: _Step, place: str, *, is_closed: bool, is_needed: bool) -> bool:
        """Commit what a step has applied; return False if there is nothing, and the last position is not old."""
        is_idle = time.monotonic() - self._committed_at > IDLE
        if not (step.changes or step.noted or is_idle or is_needed):
            return False
        self._note(step, step.commit(place, self._witness_at(place), is_closed=is_closed))
        return True

    def _note(self, step: _Step, positions: Mapping[str, AppliedPosition]) -> None:
        for line in step.reports:
            report(line)
        self._positions |= positions
        self._waiting = step.waits
        for table in step.truncated:
            self._noted[table] = 0
        self._noted.update(change.table_name for change in step.still_noted())
        now, last = time.monotonic(), (step.last.csn, step.last.time)
        new = len(step.transactions - self._counted)
        done = self.progress.after(step.changes, new, last, now - self._committed_at)
        self.progress = done._replace(refused=self._noted.total())
        self._counted, self._committed_at = step.transactions or self._counted, now

    def _refused_in(self, rows: Rows, error: ChangeRefused) -> Refused | BadTrail:
        """Apply the transactions before the first refused change; return the error about that change.

        Without parts that are committed, as in folders of files, nothing is applied.
        """
        ends = ends_of(rows)
        index = first_failing(len(ends), lambda number: self._refusal(up_to(rows, ends[number])) is not None)
        if index == len(ends):
            return _error(error, error.problem)
        before = ends[index - 1] if index else ""
        batch = self._changes(rows, ends[index], after=before)
        if self._target.commits_parts:
            if before:
                self._attempt(rows, f"{before[:-1]}9", before)
            found = self._first_by_marks(batch)
        else:
            found = first_by_prefixes(
                batch, lambda units: self._refusal(chain(up_to(rows, before), batch.changes(units)))
            )
        if found is None:  # the commit alone refuses it
            found = batch.units[-1][-1], self._refusal(up_to(rows, ends[index])) or error
        return _error(found[1], _named(rows, batch.last_of(found[0]), found[1]))

    def _first_by_marks(self, batch: BatchChanges) -> tuple[int, ChangeRefused] | None:
        """Return the first refused change of a transaction, and why; nothing of it is applied."""
        found: list[tuple[int, ChangeRefused]] = []
        step = self._step(())

        def attempt(units: Sequence[Unit], *, keeps: bool = True) -> ChangeRefused | None:
            return None if found else self._try(batch, step, units, keeps=keeps)

        note_refused(batch, attempt, lambda number, error: found.append((number, error)))
        self._target.rollback()
        return found[0] if found else None

    def _refusal(self, rows: Iterable[pa.Table]) -> ChangeRefused | None:
        """Return why changes are refused; None if they are not. Nothing is committed."""
        step = self._step(())
        try:
            step.take_all(rows)
            self._target.check()
        except ChangeRefused as error:
            return error
        finally:
            self._target.rollback()
        return None


class _Step:
    """Changes that are applied together as soon as there are enough of them."""

    def __init__(
        self,
        target: ApplyTarget,
        tables: Mapping[str, SourceTable],
        positions: Mapping[str, AppliedPosition],
        rules: ApplyRules,
        started: Collection[str],
    ) -> None:
        self._target, self._tables, self._before, self._rules = target, tables, positions, rules
        self.started = {*started}
        self._pending: dict[str, Changes] = {}
        self._in_hand = 0
        self._counts = Counter[str]()
        self._most = _MOST_ROWS
        self._waiting: dict[str, pa.Table] = {}
        self.refused: Mapping[str, str] = {}
        self.waits: dict[str, set[str]] = {}
        self.noted: list[RefusedChange] = []
        self.truncated: dict[str, str] = {}
        self.reports: list[str] = []
        self.transactions: set[Transaction] = set()
        self.last = AppliedPosition("", "")

    @property
    def changes(self) -> int:
        return self._counts.total()

    def add(self, later: _Step) -> None:
        """Add what a step has applied and noted that came after this one."""
        self._counts.update(later._counts)
        self.noted += later.noted
        self.truncated |= later.truncated
        self.reports += later.reports
        self.transactions |= later.transactions
        self.started |= later.started
        self.waits = later.waits
        self.last = max(self.last, later.last, key=lambda position: position.place)

    def still_noted(self) -> Iterator[RefusedChange]:
        """Yield the noted changes that no truncate of their table has come after."""
        return (change for change in self.noted if change.place >= self.truncated.get(change.table_name, ""))

    def commit(self, place: str, witness: LastTransaction | None, *, is_closed: bool) -> dict[str, AppliedPosition]:
        """Commit the applied changes with the positions; return those of the tables whose position has moved.

        ``witness`` is the transaction before ``place``; ``is_closed`` is true if no transaction is open there. A table
        that waits for its first CSN gets no position: without one, that CSN still holds when it is begun again.
        """
        positions = {}
        for name in self._tables:
            before = self._before.get(name) or AppliedPosition("", "")
            is_waiting = not before.place and name in self._rules.firsts and name not in self.started
            if before.place < place and not is_waiting:
                csn, moment = self.last.csn or before.csn, self.last.time or before.time
                start = place if is_closed else before.start
                changes = before.changes + self._counts[name]
                positions[name] = AppliedPosition(
                    place, start, csn, moment, changes, witness, masks=self._rules.copies.digest(name)
                )
        if self._rules.notes_refused:
            self._target.note_refused([*self.still_noted()], self.truncated)
        self._target.commit(positions)
        return positions

    def take_all(self, portions: Iterable[pa.Table]) -> None:
        """Add later changes, and apply all that are there."""
        for rows in portions:
            self.take(rows)
        self.flush()

    def take(self, rows: pa.Table) -> None:
        """Add later changes. A delete is held until the next change of its table: both may be one key update."""
        if not len(rows):
            return
        self._start_tables(rows)
        ordered = rows.take(pc.sort_indices(rows["_sequence"]))
        for name, own in by_table(ordered, self._tables).items():
            before = self._before.get(name)
            new = own if before is None else own.filter(pc.greater_equal(own["_sequence"], before.place))
            new = self._from_first(name, new)
            new = decoded(self._tables[name], new, keeps=self._rules.keeps_undecoded, reports=self.reports)
            new = self._rules.copies.rows(self._tables[name], new)
            if len(new):
                self.transactions |= _transactions_in(new)
                if (waiting := self._waiting.pop(name, None)) is not None:
                    new = pa.concat_tables([waiting, new], promote_options="default")
                count = len(new) - (new["_op"][-1].as_py() == "delete")
                if count < len(new):
                    self._waiting[name] = new.slice(count)
                self._hold(name, new.slice(0, count))
        [last] = ordered.slice(len(ordered) - 1).select(["_sequence", "_csn", "_time"]).to_pylist()
        if last["_sequence"] > self.last.place:
            self.last = AppliedPosition(last["_sequence"], "", last["_csn"], last["_time"])
        if self._in_hand >= self._most:
            self._flush_some()

    def _start_tables(self, rows: pa.Table) -> None:
        """Note the tables whose first CSN the rows have reached."""
        for name, first in self._rules.firsts.items():
            if name not in self.started and any(first.includes(csn) for csn in _distinct(rows["_csn"])):
                self.started.add(name)

    def _from_first(self, name: str, rows: pa.Table) -> pa.Table:
        """Return the rows of a table from the CSN on with which it begins."""
        first = self._rules.firsts.get(name)
        if first is None or not len(rows):
            return rows
        csns = [csn for csn in _distinct(rows["_csn"]) if first.includes(csn)]
        return rows.filter(pc.is_in(rows["_csn"], pa.array(csns, pa.string())))

    def _hold(self, name: str, changes: pa.Table) -> None:
        if len(changes) and self._rules.notes_refused:
            changes = self._without_noted(self._tables[name], changes)
        if len(changes):
            table = self._tables[name]
            self._pending.setdefault(name, Changes([*table.columns], table.keys)).add(changes)
            self._in_hand += len(changes)
            self._counts[name] += len(changes)

    def _without_noted(self, table: SourceTable, changes: pa.Table) -> pa.Table:
        """Return the changes to be applied; note the others."""
        waiting = self.waits.setdefault(table.name, set())
        least = not waiting and not has_place(changes, self.refused)
        parted = part_changes(table, changes, waiting, self.refused, least=least)
        if parted.truncated is not None:
            self.truncated[table.name] = parted.truncated
        self.noted += parted.noted
        return parted.applied

    def flush(self) -> None:
        for name, waiting in self._waiting.items():
            self._hold(name, waiting)
        self._waiting = {}
        for name, changes in self._pending.items():
            try:
                self._target.apply(name, changes, overwrite=self._rules.overwrite)
            except KeyShared as error:
                error.place = changes.all()["_sequence"][error.number].as_py()
                raise
        self._pending, self._in_hand = {}, 0

    def _flush_some(self) -> None:
        """Apply the pending changes, except those of a table in which two rows share a key."""
        left = {}
        for name, changes in self._pending.items():
            try:
                self._target.apply(name, changes, overwrite=self._rules.overwrite)
            except KeyShared:
                left[name] = changes
        self._pending, self._in_hand = left, sum(changes.count for changes in left.values())
        self._most = _MOST_ROWS + 2 * self._in_hand


def _transactions_in(rows: pa.Table) -> set[Transaction]:
    pairs = pa.table([rows["_csn"], rows["_xid"]], ["csn", "xid"]).group_by(["csn", "xid"]).aggregate([])
    return {*zip(pairs["csn"].to_pylist(), pairs["xid"].to_pylist(), strict=True)}


def decoded(table: SourceTable, rows: pa.Table, *, keeps: bool, reports: list[str]) -> pa.Table:
    """Return changes of a table in which values that do not decode are absent: the target keeps what it has.

    Args:
        table: the table.
        rows: its changes, with ``_problems``.
        keeps: whether a value may be left out; values of the key never are.
        reports: gets a line for each value that is left out.

    Raises:
        Undecodable: a value may not be left out.
    """
    if "_problems" not in rows.column_names or rows["_problems"].null_count == len(rows):
        return rows
    absent, is_other = rows["_absent"].to_pylist(), False
    for number, row in enumerate(rows.select(["_op", "_problems", "_file", "_rba"]).to_pylist()):
        reasons = dict(_reasons(table, row))
        if not reasons:
            continue
        is_key = any(name in table.keys for name in reasons)
        if row["_op"] == "delete" and not is_key and None not in reasons:
            continue
        if not keeps or is_key or None in reasons:
            raise Undecodable(_undecoded(reasons))
        reports.append(
            f"{row['_file']}, RBA {row['_rba']}: {row['_op']} of {table.name}: {_undecoded(reasons)}; not applied"
        )
        absent[number], is_other = [*(absent[number] or ()), *filter(None, reasons)], True
    if not is_other:
        return rows
    column = pa.array(absent, rows.schema.field("_absent").type)
    return rows.set_column(rows.column_names.index("_absent"), "_absent", column)


def _reasons(table: SourceTable, row: Mapping[str, Any]) -> Iterator[tuple[str | None, str]]:
    """Yield the columns of a change that do not decode, each with the reason; None for the whole record."""
    spelled = {name.lower(): name for name in table.columns}
    for problem in row["_problems"] or ():
        column, image = problem["column"], problem["image"]
        if column is None:
            yield None, problem["reason"]
        elif image == _IMAGE.get(row["_op"], "after") and (name := spelled.get(column.lower())) is not None:
            mask = table.masks.get(name)
            if mask is None or mask.kind == "hash":
                yield name, problem["reason"] if mask is None else HIDDEN


def _undecoded(reasons: Mapping[str | None, str]) -> str:
    texts = (reason if name is None else f"column {name} does not decode: {reason}" for name, reason in reasons.items())
    return "; ".join(texts)


def _distinct(column: pa.ChunkedArray) -> list[str]:
    return [value for value in pc.unique(column).to_pylist() if value is not None]


def by_table(rows: pa.Table, names: Collection[str]) -> dict[str, pa.Table]:
    """Return the rows of each table, with its columns under their own names."""
    if len(names) == 1:
        return dict.fromkeys(names, rows)
    tables = {}
    for name in pc.unique(rows["_table"]).to_pylist():
        own = rows.filter(pc.equal(rows["_table"], name)).combine_chunks()
        struct = own[name].combine_chunks()
        struct = struct.chunk(0) if isinstance(struct, pa.ChunkedArray) else struct
        columns = {field: own[field] for field in own.column_names if field not in names}
        parts = zip(struct.type, struct.flatten(), strict=True)
        tables[name] = pa.table({**columns, **{field.name: part for field, part in parts}})
    return tables


def _error(refused: ChangeRefused, text: str) -> Refused | BadTrail:
    """Return the error about a change: of the trail if a value does not decode, else of the target."""
    return BadTrail(text) if isinstance(refused, Undecodable) else Refused(text)


def _named(rows: Rows, sequence: str, error: ChangeRefused) -> str:
    """Return a message with the change at a place, and why it is refused."""
    for part in rows():
        own = part.filter(pc.starts_with(part["_sequence"], sequence[:-1]))
        for row in own.slice(max(0, len(own) - 1)).to_pylist():
            csn = f", CSN {row['_csn']}" if row["_csn"] is not None else ""
            where = f"{row['_file']}, RBA {row['_rba']}{csn}"
            nul = "".join(f"; the text of column {name} holds a NUL character" for name in _with_nul(row))
            op = "key update" if len(own) > 1 else row["_op"]
            return f"{where}: {op} of {row['_table']}: {error.problem}{nul}"
    return error.problem


def _with_nul(row: Mapping[str, Any]) -> Iterator[str]:
    """Yield the columns of a change whose text holds a NUL character, which PostgreSQL, for one, has no room for."""
    for name, value in row.items():
        if isinstance(value, dict):
            yield from _with_nul(value)
        elif isinstance(value, str) and "\0" in value:
            yield name

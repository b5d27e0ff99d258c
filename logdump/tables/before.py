"""The state at the start of slices: the definitions in force there, and the transaction that is open.

Definitions are found by a search for the metadata of a file, transactions by some steps back from the start of each
slice or, if one is large, by a pass over all records. Otherwise each task would have to read all that precedes its
slice.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import groupby, pairwise
from typing import NamedTuple

from logdump.tables.options import Options
from logdump.tables.slice import Slice, StateBefore
from trailformat import CannotRead, TrailError, TrailFile
from trailformat.changes.transaction_context import TransactionSearch
from trailformat.scan import Batch, Workers
from trailformat.scan.parallel import cores, scan_in_threads
from trailformat.scan.rows import learn_definitions
from trailformat.trail.table_definitions import MetadataRecord
from trailformat.transactions.tracker import TrackerState, TransactionTracker

_OF_HEADERS = frozenset(
    """
    file seqno file_order rba length op op_code time trans_ind before_after csn xid audit_rba audit_pos partition
    record_length raw start_rba records bytes
    """.split()  # noqa: SIM905 - a list would fill a page
)
"""Columns that need no definition."""
_OF_TRANSACTIONS = frozenset({"csn", "xid", "first_csn", "last_csn", "_csn", "_xid"})


class NeededBefore(NamedTuple):
    """The parts of the state before its slices that a read needs."""

    definitions: bool
    transaction: bool

    @classmethod
    def of(cls, options: Options, wanted: Collection[str]) -> NeededBefore:
        """Return what a read of these columns needs: nothing if ``wanted`` is empty, as before columns are known."""
        if not wanted:
            return NOTHING_NEEDED
        has_csns = options.start_csn is not None or options.end_csn is not None
        names = (
            options.where is not None or options.table is not None or options.rows_of is not None or options.changes_of
        )
        return cls(
            definitions=bool(names) or not _OF_HEADERS.issuperset(wanted),
            transaction=options.where is not None or has_csns or not _OF_TRANSACTIONS.isdisjoint(wanted),
        )


NOTHING_NEEDED = NeededBefore(definitions=False, transaction=False)


class KnownFile(NamedTuple):
    """Result of a pass over a file for its slices, which the plan uses as long as the file is unchanged.

    Attributes:
        state: size and time of the last change of the file; None if it was being written.
        needed: the parts of the state that were looked for.
        before: the state before each slice, by the start of the slice.
    """

    state: tuple[int, int] | None
    needed: NeededBefore
    before: Mapping[int, StateBefore | None]

    def serves(self, trail: TrailFile, parts: Sequence[Slice], needed: NeededBefore) -> bool:
        """Return whether the file is unchanged and the result has what these slices need."""
        is_looked_for = all(had or not wanted for had, wanted in zip(self.needed, needed, strict=True))
        is_same = self.state is not None and self.state == trail.settled_state
        return is_same and is_looked_for and all(part.start in self.before for part in parts)


KnownFiles = dict[str, KnownFile]
"""Known files by path."""


def with_before(slices: Sequence[Slice], needed: NeededBefore, known: Mapping[str, KnownFile]) -> list[Slice]:
    """Return the slices, those that begin inside a file with the state before them."""
    if not any(needed) or not any(part.start for part in slices):
        return [*slices]
    files = [[*parts] for _, parts in groupby(slices, lambda part: part.path)]
    with ThreadPoolExecutor(cores()) as pool, Workers(max(1, cores() // len(files))) as workers:
        results = pool.map(lambda parts: _of_file(parts, needed, workers, known.get(parts[0].path)), files)
        return [part for parts in results for part in parts]


def _of_file(
    parts: Sequence[Slice], needed: NeededBefore, workers: Workers, known: KnownFile | None
) -> Sequence[Slice]:
    """Return the slices of one file with the state before them; unchanged if it cannot be read, which tasks report."""
    if not parts[-1].start:
        return parts
    try:
        with TrailFile(parts[0].path) as trail:
            if known is None or not known.serves(trail, parts, needed):
                known = gone_over(trail, parts, needed, workers)
    except (TrailError, CannotRead):
        return parts
    return [part._replace(before=known.before[part.start]) for part in parts]


_NEAR = 1 << 10
"""Most records to go back to the beginning of a transaction. That takes some 50 ms per slice, a full pass 60 ms."""


def gone_over(
    trail: TrailFile,
    parts: Sequence[Slice],
    needed: NeededBefore,
    workers: Workers,
    see: Callable[[Batch], None] | None = None,
) -> KnownFile:
    """Find the state before each slice of a file; ``see`` is called with all batches, which takes five times as long.

    Raises:
        TrailError: the file cannot be read.
    """
    state, tracker, before = trail.settled_state, TransactionTracker(trail), dict[int, StateBefore | None]()
    starts = [part.start for part in parts]
    near = _transactions_near(trail, starts) if needed.transaction else {}
    is_scanned = near is None or see is not None
    if needed.definitions and not is_scanned:
        find_definitions(trail, starts, workers)

    def scan_to(start: int, stop: int | None) -> None:
        for batch in scan_in_threads(trail, workers, start, stop) if is_scanned else ():
            learn_definitions(trail, batch)
            if near is None:
                tracker.pass_over(batch)
            if see is not None:
                see(batch)

    begun = 0
    for start in starts:
        if start > begun:
            scan_to(begun, start)
        begun = max(begun, start)
        definitions = trail.tables.state_at(start) if needed.definitions and start else None
        transaction = (tracker.state if near is None else near.get(start)) if start else None
        before[start] = StateBefore(definitions, transaction)
    if see is not None:
        scan_to(begun, None)
    return KnownFile(state, needed, before)


def _transactions_near(trail: TrailFile, starts: Sequence[int]) -> dict[int, TrackerState] | None:
    """Return the open transactions by RBA; None if one begins more than _NEAR records before."""
    states: dict[int, TrackerState] = {}
    for start in filter(None, starts):
        search = TransactionSearch(trail, _NEAR)
        last = search.carried_at(
            start, trail.order, is_fragment=True
        )  # fragments may follow a transaction that has ended
        if search.is_exhausted:
            return None
        states[start] = TrackerState(start, last, is_unknown=False)
    return states


def find_definitions(trail: TrailFile, places: Sequence[int], workers: Workers) -> None:
    """Have threads find the definitions between these RBAs, at which records begin or the file ends."""
    if workers.number == 1:
        return

    def between(start: int, stop: int, _is_over: object) -> tuple[list[int], int]:
        with trail.twin() as own:
            own.refresh()
            return own.metadata_rbas(start, stop)

    begun = trail.tables.known_to
    bounds = pairwise([begun, *(place for place in places if place > begun)])
    jobs = ((pair, partial(between, *pair)) for pair in bounds if pair[0] < pair[1])
    for (start, stop), (rbas, end) in workers.in_order(jobs):
        if end != stop:
            return
        records = [trail.record_at(rba) for rba in rbas]
        trail.tables.learn(start, stop, [MetadataRecord.of(record) for record in records if record is not None])

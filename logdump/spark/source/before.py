"""What stands before a slice: the definitions in force there, and the transaction that is open.

One pass over a file, here, gives it to all its slices. Without it each task would look for it by itself, which reads
the file from its beginning.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import groupby, pairwise
from typing import NamedTuple

from logdump.spark.source.options import Options
from logdump.spark.source.slice import Slice, StateBefore
from trailformat import CannotRead, TrailError, TrailFile
from trailformat.scan import Workers
from trailformat.scan.jobs import cores
from trailformat.scan.parallel import scan_in_threads
from trailformat.scan.rows import learn_definitions
from trailformat.trail.table_definitions import MetadataRecord
from trailformat.transactions.tracker import TransactionTracker

_OF_HEADERS = frozenset(
    """
    file seqno file_order rba length op op_code time trans_ind before_after csn xid audit_rba audit_pos partition
    record_length raw start_rba records bytes
    """.split()  # noqa: SIM905 - a list would fill a page
)
"""Columns that need no definition."""
_OF_TRANSACTIONS = frozenset({"csn", "xid", "first_csn", "last_csn", "_csn", "_xid"})


class NeededBefore(NamedTuple):
    """What a read needs to know of what stands before its slices."""

    definitions: bool
    transaction: bool

    @classmethod
    def of(cls, options: Options, wanted: Collection[str]) -> NeededBefore:
        """What these columns need, ``wanted`` being none where it is not known yet what is read."""
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


def with_before(slices: Sequence[Slice], needed: NeededBefore) -> list[Slice]:
    """The slices with what stands before those that begin inside of a file."""
    if not any(needed) or not any(part.start for part in slices):
        return [*slices]
    files = [[*parts] for _, parts in groupby(slices, lambda part: part.path)]
    with ThreadPoolExecutor(cores()) as pool, Workers(max(1, cores() // len(files))) as workers:
        return [part for parts in pool.map(lambda parts: _of_file(parts, needed, workers), files) for part in parts]


def _of_file(parts: Sequence[Slice], needed: NeededBefore, workers: Workers) -> list[Slice]:
    """The slices of one file; as they are where it cannot be read, which is for the tasks to say."""
    if not parts[-1].start:
        return [*parts]
    try:
        with TrailFile(parts[0].path) as trail:
            return _gone_over(trail, parts, needed, workers)
    except (TrailError, CannotRead):
        return [*parts]


def _gone_over(trail: TrailFile, parts: Sequence[Slice], needed: NeededBefore, workers: Workers) -> list[Slice]:
    if not needed.transaction:
        _find_definitions(trail, [part.start for part in parts], workers)
    tracker = TransactionTracker(trail)
    begun = 0
    found = []
    for part in parts:
        is_after = needed.transaction and part.start > begun
        for batch in scan_in_threads(trail, workers, begun, part.start) if is_after else ():
            learn_definitions(trail, batch)
            tracker.pass_over(batch)
        begun = max(begun, part.start)
        definitions = trail.tables.state_at(part.start) if needed.definitions and part.start else None
        transaction = tracker.state if needed.transaction and part.start else None
        found.append(part._replace(before=StateBefore(definitions, transaction)))
    return found


def _find_definitions(trail: TrailFile, places: Sequence[int], workers: Workers) -> None:
    """Have threads find the definitions between these places, where records begin; the rest is walked to."""
    if workers.number == 1:
        return

    def between(start: int, stop: int, _is_over: object) -> tuple[list[int], int]:
        with trail.twin() as own:
            own.refresh()
            return own.metadata_rbas(start, stop)

    jobs = ((bounds, partial(between, *bounds)) for bounds in pairwise([0, *places]) if bounds[0] < bounds[1])
    for (start, stop), (rbas, end) in workers.in_order(jobs):
        if end != stop:
            return
        records = [trail.record_at(rba) for rba in rbas]
        trail.tables.learn(start, stop, [MetadataRecord.of(record) for record in records if record is not None])

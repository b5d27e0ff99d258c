"""``logdump.apply``: a run that reads the trail in this process, without Spark and Java."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Unpack

import pyarrow as pa

from logdump.arrow.records.schema import Selected
from logdump.tables import reader
from logdump.tables.before import NeededBefore
from logdump.tables.change_columns import ARROW, MESSAGE_COLUMNS, change_columns, changed_tables
from logdump.tables.checked_options import checked
from logdump.tables.defined_tables import changed_layouts
from logdump.tables.options import Options, Paths, names_option
from logdump.tables.paths import find_files
from logdump.tables.planner import packed
from logdump.tables.slice import Slice
from logdump.tables.slices import Request
from logdump.tables.stream_trail import StreamTrail
from logdump.tables.stream_walk import Limit
from logdump.targets.evolution import source_columns_of
from logdump.targets.request import ApplyRequest
from logdump.targets.run import ApplyDriver, ApplyRun, Take, run_of
from logdump.targets.run_options import ApplyArguments, RunOptions, Tables
from logdump.targets.target import ApplyProgress, SourceColumn, place_of
from trailformat.trail import command_files


class InProcess(ApplyDriver):
    """Reads the trail in this process.

    Args:
        once: whether the read ends with what is in the trail when it begins.
        interval: seconds between checks of the trail for changes.
    """

    def __init__(self, *, once: bool = False, interval: float = 1.0) -> None:
        self._once, self._interval = once, interval
        self._options = Options()
        self._request = Request((), self._options)

    def begin(self, request: ApplyRequest, options: Mapping[str, Any]) -> Mapping[str, Sequence[SourceColumn]]:
        self._options = checked(request.parsed({**options, "changesOf": names_option([*request.tables])}))
        layouts = changed_layouts(self._options)
        tables = changed_tables(layouts, self._options)
        columns = change_columns(tables, self._options)
        if self._options.messages:
            columns = {column.name: column for column in MESSAGE_COLUMNS}
        selected = tuple(Selected(name, column) for name, column in columns.items())
        self._request = Request(selected, self._options, layouts)
        return {table.name: source_columns_of(table) for table in tables}

    def run(self, take: Take, stop: threading.Event) -> Iterator[None]:
        trail = StreamTrail(self._options, NeededBefore.of(self._options, [*self._request.wanted]))
        at, limit = trail.first(), Limit(self._options.max_bytes_per_trigger, self._options.max_files_per_trigger)
        limit = limit._replace(transactions=self._options.max_transactions_per_trigger)
        target = trail.written() if self._once else None
        ends = self._once or self._options.end_seqno is not None
        told = {Path(file.path) for file in find_files(self._options) if (file.seqno or 0) >= at.seqno}
        command_files.announce(told)
        while not stop.is_set():
            end = trail.after(at, limit, target)
            if end == at:
                if ends:
                    return
                stop.wait(self._interval)
                continue
            slices = trail.slices(at, end)
            new = {Path(part.path) for part in slices} - told
            command_files.announce(new)
            told |= new
            if take(partial(self._rows, slices), place_of(*end)):
                yield
            at = end

    def _rows(self, slices: Sequence[Slice]) -> Iterator[pa.Table]:
        for lot in packed(slices, self._options.max_partition_bytes):
            for batch in reader.read(lot, self._request):
                yield from tables_in(batch)
            command_files.report(Path(lot[-1].path), lot[-1].stop)


def tables_in(batch: pa.RecordBatch) -> Iterator[pa.Table]:
    """Yield the rows of a batch; of one whose rows are batches of changes, these changes."""
    if batch.schema.names != [ARROW]:
        yield pa.Table.from_batches([batch])
        return
    for stream in batch[ARROW]:
        yield pa.ipc.open_stream(stream.as_buffer()).read_all()


def apply_run(path: Paths, target: Any, tables: Tables = "*", **given: Unpack[ApplyArguments]) -> ApplyRun:
    """Return the run of a call of ``apply`` with these arguments, which reads the trail in this process."""
    options = RunOptions.of(tables, given)
    return run_of(InProcess(once=options.once, interval=options.interval), path, target, options)


def apply(path: Paths, target: Any, tables: Tables = "*", **given: Unpack[ApplyArguments]) -> ApplyProgress:
    """Apply the changes of a trail to tables of a target, each exactly once, until ``stop`` is set.

    Args:
        path: file, directory or glob of one trail; or several.
        target: URL of a database, ``delta:`` with a folder, ``iceberg:`` with a catalog's name; or a pyiceberg catalog.
        tables: names in the trail, or wildcards, which match no heartbeat tables; or a mapping to names in the target.
        given: :class:`ApplyArguments`, and options of the data source that leave out no change.

    Raises:
        SourceError: ``BadTarget``: nothing has been written; ``Refused``: the target refuses a change, and the
            transactions before it are applied; ``TargetLost``: the connection is lost for longer than ``patience``.
    """
    return apply_run(path, target, tables, **given).to_the_end()


def retry(path: Paths, target: Any, tables: Tables = "*", **given: Unpack[ApplyArguments]) -> ApplyProgress:
    """Apply the changes that ``apply(errors="table")`` has noted in the target again, each with those that wait for it.

    A change that is refused again stays noted, and so do the later ones of its row.

    Args:
        path: the trail, which has the definitions of the tables.
        target: the target, as in :func:`logdump.apply`.
        tables: as there.
        given: as there.

    Returns: the number of changes that are applied, ``rows``, and of those that are left, ``refused``.

    Raises:
        SourceError: as there.
    """
    return apply_run(path, target, tables, **given).retry()

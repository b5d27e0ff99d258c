"""The plan of a query: files are found, left out, packed, and split into the slices that tasks read.

A large file is split where :mod:`trailformat.scan.split` finds records; this is done once, here, so that all tasks
agree. The task that reads a slice checks that it ends exactly where the next one begins.

Whole files are left out by FirstCSN, LastCSN, FirstIOTime and LastIOTime of their headers. LastCSN and LastIOTime are
set when the writer closes a file, so the end of the newest one is not known. The first records of a file may belong to
a transaction of the file before, whose CSN is lower than FirstCSN: only a file that begins with a transaction is left
out for beginning too late.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import groupby, pairwise
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from logdump.arrow.records.schema import ENDING_COLUMNS
from logdump.tables.errors import BadTrail, FileChanged, located
from logdump.tables.options import Options
from logdump.tables.paths import TrailInput, find_files
from logdump.tables.slice import Slice, filters_of, rba_range
from trailformat import CannotRead, NotATrail, PartialRecord, TrailFile, from_datetime
from trailformat.changes.csn import CsnKey, csn_key
from trailformat.codec.on_demand import on_demand
from trailformat.codec.remote.path import place
from trailformat.errors import not_opened
from trailformat.scan import Workers
from trailformat.scan.split import split_points
from trailformat.trail.packed import unpacked_size
from trailformat.transactions.around import begins_with_a_transaction

with on_demand:
    from logdump.tables import before
    from trailformat.transactions import whole_trail

if TYPE_CHECKING:
    from logdump.tables.before import KnownFile


def may_hold(trail: TrailFile, options: Options) -> bool:
    """Return whether any record of the file can be within the bounds on CSN and time."""
    header = trail.file_header
    if header is None:
        return True
    if _is_before(csn_key(header.last_csn or ""), csn_key(options.start_csn or "")):
        return False
    start, end = (moment and from_datetime(moment) for moment in (options.start_timestamp, options.end_timestamp))
    if _is_before(header.last_time, start):
        return False
    begins_late = _is_before(csn_key(options.end_csn or ""), csn_key(header.first_csn or "")) or _is_before(
        end, header.first_time
    )
    return not (begins_late and begins_with_a_transaction(trail))


def _is_before(left: Any, right: Any) -> bool:
    """Return whether both are known and comparable, and the first is less."""
    if left is None or right is None:
        return False
    if isinstance(left, CsnKey):
        is_less: bool = left.parts < right.parts
        return left.kind == right.kind and is_less
    return bool(left < right)


def plan(
    options: Options,
    wanted: Collection[str] = (),
    known: Mapping[str, KnownFile] = MappingProxyType({}),
) -> list[tuple[Slice, ...]]:
    """Return the slices of each task, in the order of the trails.

    ``wanted`` are the names of the columns to fill; ``known`` has the results of an earlier pass over files.

    Raises:
        SourceError: there is no file or, under FAILFAST, one is not a trail.
    """
    filters_of(options)
    files = enumerate(find_files(options))
    if options.analysis is not None:
        return [*_whole_trails(files, options)]
    slices = [part._replace(file_order=order) for order, file in files for part in slices_of(file, options)]
    if any(part.start for part in slices):
        slices = before.with_before(slices, before.NeededBefore.of(options, wanted), known)
    planned = _with_not_applied(slices) if options.effective or not _ENDINGS.isdisjoint(wanted) else slices
    return list(packed(planned, options.max_partition_bytes))


def _whole_trails(files: Iterable[tuple[int, TrailInput]], options: Options) -> Iterator[tuple[Slice, ...]]:
    """Yield the files of each trail together, none of them split."""
    unsplit = replace(options, max_partition_bytes=0)
    for _, trail in groupby(files, lambda item: item[1].trail):
        slices = (part._replace(file_order=order) for order, file in trail for part in slices_of(file, unsplit))
        if lot := tuple(slices):
            yield lot


_ENDINGS = {column.name for column in ENDING_COLUMNS}


def _with_not_applied(slices: Iterable[Slice]) -> Iterator[Slice]:
    """Yield the slices with their ranges of rows not applied, for which the driver reads the whole trails."""
    from trailformat.transactions.not_applied import NotApplied, Ranges  # noqa: PLC0415 - as above

    ranges: dict[Path, Ranges] = {}
    with Workers() as workers:
        for part in slices:
            path = place(part.path)
            if path not in ranges:
                whole = whole_trail.WholeTrail.around(path)
                not_applied = NotApplied(whole, workers)
                ranges |= {file: not_applied.of(file) for file in (*whole.paths, path)}
            yield part._replace(not_applied=ranges[path].within(part.start, part.stop))


def slices_of(file: TrailInput, options: Options) -> Iterator[Slice]:
    """Yield the slices of one file, in order; none if no record of it can be wanted."""
    only = rba_range(options, file)
    if only is None:
        return
    try:
        size = unpacked_size(file.path)
        points = _points(file, size, options)
    except NotATrail as error:
        if is_unborn(error, file.ends_trail):
            return
        raise BadTrail(located(error, file.path)) from None
    except CannotRead as error:
        raise FileChanged(located(error, file.path)) from None
    except FileNotFoundError:
        if not options.ignore_missing_files:
            raise
        return
    except OSError as error:
        raise BadTrail(located(not_opened(error, file.path), file.path)) from None
    whole = Slice(str(file.path), file.seqno, 0, size, size, only, file.ends_trail)
    for start, stop in pairwise([*points, size]):
        if (start <= only.last and stop > only.first) or not size:
            yield whole._replace(start=start, stop=stop)


def is_unborn(error: NotATrail, ends_trail: bool) -> bool:  # noqa: FBT001 - reads well by position
    """Return whether a file is a trail file just being created: the last one, empty or ending in its first record."""
    return ends_trail and (isinstance(error.__cause__, PartialRecord) or error.problem == "the file is empty")


def _points(file: TrailInput, size: int, options: Options) -> list[int]:
    """Return the RBAs at which slices begin; none if the header of the file excludes all its records."""
    is_bounded = options.skip_files and _has_bounds(options)
    pieces = -(-size // options.max_partition_bytes) if options.max_partition_bytes else 1
    if not size or (pieces <= 1 and not is_bounded):
        return [0]
    try:
        with TrailFile(file.path) as trail:
            if is_bounded and not may_hold(trail, options):
                return []
            return split_points(trail, pieces)
    except NotATrail:
        if options.mode == "FAILFAST" and not options.ignore_corrupt_files:
            raise
        return [0]


def _has_bounds(options: Options) -> bool:
    bounds = (options.start_csn, options.end_csn, options.start_timestamp, options.end_timestamp)
    return any(bound is not None for bound in bounds)


def packed(slices: Iterable[Slice], most: int) -> Iterator[tuple[Slice, ...]]:
    """Yield neighbouring slices together, up to ``most`` bytes; with 0, each slice alone."""
    lot: list[Slice] = []
    filled = 0
    for part in slices:
        size = part.stop - part.start
        if lot and filled + size > most:
            yield tuple(lot)
            lot, filled = [], 0
        lot.append(part)
        filled += size
    if lot:
        yield tuple(lot)

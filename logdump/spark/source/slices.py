"""One slice: its file opened, its batches, the rows wanted of them, and the proof that it ends where it should."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from logdump.arrow.records.errors import place
from logdump.arrow.records.rows import Array
from logdump.session.passing import passing_batches
from logdump.spark.errors import BadTrail, FileChanged, SplitMismatch, located
from logdump.spark.report import report
from logdump.spark.source.bounds import selection_of
from logdump.spark.source.open_slice import OpenSlice
from logdump.spark.source.options import Options
from logdump.spark.source.planner import is_unborn
from logdump.spark.source.slice import Slice
from trailformat import CannotRead, NotATrail, TrailError, TrailFile
from trailformat.scan import FILE_HEADER, PARTIAL, Batch, FileRange, ScanPosition, Workers, scan_range
from trailformat.scan.batch import BATCH_SIZE
from trailformat.scan.parallel import is_for_threads
from trailformat.scan.position import first_position

MOST_ROWS = 1 << 16
"""Records of a batch that is split by table: each table in a batch takes some time, however few its rows are."""


def open_trail(part: Slice, options: Options) -> TrailFile | str | None:
    """The file of a slice; under PERMISSIVE the reason why it cannot be read; None for a file to be passed over.

    Raises:
        BadTrail: the file is no trail.
        FileChanged: it has gone, become shorter, or cannot be read.
    """
    try:
        trail = TrailFile(part.path)
    except NotATrail as error:
        return _without(part, options, error)
    except CannotRead as error:
        raise FileChanged(located(error, part.path)) from None
    if trail.size < part.size:
        trail.close()
        sizes = f"it had {part.size} bytes when the read was planned, and has {trail_size(part)}"
        raise FileChanged(f"{place(part.path)}: {sizes}")
    return trail


def trail_size(part: Slice) -> int:
    """Bytes in the file of a slice, now."""
    with TrailFile(part.path) as trail:
        return trail.size


def _without(part: Slice, options: Options, error: NotATrail) -> str | None:
    text = located(error, part.path)
    if isinstance(error.__cause__, FileNotFoundError):
        if options.ignore_missing_files:
            report(text)
            return None
        raise FileChanged(f"{text}; option ignoreMissingFiles continues without it") from None
    if is_unborn(error, part.ends_trail):
        return None
    if options.ignore_corrupt_files or options.mode == "DROPMALFORMED":
        report(text)
        return None
    if options.mode == "PERMISSIVE":
        return text
    raise BadTrail(f"{text}; pathGlobFilter selects files, ignoreCorruptFiles passes others over") from None


def wanted_rows(
    source: OpenSlice, batch_size: int | None = None, workers: Workers | None = None
) -> Iterator[tuple[Batch, Array]]:
    """The batches of a slice, each with the numbers of its wanted rows: records that pass; under PERMISSIVE, damage.

    ``workers`` scan a file that is large enough, side by side. What begins after the wanted RBAs is not read.

    Raises:
        BadTrail: damage, under FAILFAST.
        FileChanged: the file has become shorter.
        SplitMismatch: the slice does not end where the next one begins.
    """
    trail, part = source.trail, source.part
    selection = selection_of(trail, source.options, source.definitions, owners=source.owners)
    piece = FileRange(first_position(trail, part.start), min(part.stop, part.only.last + 1))
    scanning = scan_range(trail, piece, batch_size=batch_size or BATCH_SIZE)
    batches: Iterator[tuple[Batch, Any]] = ((batch, None) for batch in scanning)
    is_whole = part.stop == part.size
    in_threads = workers is not None and is_whole and is_for_threads(trail, workers, part.start, piece.stop)
    if workers is not None and in_threads:
        batches = passing_batches(selection, trail, workers, part.start, stop=piece.stop, batch_size=batch_size)
    reached = part.start
    try:
        for batch, mask in batches:
            passing = selection.rows(batch) if mask is None and selection.is_active else mask
            if passing is None:
                passing = np.asarray(batch.kind) <= FILE_HEADER
            yield batch, np.flatnonzero(passing_in_range(source, batch, passing))
            reached = batch.end
    except CannotRead as error:
        raise FileChanged(located(error, part.path)) from None
    except TrailError as error:
        raise BadTrail(located(error, part.path)) from None
    if piece.stop == part.stop:
        _check_end(trail, part, piece.start._replace(rba=reached) if in_threads else scanning.position)


def passing_in_range(source: OpenSlice, batch: Batch, passing: Any) -> Any:
    """The mask of passing rows with the bounds on the RBA laid over it, and the damage that is to be shown."""
    rbas, only, spans = np.asarray(batch.rba), source.part.only, batch.spans()
    if len(rbas) and only.first <= rbas[0] and rbas[-1] <= only.last and not spans and source.not_applied is None:
        return passing
    inside = (rbas >= only.first) & (rbas <= only.last)
    for row in spans:
        passing[row] = inside[row] and _is_shown(source, batch, row)
    if source.not_applied is not None and source.options.effective:
        from trailformat.transactions.not_applied import rows_not_applied  # noqa: PLC0415 - few reads need endings

        inside &= ~rows_not_applied(source.not_applied, batch)
    return passing & inside


def _is_shown(source: OpenSlice, batch: Batch, row: int) -> bool:
    """Whether damage is a row of its own; where it is an error, this raises it."""
    mode, part = source.options.mode, source.part
    if mode == "PERMISSIVE":
        return True
    if batch.kind[row] == PARTIAL and part.ends_trail:
        return False
    rba, length = int(batch.rba[row]), int(batch.length[row])
    text = f"{place(part.path, rba)}: {length} bytes are no sound record"
    if (error := source.trail.error_at(rba)) is not None:
        text = f"{located(error, part.path, rba)}; {length} bytes"
    if mode == "FAILFAST":
        raise BadTrail(f"{text}; mode PERMISSIVE shows them and reads on")
    report(text)
    return False


def _check_end(trail: TrailFile, part: Slice, end: ScanPosition) -> None:
    if part.stop == part.size:
        if end.rba < part.stop:
            raise FileChanged(f"{place(part.path, end.rba)}: the file has become shorter while it was read")
    elif end != first_position(trail, part.stop):
        raise SplitMismatch(
            f"{place(part.path, part.stop)}: the piece before ends at RBA {end.rba}, not where this one begins; "
            "option maxPartitionBytes 0 reads whole files"
        )

"""The request to a task, and the reading of one slice: opening its file, its batches, wanted rows, and its end."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from logdump.arrow.records.errors import MOST_BYTES, ValueTooLarge, place
from logdump.arrow.records.rows import Array, Source
from logdump.arrow.records.schema import Reads, Selected
from logdump.session.passing import passing_batches
from logdump.tables.errors import BadTrail, FileChanged, SplitMismatch, located, report
from logdump.tables.named_files import definitions_of
from logdump.tables.options import Options
from logdump.tables.planner import is_unborn
from logdump.tables.slice import Slice, Undecided, selection_of
from trailformat import BadData, CannotRead, NotATrail, TrailError, TrailFile
from trailformat.changes.row_changes import is_change
from trailformat.codec.on_demand import on_demand
from trailformat.records.record_header import DDL_OP
from trailformat.scan import FILE_HEADER, PARTIAL, RECORD, Batch, ScanPosition, Workers
from trailformat.scan.batch import BATCH_SIZE
from trailformat.scan.parallel import is_for_threads
from trailformat.scan.position import FileRange, first_position
from trailformat.scan.scanning import scan_range
from trailformat.trail.command_files import reading
from trailformat.trail.row_definitions import RowDefinitions
from trailformat.transactions.whole_trail import note_incomplete

with on_demand:
    from logdump.arrow.tables import row_lobs
    from trailformat.transactions import not_applied

if TYPE_CHECKING:
    from logdump.arrow.tables.layout import TableLayout
    from logdump.arrow.tables.row_lobs import RowLobs
    from logdump.tables.defined_tables import ForeseenTable

_IS_OF_A_TABLE = np.array([is_change(io_type) and io_type != DDL_OP for io_type in range(256)])
_NAMELESS = "a change of a table that is not defined before it in this file: it may be one of those that are read"


class Request(NamedTuple):
    """The columns that a task must return, and what it needs for them.

    Attributes:
        selected: the columns in order.
        is_numbered: whether texts that many rows share stay dictionaries, which DuckDB accepts.
        workers: threads that scan a large file; None: the calling thread does.
        foreseen: under ``rowsOf`` and ``changesOf`` the definitions used for the schema, oldest first; empty if the
            user has given the schema.
        unproven: the table of ``foreseen`` if not all definitions were searched: it checks each batch.
    """

    selected: tuple[Selected, ...]
    options: Options
    foreseen: tuple[TableLayout, ...] = ()
    is_numbered: bool = False
    workers: Workers | None = None
    unproven: ForeseenTable | None = None

    @property
    def wanted(self) -> frozenset[str]:
        """Names of the columns to fill."""
        return frozenset(chosen.column.name for chosen in self.selected if chosen.is_wanted)

    @property
    def reads_bytes(self) -> bool:
        """True if a column or a filter needs bytes of records that a scan does not read."""
        options = self.options
        filters = (options.where, options.start_csn, options.end_csn)
        if options.rows_of is not None or options.changes_of or any(option is not None for option in filters):
            return True
        return any(chosen.is_wanted and chosen.column.reads is not Reads.NOTHING for chosen in self.selected)


def cut(batch: Batch, rows: Array, options: Options) -> Iterator[Array]:
    """Yield rows in groups of at most ``batchRows`` rows and ``batchBytes`` bytes of trail, but at least one row."""
    most = min(options.batch_bytes, MOST_BYTES)
    if 0 < len(rows) <= options.batch_rows and batch.end - int(batch.rba[rows[0]]) <= most:
        yield rows
        return
    ends = np.cumsum(np.asarray(batch.length)[rows])
    first = previous_end = 0
    while first < len(rows):
        fitting = int(np.searchsorted(ends, previous_end + most, side="right"))
        last = max(first + 1, min(first + options.batch_rows, fitting))
        yield rows[first:last]
        first, previous_end = last, int(ends[last - 1])


class OpenSlice(Source):
    """A slice that is being read: its open file, and the handling of undecodable parts by the options.

    ``undecided`` has the stretches in which it is not known of a record whether it passes.
    """

    def __init__(self, trail: TrailFile, part: Slice, options: Options, wanted: frozenset[str] = frozenset()) -> None:
        super().__init__(trail)
        self.part = part
        self.options = options
        self.seqno, self.file_order, self.not_applied = part.seqno, part.file_order, part.not_applied
        self.explains_nulls = "problems" in wanted
        self.undecided: list[Undecided] = []
        self.ends_at_undecodable = options.undecodable_ends
        before = part.before
        if before is not None and before.definitions is not None:
            trail.tables.resume(before.definitions)
        if before is not None and before.transaction is not None:
            self.carrier.resume(before.transaction)

    @property
    def path(self) -> str:
        """Path of the file, as planned."""
        return self.part.path

    @cached_property
    def definitions(self) -> RowDefinitions:
        """Definitions of rows, from the trail and from the file of ``sourceDefs``.

        Raises:
            BadOption: that file cannot be read, or is not a definitions file.
        """
        return definitions_of(self.trail, self.options)

    @cached_property
    def lobs(self) -> RowLobs:
        """LOBs of the rows of the file."""
        return row_lobs.RowLobs(self.trail)

    def undecodable(self, error: TrailError, *, is_cut: bool = False) -> None:
        """Handle an undecodable part of a sound record: it is null, and column ``problems`` or the log has the reason.

        Args:
            error: reason and place.
            is_cut: whether the record continues in fragments: it is sound, and all of it is in ``raw``.

        Raises:
            BadTrail: option ``undecodable`` is ``fail``; for a continued record only if ``problems`` is not read.
        """
        text = located(error, self.path)
        if self.ends_at_undecodable and not (is_cut and self.explains_nulls):
            changed = "mode PERMISSIVE" if self.options.undecodable is None else "option undecodable null"
            raise BadTrail(f"{text}; with {changed} it is null, and column problems says why") from None
        if not self.explains_nulls:
            report(text)

    def too_large(self, text: str) -> None:
        """Log that a record does not fit into a value, which is null.

        Raises:
            ValueTooLarge: under FAILFAST.
        """
        if self.options.mode == "FAILFAST":
            raise ValueTooLarge(text)
        report(text)


MOST_ROWS = 1 << 16
"""Records of a batch that is split by table: each table in a batch takes some time, even with few rows."""


def open_trail(part: Slice, options: Options) -> TrailFile | str | None:
    """Open the file of a slice; return the reason if it cannot be read under PERMISSIVE, None if it is to be skipped.

    Raises:
        BadTrail: the file is not a trail.
        FileChanged: the file was removed, has become shorter, or cannot be read.
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
    """Return the current size in bytes of the file of a slice."""
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
        if (files := reading()) is not None and error.path is not None:
            files.leave_out([error.path])
        return None
    if options.shows_damage and not options.ignore_corrupt_files:
        return text
    if options.ignore_corrupt_files or options.mode != "FAILFAST":
        report(text)
        return None
    raise BadTrail(f"{text}; pathGlobFilter selects files, ignoreCorruptFiles passes others over") from None


def wanted_rows(
    source: OpenSlice, batch_size: int | None = None, workers: Workers | None = None
) -> Iterator[tuple[Batch, Array]]:
    """Yield the batches of a slice, with the numbers of their wanted rows: records that pass; under PERMISSIVE, damage.

    ``workers`` scan a large file in parallel. Records after the wanted RBAs are not read.

    Raises:
        BadTrail: damage, under FAILFAST.
        FileChanged: the file has become shorter.
        SplitMismatch: the slice does not end where the next one begins.
    """
    trail, part = source.trail, source.part
    options, definitions, note = source.options, source.definitions, source.undecided.append
    selection = selection_of(trail, options, definitions, owners=source.owners, only=part.only, undecided=note)
    piece = FileRange(first_position(trail, part.start), min(part.stop, part.only.last + 1))
    scanning = scan_range(trail, piece, batch_size=batch_size or BATCH_SIZE)
    batches: Iterator[tuple[Batch, Any]] = ((batch, None) for batch in scanning)
    is_whole = part.stop == part.size
    in_threads = workers is not None and is_whole and is_for_threads(trail, workers, part.start, piece.stop)
    if workers is not None and in_threads:
        batches = passing_batches(selection, trail, workers, part.start, stop=piece.stop, batch_size=batch_size)
    end = part.start
    try:
        for batch, mask in batches:
            passing = selection.rows(batch) if mask is None and selection.is_active else mask
            if passing is None:
                passing = np.asarray(batch.kind) <= FILE_HEADER
            yield batch, np.flatnonzero(passing_in_range(source, batch, passing))
            end = batch.end
    except CannotRead as error:
        raise FileChanged(located(error, part.path)) from None
    except TrailError as error:
        raise BadTrail(located(error, part.path)) from None
    if piece.stop == part.stop:
        _check_end(trail, part, piece.start._replace(rba=end) if in_threads else scanning.position)


def passing_in_range(source: OpenSlice, batch: Batch, passing: Any) -> Any:
    """Return the mask of passing rows, limited by the bounds on the RBA, and with the damage that is to be shown."""
    rbas, only, spans = np.asarray(batch.rba), source.part.only, batch.spans()
    if len(rbas) and only.first <= rbas[0] and rbas[-1] <= only.last and not spans and source.not_applied is None:
        return passing
    inside = (rbas >= only.first) & (rbas <= only.last)
    for row in spans:
        passing[row] = inside[row] and _is_shown(source, batch, row)
    if source.not_applied is not None and source.options.effective:
        inside &= ~not_applied.rows_not_applied(source.not_applied, batch)
    return passing & inside


def _is_shown(source: OpenSlice, batch: Batch, row: int) -> bool:
    """Return whether damage is a row of its own. Raises BadTrail under FAILFAST."""
    options, part = source.options, source.part
    if options.shows_damage:
        return True
    if batch.kind[row] == PARTIAL and part.ends_trail:
        note_incomplete(source.trail, int(batch.rba[row]))
        return False
    rba, length = int(batch.rba[row]), int(batch.length[row])
    text = f"{place(part.path, rba)}: {length} bytes are no sound record"
    if (error := source.trail.error_at(rba)) is not None:
        text = f"{located(error, part.path, rba)}; {length} bytes"
    if options.mode == "FAILFAST":
        steps_over = "a read in mode DROPMALFORMED steps over them"
        raise BadTrail(f"{text}; {steps_over if options.changes_of else 'mode PERMISSIVE shows them and reads on'}")
    report(text)
    return False


def check_named(source: OpenSlice, batch: Batch, rows: Array) -> None:
    """Check that each change is of a table with a name: it may be one of those whose rows are read.

    It is no value that may be null but a change that is lost, so the mode decides, as of damage. Those of a batch are
    one line of the log: a definition that is missing concerns all changes of its table.

    Raises:
        BadTrail: a change is of a table that is not defined before it, under FAILFAST.
    """
    nameless = [key for key in range(len(batch.names)) if not batch.names[key]]
    if not nameless:
        return
    is_record = np.asarray(batch.kind)[rows] == RECORD
    is_change = is_record & _IS_OF_A_TABLE[np.asarray(batch.io_type)[rows]]
    lost = np.asarray(batch.rba)[rows[is_change & np.isin(np.asarray(batch.table)[rows], nameless)]]
    if not len(lost):
        return
    text = located(BadData(_NAMELESS).at(source.trail.path, int(lost[0])), source.path)
    if source.options.mode == "FAILFAST":
        raise BadTrail(f"{text}; a read in mode DROPMALFORMED leaves it out")
    others = f"it and {len(lost) - 1} more up to RBA {int(lost[-1])} are" if len(lost) > 1 else "it is"
    report(f"{text}; {others} left out")


def _check_end(trail: TrailFile, part: Slice, end: ScanPosition) -> None:
    if part.stop == part.size:
        if end.rba < part.stop:
            raise FileChanged(f"{place(part.path, end.rba)}: the file has become shorter while it was read")
    elif end != first_position(trail, part.stop):
        raise SplitMismatch(
            f"{place(part.path, part.stop)}: the piece before ends at RBA {end.rba}, not where this one begins; "
            "option maxPartitionBytes 0 reads whole files"
        )

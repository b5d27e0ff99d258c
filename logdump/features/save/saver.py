"""SAVE: writes a part of a trail as a separate trail.

The new file begins with the source's file header, under its own name and number. A row follows the DDR and the TDR
that it refers to, wherever these are in the source; a reference to a TDR is written as that TDR if its index would
become another one. Everything else is copied byte for byte, unless TRANSIND or COMMITTS change a header field.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from logdump.features.save.header import SavedDefinitions, own_header
from logdump.notation.times import current_timestamp
from logdump.session.across import move_to, over_files
from logdump.session.errors import CommandError
from logdump.session.events import Event, Progress
from logdump.session.scan import FilteredReader
from logdump.session.session import Session
from trailformat import Record, TrailFile, TrailWriter, make_header, make_record
from trailformat.codec.on_demand import on_demand
from trailformat.records.record import make_file_header_record, replace_header
from trailformat.records.record_header import COMMENT
from trailformat.trail.sequence import FilePosition

with on_demand:
    import numpy as np

    from logdump.features.save import ranges
    from trailformat import scan

if TYPE_CHECKING:
    from trailformat.codec.mapped_file import FileContents
    from trailformat.scan import Batch


class SaveOptions(NamedTuple):
    """Options of SAVE; None for a limit or a field that is not given, and for comments as SAVEFILECOMMENT is set.

    ``name`` is the target as typed: the file header keeps it, as Extract's keeps ``./dirdat/lt000000``.
    """

    target: Path
    name: str
    records: int | None = None
    bytes: int | None = None
    replaces: bool = False
    has_comments: bool | None = None
    trans_ind: int | None = None
    commit_time: int | None = None


class Saver:
    """One run of SAVE: the records from the session's position on that pass its filter."""

    def __init__(self, session: Session, options: SaveOptions) -> None:
        self._session = session
        self._options = options
        self._first = self._trail = session.trail
        self._definitions = SavedDefinitions(self._trail)
        self._end = FilePosition(self._trail.path, 0)
        self._is_begun = self._is_full = False
        self.saved = self.saved_bytes = 0

    def run(self) -> Generator[Event, None, None]:
        """Write the whole file or nothing; the position moves past the last record saved.

        With ACROSS the file includes the records of the later files.

        Raises:
            CommandError: the target may not be written, or it would be empty; with ACROSS, a file is missing, or
                its records cannot be in one file with the others.
            TrailError: the source is damaged, or the target cannot be written; the position does not change.
        """
        options, cursor = self._options, self._session.cursor
        check_target(self._session, options)
        place, start = cursor.place, cursor.next
        cursor.is_backwards = False
        self._end = FilePosition(self._trail.path, start)
        try:
            with TrailWriter(options.target, replace=options.replaces, is_copy=True) as writer:
                yield from self._copy(writer, start)
                self._check_not_empty(writer)
        except BaseException:
            cursor.return_to(place)
            raise
        cursor.is_backwards = place.is_backwards
        yield from move_to(self._session, self._end)

    def _copy(self, writer: TrailWriter, start: int) -> Generator[Event, None, None]:
        for trail in over_files(self._session):
            self._go_on_in(trail)
            yield from self._copy_file(writer, start)
            if self._is_full:
                break
        self._write_head(writer, None, start)
        if self._options.has_comments:
            writer.write(self._comment(f"Logdump SAVE ends, {self.saved} records"))

    def _go_on_in(self, trail: TrailFile) -> None:
        """Continue with the next file; one of another byte order or version is refused."""
        if trail is not self._first:
            self._definitions.go_on_in(trail)
            self._trail = trail
        for what, first, other in (
            ("byte order", self._first.order.name, trail.order.name),
            ("version", _version(self._first), _version(trail)),
        ):
            if first != other:
                raise CommandError(
                    f"{trail.path} has {what} {other}, {self._first.path} has {first}: one file cannot hold both."
                )

    def _copy_file(self, writer: TrailWriter, start: int) -> Generator[Event, None, None]:
        with closing(FilteredReader(self._session, stays=True)) as reader:
            while (record := (yield from reader.find(_is_no_file_header))) is not None:
                self._write_head(writer, record, start)
                if not self._has_room_for(record):
                    self._is_full = True
                    return
                self._write(writer, record)
                if self.saved == self._options.records:
                    self._is_full = True
                    return
                if self._copies_ranges():
                    reader.close()
                    yield from self._copy_ranges(writer)
                    return

    def _check_not_empty(self, writer: TrailWriter) -> None:
        if not writer.size:
            target = self._options.target
            raise CommandError(f"There is no record to save and no file header: {target} is not written.")

    def _copies_ranges(self) -> bool:
        """True if the rest is copied by columns: no record changes."""
        return self._options.trans_ind is None and self._options.commit_time is None

    def _copy_ranges(self, writer: TrailWriter) -> Generator[Event, None, None]:
        """Copy the remaining records that pass, up to the limit."""
        from logdump.session.passing import passing_batches  # noqa: PLC0415 - long files only

        selection, start = self._session.selection(), self._session.cursor.next
        copied = _RangeWriter(self, writer)
        copy = ranges.RangeCopy(partial(self._write, writer), copied.write, copy_range=copied.copy)
        rows_of_file = ranges.RowsOfFile(self._trail)
        with scan.Workers() as workers:
            for batch, mask in passing_batches(selection, self._trail, workers, start, by_definition=True):
                passing = selection.rows(batch) if mask is None else mask
                bad = next(iter(batch.spans()), len(batch))
                rows = (passing & (np.asarray(batch.kind) == scan.RECORD))[:bad].nonzero()[0]
                kept_rows = self._within_limits(batch, rows)
                for chunk in rows_of_file.of(batch, kept_rows):
                    copy.copy(chunk)
                if len(kept_rows):
                    self._end = FilePosition(
                        self._trail.path, int(batch.rba[kept_rows[-1]]) + int(batch.length[kept_rows[-1]])
                    )
                if len(kept_rows) < len(rows) or self.saved == self._options.records:
                    self._is_full = True
                    return
                if bad < len(batch):
                    self._trail.record_at(int(batch.rba[bad]))
                if batch.end < self._trail.size or int(batch.rba[0]) > start:  # a single batch needs no progress
                    yield Progress(self.saved, int(batch.rba[-1]), int(batch.io_time[-1]), self._size_to_go)

    @property
    def _size_to_go(self) -> int:
        """The size of the file if SAVE reads to its end, else 0."""
        return self._trail.size if self._options.records is None and self._options.bytes is None else 0

    def _within_limits(self, batch: Batch, rows: Any) -> Any:
        """Return the first rows, as many as RECORDS and BYTES permit."""
        if self._options.records is not None:
            rows = rows[: self._options.records - self.saved]
        if self._options.bytes is not None:
            totals = np.cumsum(np.asarray(batch.length)[rows])
            rows = rows[: int(np.searchsorted(totals, self._options.bytes - self.saved_bytes, "right"))]
        return rows

    def _has_room_for(self, record: Record) -> bool:
        limit = self._options.bytes
        return limit is None or self.saved_bytes + record.length <= limit

    def _write_head(self, writer: TrailWriter, first: Record | None, start: int) -> None:
        """Write the file header and the first comment, once."""
        if self._is_begun:
            return
        self._is_begun = True
        header = self._first.file_header
        if header is not None:
            begins_with = self._changed(first) if first is not None else None
            own = own_header(header, self._options.target, self._options.name, begins_with)
            writer.write(make_file_header_record(own))
        if self._options.has_comments:
            writer.write(self._comment(f"Logdump SAVE of {self._first.path} from RBA {start}"))

    def _write(self, writer: TrailWriter, record: Record) -> None:
        """Write the definitions that a record needs, then the record."""
        self._end = FilePosition(self._trail.path, record.rba + record.length)
        for definition in self._definitions.before(record):
            writer.write(definition)
        if record.is_metadata:
            record = self._definitions.own_form(record)
        writer.write(self._changed(record))
        self.saved += 1
        self.saved_bytes += record.length

    def _changed(self, record: Record) -> Record:
        options = self._options
        if options.trans_ind is None and options.commit_time is None:
            return record
        header = record.header
        trans_ind = header.trans_ind if options.trans_ind is None else options.trans_ind
        io_time = header.io_time if options.commit_time is None else options.commit_time
        return replace_header(record, header._replace(trans_ind=trans_ind, io_time=io_time))

    def _comment(self, text: str) -> Record:
        header = make_header(COMMENT, io_time=current_timestamp())
        return make_record(header, text.encode(), order=self._trail.order)


class _RangeWriter:
    """Writes bytes of whole records and counts them as saved."""

    def __init__(self, saver: Saver, writer: TrailWriter) -> None:
        self._saver = saver
        self._writer = writer

    def write(self, data: bytes | memoryview, records: int) -> None:
        """Write bytes of records."""
        self._writer.write_bytes(data, records)
        self._count(len(data), records)

    def copy(self, source: FileContents, start: int, stop: int, records: int) -> None:
        """Copy a range of records from another file."""
        self._writer.copy_range(source, start, stop, records)
        self._count(stop - start, records)

    def _count(self, size: int, records: int) -> None:
        self._saver.saved += records
        self._saver.saved_bytes += size


def check_target(session: Session, options: SaveOptions) -> None:
    """Check that the target may be written.

    Raises:
        CommandError: it is in use, is not a regular file, or exists and must not be replaced.
        OSError: the target cannot be examined.
    """
    session.check_target(options.target, "SAVE")
    if options.target.exists() and not options.replaces:
        raise CommandError(f"{options.target} exists already; SAVE {options.target.name} ! replaces it.")


def _version(trail: TrailFile) -> str:
    header = trail.file_header
    return "unknown" if header is None else str(header.get("TrailInfo", "Compatibility"))


def _is_no_file_header(record: Record) -> bool:
    return not record.is_file_header

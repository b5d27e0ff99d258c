"""The read position of a session in its trail, and reading from it in either direction."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from trailformat import BadRecord, Record, TrailError, TrailFile
from trailformat.codec.on_demand import Lazy, on_demand
from trailformat.trail import command_files

with on_demand:
    from trailformat import index
    from trailformat.changes import segments, transaction_context
    from trailformat.trail import time_search

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from logdump.session.selection import RecordsAhead
    from trailformat.changes.segments import SegmentContext
    from trailformat.changes.transaction_context import TransactionContext

REPORTED = 64
"""Number of records that are read one by one between two reports of progress."""


class Place(NamedTuple):
    """A position in a trail, to which a session can return; the fields are those of Cursor."""

    path: Path
    current: int
    next: int
    is_backwards: bool
    search_back_from: int | None
    export_begun_in: Path | None
    match_end: int | None


class Cursor:
    """The read position of one open trail.

    Attributes:
        current: RBA of the record read last.
        next: RBA at which the next read starts; reading backwards, the end of the next record.
        is_backwards: True if the read direction is backwards.
        search_back_from: RBA at which a search back for a good header continues; None after any other move.
        export_begun_in: the file in which an EXPORT began that has moved the position here, to the end of the
            data; None after any other move.
        match_end: the RBA after the record on which FIND has ended; None after any other move.
        ahead: the records that a command has read beyond the last one that passed its filter; None if there are none.
    """

    def __init__(self, trail: TrailFile) -> None:
        self.trail = trail
        self.current = 0
        self.next = 0
        self.is_backwards = False
        self.export_begun_in: Path | None = None
        self.match_end: int | None = None
        self.search_back_from: int | None = None
        self.ahead: RecordsAhead | None = None

    @Lazy
    def transactions(self) -> TransactionContext:
        """LOGCSN and TRANID of the records read."""
        return transaction_context.TransactionContext(self.trail)

    @Lazy
    def segments(self) -> SegmentContext:
        """The base records and numbers of the LOB pieces and record fragments read."""
        return segments.SegmentContext(self.trail)

    @property
    def place(self) -> Place:
        """The position."""
        where = self.trail.path, self.current, self.next, self.is_backwards
        return Place(*where, self.search_back_from, self.export_begun_in, self.match_end)

    def return_to(self, place: Place) -> None:
        """Return to a position in this file."""
        self.current, self.next, self.is_backwards = place.current, place.next, place.is_backwards
        self.search_back_from, self.export_begun_in = place.search_back_from, place.export_begun_in
        self.match_end = place.match_end

    def move(self, rba: int) -> None:
        """Move to ``rba``, which need not be the start of a record nor inside the file."""
        self.current = self.next = rba
        self.search_back_from = None
        self.export_begun_in = self.match_end = None

    def read(self) -> Record | None:
        """Read the next record in the read direction and move past it; None at the end (or the beginning).

        Raises:
            TrailError: no sound record there; the position does not change.
        """
        try:
            record = self._before() if self.is_backwards else self.trail.record_at(self.next)
        except BadRecord:
            if self.is_backwards or self.next < self.trail.size:
                raise
            return None
        if record is not None:
            self.stand_at(record.rba, record.length)
        return record

    def _before(self) -> Record | None:
        end = self.next if self.next < self.trail.size else self.trail.end_of_records()
        try:
            return self.trail.record_before(end)
        except BadRecord as error:
            raise self._what_stands_before(end) or error from None

    def _what_stands_before(self, rba: int) -> TrailError | None:
        """Return the error if no record ends at ``rba``, from the index: damage, or a position inside a record."""
        trail = self.trail
        places = index.reach(trail, rba)
        row = places.row_at(trail, rba - 1) if places is not None else None
        if row is None:
            return None
        if row.kind == index.BAD_SPAN:
            return trail.error_at(row.rba)
        where = f"a place inside the record at RBA {row.rba}"
        return BadRecord("no record ends here", path=trail.path, rba=rba, found=where)

    def good_header_before(self, rba: int) -> int | None:
        """Return the RBA of the last sound record that begins before ``rba``; None if there is none."""
        try:
            record = self.trail.record_before(rba)
        except TrailError:
            places = index.reach(self.trail, rba)
            return places.sound_before(self.trail, rba) if places else self.trail.previous_good_header(rba)
        return record.rba if record is not None else None

    def stand_on(self, record: Record) -> None:
        """Move to the position after reading ``record``."""
        self.stand_at(record.rba, record.length)

    def stand_at(self, rba: int, length: int) -> None:
        """Move to the position after reading the record of ``length`` bytes at ``rba``."""
        self.current = rba
        self.next = rba if self.is_backwards else rba + length
        self.search_back_from = None
        self.export_begun_in = self.match_end = None

    def stand_before(self, record: Record) -> None:
        """Move to the position at which ``record`` is read next."""
        self.move(record.rba + record.length if self.is_backwards else record.rba)

    def skip(self, count: int) -> int:
        """Move over at most ``count`` records; returns the number of records passed. Raises as read."""
        for done in range(count):
            if (record := self.read()) is None:
                return done
            if done % REPORTED == REPORTED - 1:
                command_files.report(self.trail.path, record.rba)
        return count

    def begin(self, moment: int, note: Callable[[int], object] = lambda _rba: None) -> None:
        """Move to the first row at or after ``moment`` (Julian microseconds), reading forward.

        ``note`` is called with RBAs that are at or before the result, as progress of the search.
        """
        rba = time_search.first_at_or_after(self.trail, moment, note)
        self.is_backwards = False
        self.move(rba)

    @property
    def back_from(self) -> int:
        """The RBA at which a search back for a good header begins."""
        return self.next if self.search_back_from is None else self.search_back_from

    def seek_good_header(self, *, backwards: bool) -> Record | None:
        """Read the next (or previous) sound record from here; a second search backwards continues the first one."""
        rba = self.good_header_before(self.back_from) if backwards else self.trail.next_good_header(self.next)
        record = self.trail.record_at(rba) if rba is not None else None
        if record is not None:
            self.stand_on(record)
            self.search_back_from = record.rba if backwards else None
        return record

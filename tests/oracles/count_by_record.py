"""COUNT as it is defined: one record after the other, without columns and without kernels."""

from __future__ import annotations

from collections.abc import Iterator

from logdump.operations.count import CountRun, FileCount
from logdump.session.events import Event
from logdump.session.scan import progress
from logdump.session.selection import Selection
from trailformat import Record, TrailError, TrailFile, TrailName
from trailformat.scan import Taken
from trailformat.totals.counting import Totals


def take(count: Totals, taken: Taken, record: Record, name: str, seqno: int) -> None:
    """Take one record into a count, or leave it out."""
    has_time = not record.is_file_header and taken.takes_time(record.header.io_time)
    if taken.takes_table(name) and (has_time or not taken.has_bounds):
        count.add(record, name, seqno)
    else:
        count.pass_over(record)


class CountByRecord(CountRun):
    """One run of COUNT that reads every record."""

    def begin(self, trail: TrailFile) -> FileCount:
        """The file by itself."""
        selection = self._session.selection(trail)
        self.is_filtered |= selection.is_active
        return FileCount(trail, selection)

    def run(self, counting: FileCount) -> Iterator[Event]:
        """Take every sound record of a file in, stepping over damage; yields Progress."""
        trail, selection = counting.trail, counting.selection
        name = TrailName.parse(trail.path)
        rba: int | None = 0
        while rba is not None and rba < trail.size:
            try:
                record = trail.record_at(rba)
                if record is None:
                    return
                self._take(trail, selection, record, name.seqno if name else 0)
                rba += record.length
            except TrailError as error:
                good = trail.next_good_header(rba + 1)
                self._note(trail, rba, error, (good if good is not None else trail.size) - rba)
                rba = good
                continue
            self.scanned += 1
            if self.scanned % self._session.settings.notify == 0:
                yield progress(self.scanned, record)

    def _take(self, trail: TrailFile, selection: Selection, record: Record, seqno: int) -> None:
        if not selection.accepts(record):
            self.suppressed += 1
            self.count.pass_over(record)
            return
        take(self.count, self._taken, record, trail.name_of(record), seqno)

"""COUNT as it is defined: one record after the other, without columns and without kernels."""

from __future__ import annotations

from collections.abc import Iterator

from logdump.features.count.survey import CountOptions, CountRun, FileCount
from logdump.session.events import Event, Progress
from logdump.session.selection import Selection
from logdump.session.session import Session
from trailformat import Record, TrailError, TrailFile, TrailName
from trailformat.records.record_header import ENDS, NOT_TRANSACTIONAL
from trailformat.scan import HEADER_BYTES, CountBounds, Workers
from trailformat.totals.counting import FILE_HEADER_NAME, OTHERS, OpenTransaction, Totals


class RecordTotals(Totals):
    """A count to which records are added one by one."""

    def add(self, record: Record, name: str, seqno: int = 0) -> None:
        """Take one record in, under the name of its table; ``seqno`` is that of its file."""
        if record.is_file_header:
            self.add_file_header(record.data_length)
            return
        header = record.header
        image = (header.io_type, header.before_after, header.partition)
        self.add_row(name, seqno, record.rba, record.data_length, *image, header.io_time, header.trans_ind)

    def add_file_header(self, size: int) -> None:
        """Take a file header in."""
        self.tally((FILE_HEADER_NAME, 0), size, OTHERS, None)

    def add_row(
        self,
        name: str,
        seqno: int,
        rba: int,
        size: int,
        io_type: int,
        before_after: int,
        partition: int,
        io_time: int,
        trans_ind: int,
    ) -> None:
        """Take one record in by its fields; ``size`` is its data length."""
        self.tally((name, partition), size, io_type, before_after)
        if self.interval:
            self.interval_of(io_time).add(size, io_type, before_after)
        if io_type in NOT_TRANSACTIONAL:
            return
        if self.open_transaction is None:
            self.open_transaction = OpenTransaction(io_time, seqno, rba)
        self.open_transaction.tables.add(name)
        self.open_transaction.data_bytes += size + HEADER_BYTES
        self.open_transaction.records += 1
        if trans_ind in ENDS:
            self.end_transaction()

    def pass_over(self, record: Record) -> None:
        """Leave one record out, but see a transaction end with it."""
        if not record.is_file_header:
            self.pass_over_row(record.header.io_type, record.header.trans_ind)

    def pass_over_row(self, io_type: int, trans_ind: int) -> None:
        """Leave one record out by its fields, but see a transaction end with it."""
        if io_type not in NOT_TRANSACTIONAL and trans_ind in ENDS:
            self.end_transaction()


def _is_between(time: int, bounds: CountBounds) -> bool:
    return (bounds.start is None or time >= bounds.start) and (bounds.end is None or time <= bounds.end)


def take(count: RecordTotals, taken: CountBounds, record: Record, name: str, seqno: int) -> None:
    """Take one record into a count, or leave it out."""
    has_time = not record.is_file_header and _is_between(record.header.io_time, taken)
    if taken.takes_table(name) and (has_time or not taken.has_bounds):
        count.add(record, name, seqno)
    else:
        count.pass_over(record)


class CountByRecord(CountRun):
    """One run of COUNT that reads every record."""

    def __init__(self, session: Session, options: CountOptions, workers: Workers) -> None:
        super().__init__(session, options, workers)
        self.count: RecordTotals = RecordTotals(self.count.history, options.interval, options.start)

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
                yield Progress.at(self.scanned, record)

    def _take(self, trail: TrailFile, selection: Selection, record: Record, seqno: int) -> None:
        if not selection.accepts(record):
            self.suppressed += 1
            self.count.pass_over(record)
            return
        take(self.count, self._counted, record, trail.name_of(record), seqno)

"""The rows of the record list, read record by record: records, damage, the end of the file; pages and filtered rows."""

from __future__ import annotations

import enum
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Generator, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from logdump.display.listing.stated import marked_stories
from logdump.display.record_row import RecordKind, RecordRow, RecordRows, kind_of
from logdump.session.reading import Reading
from logdump.session.session import Session, SourceDefinitions
from trailformat import CannotRead, PartialRecord, Record, TrailError, TrailFile, io_type_name
from trailformat.changes.transaction_context import TransactionContext, TransactionSearch
from trailformat.changes.transactions import place_of
from trailformat.index import known_index
from trailformat.records.record_header import Transaction
from trailformat.scan import BAD_SPAN, scan
from trailformat.trail.row_definitions import RowDefinitions

if TYPE_CHECKING:
    from logdump.filters import FilterSet


class RowKind(enum.Enum):
    """The kind of a row; MORE is the end of a scan that has not read the whole file."""

    RECORD = "record"
    FILE_HEADER = "file header"
    BAD = "bad"
    PARTIAL = "partial"
    END = "end"
    MORE = "more"


class ListRow(NamedTuple):
    """One line of the list. ``length`` is in bytes, of damage to the next good header; ``time`` in Julian microseconds.

    ``place`` is the TransInd, as ``place_of`` returns it; ``csn`` is that of the record's transaction, valid if
    ``is_csn_known``, which may need the index (:meth:`RowReader.for_screen`); ``problem`` is the reason of damage.
    ``is_restart`` is True for a record that Extract wrote at a restart, and ``cuts`` is then the CSN of the transaction
    cut there: empty if it is unknown, None if none is open. ``table_index`` is set until the name of that table is
    known. ``facts`` are those of the record, and ``story`` is their text, with the marks that ``story_pieces`` reads;
    None and empty unless the row is read for the screen.
    """

    kind: RowKind
    rba: int
    length: int
    operation: str = ""
    table: str = ""
    time: int = 0
    place: int | None = None
    data_length: int = 0
    csn: str | None = None
    problem: str = ""
    table_index: int | None = None
    is_csn_known: bool = True
    is_restart: bool = False
    cuts: str | None = None
    facts: RecordRow | None = None
    story: str = ""

    @property
    def is_complete(self) -> bool:
        """True if the index cannot add anything."""
        return self.table_index is None and self.is_csn_known

    @property
    def end(self) -> int:
        """The RBA after the row."""
        return self.rba + self.length


NEAR = 1 << 23
"""Number of bytes that are searched for table definitions while the list waits."""
_SEARCHED = 1 << 12
_SEARCHED_WITH_INDEX = 1 << 16
"""Maximum numbers of records to walk back over for the CSNs of a page; with an index each walk is shorter."""


class RowReader:
    """Reads rows of one file by RBA, forwards and backwards, without a scan.

    Args:
        trail: the file.
        definitions: definitions of its rows; without them the rows have no stories.
    """

    def __init__(self, trail: TrailFile, definitions: RowDefinitions | None = None) -> None:
        self._trail = trail
        self._definitions = definitions

    def at(self, rba: int) -> ListRow:
        """Return the row that begins at ``rba``: damage if there is no sound record."""
        trail = self._trail
        if rba >= trail.size:
            return ListRow(RowKind.END, trail.size, 0)
        try:
            record = trail.record_at(rba)
        except PartialRecord as error:
            return ListRow(RowKind.PARTIAL, rba, trail.size - rba, problem=error.problem)
        except TrailError as error:
            good = trail.next_good_header(rba + 1)
            return ListRow(RowKind.BAD, rba, (good if good is not None else trail.size) - rba, problem=_problem(error))
        return self._row(record) if record is not None else ListRow(RowKind.END, trail.size, 0)

    def after(self, row: ListRow) -> ListRow | None:
        """Return the row after ``row``, None after the end."""
        return None if row.kind is RowKind.END else self.at(row.end)

    def before(self, rba: int) -> ListRow | None:
        """Return the row that contains the byte before ``rba``, None at the start of the file."""
        return self.containing(min(rba, self._trail.size) - 1) if rba > 0 else None

    def containing(self, rba: int) -> ListRow:
        """Return the row that contains the byte at ``rba``."""
        trail = self._trail
        if rba >= trail.size:
            return self.at(rba)
        start = trail.previous_good_header(rba + 1) if rba > 0 else None
        if start is None:
            return self.at(0)
        row = self.at(start)
        return row if rba < row.end else self.at(row.end)

    def for_screen(self, rows: list[ListRow]) -> list[ListRow]:
        """Return rows, which are in the order of the file, with their CSNs, the same as in JSON, and their stories."""
        if not rows:
            return []
        trail = self._trail
        index = known_index(trail)
        is_indexed = index is not None and index.covered >= rows[-1].rba
        context = TransactionContext(trail, _SEARCHED_WITH_INDEX if is_indexed else _SEARCHED)
        stories = RecordRows(trail, self._definitions, context) if self._definitions is not None else None
        completed = [self._completed(row, context, stories) for row in rows]
        stated = [row.facts for row in completed if row.facts is not None]
        told = iter(marked_stories(stated))
        return [row if row.facts is None else row._replace(story=next(told)) for row in completed]

    def _completed(self, row: ListRow, context: TransactionContext, stories: RecordRows | None) -> ListRow:
        if row.kind not in (RowKind.RECORD, RowKind.FILE_HEADER):
            return row
        if row.is_restart:
            cut = cut_at(self._trail, row.rba)
            row = row if cut is None else row._replace(cuts=cut.csn or "")
        try:
            record = self._trail.record_at(row.rba)
        except TrailError:
            return row
        if record is None:
            return row
        if row.table_index is not None or stories is None:
            csn = context.of(record).csn
            is_known = row.place is None or csn is not None or context.is_decided
            return row._replace(csn=csn, is_csn_known=is_known)
        facts = stories.of(record)
        is_known = row.place is None or facts.is_transaction_known
        return row._replace(csn=facts.csn, is_csn_known=is_known, facts=facts)

    def _row(self, record: Record) -> ListRow:
        if record.is_file_header:
            return ListRow(RowKind.FILE_HEADER, record.rba, record.length, "FileHeader", data_length=record.data_length)
        header = record.header
        index = record.table_index
        is_known = index is None or known_to(self._trail) + NEAR >= record.rba
        return ListRow(
            RowKind.RECORD,
            record.rba,
            record.length,
            io_type_name(header.io_type),
            self._trail.name_of(record) if is_known else "",
            header.io_time,
            place_of(record),
            record.data_length,
            table_index=None if is_known else index,
            is_restart=kind_of(record) is RecordKind.RESTART,
        )


def cut_at(trail: TrailFile, rba: int) -> Transaction | None:
    """Return the transaction cut by the restart at ``rba``, perhaps begun in an earlier file; None if none is open."""
    try:
        carried = TransactionSearch(trail, _SEARCHED).carried_at(rba, trail.order)
    except TrailError:
        return None
    return carried.transaction if carried is not None else None


def known_to(trail: TrailFile) -> int:
    """Return the RBA up to which the names of tables are known without reading the file."""
    index = known_index(trail)
    return max(trail.tables.known_to, index.places.metadata_end if index is not None else 0)


def _problem(error: TrailError) -> str:
    suffix = f", found {error.found}" if error.found else ""
    return f"{error.problem}{suffix}"


def with_neighbours(page: Page, request: PageRequest, session: Session) -> Page:
    """Return a page with the rows of the neighbour files that it reaches; an unreadable file has none."""
    if page.is_first and request.before is not None:
        before = _page_of(request.before, PageRequest(None, 0, request.around), session)
        page = page._replace(above=tuple(before.rows[: before.at + 1]))
    if page.is_last and request.after is not None:
        after = _page_of(request.after, PageRequest(0, 0, request.around), session)
        page = page._replace(below=tuple(after.rows))
    return page


def _page_of(path: Path, request: PageRequest, session: Session) -> Page:
    try:
        with TrailFile(path) as trail:
            return read_page(RowReader(trail, session.definitions_of(trail)), request, trail.size)
    except (TrailError, CannotRead, OSError):
        return Page([], 0, is_first=True, is_last=True)


class RowSource(Protocol):
    """A source of rows: all rows of a file, or those that pass a filter."""

    def after(self, row: ListRow) -> ListRow | None:
        """Return the next row, None after the end."""

    def before(self, rba: int) -> ListRow | None:
        """Return the last row that begins before ``rba``, None if there is none."""

    def containing(self, rba: int) -> ListRow:
        """Return the row for an RBA."""

    def for_screen(self, rows: list[ListRow]) -> list[ListRow]:
        """Return consecutive rows with the CSNs of their transactions."""


class Page(NamedTuple):
    """Consecutive rows; ``at`` is the index of the requested one.

    ``above`` are the last rows of the file before, including its end; ``below`` the first rows of the next file.
    """

    rows: list[ListRow]
    at: int
    is_first: bool
    is_last: bool
    above: tuple[ListRow, ...] = ()
    below: tuple[ListRow, ...] = ()

    def row_at(self, index: int) -> ListRow:
        """Return a row by index: negative ones are in ``above``, those from ``len(rows)`` on in ``below``."""
        if index < 0:
            return self.above[index]
        return self.rows[index] if index < len(self.rows) else self.below[index - len(self.rows)]


class PageRequest(NamedTuple):
    """A request for the row ``step`` rows after (negative: before) the one at ``rba``; None is the end of the file.

    ``around`` rows on either side are included, also from the neighbour files ``before`` and ``after``.
    """

    rba: int | None
    step: int = 0
    around: int = 100
    before: Path | None = None
    after: Path | None = None


def read_page(rows: RowSource, request: PageRequest, end: int) -> Page:
    """Return the page around the requested row; ``end`` is the size of the file."""
    row = rows.containing(end if request.rba is None else request.rba)

    def before(current: ListRow) -> ListRow | None:
        return rows.before(current.rba)

    steps = _neighbours(row, rows.after if request.step > 0 else before)
    row = [row, *islice(steps, abs(request.step))][-1]
    earlier = list(islice(_neighbours(row, before), request.around + 1))
    later = list(islice(_neighbours(row, rows.after), request.around + 1))
    is_first, is_last = len(earlier) <= request.around, len(later) <= request.around
    earlier = earlier[: request.around][::-1]
    return Page(rows.for_screen([*earlier, row, *later[: request.around]]), len(earlier), is_first, is_last)


def _neighbours(row: ListRow, following: Callable[[ListRow], ListRow | None]) -> Iterator[ListRow]:
    """Yield the rows from a row on in one direction, without the row itself."""
    neighbour = following(row)
    while neighbour is not None:
        yield neighbour
        neighbour = following(neighbour)


class Matches:
    """RBAs of the records that pass ``filters`` and of damage, which no filter hides; 8 bytes each.

    Args:
        filters: the filter of the session.
        source: the definitions file by which rows are decoded.

    Attributes:
        covered: the RBA up to which the file has been scanned.
        records: the number of RBAs of records.
        undecided: the number of changes of which the filter cannot tell whether they pass.
    """

    def __init__(self, filters: FilterSet, source: SourceDefinitions | None = None) -> None:
        self._filters = filters
        self._source = source
        self.rbas = array("q")
        self.covered = 0
        self.records = self.undecided = 0
        self._damaged = 0
        self._damage_at_end: int | None = None
        self._is_bad_at_end = False

    def extend(self, session: Session) -> Generator[int, None, None]:
        """Scan the rest of the session's file; yield ``covered`` as it grows."""
        self._forget_damage_at_end()
        session.filters_in_use, session.source_definitions = self._filters, self._source
        trail, selection = session.trail, session.selection()
        for batch in scan(trail, self.covered):
            rows, spans = selection.rows(batch).nonzero()[0].tolist(), batch.spans()
            self.rbas.extend(sorted(int(batch.rba[row]) for row in (*rows, *spans)))
            self.records += len(rows)
            self.undecided += selection.undecided_in(batch)
            self._damaged += sum(int(batch.kind[row]) == BAD_SPAN for row in spans)
            last = len(batch) - 1
            self.covered = int(batch.rba[last]) + int(batch.length[last])
            self._damage_at_end = int(batch.rba[last]) if last in spans else None
            self._is_bad_at_end = int(batch.kind[last]) == BAD_SPAN
            yield self.covered

    def lacks(self) -> Reading:
        """Return the number of damaged places and the RBA that was reached."""
        return Reading(damaged=self._damaged, where=f"at RBA {self.covered}")

    def _forget_damage_at_end(self) -> None:
        """Drop damage at the end: an incomplete record may be complete after the file has grown."""
        if self._damage_at_end is not None:
            self.rbas.pop()
            self._damaged -= self._is_bad_at_end
            self.covered, self._damage_at_end = self._damage_at_end, None


class MatchingRows:
    """The rows that pass a filter. The last row is the end of the file, or MORE if the scan has not reached it."""

    def __init__(self, reader: RowReader, matches: Matches, size: int) -> None:
        self._reader = reader
        self._rbas = matches.rbas
        is_done = matches.covered >= size
        self._end = ListRow(RowKind.END, size, 0) if is_done else ListRow(RowKind.MORE, matches.covered, 0)

    def _row(self, index: int) -> ListRow:
        rbas = self._rbas[index : index + 1]
        return self._reader.at(rbas[0]) if rbas else self._end

    def after(self, row: ListRow) -> ListRow | None:
        """Return the next row that passes, None after the end."""
        return None if row.kind in (RowKind.END, RowKind.MORE) else self._row(bisect_right(self._rbas, row.rba))

    def before(self, rba: int) -> ListRow | None:
        """Return the last row that passes and begins before ``rba``, None if there is none."""
        index = bisect_left(self._rbas, rba)
        return self._row(index - 1) if index else None

    def containing(self, rba: int) -> ListRow:
        """Return the row that passes and contains the byte at ``rba``, else the first that passes after it."""
        index = bisect_right(self._rbas, rba)
        row = self._row(index - 1) if index else None
        return row if row is not None and rba < row.end else self._row(index)

    def for_screen(self, rows: list[ListRow]) -> list[ListRow]:
        """Return rows, which are in the order of the file, with the CSNs of their transactions."""
        return self._reader.for_screen(rows)

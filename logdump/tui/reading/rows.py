"""The rows of the record list: one for each record, for damage, and for the end of the file; found by walking."""

from __future__ import annotations

import enum
from typing import NamedTuple

from logdump.display.record_row import RecordKind, RecordRow, RecordRows, kind_of
from trailformat import PartialRecord, Record, TrailError, TrailFile, io_type_name
from trailformat.changes.transaction_context import TransactionContext
from trailformat.changes.transaction_search import TransactionSearch
from trailformat.changes.transactions import place_of
from trailformat.index import known_index
from trailformat.records.transaction import Transaction
from trailformat.trail.row_definitions import RowDefinitions


class RowKind(enum.Enum):
    """The kind of a row; MORE is the place of a scan that has not found the next row yet."""

    RECORD = "record"
    FILE_HEADER = "file header"
    BAD = "bad"
    PARTIAL = "partial"
    END = "end"
    MORE = "more"


class ListRow(NamedTuple):
    """One line of the list. ``length`` in bytes, of damage up to the next good header; ``time`` Julian microseconds.

    ``place`` is that in the transaction, as ``place_of`` has it; ``csn`` is that of the record's transaction and not
    known as long as the index has to tell it (:meth:`RowReader.for_screen`); ``problem`` is what is wrong with damage.
    A record that a restart of Extract has left ``is_restart``, and ``cuts`` the transaction that was open there, by its
    CSN; empty where the transaction has none that is known, None where none is open.
    ``table_index`` is set as long as the name of that index is not known. ``story`` is what the record says of its
    row; None of one that is not read for the screen.
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
    story: RecordRow | None = None

    @property
    def is_complete(self) -> bool:
        """Whether the index has nothing to add."""
        return self.table_index is None and self.is_csn_known

    @property
    def end(self) -> int:
        """The RBA after it."""
        return self.rba + self.length


NEAR = 1 << 23
"""The bytes that are searched for table definitions while the list waits."""
_SEARCHED = 1 << 12
_SEARCHED_WITH_INDEX = 1 << 16
"""So many records are walked over for the CSNs of a page; where the index is, it shortens each of the ways."""


class RowReader:
    """Rows of one file by RBA, forwards and backwards, whatever stands there; nothing is scanned.

    Args:
        trail: the file.
        definitions: those of its rows; without them the rows have no stories.
    """

    def __init__(self, trail: TrailFile, definitions: RowDefinitions | None = None) -> None:
        self._trail = trail
        self._definitions = definitions

    def at(self, rba: int) -> ListRow:
        """The row that begins at ``rba``: damage where no sound record does."""
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
        """The row after ``row``; None after the end."""
        return None if row.kind is RowKind.END else self.at(row.end)

    def before(self, rba: int) -> ListRow | None:
        """The row that ends at ``rba``, or holds the byte before it; None at the beginning."""
        return self.containing(min(rba, self._trail.size) - 1) if rba > 0 else None

    def containing(self, rba: int) -> ListRow:
        """The row that begins at ``rba``, or the one with that byte in it."""
        trail = self._trail
        if rba >= trail.size:
            return self.at(rba)
        start = trail.previous_good_header(rba + 1) if rba > 0 else None
        if start is None:
            return self.at(0)
        row = self.at(start)
        return row if rba < row.end else self.at(row.end)

    def for_screen(self, rows: list[ListRow]) -> list[ListRow]:
        """Rows in the order of the file, each with the CSN that JSON has for its record, and with its story."""
        if not rows:
            return []
        trail = self._trail
        index = known_index(trail)
        is_indexed = index is not None and index.covered >= rows[-1].rba
        context = TransactionContext(trail, _SEARCHED_WITH_INDEX if is_indexed else _SEARCHED)
        stories = RecordRows(trail, self._definitions, context) if self._definitions is not None else None
        return [self._completed(row, context, stories) for row in rows]

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
            is_known = row.place is None or csn is not None or context.is_found
            return row._replace(csn=csn, is_csn_known=is_known)
        story = stories.of(record)
        is_known = row.place is None or story.is_transaction_known
        return row._replace(csn=story.csn, is_csn_known=is_known, story=story)

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
    """The transaction that the restart at ``rba`` cuts, which may stand in the file before; None where none is open."""
    try:
        found = TransactionSearch(trail, _SEARCHED).found_at(rba, trail.order)
    except TrailError:
        return None
    return found.transaction if found is not None else None


def known_to(trail: TrailFile) -> int:
    """The RBA up to which the names of tables are known without reading the file."""
    index = known_index(trail)
    return max(trail.tables.known_to, index.places.metadata_end if index is not None else 0)


def _problem(error: TrailError) -> str:
    found = f", found {error.found}" if error.found else ""
    return f"{error.problem}{found}"

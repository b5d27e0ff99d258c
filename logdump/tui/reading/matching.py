"""The rows that pass a filter: their RBAs, found by one scan beside the screen."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Generator
from typing import TYPE_CHECKING

from logdump.session.marks import SourceDefinitions
from logdump.session.reading import Reading
from logdump.session.session import Session
from logdump.tui.reading.rows import ListRow, RowKind, RowReader
from trailformat.scan import BAD_SPAN, scan

if TYPE_CHECKING:
    from logdump.filters import FilterSet


class Matches:
    """RBAs of the records that pass ``filters``, and of damage, which no filter hides; 8 bytes for each.

    Args:
        filters: the filter of the session.
        source: the definitions file that its rows are read by.

    Attributes:
        covered: the RBA up to which the file has been looked through.
        records: how many of the RBAs are records.
    """

    def __init__(self, filters: FilterSet, source: SourceDefinitions | None = None) -> None:
        self._filters = filters
        self._source = source
        self.rbas = array("q")
        self.covered = 0
        self.records = 0
        self._damaged = 0
        self._damage_at_end: int | None = None
        self._is_bad_at_end = False

    def extend(self, session: Session) -> Generator[int, None, None]:
        """Look through the rest of the session's file, by this filter; yields ``covered`` as it grows."""
        self._forget_damage_at_end()
        session.filters_in_use, session.source_definitions = self._filters, self._source
        trail, selection = session.trail, session.selection()
        for batch in scan(trail, self.covered):
            rows, spans = selection.rows(batch).nonzero()[0].tolist(), batch.spans()
            self.rbas.extend(sorted(int(batch.rba[row]) for row in (*rows, *spans)))
            self.records += len(rows)
            self._damaged += sum(int(batch.kind[row]) == BAD_SPAN for row in spans)
            last = len(batch) - 1
            self.covered = int(batch.rba[last]) + int(batch.length[last])
            self._damage_at_end = int(batch.rba[last]) if last in spans else None
            self._is_bad_at_end = int(batch.kind[last]) == BAD_SPAN
            yield self.covered

    def lacks(self) -> Reading:
        """The damage, and where it is."""
        return Reading(damaged=self._damaged, where=f"at RBA {self.covered}")

    def _forget_damage_at_end(self) -> None:
        """Drop damage at the end: half a record may be a whole one when the file has grown."""
        if self._damage_at_end is not None:
            self.rbas.pop()
            self._damaged -= self._is_bad_at_end
            self.covered, self._damage_at_end = self._damage_at_end, None


class MatchingRows:
    """The rows of a filter, in place of all rows of the file; where the file or the scan ends, so do they."""

    def __init__(self, reader: RowReader, matches: Matches, size: int) -> None:
        self._reader = reader
        self._rbas = matches.rbas
        is_done = matches.covered >= size
        self._end = ListRow(RowKind.END, size, 0) if is_done else ListRow(RowKind.MORE, matches.covered, 0)

    def _row(self, at: int) -> ListRow:
        found = self._rbas[at : at + 1]
        return self._reader.at(found[0]) if found else self._end

    def after(self, row: ListRow) -> ListRow | None:
        """The next row that passes; None after the end."""
        return None if row.kind in (RowKind.END, RowKind.MORE) else self._row(bisect_right(self._rbas, row.rba))

    def before(self, rba: int) -> ListRow | None:
        """The row that passes before ``rba``; None without one."""
        at = bisect_left(self._rbas, rba)
        return self._row(at - 1) if at else None

    def containing(self, rba: int) -> ListRow:
        """The row that passes and has the byte at ``rba`` in it, or else the first that passes after it."""
        at = bisect_right(self._rbas, rba)
        row = self._row(at - 1) if at else None
        return row if row is not None and rba < row.end else self._row(at)

    def for_screen(self, rows: list[ListRow]) -> list[ListRow]:
        """Rows in the order of the file, with the CSNs of their transactions."""
        return self._reader.for_screen(rows)

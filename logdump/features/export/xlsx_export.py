"""EXPORT XLSX: the rows of tables in a workbook of Excel, a sheet for each table."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from logdump.arrow.plain_values import python_values
from logdump.arrow.tables.arrow_rows import schema_of
from logdump.arrow.tables.layout import TableLayout
from logdump.features.export.arrow_export import BatchExport
from logdump.features.export.files import Place, check_rows
from logdump.features.export.target import FileTally
from logdump.features.export.workbook import SheetRows, Workbook
from logdump.session.events import Event
from trailformat.arrays import DecodePath, array_type

if TYPE_CHECKING:
    import pyarrow as pa


class TableSheet:
    """The rows of one table."""

    def __init__(self, book: Workbook, layout: TableLayout) -> None:
        names = schema_of(layout).names
        own = [array_type(column, layout.codec).path for column in layout.columns or ()] * 2
        begin = names.index(layout.image_names[0]) if layout.image_names else 0
        numbers = frozenset(begin + index for index, path in enumerate(own) if path is DecodePath.NUMBER)
        self.layout = layout
        self.written = SheetRows(book, layout.name or "a table without a name", names, numbers)

    def write(self, batch: pa.RecordBatch) -> None:
        """Add the rows of a batch."""
        self.written.add(zip(*map(python_values, batch.columns), strict=True))

    def flush(self) -> None:
        """Do nothing: rows go to a file of their sheet at once."""

    def finish(self) -> None:
        """Do nothing: the workbook is written when it is closed."""


class TableSheets:
    """The sheets of a workbook by layout."""

    def __init__(self, place: Place) -> None:
        self.book = Workbook(place)
        self._place = place
        self._open: dict[TableLayout, TableSheet] = {}

    def of(self, layout: TableLayout) -> TableSheet:
        """Return the sheet for rows of this layout; the first call for a layout creates it. Raises CommandError."""
        if layout not in self._open:
            self._open[layout] = TableSheet(self.book, layout)
        return self._open[layout]

    @property
    def sinks(self) -> list[TableSheet]:
        """The sheets of all tables."""
        return [*self._open.values()]

    def close(self) -> list[FileTally]:
        """Write the workbook; returns the tally of each sheet. Raises CannotWrite, OSError."""
        written = self.book.close()
        tallies = [FileTally(name, sheet.layout, rows) for sheet in self.sinks for name, rows in sheet.written.sheets]
        if isinstance(self._place, Path):
            check_rows(self._place, sum(tally.rows + 1 for tally in tallies), sum(written))
        return tallies

    def abandon(self) -> None:
        """Discard the workbook."""
        self.book.abandon()


class XlsxExport(BatchExport[TableSheet]):
    """One export of a workbook."""

    def report(self) -> Iterator[Event]:
        """Yield the number of rows on each sheet, and the problems."""
        yield from self._tally.report(self._options.target_name, by_table=True, holder="sheet")
        yield from self._sheets.book.notices()

    def _opened(self, path: Place, _pool: object) -> TableSheets:
        self._sheets = TableSheets(path)
        return self._sheets

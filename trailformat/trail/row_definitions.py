"""The definition of a row's columns: from its trail, or from a definitions file if the trail has none."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from trailformat.codec.charsets import UNKNOWN, UTF_8, codec_of
from trailformat.codec.on_demand import on_demand
from trailformat.errors import TrailError

with on_demand:
    from trailformat.definitions import metadata

if TYPE_CHECKING:
    from trailformat.definitions.file import DefinitionsFile
    from trailformat.definitions.metadata import ColumnDefinition, TableDefinition
    from trailformat.records.record import Record
    from trailformat.trail.file import TrailFile
    from trailformat.trail.table_definitions import TableEntry


class RowDefinition(NamedTuple):
    """The definition of a row: its table's name, its columns (None: not known), the codec of the database's text."""

    name: str
    table: TableDefinition | None
    charset: str = UTF_8

    def column(self, index: int) -> ColumnDefinition | None:
        """Return the definition of a column; None if not known."""
        columns = self.table.columns if self.table else ()
        return columns[index] if index < len(columns) else None


class RowDefinitions:
    """The definitions of the rows of one trail.

    Args:
        trail: the file.
        source: a definitions file for rows that the trail does not define, or None.
        override: True if ``source`` takes precedence over the trail's own definitions.
    """

    def __init__(self, trail: TrailFile, source: DefinitionsFile | None = None, *, override: bool = False) -> None:
        self._trail = trail
        self._source = source
        self._override = override
        self._charsets: dict[int | None, str] = {}

    def on(self, trail: TrailFile) -> RowDefinitions:
        """Return the same definitions for another file."""
        return RowDefinitions(trail, self._source, override=self._override)

    def of(self, record: Record) -> RowDefinition:
        """Return the definition for a row, a truncate or any other record with a table."""
        entry = self._trail.table_of(record)
        name = entry.name if entry else record.name
        table = self._trail.tables.columns(entry) if entry else None
        return self._known(name, table, record.rba if record.table_index is not None else None)

    def at(self, table_index: int, rba: int) -> RowDefinition:
        """Return the definition of a row at ``rba`` whose header holds this index."""
        entry = self._trail.tables.lookup(table_index, rba)
        return self._known(entry.name if entry else "", self._trail.tables.columns(entry) if entry else None, rba)

    def of_entry(self, entry: TableEntry) -> RowDefinition:
        """Return the definition of the rows for which an entry of the trail is in force."""
        return self._known(entry.name, self._trail.tables.columns(entry), entry.rba)

    def _known(self, name: str, table: TableDefinition | None, indexed_at: int | None) -> RowDefinition:
        if self._source is not None and (table is None or self._override):
            file_table = self._source.table(name)
            if file_table is not None:
                return RowDefinition(name, file_table.definition, self._source.charset)
        return RowDefinition(name, table, self.charset_at(indexed_at))

    def charset_at(self, indexed_at: int | None) -> str:
        """Return the codec of the database: from the DDR before a record, from the file header, or UTF-8.

        ``indexed_at`` is the RBA of a record whose header holds a table index; None if headers hold table names:
        such trails have no DDR, so none is searched for.
        """
        definition_rba = self._trail.tables.database_before(indexed_at) if indexed_at is not None else None
        if definition_rba not in self._charsets:
            self._charsets[definition_rba] = self._read_charset(definition_rba)
        return self._charsets[definition_rba]

    def _read_charset(self, definition_rba: int | None) -> str:
        number: object = None
        try:
            record = self._trail.record_at(definition_rba) if definition_rba is not None else None
            database = record.metadata if record else None
            number = database.charset if isinstance(database, metadata.DatabaseDefinition) else None
        except TrailError:
            number = None
        if number is None and self._trail.file_header is not None:
            number = self._trail.file_header.get("DatabaseInfo", "Charset")
        return codec_of(number) if isinstance(number, int) and number != UNKNOWN else UTF_8

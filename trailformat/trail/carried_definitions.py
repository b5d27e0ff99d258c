"""The metadata records that rows need before them, carried from their places to the target of the rows.

A trail file is self-contained: the DDR and the TDRs that its rows refer to come before them. A reference to a TDR is
carried as the TDR itself under the reference's own index, because that index is implied by what precedes it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trailformat.definitions.metadata import DATABASE, REFERENCE, TABLE
from trailformat.records.record import Record, make_record

if TYPE_CHECKING:
    from trailformat.trail.file import TrailFile
    from trailformat.trail.table_definitions import TableEntry


class CarriedDefinitions:
    """The definitions of a source, and those that the target holds already."""

    def __init__(self) -> None:
        self._database: Record | None = None
        self._tables: dict[int, Record] = {}
        self._highest = 0
        self._told: set[int] = set()
        self._database_told = False

    def learn(self, record: Record) -> Record:
        """Take in a metadata record of the source; returns the form in which it can be carried."""
        kind = record.header.orig_node
        _, index = record.metadata_indexes
        if kind == DATABASE:
            self._database = record
            self._database_told = False
            return record
        if kind == REFERENCE and index in self._tables:
            own = self._highest + 1
            index, record = own, resolve_reference(record, self._tables[index], own)
        if kind in (TABLE, REFERENCE):
            self._tables[index] = record
            self._highest = max(self._highest, index)
            self._told.discard(index)
        return record

    def wanted_by(self, record: Record) -> list[Record]:
        """Return the definitions to be written before ``record``; they count as written from then on."""
        index = record.table_index
        wanted: list[Record] = []
        defines_table = record.is_metadata and record.header.orig_node != DATABASE
        if self._database is not None and not self._database_told and (defines_table or index is not None):
            wanted.append(self._database)
            self._database_told = True
        if index is not None and index in self._tables and index not in self._told:
            wanted.append(self._tables[index])
            self._told.add(index)
        return wanted

    def note(self, record: Record) -> None:
        """Note that the target has this metadata record now."""
        kind = record.header.orig_node
        if kind == DATABASE:
            self._database_told = True
        elif kind == TABLE:
            self._told.add(record.metadata_indexes[1])
        elif kind == REFERENCE:
            self._told.add(self._highest)

    def new_file(self) -> None:
        """Begin a file of the target, which holds no definitions yet."""
        self._told.clear()
        self._database_told = False


def definition_of(trail: TrailFile, entry: TableEntry) -> Record | None:
    """The TDR of an entry, under the entry's own index and name; None when it is lost.

    Raises:
        TrailError: the record is damaged.
    """
    if entry.definition_rba is None:
        return None
    definition = trail.record_at(entry.definition_rba)
    if definition is None or entry.rba == entry.definition_rba:
        return definition
    reference = trail.record_at(entry.rba)
    return resolve_reference(reference, definition, entry.table_index) if reference is not None else None


def resolve_reference(reference: Record, definition: Record, own_index: int) -> Record:
    """A reference as a TDR: the reference's name and time, the data of the TDR it means, and its own index."""
    order = reference.order
    ddr, _ = reference.metadata_indexes
    indexes = order.decode(order.encode(ddr, 2) + order.encode(own_index, 2))
    header = reference.header._replace(orig_node=TABLE, audit_rba=indexes)
    return make_record(header, definition.data, order=order)

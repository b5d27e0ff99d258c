"""The metadata records that rows need in front of them, carried from where they stood to where the rows now go.

A file of a trail stands alone: the DDR and the TDRs that its rows refer to come before them. A reference to a TDR is
carried as the TDR itself under the reference's own index, because that index is implied by what precedes it.
"""

from __future__ import annotations

from trailformat import metadata
from trailformat.byte_order import ByteOrder
from trailformat.record import Record, make_record


class CarriedDefinitions:
    """What is known about a source, and what the target has been told already."""

    def __init__(self) -> None:
        self._database: Record | None = None
        self._tables: dict[int, Record] = {}
        self._told: set[int] = set()
        self._database_told = False

    def learn(self, record: Record) -> Record:
        """Take in a metadata record of the source; returns the form in which it can be carried."""
        kind = record.header.orig_node
        _, index = record.metadata_indexes
        if kind == metadata.DATABASE:
            self._database = record
            self._database_told = False
            return record
        if kind == metadata.REFERENCE and index in self._tables:
            index, record = max(self._tables) + 1, self._resolved(record, max(self._tables) + 1)
        if kind in (metadata.TABLE, metadata.REFERENCE):
            self._tables[index] = record
            self._told.discard(index)
        return record

    def _resolved(self, reference: Record, own: int) -> Record:
        ddr, index = reference.metadata_indexes
        order = reference.order
        header = reference.header._replace(orig_node=metadata.TABLE, audit_rba=_indexes(ddr, own, order))
        return make_record(header, self._tables[index].data, order=order)

    def wanted_by(self, record: Record) -> list[Record]:
        """The definitions that must be written before ``record``; they count as told from now on."""
        index = record.table_index
        wanted: list[Record] = []
        if index is None or index in self._told:
            return wanted
        if self._database is not None and not self._database_told:
            wanted.append(self._database)
            self._database_told = True
        if index in self._tables:
            wanted.append(self._tables[index])
            self._told.add(index)
        return wanted

    def tell(self, record: Record) -> None:
        """Note that the target has this metadata record now."""
        kind = record.header.orig_node
        if kind == metadata.DATABASE:
            self._database_told = True
        elif kind == metadata.TABLE:
            self._told.add(record.metadata_indexes[1])
        elif kind == metadata.REFERENCE:
            self._told.add(max(self._tables, default=0))

    def new_file(self) -> None:
        """The target starts a file that has been told nothing."""
        self._told.clear()
        self._database_told = False


def _indexes(ddr: int, tdr: int, order: ByteOrder) -> int:
    return order.decode(order.encode(ddr, 2) + order.encode(tdr, 2))

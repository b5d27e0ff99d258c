"""The meaning of table indexes at any RBA of a file.

A row's header holds an index: it means the latest definition with that index before the row. A reference (OrigNode 3)
has no index of its own: it gets the next free one (inferred from the PostgreSQL transcript, where the rows after the
reference to index 1 use index 2).
"""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple, Protocol

from trailformat.codec.on_demand import on_demand
from trailformat.errors import TrailError
from trailformat.records.record_header import DATABASE, METADATA, REFERENCE, TABLE

with on_demand:
    import hashlib

    from trailformat.definitions import metadata as definition_records

if TYPE_CHECKING:
    from trailformat.codec.byte_order import ByteOrder
    from trailformat.definitions.metadata import TableDefinition
    from trailformat.records.record import Record
    from trailformat.records.record_header import Transaction

    class Records(Protocol):
        """A file with definitions."""

        known: KnownPlaces | None

        @property
        def size(self) -> int:
            """Number of bytes in the file."""

        def record_at(self, rba: int) -> Record | None:
            """Return the record at ``rba``; None at the end."""

        def record_length(self, rba: int) -> int:
            """Return the length of a record."""

        def metadata_rbas(self, start: int, stop: int) -> tuple[list[int], int]:
            """Return the RBAs of metadata records from ``start`` to before ``stop``, and the end of the known range."""


class KnownPlaces(Protocol):
    """Facts about a file that are known without reading it."""

    @property
    def open_transactions(self) -> Mapping[int, Transaction]:
        """The transactions that continue at some of its records, by RBA."""

    @property
    def metadata_end(self) -> int:
        """The RBA up to which all metadata records are known."""

    def metadata_between(self, start: int, stop: int) -> tuple[list[int], int]:
        """Return the metadata RBAs from ``start`` to before ``stop``, and the next one or ``metadata_end``."""


_AHEAD = 1 << 24
"""Bytes after an RBA that are searched together with it, for a caller that looks up ascending RBAs."""


class TableEntry(NamedTuple):
    """A definition in force from ``rba`` on; ``definition_rba`` is that of the TDR with its columns, None if lost."""

    rba: int
    table_index: int
    name: str
    definition_rba: int | None


class MetadataRecord(NamedTuple):
    """A DDR, a TDR or a reference (by OrigNode), with the TDR index and the name in its header."""

    rba: int
    orig_node: int
    table_index: int
    name: str

    @classmethod
    def of(cls, record: Record) -> MetadataRecord:
        """Return the fields of a metadata record."""
        return cls(record.rba, record.header.orig_node, record.metadata_indexes[1], record.name)


class DefinitionsState(NamedTuple):
    """The definitions in force at one RBA of a file, for readers that continue there.

    Attributes:
        rba: the RBA.
        entries: the definition of each index.
        database: RBA of the latest DDR; None without one.
    """

    rba: int
    entries: tuple[TableEntry, ...]
    database: int | None


class TableDefinitions:
    """The definitions of one file, collected up to the last RBA looked up."""

    def __init__(self, trail: Records) -> None:
        self._trail = trail
        self._scanned = 0
        self._by_index: dict[int, list[TableEntry]] = {}
        self._by_rba: dict[int, TableEntry] = {}
        self._highest = -1
        self._databases: list[int] = []
        self._rbas: list[int] = []
        self._meanings = [0]
        self._digests: dict[int | None, int] = {}
        self._decoded: dict[int, TableDefinition | None] = {}
        self._alike: dict[tuple[ByteOrder, bytes], TableDefinition] = {}

    @property
    def known_to(self) -> int:
        """The RBA up to which definitions have been collected; beyond it a lookup reads the file."""
        return self._scanned

    def lookup(self, index: int, rba: int) -> TableEntry | None:
        """Return the entry that ``index`` means for a record at ``rba``; None if no definition precedes it."""
        if rba > self._scanned:
            self._scan_to(rba)
        entries = self._by_index.get(index, [])
        if entries and entries[-1].rba < rba:
            return entries[-1]
        position = bisect_left(entries, rba, key=lambda entry: entry.rba)
        return entries[position - 1] if position else None

    def defined_at(self, rba: int) -> TableEntry | None:
        """Return the entry that the TDR or reference at ``rba`` itself defines; None if it defines none."""
        self._scan_to(rba + self._trail.record_length(rba))
        return self._by_rba.get(rba)

    def in_force(self, rba: int) -> Iterator[TableEntry]:
        """Yield the definition of each index at ``rba``, which need not be the start of a record."""
        self._scan_to(rba)
        for entries in self._by_index.values():
            position = bisect_left(entries, rba, key=lambda entry: entry.rba)
            if position:
                yield entries[position - 1]

    def entries(self) -> list[TableEntry]:
        """Return every definition in the file, including those that later ones replace."""
        self._scan_to(self._trail.size)
        return [entry for entries in self._by_index.values() for entry in entries]

    def database_before(self, rba: int) -> int | None:
        """Return the RBA of the latest DDR before ``rba``; None without one."""
        self._scan_to(rba)
        position = bisect_left(self._databases, rba)
        return self._databases[position - 1] if position else None

    def meaning_at(self, rba: int) -> int:
        """Return a number that is equal for two RBAs, of any files, if each index means the same definition there.

        It is the sum of digests of the definitions in force, so that their order does not matter.
        """
        if rba > self._scanned:
            self._scan_to(max(rba, min(rba + _AHEAD, self._trail.size)))
        number = bisect_left(self._rbas, rba)
        while len(self._meanings) <= number:
            self._meanings.append(self._meanings[-1] + self._change_at(self._rbas[len(self._meanings) - 1]))
        return self._meanings[number]

    def unchanged_to(self, rba: int, stop: int) -> int:
        """Return the RBA, at most ``stop``, up to which the definitions in force are those at ``rba``."""
        self._scan_to(stop)
        position = bisect_left(self._rbas, rba)
        return min(self._rbas[position], stop) if position < len(self._rbas) else stop

    def _change_at(self, rba: int) -> int:
        """Return the change of that number at a metadata record: its digest, less that of the record it replaces."""
        entry = self._by_rba.get(rba)
        index, name, data_rba = (entry.table_index, entry.name, entry.definition_rba) if entry else (None, "", rba)
        try:
            record = self._trail.record_at(data_rba) if data_rba is not None else None
            data = record.data if record is not None else os.urandom(16)
        except TrailError:
            data = os.urandom(16)  # unreadable: equal to no other definition
        digest = int.from_bytes(hashlib.blake2b(repr((index, name)).encode() + data, digest_size=32).digest())
        before = self._digests.get(index, 0)
        self._digests[index] = digest
        return digest - before

    def columns(self, entry: TableEntry) -> TableDefinition | None:
        """Return the definition of an entry, one object for all TDRs with equal data; None if it is lost or damaged."""
        rba = entry.definition_rba
        if rba is None:
            return None
        if rba not in self._decoded:
            self._decoded[rba] = self._decode(rba)
        return self._decoded[rba]

    def _decode(self, rba: int) -> TableDefinition | None:
        try:
            record = self._trail.record_at(rba)
            if record is None:
                return None
            key = record.order, record.data
            if key not in self._alike:
                definition = record.metadata
                if not isinstance(definition, definition_records.TableDefinition):
                    return None
                self._alike[key] = definition
        except TrailError:
            return None
        return self._alike[key]

    def learn(self, start: int, stop: int, records: Iterable[MetadataRecord]) -> None:
        """Add the metadata records that a walk from ``start`` to ``stop`` has found."""
        self._scan_to(start)
        if self._scanned < stop:
            for metadata in records:
                if metadata.rba >= self._scanned:
                    self._add(metadata)
            self._scanned = stop

    def take_over(self, other: TableDefinitions) -> None:
        """Replace the collected definitions by those of ``other``, which is of the same file, opened again."""
        self._scanned = other._scanned
        self._by_index = {index: list(entries) for index, entries in other._by_index.items()}
        self._by_rba = dict(other._by_rba)
        self._highest = other._highest
        self._databases, self._rbas = list(other._databases), list(other._rbas)
        self._meanings, self._digests = list(other._meanings), dict(other._digests)
        self._decoded, self._alike = dict(other._decoded), dict(other._alike)

    def state_at(self, rba: int) -> DefinitionsState:
        """Return the definitions in force at ``rba``."""
        return DefinitionsState(rba, tuple(self.in_force(rba)), self.database_before(rba))

    def resume(self, state: DefinitionsState) -> None:
        """Continue from the definitions in force at one RBA of the same file, without searching the bytes before it.

        Lookups for RBAs before it find nothing from then on.
        """
        self._by_index, self._by_rba, self._decoded, self._highest = {}, {}, {}, -1
        for entry in sorted(state.entries):
            self._keep(entry)
        self._databases = [] if state.database is None else [state.database]
        self._rbas = sorted([*self._by_rba, *self._databases])
        self._meanings, self._digests = [0], {}
        self._scanned = state.rba

    def pass_over(self, start: int, stop: int) -> None:
        """Note that the records from ``start`` to ``stop`` define nothing; no effect if records before are unknown."""
        if start <= self._scanned < stop:
            self._scanned = stop

    def of(self, record: Record) -> TableEntry | None:
        """Return the entry that the index in a record's header means; None without an index or an entry.

        Records that are looked up in file order are not searched again.
        """
        index, rba = record.table_index, record.rba
        if index is None:
            return None
        entry = self.lookup(index, rba)
        if self._scanned == rba and record.header.io_type != METADATA:
            self._scanned += record.length
        return entry

    def _scan_to(self, rba: int) -> None:
        if rba <= self._scanned:
            return
        rbas, self._scanned = self._metadata_rbas(self._scanned, rba)
        for metadata_rba in rbas:
            record = self._trail.record_at(metadata_rba)
            if record is not None:
                self._add(MetadataRecord.of(record))

    def _metadata_rbas(self, start: int, stop: int) -> tuple[list[int], int]:
        """Return the same as ``Records.metadata_rbas``, from ``known`` if it covers the range."""
        known = self._trail.known
        if known is None or known.metadata_end < stop:
            return self._trail.metadata_rbas(start, stop)
        rbas, end = known.metadata_between(start, stop)
        return rbas, max(start, end)

    def _add(self, metadata: MetadataRecord) -> None:
        rba, kind, index, name = metadata
        self._rbas.append(rba)
        if kind == DATABASE:
            self._databases.append(rba)
        elif kind == TABLE:
            self._keep(TableEntry(rba, index, name, rba))
        elif kind == REFERENCE:
            original = self._by_index.get(index, [])
            definition_rba = original[-1].definition_rba if original else None
            own = (self._highest if self._highest >= 0 else index) + 1
            self._keep(TableEntry(rba, own, name, definition_rba))

    def _keep(self, entry: TableEntry) -> None:
        self._by_index.setdefault(entry.table_index, []).append(entry)
        self._by_rba[entry.rba] = entry
        self._highest = max(self._highest, entry.table_index)

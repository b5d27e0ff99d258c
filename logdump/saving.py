"""SAVE: a part of a trail as a trail of its own.

The new file begins with the source's file header, under its own name and number. Before a row stand the DDR and the TDR
that it refers to, wherever in the source they were; a reference to a TDR is written as that TDR when its index would
not come out the same. Everything else is copied byte for byte, unless TRANSIND or COMMITTS change a header field.
"""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import NamedTuple

from logdump.events import Event
from logdump.selection import Scan
from logdump.session import CommandError, Session
from logdump.times import current_timestamp
from trailformat import FileHeader, Record, TableEntry, TrailFile, TrailName, TrailWriter, make_header, make_record
from trailformat.carried_definitions import resolve_reference
from trailformat.file_header import replace_values
from trailformat.io_types import COMMENT
from trailformat.metadata_kinds import DATABASE, REFERENCE, TABLE
from trailformat.record import make_file_header_record, replace_header
from trailformat.transactions import is_transactional, own_transaction


class SaveOptions(NamedTuple):
    """What to save, and how; None for a limit or a field that is not given.

    ``name`` is the target as it was typed: the file header keeps it, as Extract's keeps ``./dirdat/lt000000``.
    """

    target: Path
    name: str
    records: int | None = None
    bytes: int | None = None
    replaces: bool = False
    has_comments: bool = False
    trans_ind: int | None = None
    commit_time: int | None = None


class Saver:
    """One run of SAVE, from the session's position on and through its filter."""

    def __init__(self, session: Session, options: SaveOptions) -> None:
        self._session = session
        self._options = options
        self._trail: TrailFile = session.trail
        self._told: dict[int, int] = {}
        self._database_told: int | None = None
        self.saved = self.saved_bytes = 0

    def run(self) -> Generator[Event, None, None]:
        """Write the file, or nothing at all; the position moves past the last record saved.

        Raises:
            CommandError: the target is the open trail.
            TrailError: the source is damaged, or the target cannot be written; the position is where it was.
        """
        options, cursor = self._options, self._session.cursor
        if options.target.exists() and options.target.samefile(self._trail.path):
            raise CommandError(f"{options.target} is the open trail: SAVE never writes over it.")
        if options.target.exists() and not options.replaces:
            raise CommandError(f"{options.target} exists already; SAVE {options.target.name} ! replaces it.")
        start, was_backwards = cursor.next, cursor.is_backwards
        cursor.is_backwards = False
        try:
            with TrailWriter(options.target, order=self._trail.order, replace=options.replaces) as writer:
                yield from self._copy(writer, start)
        except BaseException:
            cursor.move(start)
            raise
        finally:
            cursor.is_backwards = was_backwards

    def _copy(self, writer: TrailWriter, start: int) -> Generator[Event, None, None]:
        scan = Scan(self._session)
        record = yield from scan.find(lambda one: not one.is_file_header)
        self._write_head(writer, record)
        if self._options.has_comments:
            writer.write(self._comment(f"Logdump SAVE of {self._trail.path} from RBA {start}"))
        while record is not None and self._has_room_for(record):
            self._write(writer, record)
            end = record.rba + record.length
            if self.saved == self._options.records:
                break
            record = yield from scan.find(lambda one: not one.is_file_header)
        if record is not None and not self._has_room_for(record) and self.saved != self._options.records:
            end = record.rba
        self._session.cursor.move(end if self.saved else start)
        if self._options.has_comments:
            writer.write(self._comment(f"Logdump SAVE ends, {self.saved} records"))

    def _has_room_for(self, record: Record) -> bool:
        limit = self._options.bytes
        return limit is None or self.saved_bytes + record.length <= limit

    def _write_head(self, writer: TrailWriter, first: Record | None) -> None:
        header = self._trail.file_header
        if header is not None:
            writer.write(make_file_header_record(_own_header(header, self._options, first)))

    def _write(self, writer: TrailWriter, record: Record) -> None:
        if record.is_metadata:
            if record.header.orig_node != DATABASE:
                self._write_database(writer, record)
            record = self._metadata(record)
        elif (entry := self._trail.table_of(record)) is not None and self._told.get(entry.table_index) != entry.rba:
            self._write_definition(writer, record, entry)
        writer.write(self._changed(record))
        self.saved += 1
        self.saved_bytes += record.length

    def _metadata(self, record: Record) -> Record:
        """A metadata record of the range itself, noted as told; a reference in the form that means the same there."""
        kind, (_, index) = record.header.orig_node, record.metadata_indexes
        if kind == DATABASE:
            self._database_told = record.rba
        elif kind == TABLE:
            self._told[index] = record.rba
        elif kind == REFERENCE and (entry := self._trail.tables.defined_at(record.rba)) is not None:
            comes_out_the_same = index in self._told and max(self._told) + 1 == entry.table_index
            self._told[entry.table_index] = entry.rba
            return record if comes_out_the_same else self._resolved(entry) or record
        return record

    def _write_database(self, writer: TrailWriter, record: Record) -> None:
        """The DDR in force at a record, when the target has not been told yet."""
        database = self._trail.tables.database_before(record.rba)
        if database is not None and database != self._database_told:
            found = self._trail.record_at(database)
            if found is not None:
                writer.write(found)
            self._database_told = database

    def _write_definition(self, writer: TrailWriter, row: Record, entry: TableEntry) -> None:
        self._write_database(writer, row)
        definition = self._resolved(entry)
        if definition is not None:
            writer.write(definition)
        self._told[entry.table_index] = entry.rba

    def _resolved(self, entry: TableEntry) -> Record | None:
        """The TDR of an entry, under the entry's own index and name; None when it is lost."""
        if entry.definition_rba is None:
            return None
        definition = self._trail.record_at(entry.definition_rba)
        if definition is None or entry.rba == entry.definition_rba:
            return definition
        reference = self._trail.record_at(entry.rba)
        if reference is None:
            return None
        return resolve_reference(reference, definition, entry.table_index)

    def _changed(self, record: Record) -> Record:
        options = self._options
        if options.trans_ind is None and options.commit_time is None:
            return record
        header = record.header
        trans_ind = header.trans_ind if options.trans_ind is None else options.trans_ind
        io_time = header.io_time if options.commit_time is None else options.commit_time
        return replace_header(record, header._replace(trans_ind=trans_ind, io_time=io_time))

    def _comment(self, text: str) -> Record:
        header = make_header(COMMENT, io_time=current_timestamp())
        return make_record(header, text.encode(), order=self._trail.order)


def _own_header(header: FileHeader, options: SaveOptions, first: Record | None) -> FileHeader:
    """The source's header with the name, number and beginning of the new file; what its end would tell is not set."""
    name = TrailName.parse(options.target)
    is_row = first is not None and is_transactional(first)
    return replace_values(
        header,
        "TrailInfo",
        {
            "FileName": options.name,
            "Seqno": name.seqno if name else 0,
            "FileSize": None,
            "FirstCSN": own_transaction(first).csn if first is not None and is_row else None,
            "LastCSN": None,
            "FirstIOTime": first.header.io_time if first is not None and is_row else None,
            "LastIOTime": None,
        },
    )

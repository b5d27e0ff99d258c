"""The file header and the definitions of a saved trail: those of its source, under its own name and number."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from trailformat import FileHeader, Record, TrailFile, TrailName
from trailformat.changes.transactions import is_transactional, own_transaction
from trailformat.records.file_header import replace_values
from trailformat.records.record_header import DATABASE, REFERENCE, TABLE
from trailformat.trail.writer import definition_of


class SavedDefinitions:
    """The definitions of the source that the new file already holds."""

    def __init__(self, trail: TrailFile) -> None:
        self._trail = trail
        self._written: dict[int, int] = {}
        self._highest = -1
        self._database_written: int | None = None

    def go_on_in(self, trail: TrailFile) -> None:
        """Continue with the next file of the source, whose rows refer to its own definitions."""
        self._trail, self._written, self._database_written = trail, {}, None

    def before(self, record: Record) -> Iterator[Record]:
        """Yield the definitions to be written before ``record``; they are noted as written."""
        if record.is_metadata:
            if record.header.orig_node != DATABASE:
                yield from self._database(record)
            return
        entry = self._trail.table_of(record)
        if entry is not None and self._written.get(entry.table_index) != entry.rba:
            yield from self._database(record)
            definition = definition_of(self._trail, entry)
            if definition is not None:
                yield definition
            self._note(entry.table_index, entry.rba)

    def own_form(self, record: Record) -> Record:
        """Return a metadata record to be saved, in a form that has the same meaning in the new file."""
        kind, (_, index) = record.header.orig_node, record.metadata_indexes
        if kind == DATABASE:
            self._database_written = record.rba
        elif kind == TABLE:
            self._note(index, record.rba)
        elif kind == REFERENCE and (entry := self._trail.tables.defined_at(record.rba)) is not None:
            comes_out_the_same = index in self._written and self._highest + 1 == entry.table_index
            self._note(entry.table_index, entry.rba)
            return record if comes_out_the_same else definition_of(self._trail, entry) or record
        return record

    def _note(self, index: int, rba: int) -> None:
        self._written[index] = rba
        self._highest = max(self._highest, index)

    def _database(self, record: Record) -> Iterator[Record]:
        """Yield the DDR in force at a record, unless the target already holds it."""
        database = self._trail.tables.database_before(record.rba)
        if database is not None and database != self._database_written:
            definition = self._trail.record_at(database)
            if definition is not None:
                yield definition
            self._database_written = database


def own_header(header: FileHeader, target: Path, name: str, first: Record | None) -> FileHeader:
    """Return the source's header with the name, number and beginning of the new file; values of its end are not set.

    ``name`` is the target as typed, which the header keeps; ``first`` is the first record of the new file.
    """
    row = first if first is not None and is_transactional(first) else None
    return renamed(
        replace_values(
            header,
            "TrailInfo",
            {
                "FileSize": None,
                "FirstCSN": own_transaction(row).csn if row is not None else None,
                "LastCSN": None,
                "FirstIOTime": row.header.io_time if row is not None else None,
                "LastIOTime": None,
            },
        ),
        target,
        name,
    )


def renamed(header: FileHeader, target: str | os.PathLike[str], name: str) -> FileHeader:
    """Return ``header`` with the FileName ``name`` and the Seqno in the name of ``target``, 0 if there is none."""
    parts = TrailName.parse(target)
    return replace_values(header, "TrailInfo", {"FileName": name, "Seqno": parts.seqno if parts else 0})

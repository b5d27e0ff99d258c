"""What has to be known of a trail before a record is written: its CSNs, and which words of SQL are names in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from logdump.features.redact.statements import names_in, tokenizers_of, words_in
from trailformat import NotATrail, TrailFile
from trailformat.changes.segments import joined
from trailformat.definitions.metadata import TableDefinition
from trailformat.errors import TrailError
from trailformat.records.large_record import LargeRecord
from trailformat.records.record_header import DDL_OP, METADATA
from trailformat.scan import RECORD, Workers, scan_in_threads
from trailformat.scan.row_tokens import csn_and_xid_of

if TYPE_CHECKING:
    from trailformat.definitions.file import DefinitionsFile
    from trailformat.records.record import Record
    from trailformat.scan import Batch

_FIELDS = ("FirstCSN", "LastCSN", "LOGBSN")
_OWNERS = "D"
"""The GGS token of a DDL record that has names."""


class SourceSurvey:
    """One reading of all files.

    Args:
        paths: the files; what is no trail file is left out.
        definitions: the definitions file in use, or None.
    """

    def __init__(self, paths: Iterable[Path], definitions: DefinitionsFile | None) -> None:
        self._paths = paths
        self._names: set[bytes] = set()
        for table in definitions.tables.values() if definitions is not None else ():
            self._include(table.name, *(column.name for column in table.definition.columns))

    @property
    def names(self) -> frozenset[bytes]:
        """The words of SQL, in capitals, that are names of schemas, tables or columns; complete after ``csns``."""
        return frozenset(self._names)

    def csns(self) -> Iterator[str]:
        """Read the files; yield the CSNs of their records and headers, in any order.

        Raises:
            CannotRead: a file can no longer be read.
        """
        for path in self._paths:
            try:
                trail = TrailFile(path)
            except NotATrail:
                continue
            with trail:
                yield from self._csns_of(trail)

    def _csns_of(self, trail: TrailFile) -> Iterator[str]:
        header, seen = trail.file_header, set[str]()
        values = [header.get("TrailInfo", name) for name in _FIELDS] if header is not None else []
        yield from (value for value in values if isinstance(value, str) and value)
        with Workers() as workers:
            for batch in scan_in_threads(trail, workers):
                rows = np.flatnonzero((np.asarray(batch.kind) == RECORD) & (np.asarray(batch.token_size) > 0))
                csns, _ = csn_and_xid_of(batch, rows, np.ones(len(rows), bool), trail.buffer)
                yield from (csn for csn in csns if csn)
                names = {batch.names[key] for key in np.unique(np.asarray(batch.table)).tolist()} - seen
                seen |= names
                self._include(*names)
                self._read_records(trail, batch)

    def _read_records(self, trail: TrailFile, batch: Batch) -> None:
        """Include the names in definitions and in DDL."""
        for row in batch.rows_of((METADATA, DDL_OP)):
            try:
                record = trail.record_at(int(batch.rba[row]))
            except TrailError:
                continue
            if record is None or isinstance(record, LargeRecord):
                continue
            if record.header.io_type == DDL_OP:
                self._read_ddl(trail, record)
            else:
                self._read_definition(record)

    def _read_definition(self, record: Record) -> None:
        self._include(record.name)
        try:
            definition = record.metadata
        except TrailError:
            return
        if isinstance(definition, TableDefinition):
            self._include(*(column.name for column in definition.columns))
        elif definition is not None:
            self._include(definition.name)

    def _read_ddl(self, trail: TrailFile, record: Record) -> None:
        self._names.update(names_in(joined(trail, record).data, tokenizers_of(trail)))
        try:
            tokens = record.gg_tokens
        except TrailError:
            return
        for token in tokens:
            if chr(token.id) == _OWNERS:
                self._names.update(words_in(token.payload))

    def _include(self, *names: str) -> None:
        for name in names:
            self._names.update(words_in(name.encode("utf-8", "surrogateescape")))

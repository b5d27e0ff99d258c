"""DDL statements of a trail on the tables that changes are applied to, and what is between two places of it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from logdump.features.ddl.statement import subject_of_record
from logdump.tables.paths import TrailInput
from logdump.targets.target import place_of
from trailformat import TrailFile
from trailformat.records.record_header import DDL_OP
from trailformat.scan import scan


class TableStatement(NamedTuple):
    """A DDL statement: its place in the trail, the place in words, the table as the trail spells it, text and CSN."""

    place: str
    where: str
    table: str
    text: str
    csn: str | None = None


def statements_between(
    files: Sequence[TrailInput], start: str, end: str, tables: Collection[str]
) -> Iterator[TableStatement]:
    """Yield the DDL statements between two places of a trail that name one of these tables, in order."""
    by_name = {name.lower(): name for name in tables}
    for file, first, stop in stretches_between(files, start, end):
        with TrailFile(file.path) as trail:
            for rba in _rbas(trail, first, stop):
                record = trail.record_at(rba)
                subject = subject_of_record(trail, record) if record is not None else None
                if record is None or subject is None:
                    continue
                named = (str(name).lower() for name in (subject.base, subject.derived) if name is not None)
                table = next((by_name[name] for name in named if name in by_name), None)
                if table is not None:
                    where = f"{file.path}, RBA {rba}"
                    yield TableStatement(place_of(file.seqno or 0, rba), where, table, subject.text, record.csn)


def stretches_between(
    files: Sequence[TrailInput], start: str, end: str
) -> Iterator[tuple[TrailInput, int, int | None]]:
    """Yield the files between two places of a trail, each with its first RBA between them and the end of these."""
    for file in files:
        seqno = f"{file.seqno or 0:010d}"
        if start[:10] <= seqno <= end[:10]:
            first = int(start[11:27]) if start[:10] == seqno else 0
            yield file, first, int(end[11:27]) if end[:10] == seqno else None


def _rbas(trail: TrailFile, first: int, stop: int | None) -> Iterator[int]:
    for batch in scan(trail, first, stop):
        yield from np.asarray(batch.rba)[np.asarray(batch.io_type) == DDL_OP].tolist()

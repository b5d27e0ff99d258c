"""The DDL statements of a stretch of a trail that are about some tables."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from logdump.features.ddl.trail_statements import subject_of_record
from logdump.spark.errors import SourceError
from logdump.spark.source.paths import TrailInput
from logdump.spark.targets.target import place_of
from trailformat import TrailFile
from trailformat.records.io_types import DDL_OP
from trailformat.scan import scan


class DdlFound(SourceError):
    """A DDL statement on a table that changes are applied to."""


class TableStatement(NamedTuple):
    """A statement: its place in the trail, and that in words; the table as the trail has it, the text."""

    place: str
    where: str
    table: str
    text: str


def statements_between(
    files: Sequence[TrailInput], start: str, end: str, tables: Collection[str]
) -> Iterator[TableStatement]:
    """The statements from one place of a trail up to another that name one of these tables, in order."""
    by_name = {name.lower(): name for name in tables}
    for file in files:
        seqno = file.seqno or 0
        if not start[:10] <= f"{seqno:010d}" <= end[:10]:
            continue
        first = int(start[11:27]) if start[:10] == f"{seqno:010d}" else 0
        stop = int(end[11:27]) if end[:10] == f"{seqno:010d}" else None
        with TrailFile(file.path) as trail:
            for rba in _rbas(trail, first, stop):
                record = trail.record_at(rba)
                subject = subject_of_record(trail, record) if record is not None else None
                if subject is None:
                    continue
                named = (str(name).lower() for name in (subject.base, subject.derived) if name is not None)
                table = next((by_name[name] for name in named if name in by_name), None)
                if table is not None:
                    yield TableStatement(place_of(seqno, rba), f"{file.path}, RBA {rba}", table, subject.text)


def _rbas(trail: TrailFile, first: int, stop: int | None) -> Iterator[int]:
    for batch in scan(trail, first, stop):
        yield from np.asarray(batch.rba)[np.asarray(batch.io_type) == DDL_OP].tolist()

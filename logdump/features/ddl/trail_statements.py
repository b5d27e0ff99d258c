"""The DDL statements of a trail, their fragments joined."""

from __future__ import annotations

from collections.abc import Iterator

from logdump.features.ddl.subject import DdlSubject, subject_of
from logdump.notation.sql_tokens import MYSQL, STANDARD, SqlTokenizer
from logdump.session.events import Bad, Event, Notice, Progress
from logdump.session.selection import Selection
from trailformat import Record, TrailError, TrailFile, parse_ddl
from trailformat.changes.csn import csn_key
from trailformat.changes.segments import joined
from trailformat.records import reached
from trailformat.records.io_types import DDL_OP
from trailformat.scan import scan

_STATEMENT = "C1"
_BY_CSN = {"MySQL position": MYSQL}


def ddl_records(trail: TrailFile, start: int, selection: Selection, notify: int) -> Iterator[Record | Event]:
    """The DDL records from an RBA on that pass the filter; damage as a Notice, NOTIFY's Progress between them.

    Each is reported before it comes: its evaluation takes as long as the reading of many records.
    """
    scanned = 0
    for batch in scan(trail, start):
        spans = set(batch.spans())
        passing = selection.rows(batch)
        for row, io_type in enumerate(batch.io_type):
            rba = int(batch.rba[row])
            if row in spans:
                yield _damage(trail, rba, int(batch.length[row]))
            elif io_type == DDL_OP and passing[row] and (record := trail.record_at(rba)) is not None:
                reached.report(trail.path, rba)
                yield record
        begun, scanned = scanned, scanned + len(batch)
        if begun // notify != scanned // notify:
            yield Progress(scanned, int(batch.rba[-1]), int(batch.io_time[-1]), trail.size)


def _damage(trail: TrailFile, rba: int, length: int) -> Notice:
    try:
        trail.record_at(rba)
    except TrailError as error:
        return Notice((f"{error.at(trail.path, rba)}: {length} bytes are not read",), bad=Bad(error, length))
    return Notice((f"{trail.path}, RBA {rba}: {length} bytes are not read",))


def subject_of_record(trail: TrailFile, record: Record) -> DdlSubject:
    """The statement of a DDL record."""
    items = dict(parse_ddl(joined(trail, record).data))
    subject = subject_of(items.pop(_STATEMENT, ""), items, sql=_tokenizer_by(record.csn))
    if not subject.text:
        return subject._replace(problems=("its record holds no whole statement", *subject.problems))
    return subject


def _tokenizer_by(csn: str | None) -> SqlTokenizer | None:
    """The tokenizer of the database that CSNs of this form come from; None where the form is not known."""
    key = csn_key(csn) if csn is not None else None
    return None if key is None else _BY_CSN.get(key.kind, STANDARD)

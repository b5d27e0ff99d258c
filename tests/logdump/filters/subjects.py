"""Records to filter, and filters made from what a user types."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from logdump.filters import Criterion, FilterSet, apply, parse_criterion
from logdump.filters.rows import FilterRows, FilterSource
from logdump.notation.times import GMT
from logdump.session.selection import Selection
from logdump.session.session import Session
from trailformat import (
    ByteOrder,
    Record,
    RecordHeader,
    Token,
    TrailFile,
    make_file_header,
    make_file_header_record,
    make_header,
    make_record,
)
from trailformat.records.record_header import Transaction
from trailformat.scan import scan
from trailformat.trail.row_definitions import RowDefinitions
from trailformat.transactions.tracker import RowTransactions

HEADER = make_header(
    5, partition=4, orig_node=255, audit_pos=4242, audit_rba=519, trans_ind=1, name_field=b"HR.REGIONS\0"
)


class Subject(NamedTuple):
    """A record in a file of its own, and LOGCSN and TRANID of its transaction."""

    record: Record
    csn: str | None = None
    xid: str | None = None

    def meets(self, condition: Criterion | FilterSet) -> bool:
        """Whether it meets a criterion, or passes a filter."""
        rba, raw = self.record.rba, self.record.raw
        with TemporaryDirectory() as folder:
            path = Path(folder) / "tt000000000"
            path.write_bytes(_filler(rba) + raw)
            with TrailFile(path) as trail:
                (batch,) = scan(trail, rba)
                source = FilterSource(trail, lambda: RowDefinitions(trail))
                rows = FilterRows(source, batch, RowTransactions.of_one(Transaction(self.csn, self.xid)))
                return bool(condition.mask(rows)[0])


def _filler(size: int) -> bytes:
    """A record of so many bytes; nothing for 0."""
    least = len(make_record(HEADER, b"x").raw) - 1
    return make_record(HEADER, bytes(size - least)).raw if size else b""


def subject(
    name: str = "HR.REGIONS",
    *,
    data: bytes = b"",
    tokens: list[Token] | None = None,
    user_tokens: bytes = b"",
    order: ByteOrder = ByteOrder.BIG,
    csn: str | None = None,
    xid: str | None = None,
    rba: int = 0,
    **header: int,
) -> Subject:
    """An Insert into HR.REGIONS, but for what is given."""
    name_field = name.encode("utf-8", "surrogateescape") + b"\0" if name else b""
    fields = RecordHeader(**{**HEADER._asdict(), "name_field": name_field, **header})
    record = make_record(fields, data, tokens or [], user_tokens, order)
    record.rba = rba
    return Subject(record, csn, xid)


def file_header() -> Subject:
    """A file header, which has neither header fields nor a table."""
    return Subject(make_file_header_record(make_file_header({"TrailInfo": {"FileName": "lt000000000"}})))


def broken() -> Subject:
    """Bytes that are no sound record."""
    return Subject(Record(b"G\x01\x00\x0cX\x00\x00\x09Z\x01\x00\x0c", rba=200))


def criterion(text: str) -> Criterion:
    """The criterion of an option; times are in GMT."""
    return parse_criterion(text, GMT)


def meets(text: str, filtered_record: Subject) -> bool:
    """Whether the subject meets the option."""
    return filtered_record.meets(criterion(text))


def filters(*statements: str) -> FilterSet:
    """The filter after these FILTER statements."""
    made = FilterSet()
    for statement in statements:
        tell(made, statement)
    return made


def tell(made: FilterSet, statement: str) -> list[str]:
    """Carry out one statement, as typed after FILTER."""
    return apply(made, statement, GMT)


def selection_through(trail: TrailFile, filters: FilterSet | None) -> Selection:
    """What a session with this filter selects of a trail."""
    session = Session()
    session.filters_in_use = filters
    return session.selection(trail)

"""Records to filter, and filters made from what a user types."""

from __future__ import annotations

from logdump.filters import Criterion, FilterSet, Subject, apply, parse_criterion
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

HEADER = make_header(
    5, partition=4, orig_node=255, audit_pos=4242, audit_rba=519, trans_ind=1, name_field=b"HR.REGIONS\0"
)


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
    fields = RecordHeader(**{**HEADER._asdict(), **header})
    record = make_record(fields, data, tokens or [], user_tokens, order)
    record.rba = rba
    return Subject(record, name, csn, xid)


def file_header() -> Subject:
    """A file header, which has neither header fields nor a table."""
    return Subject(make_file_header_record(make_file_header({"TrailInfo": {"FileName": "lt000000000"}})))


def broken() -> Subject:
    """A record whose parts do not decode."""
    return Subject(Record(b"G\x01\x00\x0cX\x00\x00\x09Z\x01\x00\x0c"), "HR.REGIONS")


def criterion(text: str) -> Criterion:
    """The criterion of an option; times are in GMT."""
    return parse_criterion(text, GMT)


def meets(text: str, one: Subject) -> bool:
    """Whether the subject meets the option."""
    return criterion(text).matches(one)


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

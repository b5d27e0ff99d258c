"""What VALUES adds below Logdump's own lines: values, the place of a part, columns of all fragments, items of DDL."""

from __future__ import annotations

from collections.abc import Iterator

from logdump.notation.escape import escape
from logdump.render.column_text import column_lines
from logdump.render.values_text import values_lines
from logdump.session.events import Addition, RecordShown
from logdump.session.settings import Detail, Settings
from trailformat import Record, TrailError, parse_ddl
from trailformat.changes.segments import Kind, Segment
from trailformat.records.ddl import ddl_name, split_comments
from trailformat.records.io_types import DDL_OP
from trailformat.records.lob_pieces import HEADER_BYTES

_NAME_WIDTH = 16


def addition_lines(addition: Addition, settings: Settings) -> Iterator[str]:
    """The lines for one record; the columns of all fragments only where DETAIL shows columns."""
    shown = addition.shown
    if shown.change is not None:
        yield from values_lines(shown.change, shown.record, settings)
    if shown.segment is not None:
        yield _segment_line(shown, shown.segment)
    if shown.record.header.io_type == DDL_OP:
        yield from ddl_lines((shown.whole or shown.record).data)
    elif shown.whole is not None and settings.detail is not Detail.OFF:
        yield from _whole_lines(shown.whole, settings)


def _segment_line(shown: RecordShown, segment: Segment) -> str:
    what = "LOB fragment" if segment.kind is Kind.LOB else "Record fragment"
    place = "" if segment.number is None else f" {segment.number}"
    pieces = "" if segment.pieces is None else f" of {segment.pieces}"
    numbers = segment.numbers
    if numbers is not None:
        end = numbers.offset + len(shown.record.data) - HEADER_BYTES
        pieces += f", column {numbers.column}{_column_name(shown, numbers.column)}"
        pieces += f", bytes {numbers.offset} to {end - 1} of {numbers.total}"
    return f"{what}{place}{pieces}, {_base(shown, segment)}"


def _column_name(shown: RecordShown, index: int) -> str:
    """`` NAME`` where the definition of the table is known."""
    columns = shown.columns.columns if shown.columns else ()
    return f" {escape(columns[index].name)}" if index < len(columns) else ""


def _base(shown: RecordShown, segment: Segment) -> str:
    base = segment.base
    if base is None:
        return "base record not found"
    elsewhere = "" if base.path == shown.record.path else f" of {escape(str(base.path))}"
    return f"base record at RBA {base.rba}{elsewhere}"


def _whole_lines(whole: Record, settings: Settings) -> Iterator[str]:
    """The columns of a record whose data goes on in fragments."""
    try:
        lines = list(column_lines(whole, settings))
    except TrailError as error:
        lines = [f"Columns cannot be shown: {error.problem}"]
    yield f"With its fragments {len(whole.data)} bytes:"
    yield from lines


def ddl_lines(data: bytes) -> Iterator[str]:
    """The items of a DDL record by name, then its statement, its comments apart."""
    statements = []
    for key, value in parse_ddl(data):
        name = ddl_name(key) or key or "(no item)"
        if name == "statement":
            statements.append(value)
        elif value:
            yield f"{escape(name):<{_NAME_WIDTH}}: {escape(value)}"
    for value in statements:
        statement, comments = split_comments(value)
        for comment in comments:
            yield f"{'comment':<{_NAME_WIDTH}}: {escape(comment)}"
        yield "statement:"
        yield from (f" {escape(line)}".rstrip() for line in statement.splitlines())

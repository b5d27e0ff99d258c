"""What is added below Logdump's own lines of a record: the place of a part, the columns of the whole record, DDL."""

from __future__ import annotations

from collections.abc import Iterator

from logdump.events import Addition, RecordShown
from logdump.render.column_text import column_lines
from logdump.render.escape import escape
from logdump.settings import Detail, Settings
from trailformat import Record, TrailError, parse_ddl
from trailformat.ddl import DDL_NAMES, split_comments
from trailformat.io_types import DDL_OP
from trailformat.lob_pieces import HEADER_BYTES
from trailformat.segments import Kind, Segment

_NAME_WIDTH = 12


def addition_lines(addition: Addition, settings: Settings) -> Iterator[str]:
    """The lines under DETAIL ON or DATA; those of DDL under DATA only."""
    if settings.detail is Detail.OFF:
        return
    shown = addition.shown
    if shown.segment is not None:
        yield from _segment_lines(shown, shown.segment)
    if shown.whole is not None and shown.record.header.io_type != DDL_OP:
        yield from _whole_lines(shown.whole, settings)
    if settings.detail is Detail.DATA and shown.record.header.io_type == DDL_OP:
        yield from ddl_lines((shown.whole or shown.record).data)


def _segment_lines(shown: RecordShown, segment: Segment) -> Iterator[str]:
    numbers = segment.numbers
    if numbers is not None:
        end = numbers.offset + len(shown.record.data) - HEADER_BYTES
        yield f"Column {numbers.column}, LOB fragment {numbers.number} of {numbers.pieces}"
        name = _column_name(shown, numbers.column)
        yield f"{name}bytes {numbers.offset} to {end - 1} of {numbers.total}, {_base(shown, segment)}"
        return
    what = "LOB fragment" if segment.kind is Kind.LOB else "Record fragment"
    place = "" if segment.number is None else f" {segment.number}"
    pieces = "" if segment.pieces is None else f" of {segment.pieces}"
    yield f"{what}{place}{pieces}, {_base(shown, segment)}"


def _column_name(shown: RecordShown, index: int) -> str:
    """``NAME, `` where the definition of the table is known."""
    columns = shown.columns.columns if shown.columns else ()
    return f"{escape(columns[index].name)}, " if index < len(columns) else ""


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
    """The parts of a DDL record by name, then its statement, its comments apart."""
    statements = []
    for key, value in parse_ddl(data):
        name = DDL_NAMES.get(key, key or "(no pair)")
        if name == "statement":
            statements.append(value)
        elif value:
            yield f"{name:<{_NAME_WIDTH}}: {escape(value)}"
    for value in statements:
        statement, comments = split_comments(value)
        for comment in comments:
            yield f"{'comment':<{_NAME_WIDTH}}: {escape(comment)}"
        yield "statement:"
        yield from (f" {escape(line)}".rstrip() for line in statement.splitlines())

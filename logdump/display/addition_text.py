"""The additions of VALUES below Logdump's own lines: values, the place of a part, all columns, items of DDL."""

from __future__ import annotations

from collections.abc import Iterator

from logdump.display.column_text import column_lines
from logdump.display.values_text import values_lines
from logdump.notation.escape import escape
from logdump.notation.sql_tokens import tokenizer_of
from logdump.session.known_record import KnownRecord
from logdump.session.settings import Detail, Settings
from trailformat import Record, TrailError, parse_ddl
from trailformat.changes.segments import Kind, Segment
from trailformat.records.ddl import ddl_name
from trailformat.records.io_types import DDL_OP
from trailformat.records.lob_pieces import HEADER_BYTES

_NAME_WIDTH = 16


def addition_lines(known: KnownRecord, settings: Settings) -> Iterator[str]:
    """The lines for one record; the columns of all fragments only where DETAIL shows columns."""
    if known.change is not None:
        yield from values_lines(known.change, known.record, settings)
        if known.change.problem is not None and known.looks_encrypted:
            yield "The record data of this file looks encrypted."
    if known.segment is not None:
        yield _segment_line(known, known.segment)
    if known.record.header.io_type == DDL_OP:
        yield from _statement_lines(known.whole or known.record)
    elif known.whole is not None and settings.detail is not Detail.OFF:
        yield from _whole_lines(known.whole, settings)


def _statement_lines(record: Record) -> Iterator[str]:
    try:
        yield from ddl_lines(record.data)
    except TrailError as error:
        yield f"Items cannot be shown: {error.problem}"


def _segment_line(known: KnownRecord, segment: Segment) -> str:
    what = "LOB fragment" if segment.kind is Kind.LOB else "Record fragment"
    place = "" if segment.number is None else f" {segment.number}"
    pieces = "" if segment.pieces is None else f" of {segment.pieces}"
    numbers = segment.numbers
    if numbers is not None:
        end = numbers.offset + known.record.data_size - HEADER_BYTES
        pieces += f", column {numbers.column}{_column_name(known, numbers.column)}"
        pieces += f", bytes {numbers.offset} to {end - 1} of {numbers.total}"
    return f"{what}{place}{pieces}, {_base(known, segment)}"


def _column_name(known: KnownRecord, index: int) -> str:
    """`` NAME`` where the definition of the table is known."""
    column = known.row_definition.column(index)
    return f" {escape(column.name)}" if column else ""


def _base(known: KnownRecord, segment: Segment) -> str:
    base = segment.base
    if base is None:
        return "base record not found"
    elsewhere = "" if base.path == known.record.path else f" of {escape(str(base.path))}"
    return f"base record at RBA {base.rba}{elsewhere}"


def _whole_lines(whole: Record, settings: Settings) -> Iterator[str]:
    """Yield the columns of a record whose data continues in fragments."""
    try:
        lines = column_lines(whole, settings)
    except TrailError as error:
        lines = [escape(f"Columns cannot be shown: {error.problem}")]
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
        statement, comments = tokenizer_of(value).split_comments(value)
        for comment in comments:
            yield f"{'comment':<{_NAME_WIDTH}}: {escape(comment)}"
        yield "statement:"
        yield from (f" {escape(line)}".rstrip() for line in statement.splitlines())

"""VALUES: a table of the columns of a change below its record.

    Values of UPDATE TEAHOUSE.TEAS, before image at RBA 3490
       Column    Type        Before   After    Changed
    K  TEA_CODE  VARCHAR(6)  'ASS01'  'ASS01'
       STOCK_KG  BIGINT      300      310      *

K marks the key. A column absent from an image is blank there, NULL is NULL, text is in quotes, bytes are X'…'.
Undecodable values are ?'…' in hex, with the reason below; so are the bytes of a row that cannot be split.
A value wider than a third of RECLEN is cut.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache

from logdump.notation.hexdump import hexdump
from logdump.notation.sql_tokens import tokenizer_of
from logdump.notation.text import Harmless, aligned, cut_to, escape
from logdump.session.known_record import KnownRecord
from logdump.session.settings import Detail, Settings
from trailformat import Change, ColumnChange, Images, Record, TrailError, Value, parse_ddl
from trailformat.changes.segments import Kind, Segment
from trailformat.definitions.metadata import DatabaseDefinition
from trailformat.records.columns import COLUMN_HEAD, HEADER_BYTES, Columns
from trailformat.records.ddl import ddl_name
from trailformat.records.record_header import DDL_OP
from trailformat.values import sql_type


def column_lines(record: Record, settings: Settings) -> list[Harmless]:
    """Return the lines of the columns of a record's images; empty if it has none.

    Raises:
        BadData: the data does not match its type.
    """
    images = record.images
    if images is None:
        return []
    if images.prefix_size:
        return _paired_lines(record, images, settings)
    form = _SHORT if settings.release.has_short_column_line else _LONG
    return _image_lines(form, images.before or images.after or (), settings)


_SHORT, _LONG, _LONG_KEY = (
    "Column {0} (0x{0:04x}), Length {1} (0x{1:04x}).",
    "Column {0:>5} (x{0:04x}), Len {1:>5} (x{1:04x})",
    "KeyCol {0:>5} (x{0:04x}), Len {1:>5} (x{1:04x})",
)
"""Formats of column lines, for index and length."""


@lru_cache(maxsize=8192)
def _column_line(form: str, index: int, size: int) -> Harmless:
    """Return the line of a column; cached, since most pairs of index and length recur."""
    return escape(form.format(index, size))


def _image_lines(form: str, columns: Columns, settings: Settings) -> list[Harmless]:
    if settings.detail is not Detail.DATA:
        return [_column_line(form, column.index, len(column.raw)) for column in columns]
    lines: list[Harmless] = []
    limit, gutter = settings.reclen, settings.data_gutter
    for column in columns:
        lines.append(_column_line(form, column.index, len(column.raw)))
        lines += hexdump(column.raw, limit, gutter)
    return lines


def _paired_lines(record: Record, images: Images, settings: Settings) -> list[Harmless]:
    """Return the lines of a record with both images, in the form of a GGSPKUpdate in the MySQL 21.3c transcript."""
    is_key_update = images.prefix_size == 2
    before = sum(COLUMN_HEAD + len(column.raw) for column in images.before or ())
    after = len(record.data) - before - images.prefix_size
    before_length = before + images.prefix_size
    form, length_label = (_LONG_KEY, "KeyLen") if is_key_update else (_LONG, "BeforeColumnLen")
    return [
        escape(f"Before Image          Len {before_length:>5} (x{before_length:08x})"),
        escape(f"{length_label} {before:>5} (x{before:08x})"),
        *_image_lines(form, images.before or (), settings),
        escape(""),
        escape(f"After Image           Len {after:>5} (x{after:08x})"),
        *_image_lines(_LONG, images.after or (), settings),
    ]


HEAD = (" ", "Column", "Type", "Before", "After", "Changed")
KEY, COLUMN, TYPE, BEFORE, AFTER, CHANGED = range(len(HEAD))
_SHARE = 3
_NARROWEST = 32


def values_lines(change: Change, record: Record, settings: Settings) -> Iterator[str]:
    """Yield the table of ``change``, below ``record``, which is the change or one half of it; empty without columns."""
    if change.problem is not None:
        yield f"Values cannot be shown: {escape(change.problem)}"
        yield from undecoded_bytes(record, settings)
    if change.doubt is not None:
        yield escape(change.doubt)
    if not change.columns:
        return
    yield _title(change, record)
    widest = max(settings.reclen // _SHARE, _NARROWEST)
    yield from aligned(values_table(change, widest)[1])
    yield from reasons(change)


def values_table(change: Change, widest: int) -> tuple[list[int], list[tuple[str, ...]]]:
    """Return the indexes in ``HEAD`` of the columns of a change's table, and its rows, the first with the heads.

    A column for an image that the change lacks is left out, and then "Changed" too.

    Args:
        change: the change.
        widest: the maximum width of a value in terminal columns.
    """
    images = {
        BEFORE: any(column.before for column in change.columns),
        AFTER: any(column.after for column in change.columns),
    }
    images[CHANGED] = all(images.values())
    shown = [place for place in range(len(HEAD)) if images.get(place, True)]
    rows = [HEAD, *(_row(column, widest) for column in change.columns)]
    return shown, [tuple(row[place] for place in shown) for row in rows]


def undecoded_bytes(record: Record, settings: Settings) -> Iterator[str]:
    """Yield the bytes of a row without columns, if they can be read."""
    with suppress(TrailError):
        if record.data:
            yield cut_to(f"?'{record.data.hex()}'", max(settings.reclen, _NARROWEST))


def _title(change: Change, record: Record) -> str:
    title = f"Values of {change.op} {escape(change.table)}".rstrip()
    for other in change.records:
        if other.rba != record.rba:
            title += f", {'before' if other.header.is_before else 'after'} image at RBA {other.rba}"
    return title if change.definition else f"{title}, for which there is no definition (SOURCEDEFS reads one)"


def _row(column: ColumnChange, widest: int) -> tuple[str, ...]:
    definition = column.definition
    return (
        "K" if column.is_key else "",
        cut_to(column_name(column), widest),
        (sql_type(definition) or f"data type {definition.data_type}") if definition else "",
        cut_to(value_text(column.before), widest),
        cut_to(value_text(column.after), widest),
        "*" if column.is_changed else "",
    )


def column_name(column: ColumnChange) -> str:
    """Return the name of a column, or its index if it has no definition."""
    return escape(column.name) if column.definition else f"column {column.index}"


def value_text(value: Value | None) -> str:
    """Return a value so that no two look alike: text and bytes in quotes; empty if it is absent."""
    if value is None:
        return ""
    if value.problem is not None:
        return f"?'{value.data.hex()}'"
    if isinstance(value.value, bytes):
        return f"X'{value.text}'"
    return "'" + escape(value.text).replace("'", "''") + "'" if isinstance(value.value, str) else value.text


def reasons(change: Change) -> Iterator[str]:
    """Yield the reasons why values are shown as bytes."""
    for column in change.columns:
        for image, value in (("before", column.before), ("after", column.after)):
            if value is not None and value.problem is not None and column.definition is not None:
                yield f"? {column_name(column)} {image}: {escape(value.problem)}"


_NAME_WIDTH = 16


_CASES = {0: "not case-sensitive", 1: "case-sensitive", 2: "stored in lower case", 4: "stored in upper case"}
"""Meanings of half a byte of the case sensitivity of a database, which the header files of user exits give."""


def case_lines(cases: bytes) -> Iterator[str]:
    """Yield how the names of each kind of object are stored: the low half of its byte is for names without quotes."""
    begin = 0
    while begin < len(cases):
        end = begin + 1
        while end < len(cases) and cases[end] == cases[begin]:
            end += 1
        plain, quoted = (_CASES.get(half, f"unknown ({half})") for half in (cases[begin] & 0xF, cases[begin] >> 4))
        kinds = f" of kind {end}" if end == begin + 1 else f" of kinds {begin + 1} to {end}"
        yield f"Names{kinds if end - begin < len(cases) else ''}: without quotes {plain}, in quotes {quoted}"
        begin = end


def addition_lines(known: KnownRecord, settings: Settings) -> Iterator[str]:
    """Yield the lines that VALUES adds to a record; the columns of all fragments only under DETAIL."""
    if known.change is not None:
        yield from values_lines(known.change, known.record, settings)
        if known.change.problem is not None and known.looks_encrypted:
            yield "The record data of this file looks encrypted."
    if isinstance(known.definition, DatabaseDefinition):
        yield from case_lines(known.definition.cases)
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
    """Return `` NAME``; empty if the definition of the table is not known."""
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
    """Yield the items of a DDL record by name, then the comments of its statement, then the statement without them."""
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

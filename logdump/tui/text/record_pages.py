"""The pages about a record. The first shows its values before and after the change, or else its other contents.

UPDATE TEAHOUSE.TEAS  2024/03/14 09:34:00.000.386  CSN 41882368  XID 5.4.8804  definition: RBA 1261
Column    Type        Before   After    Changed
K  TEA_CODE  VARCHAR(6)  'ASS01'  'ASS01'
STOCK_KG  BIGINT      300      310      *
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain

from rich.cells import set_cell_size

from logdump.commands import REGISTRY
from logdump.display.header_values import header_values
from logdump.display.record_row import RecordKind, kind_of
from logdump.display.record_text import file_header_lines
from logdump.display.text import render
from logdump.display.token_text import ggs_token_lines, header_token_lines, user_token_lines
from logdump.display.values_text import (
    AFTER,
    BEFORE,
    CHANGED,
    COLUMN,
    KEY,
    TYPE,
    column_name,
    reasons,
    undecoded_bytes,
    value_text,
    values_table,
)
from logdump.language.execute import run_commands
from logdump.notation.text import GAP, cut_to, display_width, escape, widths_of
from logdump.notation.times import format_timestamp
from logdump.parameters.in_use import ParametersInUse
from logdump.session.events import Event, Failure, Notice, Progress
from logdump.session.known_record import KnownRecord
from logdump.session.session import Session
from logdump.session.settings import Detail, Level, OutputFormat, Settings
from logdump.tui.text.hex_text import HexText, RecordField, fields_of, hex_text
from logdump.tui.text.shown_value import LARGE_OBJECTS
from logdump.tui.text.styled import Line, LineRole, Piece, line
from trailformat import Change, ColumnChange, FileHeader, Record, TrailError, Value, change_of, parse_ddl
from trailformat.changes.segments import Kind, followed_by_lob, joined
from trailformat.changes.transactions import place_of
from trailformat.codec.on_demand import on_demand
from trailformat.definitions.metadata import TableDefinition
from trailformat.records.record_header import DDL_OP
from trailformat.values import sql_type

with on_demand:
    from logdump.display import json_lines
    from logdump.features.ddl import evaluation


def _with_everything(settings: Settings) -> Settings:
    levels = dict.fromkeys(("headertoken", "ggstoken", "usertoken", "fileheader"), Level.DETAIL)
    return Settings(**{**vars(settings), **levels})


def token_lines(session: Session, rba: int) -> list[Line]:
    """Return every token of the record at ``rba``, as Logdump prints them under DETAIL."""
    settings = _with_everything(session.settings)
    try:
        record = session.trail.record_at(rba)
        return [line(text) for text in _blocks(record, settings)] if record is not None else []
    except TrailError as error:
        return [line(str(error), "warn")]


def _blocks(record: Record, settings: Settings) -> Iterator[str]:
    yield from header_token_lines(record, settings)
    if not record.is_file_header:
        yield from user_token_lines(record, settings)
        yield from ggs_token_lines(record, settings)


def header_lines(session: Session, _rba: int) -> list[Line]:
    """Return the file header as FILEHEADER DETAIL prints it, after its values."""
    header = session.trail.file_header
    if header is None:
        return [line("This file has no file header: it is from before release 10, or its header is damaged.", "warn")]
    record = session.trail.record_at(0)
    if record is None:
        return []
    shown = list(file_header_lines(record, _with_everything(session.settings)))
    return [*_meaning(header, session.settings), *(line(text) for text in shown)]


def _meaning(header: FileHeader, settings: Settings) -> Iterator[Line]:
    """Yield the values of the file header."""
    for label, text in header_values(header, settings):
        margin = label
        for part in text.splitlines() or [""]:
            yield Line(((margin, "dim"), (escape(part), "")))
            margin = " " * len(label)


LOBS_FOLLOW = "Large objects follow it in records of their own: Enter shows them whole."
_POSITIONS = ("begins its transaction", "inside its transaction", "ends its transaction", "the whole transaction")
_LONGEST = 60


def with_margin(lines: Iterable[Line], record: Record, session: Session) -> Iterator[Line]:
    """Yield the lines, with a note in the margin of the first line that shows a field."""
    notes = dict(_notes(record, session))
    for display_line in lines:
        line_notes = [notes.pop(name) for name in display_line.fields if name in notes]
        yield display_line._replace(margin=tuple((note, "") for note in line_notes)) if line_notes else display_line


def _notes(record: Record, session: Session) -> Iterator[tuple[str, str]]:
    """Yield the name of each field that has a note, and the note."""
    if record.is_file_header:
        return
    place = place_of(record)
    if place is not None and place < len(_POSITIONS):
        yield "TransInd", _POSITIONS[place]
    yield from _columns(record, session)


def _columns(record: Record, session: Session) -> Iterator[tuple[str, str]]:
    """Yield a note for each column of the record: name and value, in an after image also the value before."""
    try:
        images = record.images
    except TrailError:
        return
    change = change_of(session.trail, record, session.row_definitions, session.cursor.transactions)
    if images is None or change is None:
        return
    changed = {column.index: column for column in change.columns}
    labels = (" before", " after") if images.prefix_size else ("", "")
    for column in images.before or ():
        yield f"Column {column.index}{labels[0]}", _named(changed[column.index], changed[column.index].before)
    for column in images.after or ():
        column_change = changed[column.index]
        was = f"   was {_text(column_change.before)}" if column_change.is_changed else ""
        yield f"Column {column.index}{labels[1]}", _named(column_change, column_change.after) + was


def _named(column: ColumnChange, value: Value | None) -> str:
    return f"{column_name(column)} = {_text(value)}"


def _text(value: Value | None) -> str:
    return cut_to(value_text(value), _LONGEST)


_LABEL = re.compile(
    r"(Hdr-Ind|Partition|UndoFlag|BeforeAfter|RecLength|IO Time|IOType|OrigNode|TransInd|FormatType"
    r"|SyskeyLen|Incomplete|AuditRBA|AuditPos|Continued|RecCount) *:"
)
_DEFINITION_INDEX = "DDR/TDR index:"
_COLUMN = re.compile(r"(?:Column|KeyCol) +([0-9]+) \(")
_TOKEN = re.compile(r"TokenID x[0-9a-f]{2} '.' ")


def with_fields(lines: Iterable[Line], fields: list[RecordField]) -> Iterator[Line]:
    """Yield the lines of a record's display, each with the names of the fields that it shows."""
    columns = iter([field.name for field in fields if field.kind == "column"])
    tokens = iter([field.name for field in fields if field.kind == "token"])
    data = "Data" if any(field.kind == "data" for field in fields) else ""
    current = ""
    for display_line in lines:
        text = display_line.text
        if _COLUMN.match(text):
            current = next(columns, "")
        elif _TOKEN.match(text):
            current = next(tokens, "")
        elif not text.startswith(" "):
            current = ""
        elif not current:
            current = data
        names = [current] if current else list(_fields_in(text))
        yield display_line._replace(fields=tuple(names))


def _fields_in(text: str) -> Iterator[str]:
    """Yield the fields in a line of the GHDR block, or of the lines about the record."""
    if _DEFINITION_INDEX in text:
        yield "AuditRBA"
    yield from _LABEL.findall(text)
    if text.startswith("Name:"):
        yield "Name"
    elif text.startswith(("After  Image:", "Before Image:")):
        yield from ("BeforeAfter", "Partition", "TransInd")


def detail_lines(session: Session, rba: int) -> list[Line]:
    """Return the lines that NEXT prints at ``rba`` in a session without a filter; narration has another style."""
    session.cursor.is_backwards = False
    session.cursor.move(rba)
    lines = []
    for event in run_commands(session, REGISTRY, "NEXT"):
        if not isinstance(event, Progress):
            style = "warn" if isinstance(event, Failure | Notice) else ""
            lines += [line(text, style) for text in _rendered(event, session)]
    return list(_explained(session, rba, lines))


def _explained(session: Session, rba: int, lines: list[Line]) -> Iterator[Line]:
    """Return the lines with fields and margins if the record can be decoded, else unchanged."""
    try:
        record = session.trail.record_at(rba)
        if record is None or session.settings.format is OutputFormat.JSONL:
            return iter(lines)
        explained = with_margin(with_fields(lines, fields_of(record, session.settings)), record, session)
        return chain(explained, ddl_lines(session, record))
    except TrailError:
        return iter(lines)


def _rendered(event: Event, session: Session) -> Sequence[str]:
    if session.settings.format is OutputFormat.JSONL:
        return json_lines.render(event, session.settings)
    return render(event, session.settings)


def ddl_lines(session: Session, record: Record) -> Iterator[Line]:
    """Yield the evaluation of a DDL record by the parameter files in use; nothing for other records or without them."""
    parameters = session.kept(ParametersInUse)
    if parameters is None or record.is_file_header or record.header.io_type != DDL_OP:
        return
    from logdump.features.ddl.statement import subject_of_record  # noqa: PLC0415
    from logdump.features.ddl.text import evaluation_lines  # noqa: PLC0415

    shows_steps = session.settings.detail is not Detail.OFF
    for result in evaluation.evaluate(
        subject_of_record(session.trail, record), parameters.for_trail(session.trail.path)
    ):
        yield line("")
        first, *rest = evaluation_lines(result._replace(shows_steps=shows_steps), session.settings)
        yield line(first, "strong")
        yield from (line(text, "dim") for text in rest)


KIND_STYLES = {
    RecordKind.INSERT: "insert",
    RecordKind.UPSERT: "insert",
    RecordKind.UPDATE: "update",
    RecordKind.DELETE: "delete",
    RecordKind.TRUNCATE: "delete",
    RecordKind.DDL: "ddl",
    RecordKind.METADATA: "metadata",
    RecordKind.FILE_HEADER: "metadata",
    RecordKind.LOB: "insert",
    RecordKind.FRAGMENT: "dim",
    RecordKind.RESTART: "restart",
}
"""The style of each kind of record, in the list and on its page."""
_STYLES = {KEY: "key", COLUMN: "", TYPE: "dim", BEFORE: "before", AFTER: "after", CHANGED: "strong"}
_SHARE, _NARROWEST, _LEAST_VALUE = 3, 16, 4
_LONGEST_VALUE = 4000
"""Cells of a value that are looked at for the page; a value has _MOST_ROWS lines there at most."""
_MOST_ROWS = 6
_LARGEST_STATEMENT = 1 << 16


def values_page(session: Session, rba: int, width: int) -> list[Line]:
    """Return the values of the record at ``rba`` in ``width`` cells; for a record without values the lines of NEXT."""
    try:
        record = session.trail.record_at(rba)
        if record is None:
            return []
        if record.is_file_header:
            return header_lines(session, rba)
        return list(_lines(record, KnownRecord(record, session), session, width)) or detail_lines(session, rba)
    except TrailError:
        return detail_lines(session, rba)


def _lines(record: Record, known: KnownRecord, session: Session, width: int) -> Iterator[Line]:
    """Yield the lines of a record; none if the lines of NEXT say more."""
    kind, change = kind_of(record), known.change
    if kind is RecordKind.METADATA:
        yield from _definition(known, session, width)
    elif kind is RecordKind.DDL:
        yield from _statement(record, known, session)
    elif kind is RecordKind.LOB or change is None:
        yield from _part(known, session)
    else:
        yield _title(known, change, kind, session, width)
        yield from _table(change, record, session, width)
        if followed_by_lob(session.trail, change.records[-1]):
            yield line(LOBS_FOLLOW, "", (LARGE_OBJECTS,))


def _when(known: KnownRecord, session: Session) -> Piece:
    """Return the date and the time of a record; the title of the screen has the zone."""
    return (
        f"  {format_timestamp(known.record.header.io_time, session.settings.time_offset).removesuffix('.000.000')}",
        "",
    )


def _title(known: KnownRecord, change: Change, kind: RecordKind, session: Session, width: int) -> Line:
    """Return the title: the operation and its table, the time, the transaction, and the definition if it has room."""
    pieces: list[Piece] = [(change.op, KIND_STYLES.get(kind, "")), (f" {escape(change.table)}", "strong")]
    pieces.append(_when(known, session))
    pieces += [(f"  CSN {escape(change.csn)}", "")] if change.csn else []
    pieces += [(f"  XID {escape(change.xid)}", "dim")] if change.xid else []
    if known.table is not None and change.definition is not None:
        piece = (f"  definition: RBA {known.table.rba}", "dim")
        pieces += [piece] if sum(display_width(text) for text, _ in (*pieces, piece)) <= width else []
    elif change.definition is None:
        pieces.append(("  without a definition", "warn"))
    for other in change.records:
        if other.rba != known.record.rba:
            pieces.append((f"  {'before' if other.header.is_before else 'after'}: RBA {other.rba}", "dim"))
    return Line(tuple(pieces))


def _table(change: Change, record: Record, session: Session, width: int) -> Iterator[Line]:
    if change.problem is not None:
        yield line(f"Values cannot be shown: {escape(change.problem)}", "warn")
        yield from map(line, undecoded_bytes(record, session.settings))
    if change.doubt is not None:
        yield line(escape(change.doubt), "warn")
    if not change.columns:
        return
    shown, (head, *rows) = values_table(change, _LONGEST_VALUE)
    widths = _fitted(shown, widths_of([head, *rows]), width)
    yield Line(tuple(_cells(head, widths, ["title"] * len(head))))
    has_both = BEFORE in shown and AFTER in shown
    for column, row in zip(change.columns, rows, strict=True):
        styles = [_style(place, column, has_both=has_both) for place in shown]
        is_changed = column.is_changed or not has_both
        role = LineRole.CHANGED if is_changed else LineRole.KEY if column.is_key else LineRole.UNCHANGED
        for number, cells in enumerate(_wrapped_cells(row, shown, widths)):
            pieces = tuple(_cells(cells, widths, styles))
            yield Line(pieces, fields=_fields(column, record), role=role, is_rest=number > 0, wraps=False)
    yield from (line(reason, "warn") for reason in reasons(change))


def _fitted(shown: Sequence[int], needs: Sequence[int], width: int) -> list[int]:
    """Return the widths of the columns of the table in ``width`` cells: what the others leave is shared by the values.

    Where that is little, the type is left out (0), and the name is cut. A page that is hidden has no width.
    """
    widths = list(needs)
    if not width:
        return widths
    values = [index for index, place in enumerate(shown) if place in (BEFORE, AFTER)]
    name = shown.index(COLUMN)

    def room() -> int:
        others = [cells for index, cells in enumerate(widths) if index not in values]
        return width - sum(others) - GAP * (len(widths) - 1)

    if room() < _NARROWEST * len(values) and sum(needs) + GAP * (len(needs) - 1) > width:
        widths[name] = min(widths[name], max(_NARROWEST, width // _SHARE))
        widths[shown.index(TYPE)] = 0 if room() < _NARROWEST * len(values) else widths[shown.index(TYPE)]
    left = max(room(), _LEAST_VALUE * len(values))
    for number, index in enumerate(sorted(values, key=lambda index: needs[index])):
        widths[index] = min(needs[index], left // (len(values) - number))
        left -= widths[index]
    return widths


def _wrapped_cells(row: tuple[str, ...], shown: Sequence[int], widths: Sequence[int]) -> Iterator[tuple[str, ...]]:
    """Yield the lines of a row of the table: values are wrapped in their cells, up to _MOST_ROWS lines."""
    cells = [
        _parts(cell, width) if place in (BEFORE, AFTER) else [cut_to(cell, width) if width else ""]
        for cell, place, width in zip(row, shown, widths, strict=True)
    ]
    for number in range(max(map(len, cells))):
        yield tuple(parts[number] if number < len(parts) else "" for parts in cells)


def _parts(text: str, width: int) -> list[str]:
    """Return a value in lines of ``width`` cells, the last one cut if there are more than _MOST_ROWS."""
    parts: list[str] = []
    while text and len(parts) < _MOST_ROWS - 1 and display_width(text) > width:
        part = set_cell_size(text[:width], width).rstrip(" ") if not text[:width].isascii() else text[:width]
        part = part or text[0]
        parts.append(part)
        text = text[len(part) :]
    return [*parts, cut_to(text, width)]


def _style(place: int, column: ColumnChange, *, has_both: bool) -> str:
    """Return the style of a cell; with two images only values that differ have the colours of before and after."""
    if place in (BEFORE, AFTER) and has_both and not column.is_changed:
        return "" if place == AFTER else "dim"
    if place == AFTER and not has_both:
        return ""
    return "key" if place == COLUMN and column.is_key else _STYLES[place]


def _cells(row: tuple[str, ...], widths: list[int], styles: list[str]) -> Iterator[Piece]:
    """Yield the cells of a row; a column of no width is left out."""
    for cell, width, style in zip(row, widths, styles, strict=True):
        if width:
            yield cell, style
            yield " " * (width - display_width(cell) + GAP), ""


def _fields(column: ColumnChange, record: Record) -> tuple[str, ...]:
    """Return the names on the hex page of the fields of the record that have a column."""
    images = record.images
    if images is None or not images.prefix_size:
        return (f"Column {column.index}",)
    labels = (("after", column.after), ("before", column.before))
    return tuple(f"Column {column.index} {label}" for label, value in labels if value is not None)


def _definition(known: KnownRecord, session: Session, width: int) -> Iterator[Line]:
    """Yield the columns of a table; nothing for a database, as the lines of NEXT are complete."""
    definition = known.definition
    if not isinstance(definition, TableDefinition):
        return
    name = escape(known.record.name) or escape(known.row_definition.name)
    yield Line(
        (
            ("DEFINITION", "metadata"),
            (f" {name}", "strong"),
            (f"  version {definition.version}", "dim"),
            _when(known, session),
        )
    )
    rows = [(" ", "Column", "Type")]
    for column in definition.columns:
        kind = sql_type(column) or f"data type {column.data_type}"
        rows.append(("K" if column.is_key else "", cut_to(escape(column.name), width // 2), kind))
    widths = widths_of(rows)
    yield Line(tuple(_cells(rows[0], widths, ["title"] * 3)))
    for row in rows[1:]:
        yield Line(tuple(_cells(row, widths, ["key", "key" if row[0] else "", "dim"])))


def _statement(record: Record, known: KnownRecord, session: Session) -> Iterator[Line]:
    """Yield the title and the lines of a DDL statement, and its evaluation by the parameter files in use."""
    transaction = known.transaction
    data = record.data if record.data_size > _LARGEST_STATEMENT else joined(session.trail, record).data
    items = dict(parse_ddl(data))
    words = " ".join(word for word in (items.get("B6", ""), items.get("B5", "")) if word) or "STATEMENT"
    name = ".".join(word for word in (items.get("B3", ""), items.get("B4", "")) if word)
    pieces: list[Piece] = [(escape(words), "ddl"), (f" {escape(name)}", "strong"), _when(known, session)]
    pieces += [(f"  CSN {escape(transaction.csn)}", "")] if transaction.csn else []
    pieces += [(f"  XID {escape(transaction.xid)}", "dim")] if transaction.xid else []
    yield Line(tuple(pieces))
    statement = items.get("C1", "") or items.get("", "")
    yield from (line(escape(text)) for text in statement.splitlines())
    yield from ddl_lines(session, record)


def _part(known: KnownRecord, session: Session) -> Iterator[Line]:
    """Yield the number of a LOB piece or fragment and the RBA of its row; nothing for other records."""
    part = known.segment
    if part is None:
        return
    what = "PIECE OF A LOB" if part.kind.value == "lob_piece" else "FRAGMENT"
    number = f" {part.number}" if part.number is not None else ""
    number += f" of {part.pieces}" if part.pieces is not None and number else ""
    yield Line(((what, "insert"), (f"{number}  {escape(known.row_definition.name)}", "strong"), _when(known, session)))
    if part.base is None:
        yield line("Its row was not found: it is lost, or in a missing file.", "warn")
    else:
        yield line(f"Its row is at RBA {part.base.rba} of {escape(part.base.path.name)}; L goes there.")
    column = known.row_definition.column(part.numbers.column) if part.numbers is not None else None
    if column is not None:
        yield line(f"Column {escape(column.name)}")
    if part.kind is Kind.LOB:
        yield line("Enter shows the large object whole.", "", (LARGE_OBJECTS,))


Page = Callable[[Session, int, int], list[Line] | HexText]
"""Returns a page of the record at an RBA, for a width in cells."""


def _of_any_width(lines: Callable[[Session, int], list[Line]]) -> Page:
    return lambda session, rba, _width: lines(session, rba)


PAGES: dict[str, Page] = {
    "values": values_page,
    "detail": _of_any_width(detail_lines),
    "hex": hex_text,
    "tokens": _of_any_width(token_lines),
    "header": _of_any_width(header_lines),
}
"""The functions of the pages by the names of their tabs."""

"""The first page of a record: its values, before and after, or what else it says.

UPDATE TEAHOUSE.TEAS  CSN 41882368  XID 5.4.8804  definition: RBA 1261
Column    Type        Before   After    Changed
K  TEA_CODE  VARCHAR(6)  'ASS01'  'ASS01'
STOCK_KG  BIGINT      300      310      *
"""

from __future__ import annotations

from collections.abc import Iterator

from logdump.display.record_row import RecordKind, kind_of
from logdump.display.values_text import (
    AFTER,
    BEFORE,
    CHANGED,
    COLUMN,
    KEY,
    TYPE,
    reasons,
    undecoded_bytes,
    values_table,
)
from logdump.notation.text import GAP, cut_to, display_width, escape, widths_of
from logdump.session.known_record import KnownRecord
from logdump.session.session import Session
from logdump.tui.text.detail_text import ddl_lines, detail_lines
from logdump.tui.text.styled import Line, Piece, line
from logdump.tui.text.token_lines import header_lines
from trailformat import Change, ColumnChange, Record, TrailError, parse_ddl
from trailformat.changes.segments import joined
from trailformat.definitions.metadata import TableDefinition
from trailformat.values import sql_type

KIND_STYLES = {
    RecordKind.INSERT: "insert",
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
_SHARE, _NARROWEST = 3, 16
_LARGEST_STATEMENT = 1 << 16


def values_page(session: Session, rba: int, width: int) -> list[Line]:
    """The values of the record at ``rba`` in ``width`` cells; of a record without values what it says."""
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
    """The lines of a record; none where those of NEXT say more."""
    kind, change = kind_of(record), known.change
    if kind is RecordKind.METADATA:
        yield from _definition(known, width)
    elif kind is RecordKind.DDL:
        yield from _statement(record, known, session)
    elif kind is RecordKind.LOB or change is None:
        yield from _part(known)
    else:
        yield _title(known, change, kind)
        yield from _table(change, record, session, width)


def _title(known: KnownRecord, change: Change, kind: RecordKind) -> Line:
    """What was done to which table, in which transaction, by which definition."""
    pieces: list[Piece] = [(change.op, KIND_STYLES.get(kind, "")), (f" {escape(change.table)}", "strong")]
    pieces += [(f"  CSN {escape(change.csn)}", "")] if change.csn else []
    pieces += [(f"  XID {escape(change.xid)}", "dim")] if change.xid else []
    if known.table is not None and change.definition is not None:
        pieces.append((f"  definition: RBA {known.table.rba}", "dim"))
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
    if not change.columns:
        return
    shown, (head, *rows) = values_table(change, max(_NARROWEST, width // _SHARE))
    widths = widths_of([head, *rows])
    yield Line(tuple(_cells(head, widths, ["title"] * len(head))))
    has_both = BEFORE in shown and AFTER in shown
    for column, row in zip(change.columns, rows, strict=True):
        styles = [_style(place, column, has_both=has_both) for place in shown]
        yield Line(tuple(_cells(row, widths, styles)), fields=_fields(column, record))
    yield from (line(reason, "warn") for reason in reasons(change))


def _style(place: int, column: ColumnChange, *, has_both: bool) -> str:
    """Of two images only what differs is in the colours of before and after."""
    if place in (BEFORE, AFTER) and has_both and not column.is_changed:
        return "" if place == AFTER else "dim"
    if place == AFTER and not has_both:
        return ""
    return "key" if place == COLUMN and column.is_key else _STYLES[place]


def _cells(row: tuple[str, ...], widths: list[int], styles: list[str]) -> Iterator[Piece]:
    for cell, width, style in zip(row, widths, styles, strict=True):
        yield cell, style
        yield " " * (width - display_width(cell) + GAP), ""


def _fields(column: ColumnChange, record: Record) -> tuple[str, ...]:
    """The fields of the record that hold a column, as the page of bytes names them."""
    images = record.images
    if images is None or not images.prefix_size:
        return (f"Column {column.index}",)
    labels = (("after", column.after), ("before", column.before))
    return tuple(f"Column {column.index} {label}" for label, value in labels if value is not None)


def _definition(known: KnownRecord, width: int) -> Iterator[Line]:
    """The columns of a table; of a database what NEXT prints says all."""
    found = known.definition
    if not isinstance(found, TableDefinition):
        return
    name = escape(known.record.name) or escape(known.row_definition.name)
    yield Line((("DEFINITION", "metadata"), (f" {name}", "strong"), (f"  version {found.version}", "dim")))
    rows = [(" ", "Column", "Type")]
    for column in found.columns:
        kind = sql_type(column) or f"data type {column.data_type}"
        rows.append(("K" if column.is_key else "", cut_to(escape(column.name), width // 2), kind))
    widths = widths_of(rows)
    yield Line(tuple(_cells(rows[0], widths, ["title"] * 3)))
    for row in rows[1:]:
        yield Line(tuple(_cells(row, widths, ["key", "key" if row[0] else "", "dim"])))


def _statement(record: Record, known: KnownRecord, session: Session) -> Iterator[Line]:
    """A DDL statement, its lines as they are, and what the parameter files in use make of it."""
    transaction = known.transaction
    data = record.data if record.data_size > _LARGEST_STATEMENT else joined(session.trail, record).data
    items = dict(parse_ddl(data))
    words = " ".join(word for word in (items.get("B6", ""), items.get("B5", "")) if word) or "STATEMENT"
    name = ".".join(word for word in (items.get("B3", ""), items.get("B4", "")) if word)
    pieces: list[Piece] = [(escape(words), "ddl"), (f" {escape(name)}", "strong")]
    pieces += [(f"  CSN {escape(transaction.csn)}", "")] if transaction.csn else []
    pieces += [(f"  XID {escape(transaction.xid)}", "dim")] if transaction.xid else []
    yield Line(tuple(pieces))
    statement = items.get("C1", "") or items.get("", "")
    yield from (line(escape(text)) for text in statement.splitlines())
    yield from ddl_lines(session, record)


def _part(known: KnownRecord) -> Iterator[Line]:
    """A piece of a LOB or a fragment: its place in the whole; nothing of any other record."""
    part = known.segment
    if part is None:
        return
    what = "PIECE OF A LOB" if part.kind.value == "lob_piece" else "FRAGMENT"
    number = f" {part.number}" if part.number is not None else ""
    number += f" of {part.pieces}" if part.pieces is not None and number else ""
    yield Line(((what, "insert"), (f"{number}  {escape(known.row_definition.name)}", "strong")))
    if part.base is None:
        yield line("Its row is not found: it is lost, or stands in a file that is not here.", "warn")
    else:
        yield line(f"Its row is at RBA {part.base.rba} of {escape(part.base.path.name)}; L goes there.")
    column = known.row_definition.column(part.numbers.column) if part.numbers is not None else None
    if column is not None:
        yield line(f"Column {escape(column.name)}")

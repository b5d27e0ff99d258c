"""A row of the record list as text: the columns that fit, and their contents.

    RBA  time      T   table          key  what changed
   3522  09:34:00  └ U TEAHOUSE.TEAS  ASS02  STOCK_KG 260→310

The description of the record takes the remaining room; CSN and operation are shown if there is enough. The user may
reorder, hide, widen and narrow the columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple
from zlib import crc32

from rich.cells import cell_len

from logdump.display.listing.lines import StoryRole
from logdump.display.listing.stated import story_pieces
from logdump.display.listing.values import ASCII_MARKS, UNICODE_MARKS
from logdump.display.record_row import RecordKind
from logdump.notation.times import format_timestamp
from logdump.session.settings import Across, Settings
from logdump.tables.heartbeat_tables import role_of
from logdump.tui.keys.kept_choices import COLUMNS, ListColumn
from logdump.tui.reading.rows import ListRow, RowKind
from logdump.tui.reading.state import NeighbourFiles
from logdump.tui.text.record_pages import KIND_STYLES
from logdump.tui.text.styled import Glyphs, Piece, cut_to, fit, fit_name, harmless, width_of

_CLOCK, _SHORT_CLOCK = 15, 8
"""Widths of ``09:33:00.000386`` and ``09:33:00``."""
_LEAST_RBA, _KIND = 7, 3
_SHORT_TABLE, _LEAST_TABLE, _LONGEST_TABLE = 16, 8, 40
_LEAST_CSN = 4
_LEAST_CELLS, _LEAST_NAME = 3, 5
_LONGEST_OPERATION = 18
GAPS = {"rba": 1, "clock": 2, "csn": 2, "kind": 2, "operation": 1, "table": 1, "what": 2}
"""Number of cells before each column; the first cell of the line is the cursor's."""
_HEADINGS = {
    "clock": "time",
    "csn": "csn",
    "kind": "T",
    "operation": "op",
    "table": "table",
    "what": "key, what changed",
}
_HEARTBEAT = "H"
_BRACKETS = 4
_ROWS = frozenset({RecordKind.INSERT, RecordKind.UPSERT, RecordKind.UPDATE, RecordKind.DELETE})
"""Number of colours of brackets."""

_ORDER = tuple(column.name for column in COLUMNS)
_ROLE_STYLES = {StoryRole.KEY: "key", StoryRole.NAME: "name", StoryRole.BEFORE: "before", StoryRole.AFTER: "after"}


class ColumnNeeds(NamedTuple):
    """The number of cells that the values of each column need, and the common ``schema`` of all tables.

    ``schema`` is None before the first table, and empty if the tables have several schemas or none.
    """

    rba: int = 0
    clock: int = _SHORT_CLOCK
    csn: int = 0
    operation: int = 0
    table: int = 0
    what: int = 0
    schema: str | None = None

    @property
    def cells(self) -> tuple[int, int, int, int, int, int]:
        """The numbers of cells."""
        return self.rba, self.clock, self.csn, self.operation, self.table, self.what

    def of(self, rows: Iterable[ListRow], glyphs: Glyphs) -> ColumnNeeds:
        """Return the needs extended by those of further rows."""
        needs = self
        for row in rows:
            more = (
                len(str(row.end)),
                _CLOCK if row.time % 1_000_000 else _SHORT_CLOCK,
                width_of(f"{csn_text(row, glyphs)} ", glyphs) if row.csn or not row.is_csn_known else 0,
                width_of(_operation(row), glyphs),
                width_of(table_text(row), glyphs),
                sum(width_of(text, glyphs) for text, _ in _story(row, glyphs)),
            )
            schema = needs.schema
            if table_text(row):
                own = table_text(row).rpartition(".")[0]
                schema = own if schema is None or schema == own else ""
            widest = [max(known, cells) for known, cells in zip(needs.cells, more, strict=True)]
            rba, clock, csn, operation, table, what = widest
            needs = ColumnNeeds(rba, clock, csn, operation, table, what, schema)
        return needs


class ColumnWidths(NamedTuple):
    """The width of each column, 0 if it is left out, and their order.

    Names of tables are shown without ``schema`` and its period.
    """

    rba: int
    clock: int = 0
    csn: int = 0
    kind: int = 0
    operation: int = 0
    table: int = 0
    what: int = 0
    schema: str = ""
    order: tuple[str, ...] = _ORDER

    @property
    def shown(self) -> list[tuple[str, int]]:
        """Names and widths of the visible columns after the RBA, from left to right."""
        return [(name, width) for name in self.order if (width := getattr(self, name))]

    @property
    def cells(self) -> int:
        """The number of cells of all columns and gaps, except for the description and the gap before it."""
        return self.rba + GAPS["rba"] + sum(width + GAPS[name] for name, width in self.shown if name != "what")


def columns_for(width: int, size: int, needs: ColumnNeeds, columns: tuple[ListColumn, ...] = COLUMNS) -> ColumnWidths:
    """Return the widths for a list of ``width`` cells, cursor and scroll bar included, in a file of ``size`` bytes.

    ``columns`` are the choices of the user; a column that is wider than its values need may leave no room for others.
    """
    rba = max(_LEAST_RBA, len(str(size)), needs.rba)
    room = width - 1
    usual = ColumnWidths(rba, kind=_KIND, order=tuple(column.name for column in columns))
    is_hidden = {column.name: column.is_hidden for column in columns}
    for widths, least in _layouts(usual, needs):
        chosen = {column.name: _chosen(column, getattr(widths, column.name)) for column in columns}
        layout = widths._replace(**chosen)  # type: ignore[arg-type]  # the names are those of widths
        left = room - layout.cells - GAPS["what"]
        if left >= (0 if is_hidden["what"] else least):
            return layout._replace(what=0 if is_hidden["what"] else max(0, left))
    kind = _KIND if room >= rba + _KIND + 3 and not is_hidden["kind"] else 0
    return usual._replace(kind=kind)


def _chosen(column: ListColumn, width: int) -> int:
    """Return the width of a column, given its usual width, as the user has chosen it."""
    return 0 if column.is_hidden or not width else max(_LEAST_CELLS, width + column.more)


def _layouts(usual: ColumnWidths, needs: ColumnNeeds) -> Iterator[tuple[ColumnWidths, int]]:
    """Yield layouts, the richest first, each with the minimum room that it must leave for the description."""
    table = min(needs.table, _LONGEST_TABLE)
    schema = needs.schema or ""
    short = max(_LEAST_NAME, table - len(schema) - 1) if schema else min(table, _SHORT_TABLE)
    csn = max(needs.csn, _LEAST_CSN) if needs.csn else 0
    operation = min(needs.operation, _LONGEST_OPERATION)
    full = usual._replace(clock=needs.clock, csn=csn, operation=operation, table=table)
    yield full, 72
    yield full._replace(operation=0), 44
    slim = full._replace(operation=0, clock=_SHORT_CLOCK)
    yield slim, 40
    bare = slim._replace(table=short, schema=schema)
    yield bare, 44
    yield slim._replace(csn=0), 52
    bare = bare._replace(csn=0)
    yield bare, 16
    least = bare._replace(table=min(short, _LEAST_TABLE))
    yield least, 12
    yield least._replace(clock=0), 8
    yield least._replace(clock=0, table=0, schema=""), 4


def heading(columns: ColumnWidths, width: int = 0, day: str = "") -> str:
    """Return the heading of the list; at the end of ``width`` cells the day of the cursor, where there is room."""
    cells = (f"{' ' * GAPS[name]}{_HEADINGS[name][:cell]:<{cell}}" for name, cell in columns.shown)
    text = f" {'RBA':>{columns.rba}}{''.join(cells)}"
    words = text.rstrip()
    return f"{words}{day:>{width - len(words)}}" if day and len(words) + len(day) + GAPS["what"] <= width else text


def day_of(row: ListRow, settings: Settings) -> str:
    """Return the day of a record in the zone of the session; empty if the row has no valid time."""
    if row.kind is not RowKind.RECORD:
        return ""
    text = format_timestamp(row.time, settings.time_offset)
    return "" if text.startswith("x") else text[:10]


def days_of(rows: Iterable[ListRow], settings: Settings) -> dict[int, str]:
    """Return the days of the rows that begin another day than the row with a time before them, by index."""
    days, before = {}, ""
    for index, row in enumerate(rows):
        day = day_of(row, settings)
        if day and before and day != before:
            days[index] = day
        before = day or before
    return days


def end_text(name: str, neighbours: NeighbourFiles, across: Across) -> str:
    """Return the text of the row at the end of a file: the next file, and the command that continues there."""
    after, missing = neighbours.after, neighbours.missing_after
    if after is None:
        return "end of file"
    if missing is not None and across is not Across.GAPS:
        return f"end; {missing.name} is missing - ACROSS GAPS reads on in {after.name}"
    text = f"end of {name}; next file: {after.name}"
    return f"{text} - ACROSS ON (A) reads on" if across is Across.OFF else text


def row_pieces(
    row: ListRow, columns: ColumnWidths, settings: Settings, glyphs: Glyphs, end: str = "end of file"
) -> tuple[Piece, ...]:
    """Return a row without the cursor's cell; ``end`` is the text of the end of the file or of an incomplete scan."""
    if row.kind is RowKind.END:
        return ((f"{row.rba:>{columns.rba}}  {glyphs.rule * 2} {end} {glyphs.rule * 2}", "dim"),)
    if row.kind is RowKind.MORE:
        return ((f"{row.rba:>{columns.rba}}  {glyphs.cut} {end}", "dim"),)
    pieces = [(f"{row.rba:>{columns.rba}}", "")]
    if row.kind in (RowKind.BAD, RowKind.PARTIAL) or row.is_restart:
        pieces += [(f"  {_clock(row, columns, settings, glyphs)}", "dim")] if columns.clock else []
        if row.is_restart:
            return (*pieces, (f"  {glyphs.restart} {_restart(row)}", "restart"))
        return (*pieces, (f"  ! {_damage(row)}", "damage"))
    for name, _ in columns.shown:
        pieces.append((" " * GAPS[name], ""))
        pieces += _CELLS[name](row, columns, settings, glyphs)
    return tuple(pieces)


_Cell = Callable[[ListRow, ColumnWidths, Settings, Glyphs], Iterable[Piece]]


def _kind(row: ListRow, columns: ColumnWidths, _settings: Settings, glyphs: Glyphs) -> Iterable[Piece]:
    """Return the bracket of the transaction and the letter of the operation."""
    bracket = f"bracket{crc32(row.csn.encode()) % _BRACKETS}" if row.csn else ""
    letter = f" {kind_letter(row):<{columns.kind - 2}}"
    return (_bracket(row, glyphs), bracket), (letter, _kind_style(row))


_CELLS: dict[str, _Cell] = {
    "clock": lambda row, columns, settings, glyphs: [(_clock(row, columns, settings, glyphs), "dim")],
    "csn": lambda row, columns, _, glyphs: [(fit(csn_text(row, glyphs), columns.csn, glyphs), "dim")],
    "kind": _kind,
    "operation": lambda row, columns, _, glyphs: [(fit(_operation(row), columns.operation, glyphs), _kind_style(row))],
    "table": lambda row, columns, _, glyphs: [(_table(row, columns, glyphs), "")],
    "what": lambda row, columns, _, glyphs: _what(row, columns, glyphs),
}
"""The functions of the cells, by column name."""


def kind_letter(row: ListRow) -> str:
    """Return the letter of the record's kind, ``H`` for rows of heartbeat tables, a blank if it was not read."""
    if row.facts is None:
        return " "
    return _HEARTBEAT if _is_heartbeat(row) else row.facts.kind.value


def _is_heartbeat(row: ListRow) -> bool:
    is_row = row.facts is not None and row.facts.kind in _ROWS
    return is_row and role_of(row.table) is not None


def _kind_style(row: ListRow) -> str:
    if row.facts is None:
        return ""
    return "heartbeat" if _is_heartbeat(row) else KIND_STYLES.get(row.facts.kind, "")


def _what(row: ListRow, columns: ColumnWidths, glyphs: Glyphs) -> tuple[Piece, ...]:
    """Return the description, cut off with a mark or padded to the width of its column."""
    pieces = tuple((harmless(text, glyphs), style) for text, style in _story(row, glyphs))
    blank = columns.what - sum(cell_len(text) for text, _ in pieces)
    shown = pieces if blank >= 0 else cut_to(pieces, columns.what, glyphs.cut)
    return *shown, (" " * (columns.what - sum(cell_len(text) for text, _ in shown)), "")


def _story(row: ListRow, glyphs: Glyphs) -> Iterator[Piece]:
    """Yield the description of the record as styled pieces."""
    if row.facts is None:
        return
    is_update = row.facts.kind is RecordKind.UPDATE
    for piece in story_pieces(row.story, UNICODE_MARKS if glyphs.has_unicode else ASCII_MARKS):
        style = _ROLE_STYLES.get(piece.role, "")
        if style == "after" and not is_update:
            style = ""
        yield piece.text, "dim" if piece.role is StoryRole.NOTE and row.facts.kind is RecordKind.METADATA else style


def _damage(row: ListRow) -> str:
    if row.kind is RowKind.PARTIAL:
        return f"partial record, {row.length} bytes: the file ends inside it"
    return f"bad record, {row.length} bytes: {row.problem} - SFH continues"


def _restart(row: ListRow) -> str:
    """Return the restart, and the transaction that it cuts."""
    if row.cuts is None:
        return row.operation
    return f"{row.operation} cuts {f'CSN {row.cuts}' if row.cuts else 'a transaction'}"


def clock_text(row: ListRow, settings: Settings) -> str:
    """Return the time of day to the microsecond; ``x`` and hex digits if it is not a valid time."""
    if row.kind is not RowKind.RECORD:
        return ""
    text = format_timestamp(row.time, settings.time_offset)
    return text if text.startswith("x") else text[11:23] + text[24:]


def _clock(row: ListRow, columns: ColumnWidths, settings: Settings, glyphs: Glyphs) -> str:
    text = clock_text(row, settings)
    is_short = columns.clock < _CLOCK and not text.startswith("x")
    return fit(text[:_SHORT_CLOCK] if is_short else text, columns.clock, glyphs)


def _operation(row: ListRow) -> str:
    return row.facts.operation if row.facts is not None else row.operation


def _table(row: ListRow, columns: ColumnWidths, glyphs: Glyphs) -> str:
    """Return the name of the table, fitted to its column."""
    text = table_text(row)
    return fit_name(text.removeprefix(f"{columns.schema}.") if columns.schema else text, columns.table, glyphs)


def table_text(row: ListRow) -> str:
    """Return the name of the table, or its index until the name is known."""
    if row.table_index is not None:
        return f"(index {row.table_index})"
    return row.facts.table if row.facts is not None else row.table


def csn_text(row: ListRow, glyphs: Glyphs) -> str:
    """Return the CSN of the row's transaction; a mark while it is not known."""
    return row.csn or "" if row.is_csn_known else glyphs.cut


def _bracket(row: ListRow, glyphs: Glyphs) -> str:
    if row.place is None:
        return " "
    return glyphs.transaction[row.place] if row.place < len(glyphs.transaction) else "?"

"""A row of the record list as text: which columns fit, and what stands in them."""

from __future__ import annotations

from typing import NamedTuple

from rich.cells import cell_len, set_cell_size

from logdump.render.escape import escape
from logdump.settings import Settings
from logdump.times import format_timestamp
from logdump.tui.glyphs import Glyphs
from logdump.tui.rows import Kind, Row
from logdump.tui.text import Piece

_CLOCK = 15
"""``09:33:00.000386``"""
_LEAST_RBA, _LENGTH, _LEAST_TABLE = 7, 6, 8


class Columns(NamedTuple):
    """The width of each column; 0 where it is left out."""

    rba: int
    clock: int
    operation: int
    table: int
    length: int
    csn: int


def columns_for(width: int, size: int) -> Columns:
    """The columns for a list of ``width`` cells, cursor and scroll bar included, over a file of ``size`` bytes."""
    rba = max(_LEAST_RBA, len(str(size)))
    operation = min(18 if width >= 100 else 12 if width >= 50 else 9, max(2, width - rba - 6))
    rest = width - (1 + rba + 2 + 2 + operation + 1)
    clock = _CLOCK if rest - _CLOCK - 2 >= _LEAST_TABLE else 0
    rest -= clock + 2 if clock else 0
    length = _LENGTH if rest - _LENGTH - 1 >= _LEAST_TABLE else 0
    rest -= length + 1 if length else 0
    csn = min(16, rest - 22) if rest >= 30 else 0
    rest -= csn + 2 if csn else 0
    return Columns(rba, clock, operation, rest - 1 if rest > _LEAST_TABLE else 0, length, csn)


def heading(columns: Columns) -> str:
    """The line above the list."""
    text = f" {'RBA':>{columns.rba}}  "
    text += f"{'time':<{columns.clock}}  " if columns.clock else ""
    text += f"T {'op':<{columns.operation}}"
    text += f" {'table':<{columns.table}}" if columns.table else ""
    text += f" {'len':>{columns.length}}" if columns.length else ""
    return text + (f"  {'csn':<{columns.csn}}" if columns.csn else "")


def row_pieces(row: Row, columns: Columns, settings: Settings, glyphs: Glyphs) -> tuple[Piece, ...]:
    """The row behind the cursor's place."""
    if row.kind is Kind.END:
        return ((f"{row.rba:>{columns.rba}}  {glyphs.rule * 2} end of file {glyphs.rule * 2}", "dim"),)
    if row.kind is Kind.MORE:
        return ((f"{row.rba:>{columns.rba}}  {glyphs.cut} looking for more", "dim"),)
    if row.kind in (Kind.BAD, Kind.PARTIAL):
        blank = " " * (columns.clock + 2) if columns.clock else ""
        return (f"{row.rba:>{columns.rba}}  ", ""), (f"{blank}! {_damage(row)}", "warn")
    clock = clock_text(row, settings) if columns.clock else ""
    pieces = [(f"{row.rba:>{columns.rba}}  ", "")]
    pieces += [(f"{clock:<{columns.clock}}  ", "")] if columns.clock else []
    pieces += [(f"{_bracket(row, glyphs)} {fit(row.operation, columns.operation, glyphs)}", "")]
    pieces += [(f" {fit(table_text(row), columns.table, glyphs)}", "")] if columns.table else []
    pieces += [(f" {row.data_length:>{columns.length}}", "")] if columns.length else []
    pieces += [(f"  {fit(row.csn or '', columns.csn, glyphs)}", "")] if columns.csn else []
    return tuple(pieces)


def _damage(row: Row) -> str:
    if row.kind is Kind.PARTIAL:
        return f"partial record, {row.length} bytes: the file ends inside it"
    return f"bad record, {row.length} bytes: {escape(row.problem)} - SFH goes on"


def clock_text(row: Row, settings: Settings) -> str:
    """The time of day, to the microsecond; ``x`` and hex digits for a time that is none."""
    if row.kind is not Kind.RECORD:
        return ""
    text = format_timestamp(row.time, settings.time_offset)
    return text if text.startswith("x") else text[11:23] + text[24:]


def table_text(row: Row) -> str:
    """The table's name, harmless; its index as long as the name is not known."""
    return f"(index {row.table_index})" if row.table_index is not None else escape(row.table)


def _bracket(row: Row, glyphs: Glyphs) -> str:
    if row.trans_ind is None:
        return " "
    return glyphs.transaction[row.trans_ind] if row.trans_ind < 4 else "?"


def fit(text: str, width: int, glyphs: Glyphs) -> str:
    """The text in exactly ``width`` cells, cut with a mark."""
    if cell_len(text) <= width:
        return set_cell_size(text, width)
    return set_cell_size(text, max(0, width - 1)) + glyphs.cut if width else ""

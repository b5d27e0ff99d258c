"""A row of the record list as text: which columns fit, and what stands in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from logdump.notation.times import format_timestamp
from logdump.session.settings import Across, Settings
from logdump.tui.reading.neighbour_files import NeighbourFiles
from logdump.tui.reading.rows import ListRow, RowKind
from logdump.tui.text.cells import first_fitting, fit, taken, width_of
from logdump.tui.text.glyphs import Glyphs
from logdump.tui.text.styled import Piece

_CLOCK, _SHORT_CLOCK = 15, 8
"""``09:33:00.000386`` and ``09:33:00``"""
_LEAST_RBA, _LENGTH, _LEAST_LENGTH = 7, 6, 3
_SHORT_TABLE, _LEAST_TABLE = 16, 8
_LEAST_CSN, _SHORT_CSN = 4, 12
_GAPS = (1, 2, 4, 1, 1, 2)
"""Cells before each column: the cursor's place, blanks, the place in the transaction."""


class ColumnNeeds(NamedTuple):
    """The cells that the values of each column need."""

    rba: int = 0
    operation: int = 0
    table: int = 0
    length: int = 0
    csn: int = 0

    def of(self, rows: Iterable[ListRow], glyphs: Glyphs) -> ColumnNeeds:
        """The cells for these rows beside those before."""
        needs = self
        for row in rows:
            more = (
                len(str(row.end)),
                width_of(row.operation, glyphs),
                width_of(table_text(row), glyphs),
                len(str(row.data_length)),
                width_of(f"{csn_text(row, glyphs)} ", glyphs),
            )
            needs = ColumnNeeds(*map(max, needs, more))
        return needs


class ColumnWidths(NamedTuple):
    """The width of each column; 0 where it is left out."""

    rba: int
    clock: int
    operation: int
    table: int
    length: int
    csn: int


def columns_for(width: int, size: int, needs: ColumnNeeds) -> ColumnWidths:
    """The columns for a list of ``width`` cells, cursor and scroll bar included, over a file of ``size`` bytes."""
    rba = max(_LEAST_RBA, len(str(size)), needs.rba)
    room = width - 1
    operation = min(18 if width >= 100 else 12 if width >= 50 else 9, max(2, width - rba - 6))
    usual = ColumnWidths(rba, _CLOCK, operation, max(needs.table, _LEAST_TABLE), max(needs.length, _LENGTH), 0)
    usual = usual._replace(csn=max(needs.csn, 16 if width >= 90 else 9))
    found = ColumnWidths(*first_fitting(_layouts(usual, needs), _GAPS, room))
    more = max(0, room - taken(found, _GAPS))
    wider = min(more, max(0, needs.operation - found.operation))
    table = found.table + more - wider if found.table else 0
    return found._replace(operation=found.operation + wider, table=table)


def _layouts(usual: ColumnWidths, needs: ColumnNeeds) -> Iterator[ColumnWidths]:
    """The usual columns, then what is given up for CSN and table to be whole, and at last these."""
    yield usual
    slim = ColumnWidths(
        usual.rba,
        _SHORT_CLOCK,
        max(2, min(usual.operation, needs.operation)),
        usual.table,
        max(needs.length, _LEAST_LENGTH),
        max(needs.csn, _LEAST_CSN),
    )
    yield slim._replace(clock=_CLOCK)
    yield slim
    short, least = min(slim.table, _SHORT_TABLE), _LEAST_TABLE
    for csn in (slim.csn, min(slim.csn, _SHORT_CSN), 0):
        one = slim._replace(csn=csn)
        yield one._replace(table=short)
        yield one._replace(table=short, length=0)
        yield one._replace(table=short, length=0, clock=0)
        yield one._replace(table=least, length=0, clock=0)
    yield usual._replace(clock=0, table=0, length=0, csn=0)


def heading(columns: ColumnWidths) -> str:
    """The line above the list."""
    text = f" {'RBA':>{columns.rba}}  "
    text += f"{'time':<{columns.clock}}  " if columns.clock else ""
    text += f"T {'op':<{columns.operation}}"
    text += f" {'table':<{columns.table}}" if columns.table else ""
    text += f" {'len':>{columns.length}}" if columns.length else ""
    return text + (f"  {'csn':<{columns.csn}}" if columns.csn else "")


def end_text(name: str, neighbours: NeighbourFiles, across: Across) -> str:
    """The text of the row at the end of a file: the file in which the trail goes on, and what reads on there."""
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
    """The row after the cursor's place; ``end`` is the text of the end of the file, or of the place of a scan."""
    if row.kind is RowKind.END:
        return ((f"{row.rba:>{columns.rba}}  {glyphs.rule * 2} {end} {glyphs.rule * 2}", "dim"),)
    if row.kind is RowKind.MORE:
        return ((f"{row.rba:>{columns.rba}}  {glyphs.cut} {end}", "dim"),)
    if row.kind in (RowKind.BAD, RowKind.PARTIAL):
        blank = " " * (columns.clock + 2) if columns.clock else ""
        return (f"{row.rba:>{columns.rba}}  ", ""), (f"{blank}! {_damage(row)}", "warn")
    if row.is_restart:
        clock = f"{_clock(row, columns, settings, glyphs)}  " if columns.clock else ""
        return (f"{row.rba:>{columns.rba}}  {clock}", ""), (f"{glyphs.restart} {_restart(row)}", "warn")
    pieces = [(f"{row.rba:>{columns.rba}}  ", "")]
    pieces += [(f"{_clock(row, columns, settings, glyphs)}  ", "")] if columns.clock else []
    pieces += [(f"{_bracket(row, glyphs)} {fit(row.operation, columns.operation, glyphs)}", "")]
    pieces += [(f" {fit(table_text(row), columns.table, glyphs)}", "")] if columns.table else []
    pieces += [(f" {row.data_length:>{columns.length}}", "")] if columns.length else []
    pieces += [(f"  {fit(csn_text(row, glyphs), columns.csn, glyphs)}", "")] if columns.csn else []
    return tuple(pieces)


def _damage(row: ListRow) -> str:
    if row.kind is RowKind.PARTIAL:
        return f"partial record, {row.length} bytes: the file ends inside it"
    return f"bad record, {row.length} bytes: {row.problem} - SFH continues"


def _restart(row: ListRow) -> str:
    """The restart, and the transaction whose bracket stays open before it."""
    if row.cuts is None:
        return row.operation
    return f"{row.operation} cuts {f'CSN {row.cuts}' if row.cuts else 'a transaction'}"


def clock_text(row: ListRow, settings: Settings) -> str:
    """The time of day, to the microsecond; ``x`` and hex digits for a time that is none."""
    if row.kind is not RowKind.RECORD:
        return ""
    text = format_timestamp(row.time, settings.time_offset)
    return text if text.startswith("x") else text[11:23] + text[24:]


def _clock(row: ListRow, columns: ColumnWidths, settings: Settings, glyphs: Glyphs) -> str:
    text = clock_text(row, settings)
    is_short = columns.clock == _SHORT_CLOCK and not text.startswith("x")
    return fit(text[:_SHORT_CLOCK] if is_short else text, columns.clock, glyphs)


def table_text(row: ListRow) -> str:
    """The table's name; its index as long as the name is not known."""
    return f"(index {row.table_index})" if row.table_index is not None else row.table


def csn_text(row: ListRow, glyphs: Glyphs) -> str:
    """The CSN of the row's transaction; a mark as long as it is being looked for."""
    return row.csn or "" if row.is_csn_known else glyphs.cut


def _bracket(row: ListRow, glyphs: Glyphs) -> str:
    if row.place is None:
        return " "
    return glyphs.transaction[row.place] if row.place < len(glyphs.transaction) else "?"

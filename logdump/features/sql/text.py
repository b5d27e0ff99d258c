"""Rows of SQL as a table.

table          op            n
-------------  ----------  ---
HR.REGIONS     Insert       12
2 rows

On a terminal that is narrower than the table each row is a block, a line for each column.

row 1
  table  HR.REGIONS
  op     Insert
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

from logdump.display.text import Renderers
from logdump.features.sql.model import RowsShown
from logdump.features.sql.rows import plain
from logdump.notation.text import GAP, aligned, amount, cut_to, display_width, escape, widths_of
from logdump.session.settings import Settings

WIDEST = 80
"""Columns of the terminal for one value, at most."""
_NULL = "NULL"
_INDENT = 2


def rows_lines(shown: RowsShown, _settings: Settings) -> Iterator[str]:
    """The heads, a line under them, the rows, and how many there are; or block by block."""
    heads = [_cell(name) for name in shown.columns]
    cells = [[_cell(value) for value in row] for row in shown.rows]
    widths = widths_of([heads, *cells])
    if shown.width is not None and sum(widths) + GAP * (len(widths) - 1) > shown.width and cells:
        yield from _blocks(heads, cells, shown.width)
    else:
        rule = ["-" * width for width in widths]
        numbers = [at for at in range(len(heads)) if _are_numbers([row[at] for row in shown.rows])]
        yield from aligned([heads, rule, *cells], numbers)
    yield amount(len(cells), "row")


def _blocks(heads: list[str], cells: list[list[str]], width: int) -> Iterator[str]:
    """A block for each row: its columns as lines, values as far as they fit."""
    names = [cut_to(head, max(1, width // 2)) for head in heads]
    room = max(1, width - max(map(display_width, names)) - _INDENT - GAP)
    for number, row in enumerate(cells, 1):
        yield f"row {number}"
        values = [cut_to(cell, room) for cell in row]
        yield from (" " * _INDENT + line for line in aligned([*zip(names, values, strict=True)]))


def _are_numbers(values: Sequence[Any]) -> bool:
    known = [value for value in values if value is not None]
    return bool(known) and all(
        isinstance(value, int | float | Decimal) and not isinstance(value, bool) for value in known
    )


def _cell(value: Any) -> str:
    shown = plain(value)
    if shown is None:
        return _NULL
    text = shown if isinstance(shown, str) else json.dumps(shown, ensure_ascii=False, separators=(",", ":"))
    return cut_to(escape(text), WIDEST)


LINES: Renderers = {
    RowsShown: rows_lines,
}

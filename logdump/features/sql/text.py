"""Rows of SQL as a table.

table          op            n
-------------  ----------  ---
HR.REGIONS     Insert       12
2 rows

On a terminal narrower than the table each row is a block with a line for each column.

row 1
  table  HR.REGIONS
  op     Insert
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

from logdump.arrow.plain_values import plain
from logdump.display.text import Renderers
from logdump.features.sql.model import RowsShown
from logdump.notation.text import GAP, aligned, amount, cut_to, display_width, escape, widths_of
from logdump.session.settings import Settings

WIDEST = 80
"""Maximum width of a value, in columns of the terminal."""
_NULL = "NULL"
_INDENT = 2


def rows_lines(shown: RowsShown, _settings: Settings) -> Iterator[str]:
    """Yield the heads, a rule, the rows and their number; or a block for each row if the terminal is too narrow."""
    heads = [_cell(name) for name in shown.columns]
    cells = [[_cell(value) for value in row] for row in shown.rows]
    widths = widths_of([heads, *cells])
    if shown.width is not None and sum(widths) + GAP * (len(widths) - 1) > shown.width and cells:
        yield from _blocks(heads, cells, shown.width)
    else:
        rule = ["-" * width for width in widths]
        numbers = [column for column in range(len(heads)) if _are_numbers([row[column] for row in shown.rows])]
        yield from aligned([heads, rule, *cells], numbers)
    yield amount(len(cells), "row")


def _blocks(heads: list[str], cells: list[list[str]], width: int) -> Iterator[str]:
    """Yield a block for each row, a line for each column; values are cut to the width."""
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

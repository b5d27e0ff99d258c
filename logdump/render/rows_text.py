"""Rows of SQL as a table.

table          op            n
-------------  ----------  ---
HR.REGIONS     Insert       12
2 rows
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

from logdump.notation.display_width import cut_to, display_width, padded
from logdump.notation.escape import escape
from logdump.render.row_values import plain
from logdump.session.events import RowsShown
from logdump.session.settings import Settings

WIDEST = 80
"""Columns of the terminal for one value, at most."""
_GAP = "  "
_NULL = "NULL"


def rows_lines(shown: RowsShown, _settings: Settings) -> Iterator[str]:
    """The heads, a line under them, the rows, and how many there are."""
    heads = [_cell(name) for name in shown.columns]
    cells = [[_cell(value) for value in row] for row in shown.rows]
    widths = [max(map(display_width, column)) for column in zip(heads, *cells, strict=True)]
    are_numbers = [_are_numbers([row[at] for row in shown.rows]) for at in range(len(heads))]
    yield _line(heads, widths, are_numbers)
    yield _GAP.join("-" * width for width in widths)
    for row in cells:
        yield _line(row, widths, are_numbers)
    yield f"{len(cells)} row{'' if len(cells) == 1 else 's'}"


def _line(cells: Sequence[str], widths: Sequence[int], are_numbers: Sequence[bool]) -> str:
    parts = zip(cells, widths, are_numbers, strict=True)
    return _GAP.join(
        " " * (width - display_width(cell)) + cell if is_number else padded(cell, width)
        for cell, width, is_number in parts
    ).rstrip()


def _are_numbers(values: Sequence[Any]) -> bool:
    known = [value for value in values if value is not None]
    return bool(known) and all(isinstance(one, int | float | Decimal) and not isinstance(one, bool) for one in known)


def _cell(value: Any) -> str:
    found = plain(value)
    if found is None:
        return _NULL
    text = found if isinstance(found, str) else json.dumps(found, ensure_ascii=False, separators=(",", ":"))
    return cut_to(escape(text), WIDEST)

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

from logdump.notation.display_width import aligned, cut_to, widths_of
from logdump.notation.escape import escape
from logdump.notation.plural import amount
from logdump.render.row_values import plain
from logdump.session.events import RowsShown
from logdump.session.settings import Settings

WIDEST = 80
"""Columns of the terminal for one value, at most."""
_NULL = "NULL"


def rows_lines(shown: RowsShown, _settings: Settings) -> Iterator[str]:
    """The heads, a line under them, the rows, and how many there are."""
    heads = [_cell(name) for name in shown.columns]
    cells = [[_cell(value) for value in row] for row in shown.rows]
    rule = ["-" * width for width in widths_of([heads, *cells])]
    numbers = [at for at in range(len(heads)) if _are_numbers([row[at] for row in shown.rows])]
    yield from aligned([heads, rule, *cells], numbers)
    yield amount(len(cells), "row")


def _are_numbers(values: Sequence[Any]) -> bool:
    known = [value for value in values if value is not None]
    return bool(known) and all(isinstance(one, int | float | Decimal) and not isinstance(one, bool) for one in known)


def _cell(value: Any) -> str:
    found = plain(value)
    if found is None:
        return _NULL
    text = found if isinstance(found, str) else json.dumps(found, ensure_ascii=False, separators=(",", ":"))
    return cut_to(escape(text), WIDEST)

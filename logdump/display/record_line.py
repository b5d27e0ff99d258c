"""A record as one line for grep and awk: fields with blanks between them, the columns at the end.

3522 2024/03/14 09:34:00.000.000 UPDATE   TEAHOUSE.TEAS 41882368 5.4.8804 ASS02  STOCK_KG 260→310
"""

from __future__ import annotations

from logdump.display.record_row import UNICODE_MARKS, Marks, RecordRow, row_text
from logdump.notation.escape import escape
from logdump.notation.times import TimeOffset, format_timestamp

_ABSENT = "-"


def record_line(row: RecordRow, offset: TimeOffset, file: str = "", marks: Marks = UNICODE_MARKS) -> str:
    """The line of a row; ``file`` precedes its RBA, ``-`` replaces unknown parts."""
    time = format_timestamp(row.time, offset) if row.time is not None else f"{_ABSENT} {_ABSENT}"
    place = f"{_field(file)}:{row.rba}" if file else f"{row.rba:>10}"
    fields = (place, time, f"{row.kind.name:<8}", _field(row.table), _field(row.csn), _field(row.xid))
    return " ".join((*fields, row_text(row, marks))).rstrip()


def _field(text: str | None) -> str:
    """A text as one field: in quotes where it has a blank."""
    shown = escape(text or _ABSENT)
    return f'"{shown}"' if any(map(str.isspace, shown)) else shown

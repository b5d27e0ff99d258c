"""The lines of a script.

-- Transaction 7.21.6009 CSN 7824137832 2017-05-22 22:38:49.000000 RBA 1956 to 2300, 2 records
-- RBA 2302 UPDATE TEAHOUSE.TEAS: the trail has no before image of PRICE

A comment is one printable line: no byte of a trail can end it.
"""

from __future__ import annotations

from collections.abc import Iterator

from logdump.render.escape import escape
from logdump.statements.dialect import Dialect
from logdump.statements.script import Closing, Opening
from logdump.statements.statement import Statement
from logdump.times import TimeOffset, format_timestamp


def statement_lines(statement: Statement) -> Iterator[str]:
    """The statement, ended; or the comment in its place."""
    if statement.sql is not None:
        yield from f"{statement.sql};".splitlines()
        return
    change = statement.change
    yield escape(f"-- RBA {change.rba} {change.op} {change.table}: {statement.reason}")


def script_lines(item: Opening | Closing, dialect: Dialect, offset: TimeOffset) -> Iterator[str]:
    """What stands around the statements of a transaction."""
    if isinstance(item, Opening):
        yield f"-- {_title(item)} {format_timestamp(item.time, offset)}, {_place(item)}"
        if dialect.begin:
            yield dialect.begin
        return
    if item.left_out:
        yield f"-- The filter left out {item.left_out} changes of this transaction."
    if item.remarks:
        yield f"-- {item.remarks} of the changes above could not be written: think before you commit."
    if item.is_complete:
        yield dialect.commit
    else:
        yield "-- The file ends before this transaction does: it may have been rolled back. Nothing commits it here."


def _title(item: Opening) -> str:
    xid, csn = item.transaction.xid, item.transaction.csn
    return " ".join(["Transaction", *([escape(xid)] if xid else []), *(["CSN", escape(csn)] if csn else [])])


def _place(item: Opening) -> str:
    end = "the end of the file" if item.end is None else f"{item.end}"
    return f"RBA {item.begin} to {end}, {item.records} records"

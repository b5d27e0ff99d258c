"""VALUES: a table of the columns of a change below its record.

    Values of UPDATE TEAHOUSE.TEAS, before image at RBA 3490
       Column    Type        Before   After    Changed
    K  TEA_CODE  VARCHAR(6)  'ASS01'  'ASS01'
       STOCK_KG  BIGINT      300      310      *

K marks the key. A column absent from an image is blank there, NULL is NULL, text is in quotes, bytes are X'…'.
Undecodable values are ?'…' in hex, with the reason below; so are the bytes of a row that cannot be split.
A value wider than a third of RECLEN is cut.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from logdump.notation.display_width import aligned, cut_to
from logdump.notation.escape import escape
from logdump.session.settings import Settings
from trailformat import Change, ColumnChange, Record, TrailError, Value
from trailformat.values import sql_type

HEAD = (" ", "Column", "Type", "Before", "After", "Changed")
KEY, COLUMN, TYPE, BEFORE, AFTER, CHANGED = range(len(HEAD))
_SHARE = 3
_NARROWEST = 32


def values_lines(change: Change, record: Record, settings: Settings) -> Iterator[str]:
    """Yield the table of ``change``, below ``record``, which is the change or one half of it; empty without columns."""
    if change.problem is not None:
        yield f"Values cannot be shown: {escape(change.problem)}"
        yield from undecoded_bytes(record, settings)
    if not change.columns:
        return
    yield _title(change, record)
    widest = max(settings.reclen // _SHARE, _NARROWEST)
    yield from aligned(values_table(change, widest)[1])
    yield from reasons(change)


def values_table(change: Change, widest: int) -> tuple[list[int], list[tuple[str, ...]]]:
    """Which of ``HEAD`` a change has, and its rows with the heads first: those of an image that it lacks are left out.

    Args:
        change: the change.
        widest: the columns of the terminal for one value, at most.
    """
    images = {
        BEFORE: any(column.before for column in change.columns),
        AFTER: any(column.after for column in change.columns),
    }
    images[CHANGED] = all(images.values())
    shown = [place for place in range(len(HEAD)) if images.get(place, True)]
    rows = [HEAD, *(_row(column, widest) for column in change.columns)]
    return shown, [tuple(row[place] for place in shown) for row in rows]


def undecoded_bytes(record: Record, settings: Settings) -> Iterator[str]:
    """Yield the bytes of a row without columns, if they can be read."""
    with suppress(TrailError):
        if record.data:
            yield cut_to(f"?'{record.data.hex()}'", max(settings.reclen, _NARROWEST))


def _title(change: Change, record: Record) -> str:
    title = f"Values of {change.op} {escape(change.table)}".rstrip()
    for other in change.records:
        if other.rba != record.rba:
            title += f", {'before' if other.header.is_before else 'after'} image at RBA {other.rba}"
    return title if change.definition else f"{title}, for which there is no definition (SOURCEDEFS reads one)"


def _row(column: ColumnChange, widest: int) -> tuple[str, ...]:
    definition = column.definition
    return (
        "K" if column.is_key else "",
        cut_to(column_name(column), widest),
        (sql_type(definition) or f"data type {definition.data_type}") if definition else "",
        cut_to(value_text(column.before), widest),
        cut_to(value_text(column.after), widest),
        "*" if column.is_changed else "",
    )


def column_name(column: ColumnChange) -> str:
    """The name, or the index of a column without a definition."""
    return escape(column.name) if column.definition else f"column {column.index}"


def value_text(value: Value | None) -> str:
    """A value, distinct from every other: text and bytes in quotes; empty for one that is absent."""
    if value is None:
        return ""
    if value.problem is not None:
        return f"?'{value.data.hex()}'"
    if isinstance(value.value, bytes):
        return f"X'{value.text}'"
    return "'" + escape(value.text).replace("'", "''") + "'" if isinstance(value.value, str) else value.text


def reasons(change: Change) -> Iterator[str]:
    """Why values are shown as bytes."""
    for column in change.columns:
        for image, value in (("before", column.before), ("after", column.after)):
            if value is not None and value.problem is not None and column.definition is not None:
                yield f"? {column_name(column)} {image}: {escape(value.problem)}"

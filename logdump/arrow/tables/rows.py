"""Rows of tables, one by one: for the formats that need no other package."""

from __future__ import annotations

from typing import Any, NamedTuple

from logdump.arrow.tables.layout import ROW_OPERATIONS, SIDES, TableLayout
from logdump.notation.times import iso_time
from trailformat import Record, TrailError, Value
from trailformat.changes.row_changes import ColumnChange, row_columns
from trailformat.changes.transactions import Transaction
from trailformat.records.large_record import LargeRecord
from trailformat.trail.row_definitions import RowDefinition

CUT = "its columns go on in the records that follow"
NO_DEFINITION = "no definition of its columns"
NO_COLUMNS = "its data is no list of columns"


class RowProblem(NamedTuple):
    """Something that does not decode: a value by its column and image, or all data of a record (both None)."""

    column: str | None
    image: str | None
    bytes: bytes
    reason: str


class TableRow(NamedTuple):
    """One record as a row.

    Attributes:
        fixed: what it has whatever its table.
        names: ``before_…`` and ``after_…``, in order.
        values: under those names; None where the image lacks the column.
        data: the record's data.
        problems: what did not decode.
    """

    fixed: dict[str, Any]
    names: list[str]
    values: list[Value | None]
    data: bytes
    problems: list[RowProblem]


def table_row(record: Record, known: RowDefinition, layout: TableLayout, transaction: Transaction) -> TableRow:
    """The row that a record is."""
    header = record.header
    fixed = {
        "file": str(record.path),
        "rba": record.rba,
        "op": ROW_OPERATIONS[header.io_type],
        "csn": transaction.csn,
        "xid": transaction.xid,
        "time": iso_time(header.io_time),
        "trans_ind": header.trans_ind,
    }
    problems = [] if fixed["time"] else [time_problem(header.io_time)]
    columns, problem = columns_of(record, known)
    if problem is not None:
        problems.append(problem)
    names = layout.column_names
    values = dict.fromkeys(layout.image_names)
    for side in SIDES:
        for column in columns:
            value: Value | None = getattr(column, side)
            is_known = column.index < len(names)
            name = names[column.index] if is_known else f"#{column.index}"
            if value is not None and is_known:
                values[f"{side}_{name}"] = value
            if value is not None and value.problem is not None:
                problems.append(RowProblem(name, side, value.data, value.problem))
    return TableRow(fixed, [*values], [*values.values()], data_of(record), problems)


def time_problem(io_time: int) -> RowProblem:
    """IO Time that no calendar has."""
    return RowProblem("time", None, (io_time & (1 << 64) - 1).to_bytes(8, "big"), "outside the years 1 to 9999")


def columns_of(record: Record, known: RowDefinition) -> tuple[tuple[ColumnChange, ...], RowProblem | None]:
    """The columns of a record's images, or why it has none though it has data."""
    try:
        data = record.data if isinstance(record, LargeRecord) else data_of(record)
    except TrailError as error:
        return (), RowProblem(None, None, b"", error.problem)
    if known.table is None:
        return (), RowProblem(None, None, b"", NO_DEFINITION) if data else None
    try:
        columns = row_columns(record, known)
        if columns or not data or record.images is not None:
            return columns, None
    except TrailError as error:
        return (), RowProblem(None, None, data, CUT if record.header.continued else error.problem)
    return (), RowProblem(None, None, data, NO_COLUMNS)


def data_of(record: Record) -> bytes:
    """The data of a record; all between its first token and its trailer where the tokens do not decode.

    Nothing of data that are too large.
    """
    try:
        return record.data
    except TrailError:
        return b"" if isinstance(record, LargeRecord) else record.body

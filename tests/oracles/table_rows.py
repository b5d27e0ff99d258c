"""EXPORT CSV and JSONL BY TABLE record by record: what lines by columns are held against."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from logdump.arrow.tables.layout import (
    DATA,
    FIXED,
    PROBLEMS,
    ROW_OPERATIONS,
    SIDES,
    Layouts,
    RowProblem,
    TableLayout,
    columns_of,
    data_of,
    time_problem,
)
from logdump.arrow.tables.lines import PieceLines
from logdump.display.json_shape import exact
from logdump.features.export.files import OpenFiles, TextFile
from logdump.features.export.text_export import TextExport
from logdump.features.export.text_formats import CsvText
from logdump.notation.times import iso_time
from logdump.session.events import Event
from tests.oracles.record_walk import walk
from trailformat import Record, Value
from trailformat.changes.segments import joined
from trailformat.records.record_header import Transaction
from trailformat.trail.row_definitions import RowDefinition


class RowByRow(TextExport[PieceLines]):
    """One export of rows of tables, each decoded and written by itself."""

    def _fill(self, files: OpenFiles[TextFile]) -> Iterator[Event]:
        layouts = Layouts()
        for item in walk(self._session, self._tally, self._options.records, self._options.stop):
            if isinstance(item, Record):
                self._put_row(files, item, layouts)
                self._make_room(files)
            else:
                yield item

    def _put_row(self, files: OpenFiles[TextFile], record: Record, layouts: Layouts) -> None:
        io_type = None if record.is_file_header else record.header.io_type
        if io_type not in ROW_OPERATIONS:
            self._tally.leave_out(io_type)
            return
        known = self._session.row_definitions.of(record)
        layout = layouts.of(record, known)
        transaction = self._session.cursor.transactions.of(record)
        row = table_row(joined(self._session.trail, record), known, layout, transaction)
        for problem in row.problems:
            self._tally.add_problem(record.rba, problem.column or "", problem.reason)
        line = _csv if isinstance(self._spelling, CsvText) else _json
        files.of(layout).write(line(row, layout))


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


def _csv(row: TableRow, layout: TableLayout) -> str:
    values: list[Any] = [row.fixed[name] for name in FIXED]
    if layout.columns is None:
        values.append(row.data.hex())
    for value in row.values:
        is_there = value is not None and not value.is_null and value.problem is None
        values.append(value.text if value is not None and is_there else None)
    nulls = [name for name, value in zip(row.names, row.values, strict=True) if value is not None and value.is_null]
    problems = exact([problem._asdict() for problem in row.problems])
    return ",".join(map(_field, [*values, nulls or None, problems or None])) + "\r\n"


def _field(value: Any) -> str:
    if value is None or isinstance(value, int):
        return "" if value is None else str(value)
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return '"' + text.replace('"', '""') + '"'


def _json(row: TableRow, layout: TableLayout) -> str:
    members: dict[str, Any] = {**row.fixed}
    if layout.columns is None:
        members[DATA] = row.data.hex()
    for name, value in zip(row.names, row.values, strict=True):
        if value is not None:
            members[name] = None if value.is_null or value.problem is not None else value.text
    members[PROBLEMS] = [problem._asdict() for problem in row.problems]
    return json.dumps(exact(members), separators=(",", ":")) + "\n"

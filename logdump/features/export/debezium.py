"""EXPORT JSONL … DEBEZIUM: a line for each change, in the form of Debezium's events. It needs pyarrow."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from logdump.arrow.tables.arrow_rows import all_problems, batch_of
from logdump.arrow.tables.changes import Changed, TableChanges
from logdump.arrow.tables.debezium import CONNECTOR, OPERATIONS, ROW, SOURCE, stand_in
from logdump.arrow.tables.group import Group, Piece, TableBatches, blocks
from logdump.arrow.tables.layout import ALL, PROBLEMS, RowProblem
from logdump.arrow.tables.row_lobs import LobValue, RowLobs, with_lobs
from logdump.arrow.tables.update_halves import BeforeImages, UpdateHalves
from logdump.display.json_shape import encoded
from logdump.features.export.files import OpenFiles, TextFile
from logdump.features.export.text_export import TextExport
from logdump.session.events import Event
from trailformat import TrailName
from trailformat.values import plain_text

_Lobs = tuple[list[LobValue], list[tuple[int, RowProblem]]]


class _Rows(NamedTuple):
    """The rows of a group, the values of their LOBs, and their before images in other records, if there are some."""

    group: Group
    lobs: _Lobs
    before: BeforeImages | None


class ChangeLines(NamedTuple):
    """The lines of the changes of a block, and their number.

    Attributes:
        records: number of records that are changes.
        left_out: number of records that are no changes, by IOType.
        problems: undecodable values: RBA, column, reason.
    """

    data: bytes
    rows: int
    records: int
    left_out: Counter[int]
    problems: list[tuple[int, str, str]]


class DebeziumExport(TextExport[ChangeLines]):
    """Export of changes as lines of JSON, in the order of the trail."""

    _made = ChangeLines

    def report(self) -> Iterator[Event]:
        """Yield the number of changes written, and the problems."""
        return self._tally.report(self._options.target_name, by_table=False, kind="change")

    def _jobs_of_pieces(self) -> Callable[[Piece], Iterator[Callable[[], ChangeLines]]]:
        trail = self._session.trail
        name, lobs = TrailName.parse(trail.path), RowLobs(trail)
        halves = UpdateHalves(trail, self._session.definitions_of)
        batches = TableBatches(trail, self._session.row_definitions, self._tally.leave_out)
        age = name.seqno if name is not None else 0

        def jobs(piece: Piece) -> Iterator[Callable[[], ChangeLines]]:
            for block in blocks(batches.groups(piece)):
                yield partial(_lines_of, [_Rows(group, lobs.of(group), halves.of(group)) for group in block], age)

        return jobs

    def _writing(self, files: OpenFiles[TextFile], lines: ChangeLines) -> Callable[[], None]:
        for problem in lines.problems:
            self._tally.add_problem(*problem)
        for io_type, records in lines.left_out.items():
            self._tally.leave_out(io_type, records)
        self._tally.split += lines.rows - lines.records
        return partial(self._write, files, lines)

    def _write(self, files: OpenFiles[TextFile], lines: ChangeLines) -> None:
        files.of(ALL).append(lines.data, lines.rows)
        self._make_room(files)


def _lines_of(block: list[_Rows], age: int) -> ChangeLines:
    """Return the lines of the changes of some tables, in the order of the trail."""
    numbered: list[tuple[str, str]] = []
    problems: list[tuple[int, str, str]] = []
    left_out, records = Counter[int](), 0
    for group, lobs, before in block:
        rows, undecoded = batch_of(group)
        rows, lost = with_lobs(group, rows, *lobs)
        index, rbas = rows.schema.get_field_index(PROBLEMS), group.rows.of("rba")
        rows = rows.set_column(index, PROBLEMS, all_problems(rows, lost))
        problems += undecoded
        problems += [(int(rbas[row]), problem.column or "", problem.reason) for row, problem in lost]
        layout = group.layout
        halves, others = (before.source, [batch_of(other)[0] for other in before.others]) if before else (None, [])
        maker = TableChanges(layout.name, layout.column_names, layout.keys, age, is_whole=True)
        changed = maker.of_rows(group, rows, halves, others)
        is_change = np.isin(np.arange(len(rows)), changed.rows)
        left_out.update(group.rows.of("io_type")[~is_change].tolist())
        records += int(is_change.sum())
        numbered += zip(changed.fixed["_sequence"].to_pylist(), _texts(layout.name, changed), strict=True)
    numbered.sort(key=itemgetter(0))
    problems.sort(key=itemgetter(0))
    text = "".join(f"{line}\n" for _, line in numbered)
    return ChangeLines(text.encode(), len(numbered), records, left_out, problems)


def _texts(table: str, changed: Changed) -> Iterator[str]:
    """Yield the line of each change."""
    columns: dict[str | None, list[Any]] = {name: array.to_pylist() for name, array in changed.fixed.items()}
    own = [array.to_pylist() for array in changed.own.values()]
    rows: list[Any] = [dict(zip(changed.own, values, strict=True)) for values in zip(*own, strict=True)]
    unavailable = {name: stand_in(array.type) for name, array in changed.own.items()}
    count = len(changed.rows)
    columns |= {ROW: rows or [None] * count, None: [None] * count}
    times = [None if time is None else time // 1000 for time in changed.fixed["_time"].cast(pa.int64()).to_pylist()]
    schema, _, name = table.rpartition(".")
    for row, (kind, time) in enumerate(zip(columns["_op"], times, strict=True)):
        operation = OPERATIONS[kind]
        fixed_values = {"connector": CONNECTOR, "ts_ms": time, "schema": schema, "table": name}
        source = {
            member: fixed_values[member] if column is None else columns[column][row]
            for member, column in SOURCE.items()
        }
        yield encoded(
            {
                "op": operation.letter,
                "before": _image(columns[operation.before][row]),
                "after": _image(_marked(columns[operation.after][row], columns["_absent"][row], unavailable)),
                "source": source,
                "ts_ms": time,
            }
        )


def _marked(row: dict[str, Any] | None, absent: list[str] | None, unavailable: dict[str, Any]) -> dict[str, Any] | None:
    """Return a row with the mark of Debezium in place of the values that are not known."""
    if row is None or not absent:
        return row
    return row | {name: unavailable[name] for name in absent}


def _image(row: dict[str, Any] | None) -> dict[str, Any] | None:
    return None if row is None else {name: _plain(value) for name, value in row.items()}


def _plain(value: Any) -> Any:
    """Return a value for JSON: integers and finite floats as numbers, other numbers as text with all digits."""
    if value is None or isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    return plain_text(value)

"""What the rows of an export should be: each record decoded by itself, and what each format says when it is read."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from datetime import UTC, date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from logdump.arrow.tables.layout import ROW_OPERATIONS
from trailformat import Record, TrailError, TrailFile, Value, to_datetime
from trailformat.changes.row_changes import row_columns
from trailformat.changes.segments import joined
from trailformat.changes.transaction_context import TransactionContext
from trailformat.trail.row_definitions import RowDefinitions
from trailformat.values import plain_text


class Expected(NamedTuple):
    """A row: what stands in it whatever the table, and the values of its images by ``before_…`` and ``after_…``."""

    table: str
    fixed: dict[str, Any]
    values: dict[str, Value]


def sound_records(trail: TrailFile) -> Iterator[Record]:
    """The records of a file, damage stepped over."""
    for rba in trail.sound_rbas(0, trail.size):
        record = trail.record_at(rba)
        if record is not None:
            yield record


def expected_rows(path: Path) -> dict[int, Expected]:
    """The rows of a trail by RBA."""
    found = {}
    with TrailFile(path) as trail:
        definitions, context = RowDefinitions(trail), TransactionContext(trail)
        for record in sound_records(trail):
            transaction = context.of(record)
            if record.is_file_header or record.header.io_type not in ROW_OPERATIONS:
                continue
            known = definitions.of(record)
            fixed = {
                "file": str(path),
                "rba": record.rba,
                "op": ROW_OPERATIONS[record.header.io_type],
                "csn": transaction.csn,
                "xid": transaction.xid,
                "time": to_datetime(record.header.io_time),
                "trans_ind": record.header.trans_ind,
            }
            values = {}
            try:
                columns = row_columns(joined(trail, record), known) if known.table else ()
            except TrailError:
                columns = ()
            for column in columns:
                for side in ("before", "after"):
                    value = getattr(column, side)
                    if value is not None and column.name:
                        values[f"{side}_{column.name}"] = value
            found[record.rba] = Expected(known.name, fixed, values)
    return found


def arrow_rows(folder: Path) -> dict[int, dict[str, Any]]:
    """The rows of a folder of Parquet or Arrow files, by RBA."""
    return {row["rba"]: row for path in folder.iterdir() for row in table_of(path, path.suffix[1:]).to_pylist()}


def table_of(path: Path, format_: str) -> pa.Table:
    """A Parquet or Arrow file."""
    if format_ == "parquet":
        return pq.read_table(path)
    with pa.OSFile(str(path)) as source:
        return pa.ipc.open_file(source).read_all()


def json_rows(folder: Path) -> dict[int, dict[str, Any]]:
    """The rows of a folder of JSON lines, by RBA."""
    lines = (line for path in folder.iterdir() for line in path.read_text(encoding="utf-8").splitlines())
    return {row["rba"]: row for row in map(json.loads, lines)}


def csv_rows(folder: Path) -> dict[int, dict[str, str]]:
    """The rows of a folder of CSV, by RBA."""
    found: dict[int, dict[str, str]] = {}
    for path in folder.iterdir():
        with path.open(encoding="utf-8", newline="") as file:
            found |= {int(row["rba"]): row for row in csv.DictReader(file, strict=True)}
    return found


def is_value(shown: Any, value: Value) -> bool:
    """Whether an Arrow value is what the bytes decode to."""
    plain: Any = value.value
    if isinstance(plain, datetime) and plain.tzinfo:
        plain = plain.astimezone(UTC)
    if isinstance(shown, datetime) != isinstance(plain, datetime) and isinstance(plain, date):
        return bool(_moment(shown) == _moment(plain))
    if isinstance(plain, int | Decimal | float) and isinstance(shown, str | int | Decimal | float):
        return Decimal(str(shown)) == Decimal(str(plain))
    return bool(shown == plain or shown == plain_text(plain))


def _moment(day: Any) -> Any:
    """A date as its midnight."""
    return datetime.combine(day, time()) if isinstance(day, date) and not isinstance(day, datetime) else day


def check_values(row: dict[str, Any], expected: Expected) -> None:
    """An Arrow row has every value of its record, each NULL by name; what has no value is empty, and a problem."""
    problems = {
        f"{told_problem['image']}_{told_problem['column']}": told_problem for told_problem in row["problems"] or ()
    }
    assert set(row["nulls"] or ()) == {name for name, value in expected.values.items() if value.is_null}
    for name, shown in row.items():
        if not name.startswith(("before_", "after_")):
            continue
        value, problem = expected.values.get(name), problems.get(name)
        if value is None or value.is_null:
            assert (shown, problem) == (None, None), name
        elif problem is None:
            assert value.problem is None, name
            assert shown is not None, name
            assert is_value(shown, value), name
        else:
            assert (shown, problem["bytes"]) == (None, value.data), name
            assert problem["reason"] == value.problem or _is_unfit(value, problem["reason"]), name


def _is_unfit(value: Value, reason: str) -> bool:
    """Whether the reason why a sound value is not there is that its column has another type."""
    plain: Any = value.value
    text, _, kind = reason.rpartition(" is no ")
    if value.problem is not None or text != plain_text(plain):
        return False
    if kind.startswith("timestamp"):
        has_zone = isinstance(plain, datetime) and plain.tzinfo is not None
        return not isinstance(plain, date) or has_zone != ("tz=" in kind)
    if kind.startswith("date"):
        return (
            not isinstance(plain, date) or getattr(plain, "tzinfo", None) is not None or _moment(plain).time() > time()
        )
    if kind.startswith("decimal") and isinstance(plain, int | Decimal):
        precision, scale = map(int, kind.removesuffix(")").partition("(")[2].split(","))
        return round(Decimal(plain), scale) != plain or abs(Decimal(plain)) >= Decimal(f"1e{precision - scale}")
    return kind.startswith("int") and isinstance(plain, int) and not -(1 << 63) <= plain < 1 << 63

"""Which bytes and which rows: everything that answers with what stands in the records."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tests.logdump.export.table_rows import rows_in
from tests.logdump.program import logdump
from tests.logdump.questions.asker import EVERYTHING, FORWARD, Asker, is_body, placed
from tests.logdump.questions.question import Feature, Question
from tests.logdump.questions.records import arrow_table, csv_rows, exported, spark_rows
from tests.simulated.plain_reader import METADATA, OPERATIONS, PlainRecord
from trailformat import TrailFile, Value, change_of
from trailformat.values import plain_text

Values = dict[str, str | None]
_FORMATS = ("jsonl", "csv", "parquet", "arrow")


class Row(NamedTuple):
    """A row of a table: what happened to it, and the values in its images by ``before_…`` and ``after_…``."""

    rba: int
    op: str
    table: str
    csn: str
    values: Values


def _raw_of_api(path: Path, question: Question, _folder: Path) -> list[bytes]:
    with TrailFile(path) as trail:
        start = question.rba if question.number is not None else None
        walk = trail.records_backwards(start) if question.is_backwards else trail.records(question.rba)
        return [record.raw for _, record in zip(range(question.most), walk, strict=False)]


def _raw_of_parquet(path: Path, question: Question, folder: Path) -> list[bytes]:
    return [row["raw"] for row in arrow_table(path, question, folder, "parquet").to_pylist()]


def _raw_of_arrow(path: Path, question: Question, folder: Path) -> list[bytes]:
    return [row["raw"] for row in arrow_table(path, question, folder, "arrow").to_pylist()]


def _raw_of_spark(path: Path, question: Question, _folder: Path) -> list[bytes]:
    return [row["raw"] for row in spark_rows(path, question, "raw")]


def _saved(path: Path, question: Question, folder: Path) -> list[bytes]:
    """The records in the trail that SAVE writes, but for definitions: it adds some where rows need them."""
    target = folder / "zz000000000"
    target.unlink(missing_ok=True)
    placed(path, question)(f"save {target} {'' if question.limit is None else f'{question.limit} records'}")
    if not target.exists() or not target.stat().st_size:
        return []
    with TrailFile(target) as trail:
        return [record.raw for record in trail.records() if not record.is_file_header and not record.is_metadata]


def _objects(path: Path, question: Question, _folder: Path) -> list[dict[str, Any]]:
    commands = f"{question.settings}; {question.place}; n {question.most}"
    lines = logdump(str(path), "--format", "jsonl", "-c", commands).out.splitlines()
    return [item for item in map(json.loads, lines) if item["type"] in ("record", "file_header")]


def _exported_objects(path: Path, question: Question, folder: Path) -> list[dict[str, Any]]:
    target = exported(path, question, folder, "jsonl")
    return [json.loads(line) for line in target.read_text().splitlines()] if target else []


def _data_of_json(path: Path, question: Question, folder: Path) -> list[bytes]:
    return [bytes.fromhex(item["data"]) for item in _objects(path, question, folder)]


def _data_of_jsonl(path: Path, question: Question, folder: Path) -> list[bytes]:
    return [bytes.fromhex(item["data"]) for item in _exported_objects(path, question, folder)]


def _data_of_csv(path: Path, question: Question, folder: Path) -> list[bytes]:
    return [bytes.fromhex(row["data"]) for row in csv_rows(exported(path, question, folder, "csv"))]


def _values(row: dict[str, Any], value: str, side_of: Any = lambda side: side) -> Values:
    return {
        f"{side}_{column['name']}": column[value]
        for side in ("before", "after")
        for column in side_of(row[side]) or ()
        if column["name"]
    }


def _rows_of_json(objects: Iterable[dict[str, Any]]) -> list[Row]:
    return [
        Row(row["rba"], row["operation"], row["table"], row["csn"] or "", _values(row, "text"))
        for row in objects
        if row.get("operation")
    ]


def _json_rows(path: Path, question: Question, folder: Path) -> list[Row]:
    return _rows_of_json(_objects(path, question, folder))


def _jsonl_rows(path: Path, question: Question, folder: Path) -> list[Row]:
    return _rows_of_json(_exported_objects(path, question, folder))


def _csv_rows(path: Path, question: Question, folder: Path) -> list[Row]:
    return [
        Row(int(row["rba"]), row["operation"], row["table"], row["csn"], _values(row, "text", _loaded))
        for row in csv_rows(exported(path, question, folder, "csv"))
        if row["operation"]
    ]


def _loaded(text: str) -> Any:
    return json.loads(text or "null")


def _rows_of_batches(rows: Iterable[dict[str, Any]]) -> list[Row]:
    return [
        Row(row["rba"], OPERATIONS[row["op_code"]], row["table"], row["csn"] or "", _values(row, "value"))
        for row in rows
        if row.get("op_code") in OPERATIONS
    ]


def _parquet_rows(path: Path, question: Question, folder: Path) -> list[Row]:
    return _rows_of_batches(arrow_table(path, question, folder, "parquet").to_pylist())


def _arrow_rows(path: Path, question: Question, folder: Path) -> list[Row]:
    return _rows_of_batches(arrow_table(path, question, folder, "arrow").to_pylist())


def _spark_rows(path: Path, question: Question, _folder: Path) -> list[Row]:
    return _rows_of_batches(spark_rows(path, question, "rba", "op_code", "table", "csn", "before", "after"))


def _api_rows(path: Path, question: Question, _folder: Path) -> list[Row]:
    """By ``change_of``: the columns of the images that the record itself has."""
    found = []
    with TrailFile(path) as trail:
        start = question.rba if question.number is not None else None
        walk = trail.records_backwards(start) if question.is_backwards else trail.records(question.rba)
        for _, record in zip(range(question.most), walk, strict=False):
            change = change_of(trail, record)
            if change is None:
                continue
            sides = ["before", "after"]
            if len(change.records) == 2:
                sides = ["before"] if record.rba == change.rba else ["after"]
            values = {
                f"{side}_{column.name}": _text(getattr(column, side))
                for side in sides
                for column in change.columns
                if getattr(column, side) is not None and column.name
            }
            found.append(Row(record.rba, change.op, change.table, change.csn or "", values))
    return found


def _text(value: Value) -> str | None:
    return None if value.is_null else plain_text(value.value)


def _by_table(format_: str) -> Any:
    """What the files of EXPORT BY TABLE hold, all tables together in the order of the trail."""

    def ask(path: Path, question: Question, folder: Path) -> list[Row]:
        target = folder / f"tables_{format_}"
        line = placed(path, question)
        limit = "" if question.limit is None else f"{question.limit} records"
        shown = line(f"export {format_} to {target} ! by table {limit}")
        if line.failures:
            assert shown[0].startswith("Nothing is left"), shown
            return []
        rows = sorted(rows_in(target, format_).items())
        return [Row(rba, record.op, record.table, record.csn, record.values) for rba, record in rows]

    return ask


def _raw(records: Sequence[PlainRecord]) -> list[bytes]:
    return [record.raw for record in records]


def _raw_of_no_definitions(records: Sequence[PlainRecord]) -> list[bytes]:
    return [record.raw for record in records if record.io_type != METADATA]


def _data(records: Sequence[PlainRecord]) -> list[bytes]:
    return [record.data for record in records]


def _data_of_bodies(records: Sequence[PlainRecord]) -> list[bytes]:
    return [record.data for record in records if is_body(record)]


def _rows(records: Sequence[PlainRecord]) -> list[Row]:
    return [Row(record.rba, record.op, record.table, record.csn, record.values) for record in records if record.op]


_SPARK = Feature.FILTER | Feature.START | Feature.CUT
_UNFILTERED = EVERYTHING & ~Feature.FILTER
BYTES = {
    "TrailFile.records": Asker(_raw_of_api, _raw, _UNFILTERED),
    "EXPORT PARQUET": Asker(_raw_of_parquet, _raw, FORWARD),
    "EXPORT ARROW": Asker(_raw_of_arrow, _raw, FORWARD),
    "Spark": Asker(_raw_of_spark, _raw, _SPARK),
    "SAVE": Asker(_saved, _raw_of_no_definitions, FORWARD & ~Feature.CUT, is_body),
    "--format jsonl": Asker(_data_of_json, _data, EVERYTHING),
    "EXPORT JSONL": Asker(_data_of_jsonl, _data, FORWARD),
    "EXPORT CSV": Asker(_data_of_csv, _data_of_bodies, FORWARD),
}
"""Every way to get at the bytes of the records that a question is about."""
ROWS = {
    "change_of": Asker(_api_rows, _rows, _UNFILTERED),
    "--format jsonl": Asker(_json_rows, _rows, EVERYTHING),
    "EXPORT JSONL": Asker(_jsonl_rows, _rows, FORWARD),
    "EXPORT CSV": Asker(_csv_rows, _rows, FORWARD),
    "EXPORT PARQUET": Asker(_parquet_rows, _rows, FORWARD),
    "EXPORT ARROW": Asker(_arrow_rows, _rows, FORWARD),
    "Spark": Asker(_spark_rows, _rows, _SPARK),
    **{
        f"EXPORT {format_name.upper()} BY TABLE": Asker(_by_table(format_name), _rows, FORWARD)
        for format_name in _FORMATS
    },
}
"""Every way to get at the rows that a question is about, with their values as text."""

"""Every format of EXPORT holds the records that a reader of the bytes finds which shares no line with the program."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from fixtures import TRAILS
from tests.logdump.export.rows import table_of
from tests.logdump.export.table_rows import TableRow, rows_in
from tests.logdump.line import Line
from tests.searching import in_turn
from tests.simulated.plain_reader import Columns, PlainRecord, read

OLD = [TRAILS / f"o{order}000000" for order in "tl"]
FILES = [TRAILS / f"{kind}{order}000000000" for kind in "erskmcdvh" for order in "tl"] + OLD
SCRIPTS = [path for path in FILES if path.name[0] in "erc"]
FORMATS = ["jsonl", "csv", "parquet", "arrow"]


class Row(NamedTuple):
    """What a format of records and the plain reader both say of a record."""

    rba: int
    length: int
    io_type: int
    trans_ind: int
    table: str
    before: Columns | None
    after: Columns | None
    data: bytes


def _sign(path: Path) -> str:
    return "<" if path.name[1] == "l" else ">"


def _plain(path: Path) -> list[PlainRecord]:
    return list(read(path.read_bytes(), _sign(path)))


def _exported(path: Path, words: str, target: Path) -> Path:
    line = Line()
    line(f"open {path}; export {words.replace('T', str(target), 1)}")
    line.session.close()
    return target


def _image(columns: Iterable[dict[str, Any]] | None) -> Columns | None:
    if columns is None:
        return None
    return {
        column["index"]: None if column.get("is_null", column.get("null")) else _bytes(column) for column in columns
    }


def _bytes(column: dict[str, Any]) -> bytes:
    """The bytes of a column behind its indicator, which JSON has in front of them."""
    return column["bytes"] if "bytes" in column else bytes.fromhex(column["hex"])[2:]


def _row_of_text(cells: dict[str, Any]) -> Row:
    rba, length, io_type, trans_ind = (int(cells[name]) for name in ("rba", "length", "io_type", "trans_ind"))
    before, after = _image(cells["before"] or None), _image(cells["after"] or None)
    return Row(rba, length, io_type, trans_ind, cells["table"] or "", before, after, bytes.fromhex(cells["data"] or ""))


def _row_of_arrow(cells: dict[str, Any]) -> Row:
    rba, length, io_type, trans_ind = (cells[name] for name in ("rba", "length", "op_code", "trans_ind"))
    before, after = _image(cells["before"] or None), _image(cells["after"] or None)
    return Row(rba, length, io_type, trans_ind, cells["table"] or "", before, after, cells["raw"])


def _rows(path: Path, format_: str) -> list[Row]:
    if format_ in ("parquet", "arrow"):
        return [_row_of_arrow(row) for row in table_of(path, format_).to_pylist() if row["op_code"] is not None]
    with path.open(encoding="utf-8", newline="") as file:
        if format_ == "jsonl":
            return [_row_of_text(item) for item in map(json.loads, file) if item["type"] == "record"]
        lists = ("before", "after")
        return [
            _row_of_text(fields | {side: json.loads(fields[side] or "null") for side in lists})
            for fields in csv.DictReader(file, strict=True)
        ]


@pytest.mark.parametrize(
    ("format_", "path"), in_turn(FORMATS, FILES), ids=lambda parameter: getattr(parameter, "name", None)
)
def test_one_file_holds_exactly_the_records_of_the_trail(format_: str, path: Path, tmp_path: Path) -> None:
    is_arrow = format_ in ("parquet", "arrow")
    expected = [
        Row(
            record.rba,
            record.length,
            record.io_type,
            record.trans_ind,
            record.table,
            record.before or None,
            record.after or None,
            record.raw if is_arrow else record.data,
        )
        for record in _plain(path)
    ]
    assert _rows(_exported(path, f"{format_} to T", tmp_path / "out"), format_) == expected


def _table_row(record: PlainRecord) -> TableRow:
    data = "" if record.columns else record.data.hex()
    return TableRow(record.table, record.op, record.trans_ind, record.csn, record.values, data)


@pytest.mark.parametrize(
    ("format_", "path"), in_turn(FORMATS, FILES), ids=lambda parameter: getattr(parameter, "name", None)
)
def test_the_files_of_tables_hold_exactly_their_rows(format_: str, path: Path, tmp_path: Path) -> None:
    expected = {record.rba: _table_row(record) for record in _plain(path) if record.op}
    assert rows_in(_exported(path, f"{format_} to T by table", tmp_path / "out"), format_) == expected


_HEAD = re.compile(
    r"-- Transaction (?P<xid>.*) CSN (?P<csn>\S*) .* RBA (?P<first>\d+) to (?P<end>\d+), (?P<count>\d+) records?"
)
_STATEMENT = re.compile(r'(INSERT INTO|UPDATE|DELETE FROM|TRUNCATE TABLE) "(\w+)"\."(\w+)"')
_VERBS = {"INSERT": "INSERT INTO", "DELETE": "DELETE FROM", "TRUNCATE": "TRUNCATE TABLE"}


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_the_script_has_each_transaction_and_a_statement_for_each_change(path: Path, tmp_path: Path) -> None:
    text = _exported(path, "sql to T ansi", tmp_path / "out").read_text(encoding="utf-8")
    rows = [record for record in _plain(path) if record.op]
    firsts = [at for at, record in enumerate(rows) if record.trans_ind in (0, 3)]
    transactions = [rows[at:end] for at, end in pairwise([*firsts, len(rows)])]
    found = [(head["csn"], *map(int, head.group("first", "end", "count"))) for head in _HEAD.finditer(text)]
    assert found == [(all_[0].csn, all_[0].rba, all_[-1].rba + all_[-1].length, len(all_)) for all_ in transactions]
    changes = [record for record in rows if not (record.op.endswith("UPDATE") and record.after is None)]
    expected = [(_VERBS.get(record.op, "UPDATE"), *record.table.split(".")) for record in changes]
    assert [match.groups() for match in map(_STATEMENT.match, text.splitlines()) if match] == expected
    assert len(text.splitlines()) == len(expected) + 3 * len(transactions)

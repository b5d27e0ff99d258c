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
    return {one["index"]: None if one.get("is_null", one.get("null")) else _bytes(one) for one in columns}


def _bytes(column: dict[str, Any]) -> bytes:
    """The bytes of a column behind its indicator, which JSON has in front of them."""
    return column["bytes"] if "bytes" in column else bytes.fromhex(column["hex"])[2:]


def _row_of_text(one: dict[str, Any]) -> Row:
    rba, length, io_type, trans_ind = (int(one[name]) for name in ("rba", "length", "io_type", "trans_ind"))
    before, after = _image(one["before"] or None), _image(one["after"] or None)
    return Row(rba, length, io_type, trans_ind, one["table"] or "", before, after, bytes.fromhex(one["data"] or ""))


def _row_of_arrow(one: dict[str, Any]) -> Row:
    rba, length, io_type, trans_ind = (one[name] for name in ("rba", "length", "op_code", "trans_ind"))
    before, after = _image(one["before"] or None), _image(one["after"] or None)
    return Row(rba, length, io_type, trans_ind, one["table"] or "", before, after, one["raw"])


def _rows(path: Path, format_: str) -> list[Row]:
    if format_ in ("parquet", "arrow"):
        return [_row_of_arrow(one) for one in table_of(path, format_).to_pylist() if one["op_code"] is not None]
    with path.open(encoding="utf-8", newline="") as file:
        if format_ == "jsonl":
            return [_row_of_text(one) for one in map(json.loads, file) if one["type"] == "record"]
        lists = ("before", "after")
        return [
            _row_of_text(one | {side: json.loads(one[side] or "null") for side in lists})
            for one in csv.DictReader(file, strict=True)
        ]


@pytest.mark.parametrize(("format_", "path"), in_turn(FORMATS, FILES), ids=lambda one: getattr(one, "name", None))
def test_one_file_holds_exactly_the_records_of_the_trail(format_: str, path: Path, tmp_path: Path) -> None:
    is_arrow = format_ in ("parquet", "arrow")
    expected = [
        Row(
            one.rba,
            one.length,
            one.io_type,
            one.trans_ind,
            one.table,
            one.before or None,
            one.after or None,
            one.raw if is_arrow else one.data,
        )
        for one in _plain(path)
    ]
    assert _rows(_exported(path, f"{format_} to T", tmp_path / "out"), format_) == expected


def _table_row(one: PlainRecord) -> TableRow:
    data = "" if one.columns else one.data.hex()
    return TableRow(one.table, one.op, one.trans_ind, one.csn, one.values, data)


@pytest.mark.parametrize(("format_", "path"), in_turn(FORMATS, FILES), ids=lambda one: getattr(one, "name", None))
def test_the_files_of_tables_hold_exactly_their_rows(format_: str, path: Path, tmp_path: Path) -> None:
    expected = {one.rba: _table_row(one) for one in _plain(path) if one.op}
    assert rows_in(_exported(path, f"{format_} to T by table", tmp_path / "out"), format_) == expected


_HEAD = re.compile(
    r"-- Transaction (?P<xid>.*) CSN (?P<csn>\S*) .* RBA (?P<first>\d+) to (?P<end>\d+), (?P<count>\d+) records?"
)
_STATEMENT = re.compile(r'(INSERT INTO|UPDATE|DELETE FROM|TRUNCATE TABLE) "(\w+)"\."(\w+)"')
_VERBS = {"INSERT": "INSERT INTO", "DELETE": "DELETE FROM", "TRUNCATE": "TRUNCATE TABLE"}


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_the_script_has_each_transaction_and_a_statement_for_each_change(path: Path, tmp_path: Path) -> None:
    text = _exported(path, "sql to T ansi", tmp_path / "out").read_text(encoding="utf-8")
    rows = [one for one in _plain(path) if one.op]
    firsts = [at for at, one in enumerate(rows) if one.trans_ind in (0, 3)]
    transactions = [rows[at:end] for at, end in pairwise([*firsts, len(rows)])]
    found = [(one["csn"], *map(int, one.group("first", "end", "count"))) for one in _HEAD.finditer(text)]
    assert found == [(all_[0].csn, all_[0].rba, all_[-1].rba + all_[-1].length, len(all_)) for all_ in transactions]
    changes = [one for one in rows if not (one.op.endswith("UPDATE") and one.after is None)]
    expected = [(_VERBS.get(one.op, "UPDATE"), *one.table.split(".")) for one in changes]
    assert [one.groups() for one in map(_STATEMENT.match, text.splitlines()) if one] == expected
    assert len(text.splitlines()) == len(expected) + 3 * len(transactions)

"""The rows of tables, written out by hand: every value, NULL and problem of them, whichever way they are made."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.logdump.filters.by_hand import MINUTE, NINE
from tests.logdump.line import Line
from tests.trailformat.samples import column, header, metadata_record, trail_of
from tests.trailformat.values.kinds import of
from trailformat import ByteOrder, Column, Images, Record, TableDefinition, make_record, make_token
from trailformat.definitions.metadata import build_table
from trailformat.records.record_header import COMPRESSED, DELETE, INSERT, NAME_IS_INDEX, PURGE_DATA, UNIFIED_UPDATE

pa = pytest.importorskip("pyarrow", reason="Arrow files need pyarrow")

NULL = b"\xff\xff\0\0"
FIXED = ["file", "rba", "op", "csn", "xid", "time", "trans_ind"]
IMAGES = ["before_QTY", "before_NOTE", "after_QTY", "after_NOTE"]


def _integer(value: int) -> Column:
    return Column(0, b"\0\0" + value.to_bytes(8, "big", signed=True))


def _text(value: bytes, order: ByteOrder, index: int = 1) -> Column:
    return Column(index, b"\0\0" + len(value).to_bytes(2, order.word) + value)


def _row(data: Images | bytes, order: ByteOrder, table: int | str = 1, io_type: int = INSERT, **fields: Any) -> Record:
    csn = fields.pop("csn", None)
    tokens = [] if csn is None else [make_token("L", csn), make_token("6", b"5.1.7")]
    plain = {"partition": COMPRESSED | NAME_IS_INDEX, "io_time": NINE, "trans_ind": 3}
    return make_record(header(table, order, io_type=io_type, **{**plain, **fields}), data, tokens, order=order)


def _definition(order: ByteOrder) -> Record:
    columns = (column("QTY", scale=0), of(64)._replace(name="NOTE"))
    return metadata_record(2, 1, "TEA.POTS", build_table(TableDefinition(1, 1, columns), order), order)


def _records(order: ByteOrder) -> list[tuple[Record, dict[str, Any] | None]]:
    """Each record with what differs from an empty row of its file; None for one that is no row."""
    both = Images((_integer(7), _text(b"leaf", order)), (_integer(-8), Column(1, NULL)), 4)
    cut = _row(Images(None, (_integer(5),)), order).data + b"\0"
    return [
        (_definition(order), None),
        (
            _row(Images(None, (_integer(7), _text(b"leaf", order))), order, csn=b"100", trans_ind=0),
            {"op": "INSERT", "csn": "100", "xid": "5.1.7", "trans_ind": 0, "after_QTY": 7, "after_NOTE": "leaf"},
        ),
        (
            _row(both, order, io_type=UNIFIED_UPDATE, trans_ind=2, io_time=NINE + MINUTE + 1),
            {
                "op": "UPDATE",
                "csn": "100",
                "xid": "5.1.7",
                "trans_ind": 2,
                "time": datetime(2024, 3, 14, 9, 1, 0, 1, UTC),
                "before_QTY": 7,
                "before_NOTE": "leaf",
                "after_QTY": -8,
                "nulls": ["after_NOTE"],
            },
        ),
        (
            _row(Images((_text(b"", order),), None), order, io_type=DELETE, before_after=ord("B")),
            {"op": "DELETE", "before_NOTE": ""},
        ),
        (
            _row(Images((Column(0, NULL), Column(1, NULL)), None), order, io_type=DELETE, before_after=ord("B")),
            {"op": "DELETE", "nulls": ["before_QTY", "before_NOTE"]},
        ),
        (
            _row(Images(None, (Column(0, b"\0\0abc"), _text(b"x", order), Column(2, b"\0\0zz"))), order),
            {"op": "INSERT", "after_NOTE": "x", "problems": [("QTY", "after", b"abc"), ("#2", "after", b"zz")]},
        ),
        (_row(cut, order), {"op": "INSERT", "problems": [(None, None, cut)]}),
        (
            _row(Images(None, (_integer(1),)), order, io_time=5),
            {"op": "INSERT", "after_QTY": 1, "time": None, "problems": [("time", None, (5).to_bytes(8, "big"))]},
        ),
        (_row(b"", order, io_type=PURGE_DATA), {"op": "TRUNCATE"}),
    ]


def _trail(folder: Path, order: ByteOrder) -> tuple[Path, list[dict[str, Any]]]:
    """The trail, and its rows as they should be."""
    made = _records(order)
    path, rba, rows = trail_of(folder, *(record for record, _ in made)), 0, []
    for record, told in made:
        if told is not None:
            empty = {"csn": None, "xid": None, "time": datetime(2024, 3, 14, 9, tzinfo=UTC), "trans_ind": 3}
            images = dict.fromkeys([*IMAGES, "nulls", "problems"])
            rows.append({"file": str(path), "rba": rba, **empty, **images, **told})
        rba += len(record.raw)
    return path, rows


def _exported(path: Path, format_: str, target: Path) -> Path:
    line = Line()
    line(f"open {path}; export {format_} to {target} by table")
    line.session.close()
    assert not line.failures
    return target


@pytest.mark.parametrize("order", ByteOrder)
def test_as_arrow(order: ByteOrder, tmp_path: Path) -> None:
    path, expected = _trail(tmp_path, order)
    (file,) = _exported(path, "arrow", tmp_path / "out").iterdir()
    with pa.OSFile(str(file)) as source:
        table = pa.ipc.open_file(source).read_all()
    found = table.to_pylist()
    for row in found:
        told = [(problem["column"], problem["image"], problem["bytes"]) for problem in row["problems"] or ()]
        row["problems"] = sorted(told, reverse=True) or None
    assert file.name == "TEA.POTS.arrow"
    assert table.column_names == [*FIXED, *IMAGES, "nulls", "problems"]
    assert found == expected


@pytest.mark.parametrize("order", ByteOrder)
def test_as_lines_of_json(order: ByteOrder, tmp_path: Path) -> None:
    path, expected = _trail(tmp_path, order)
    (file,) = _exported(path, "jsonl", tmp_path / "out").iterdir()
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    reasons = [problem.pop("reason") for line in lines for problem in line["problems"]]
    assert file.name == "TEA.POTS.jsonl"
    assert lines == [_in_json(row) for row in expected]
    assert reasons == [
        "INT64: wrong size of the value; expected 8 bytes; found 3 bytes",
        "no definition of this column",
        "column at byte 14 does not fit into the 15 bytes around it",
        "outside the years 1 to 9999",
    ]


def _in_json(row: dict[str, Any]) -> dict[str, Any]:
    """A row as a line has it: values as text, no member where an image has not got the column."""
    time = row["time"] and row["time"].strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    images = {name: str(row[name]) for name in IMAGES if row[name] is not None}
    bad = [f"{image}_{name}" for name, image, _ in row["problems"] or () if name == "QTY"]
    problems = [
        {"column": name, "image": image, "bytes": stored.hex()} for name, image, stored in row["problems"] or ()
    ]
    fixed = {name: row[name] for name in FIXED} | {"time": time, "problems": problems}
    return fixed | images | dict.fromkeys([*(row["nulls"] or ()), *bad])


@pytest.mark.parametrize(
    ("data", "problems"),
    [(b"leaf", [{"column": None, "image": None, "bytes": "", "reason": "no definition of its columns"}]), (b"", [])],
)
def test_lines_of_rows_without_a_definition(data: bytes, problems: list[dict[str, Any]], tmp_path: Path) -> None:
    path = trail_of(tmp_path, _row(data, ByteOrder.BIG, "TEA.LEAVES", partition=COMPRESSED, io_type=PURGE_DATA))
    (file,) = _exported(path, "jsonl", tmp_path / "out").iterdir()
    (line,) = [json.loads(text) for text in file.read_text(encoding="utf-8").splitlines()]
    assert file.name == "TEA.LEAVES.undefined.jsonl"
    assert (line["op"], line["data"], line["problems"]) == ("TRUNCATE", data.hex(), problems)


@pytest.mark.parametrize(
    ("continued", "reason"),
    [
        (0, "column at byte 14 does not fit into the 15 bytes around it"),
        (1, "its columns continue in the records that follow"),
    ],
)
def test_a_row_that_is_cut_says_why_it_has_no_columns(continued: int, reason: str, tmp_path: Path) -> None:
    order = ByteOrder.BIG
    cut = _row(_row(Images(None, (_integer(5),)), order).data + b"\0", order, continued=continued)
    path = trail_of(tmp_path, _definition(order), cut)
    (file,) = _exported(path, "jsonl", tmp_path / "out").iterdir()
    (line,) = [json.loads(text) for text in file.read_text(encoding="utf-8").splitlines()]
    assert [(problem["column"], problem["reason"]) for problem in line["problems"]] == [(None, reason)]

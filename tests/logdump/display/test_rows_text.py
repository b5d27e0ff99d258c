"""Rows of SQL as a table, and as JSON."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest

from logdump.arrow.plain_values import plain
from logdump.display import json_lines
from logdump.display.text import render
from logdump.features.sql.model import RowsShown
from logdump.session.settings import Settings
from tests.searching import Random


def lines(columns: tuple[str, ...], *rows: tuple[object, ...]) -> list[str]:
    return list(render(RowsShown(columns, rows), Settings()))


def test_text_stands_left_and_numbers_right() -> None:
    assert lines(("op", "n", "share"), ("Insert", 7, 0.5), ("Delete", 12, None)) == [
        "op       n  share",
        "------  --  -----",
        "Insert   7    0.5",
        "Delete  12   NULL",
        "2 rows",
    ]


def test_a_column_of_numbers_stands_right_whatever_is_null_and_one_without_any_left() -> None:
    """A truth is no number, nor is a column of NULLs alone."""
    rows = [(None, 1, True, None), (10, None, False, None), (None, 300, None, None)]
    assert lines(("first", "n", "is_so", "none"), *rows)[2:-1] == [
        " NULL     1  true   NULL",
        "   10  NULL  false  NULL",
        " NULL   300  NULL   NULL",
    ]


def test_no_rows_and_one_row() -> None:
    assert lines(("op",)) == ["op", "--", "0 rows"]
    assert lines(("op",), ("Insert",))[-1] == "1 row"


def test_wide_characters_take_two_columns() -> None:
    assert lines(("tea", "n"), ("玉露", 1), ("Assam", 2))[2:4] == ["玉露   1", "Assam  2"]


def test_control_characters_do_not_reach_the_terminal() -> None:
    assert lines(("\x1b[2J",), ("\x07\n",))[0:3:2] == ["\\x1b[2J", "\\x07\\n"]


def test_a_long_value_is_cut() -> None:
    [cell] = lines(("raw",), (b"\xab" * 100,))[2:-1]
    assert cell == "ab" * 39 + "a…"


def test_a_table_that_is_wider_than_the_terminal_is_shown_row_by_row() -> None:
    columns, rows = ("op", "statement"), [("Insert", "x" * 70), ("Delete", "玉露")]
    assert [*render(RowsShown(columns, rows, 80), Settings())][1].startswith("------")
    assert [*render(RowsShown(columns, rows, 40), Settings())] == [
        "row 1",
        "  op         Insert",
        "  statement  " + "x" * 26 + "…",
        "row 2",
        "  op         Delete",
        "  statement  玉露",
        "2 rows",
    ]


@pytest.mark.parametrize("width", [1, 2, 5, 20])
def test_a_terminal_of_few_columns_has_rows_too(width: int) -> None:
    assert len([*render(RowsShown(("a" * 30, "b"), [("c" * 30, 1)], width), Settings())]) == 4


def test_columns_of_one_name() -> None:
    assert lines(("op", "op"), ("Insert", "Delete"))[2] == "Insert  Delete"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (b"\x00\xff", "00ff"),
        (datetime(2024, 3, 14, 9, 31, 0, 5, UTC), "2024-03-14T09:31:00.000005Z"),
        (datetime(2024, 3, 14, 9, 31, tzinfo=timezone(timedelta(hours=2))), "2024-03-14T07:31:00.000000Z"),
        (datetime(2024, 3, 14, 9, 31), "2024-03-14T09:31:00.000000"),  # noqa: DTZ001 - TIMESTAMP_NTZ
        (datetime(1, 1, 1, tzinfo=UTC), "0001-01-01T00:00:00.000000Z"),
        (date(2024, 3, 14), "2024-03-14"),
        (Decimal("8.90"), "8.90"),
        (Decimal(41882317), 41882317),
        (float("nan"), "nan"),
        ({"index": 0, "bytes": b"\x01"}, {"index": 0, "bytes": "01"}),
        ([b"\x01", None], ["01", None]),
        ([("TK", "1"), ("TK", "2")], {"TK": "1", "TK_2": "2"}),
        (True, True),
        (timedelta(seconds=5), "00:00:05"),
    ],
)
def test_values(value: object, shown: Any) -> None:
    assert plain(value) == shown


def test_a_row_is_an_object_of_its_own() -> None:
    event = RowsShown(("op", "op", "n"), (("Insert", "Delete", 2**60), ("\x1b", None, 1)))
    assert [json.loads(text) for text in json_lines.render(event, Settings())] == [
        {"type": "row", "values": {"op": "Insert", "op_2": "Delete", "n": str(2**60)}},
        {"type": "row", "values": {"op": "\x1b", "op_2": None, "n": 1}},
    ]


def test_an_interval_is_shown_as_duckdb_shows_it() -> None:
    """Drawn: years, months, days and times of either sign, and each of them none."""
    duckdb, random = pytest.importorskip("duckdb"), Random("intervals")
    parts = {"months": (0, 1, 5, 12, 14, 30), "days": (0, 1, 2, 400), "microseconds": (0, 1, 60_000_000, 3_723_004_500)}
    units = []
    for _ in range(40):
        chosen = {unit: random.choice((-1, 1)) * random.choice(sizes) for unit, sizes in parts.items()}
        units.append(" + ".join(f"to_{unit}({count})" for unit, count in chosen.items()))
    rows = duckdb.sql(" union all ".join(f"select {text} as i, ({text})::varchar as t" for text in units)).arrow()
    table = rows.read_all() if hasattr(rows, "read_all") else rows
    shown = [plain(value) for batch in table.to_batches() for value in batch.column(0).to_pylist()]
    assert shown == table.column(1).to_pylist()

"""What text adds below Logdump's own lines, and where JSON has the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from logdump.render.addition_text import ddl_lines
from tests.logdump.line import Line
from tests.logdump.program import logdump


def _open(line: Line, path: Path, detail: str) -> Line:
    line(f"open {path}; detail {detail}")
    return line


def test_a_piece_says_its_place_as_logdump_does_and_where_its_row_is(line: Line, trails: Path) -> None:
    said = _open(line, trails / "kt000000000", "on")("pos 2252; n")
    assert said[-2:] == ["Column 1, LOB fragment 2 of 4", "NAME, bytes 64 to 127 of 219, base record at RBA 1811"]


def test_a_piece_of_an_unknown_layout_is_counted(line: Line, trails: Path) -> None:
    assert (
        _open(line, trails / "pt000000000", "on")("pos 2212; n")[-1] == "LOB fragment 3 of 4, base record at RBA 1811"
    )


def test_a_fragment_is_counted(line: Line, trails: Path) -> None:
    _open(line, trails / "pt000000000", "on")
    assert line("pos 2517; n")[-1] == "Record fragment 1, base record at RBA 2407"
    assert line("n")[-1] == "Record fragment 2 of 2, base record at RBA 2407"


def test_a_cut_record_shows_the_columns_of_the_whole(line: Line, trails: Path) -> None:
    said = _open(line, trails / "pt000000000", "data")("pos 2407; n")
    assert "Columns cannot be shown: they go on in the record fragments that follow" in said
    assert "With its fragments 82 bytes:" in said
    assert "Column 5 (0x0005), Length 10 (0x000a)." in said


@pytest.mark.parametrize("rba", [1811, 1980, 2407, 2517])
def test_with_detail_off_nothing_is_added(rba: int, line: Line, trails: Path) -> None:
    said = _open(line, trails / "pt000000000", "off")(f"pos {rba}; n")
    assert not [text for text in said if "fragment" in text.lower() and "RecordFragment" not in text]


def test_a_lost_fragment_is_a_notice(line: Line, trails: Path, tmp_path: Path) -> None:
    path = tmp_path / "pt000000000"
    path.write_bytes((trails / "pt000000000").read_bytes()[:2599])
    said = _open(line, path, "on")("pos 2407; n")
    assert said[-1].endswith("a record fragment is missing")


def test_ddl_shows_its_statement_under_detail_data(line: Line, trails: Path) -> None:
    said = _open(line, trails / "dt000000000", "data")("sft ddlop")
    assert said[-9:] == [
        "csn         : 41882317",
        "sequence    : 0",
        "owner       : TEAHOUSE",
        "object      : TEAS",
        "object_type : TABLE",
        "operation   : CREATE",
        "ddl_table   : GGADMIN.GGS_DDL_HIST",
        "statement:",
        " create table teas (tea_code varchar(6) default 'n/a' primary key)",
    ]


def test_detail_on_shows_no_statement(line: Line, trails: Path) -> None:
    assert "statement:" not in _open(line, trails / "dt000000000", "on")("sft ddlop")


def test_comments_stand_apart_and_lines_stay_lines() -> None:
    text = b",C1='create table t -- of tea\n (c int) /* GOLDENGATE_DDL_REPLICATION */',"
    assert list(ddl_lines(text)) == [
        "comment     : -- of tea",
        "comment     : /* GOLDENGATE_DDL_REPLICATION */",
        "statement:",
        " create table t",
        "  (c int)",
    ]


def test_control_characters_of_a_statement_are_escaped() -> None:
    assert list(ddl_lines(b",C1='drop \x1b[31mtable t',"))[-1] == r" drop \x1b[31mtable t"


def objects(path: Path) -> list[dict[str, Any]]:
    lines = logdump("--format", "jsonl", "-c", f"open {path}; next 100").out.splitlines()
    return [one for one in map(json.loads, lines) if one["type"] == "record"]


def test_json_has_the_place_of_a_part(trails: Path) -> None:
    segments = [one["segment"] for one in objects(trails / "kl000000000") if one["segment"]]
    assert segments[0] == {
        "kind": "lob_piece",
        "base_file": str(trails / "kl000000000"),
        "base_rba": segments[1]["base_rba"],
        "number": 1,
        "pieces": 4,
        "column": 1,
        "offset": 0,
        "total": 219,
    }


def test_json_has_the_columns_of_the_whole_record(trails: Path) -> None:
    (cut,) = [one for one in objects(trails / "pt000000000") if one["continued"] and one["io_type"] == 5]
    assert [column["name"] for column in cut["after"]] == ["TEA_CODE", "NAME", "ORIGIN", "GRADE", "PRICE", "STOCK_KG"]
    assert cut["problems"] == []

"""What VALUES adds below Logdump's own lines, and where JSON has the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from logdump.display.values_text import ddl_lines
from tests.logdump.line import Line
from tests.logdump.program import logdump


def _open(line: Line, path: Path, switches: str = "values on") -> Line:
    line(f"open {path}; {switches}")
    return line


def test_a_piece_says_its_place_and_where_its_row_is(line: Line, trails: Path) -> None:
    said = _open(line, trails / "kt000000000")("pos 2252; n")
    assert said[-1] == "LOB fragment 2 of 4, column 1 NAME, bytes 64 to 127 of 219, base record at RBA 1811"


def test_a_piece_of_an_unknown_layout_is_counted(line: Line, trails: Path) -> None:
    assert _open(line, trails / "pt000000000")("pos 2212; n")[-1] == "LOB fragment 3 of 4, base record at RBA 1811"


def test_a_fragment_is_counted(line: Line, trails: Path) -> None:
    _open(line, trails / "pt000000000")
    assert line("pos 2517; n")[-1] == "Record fragment 1, base record at RBA 2407"
    assert line("n")[-1] == "Record fragment 2 of 2, base record at RBA 2407"


def test_a_cut_record_shows_the_columns_of_the_whole_where_detail_shows_columns(line: Line, trails: Path) -> None:
    said = _open(line, trails / "pt000000000", "values on; detail data")("pos 2407; n")
    assert "With its fragments 82 bytes:" in said
    assert "Column 5 (0x0005), Length 10 (0x000a)." in said
    assert "With its fragments 82 bytes:" not in line("detail off; pos 2407; n")


def test_a_cut_record_without_values_says_beside_its_lines_where_its_columns_are(trails: Path) -> None:
    path = trails / "pt000000000"
    answer = logdump("-c", f"open {path}; detail on; pos 2407; n")
    assert answer.err == (
        f"{path}, RBA 2407: the columns continue in the record fragments that follow: VALUES ON shows the whole\n"
    )
    assert answer.status == 0
    assert not logdump("-c", f"open {path}; pos 2407; n").err


def test_a_lost_fragment_is_a_notice(line: Line, trails: Path, tmp_path: Path) -> None:
    path = tmp_path / "pt000000000"
    path.write_bytes((trails / "pt000000000").read_bytes()[:2599])
    said = _open(line, path)("pos 2407; n")
    assert said[-1].endswith("a record fragment is missing")


def test_ddl_shows_its_items_and_its_statement(line: Line, trails: Path) -> None:
    said = _open(line, trails / "dt000000000")("sft ddlop")
    assert said[-9:] == [
        "marker_sequence : 41882317",
        "object_id       : 0",
        "owner           : TEAHOUSE",
        "object          : TEAS",
        "object_type     : TABLE",
        "operation       : CREATE",
        "history_table   : GGADMIN.GGS_DDL_HIST",
        "statement:",
        " create table teas (tea_code varchar(6) default 'n/a' primary key)",
    ]


def test_items_whose_meaning_is_not_known_stand_under_their_ids() -> None:
    assert list(ddl_lines(b",C21='x',,C17('1')='NLS_LANGUAGE',,@@")) == [
        "C21             : x",
        "nls_parameter('1'): NLS_LANGUAGE",
        "(no item)       : ,@@",
    ]


def test_comments_stand_apart_and_lines_stay_lines() -> None:
    text = b",C1='create table t -- of tea\n (c int) /* GOLDENGATE_DDL_REPLICATION */',"
    assert list(ddl_lines(text)) == [
        "comment         : -- of tea",
        "comment         : /* GOLDENGATE_DDL_REPLICATION */",
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

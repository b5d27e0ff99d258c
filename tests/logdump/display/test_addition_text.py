"""What VALUES adds below Logdump's own lines, and where JSON has the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from logdump.display.values_text import ddl_lines
from logdump.session.settings import Level
from tests.logdump.display.records import a_record, lines_of
from tests.logdump.line import Line
from tests.logdump.program import logdump
from trailformat import ByteOrder, Record, make_column, make_file_header, make_file_header_record, make_token
from trailformat.codec.tokens import build_tokens, parse_tokens
from trailformat.records.columns import build_columns
from trailformat.records.record import build_record

TOKENS = (make_token("L", b"41882317"), make_token("t", info=1), make_token("q", b"?"), make_token(7, b""))


def test_headertoken_on_lists_the_tokens_of_a_record() -> None:
    record = a_record(b"data", tokens=TOKENS, user_tokens=b"A\0b\0")
    assert lines_of(record, headertoken=Level.ON)[:6] == [
        "TokenID x47 'G' Record Header    Info x01  Length  102",
        "TokenID x48 'H' GHDR             Info x00  Length   45",
        "TokenID x44 'D' Data             Info x00  Length    4",
        "TokenID x54 'T' GGS Tokens       Info x00  Length   25",
        "TokenID x55 'U' User Tokens      Info x00  Length    4",
        "TokenID x5a 'Z' Record Trailer   Info x01  Length  102",
    ]


def test_headertoken_detail_dumps_the_header_with_the_name_that_a_record_carries() -> None:
    shown = lines_of(a_record(), headertoken=Level.DETAIL)
    assert shown[2].startswith(" 4504 0041 ")
    assert shown[4] == f" {'4156 4553 00':<49} | AVES."


def test_headertoken_detail_shows_zeros_where_a_table_index_stands() -> None:
    shown = lines_of(a_record(name=0x0102), headertoken=Level.DETAIL)
    assert shown[3].split("|")[0].endswith("0000           ")


def test_headertoken_of_a_file_header_names_its_groups() -> None:
    record = make_file_header_record(make_file_header({"TrailInfo": {"Seqno": 1}, "MachineInfo": {"Sysname": "Linux"}}))
    assert lines_of(record, headertoken=Level.DETAIL)[:4] == [
        "TokenID x46 'F' File Header      Info x00  Length   35",
        "TokenID x30 '0' TrailInfo        Info x00  Length    8",
        "TokenID x31 '1' MachineInfo      Info x00  Length   11",
        "TokenID x5a 'Z' Record Trailer   Info x00  Length   35",
    ]


def test_ggstoken_on_dumps_the_bytes_detail_every_token() -> None:
    record = a_record(tokens=TOKENS)
    raw = lines_of(record, ggstoken=Level.ON)
    assert raw[4:6] == ["", "GGS tokens:"]
    assert raw[6].startswith(" 4c00 0008 3431 3838 3233 3137 7401 0000 ")
    assert lines_of(record, ggstoken=Level.DETAIL)[5:] == [
        "GGS tokens:",
        "TokenID x4c 'L' LOGCSN           Info x00  Length    8",
        f" {'3431 3838 3233 3137':<49} | 41882317",
        "TokenID x74 't' ORATAG           Info x01  Length    0",
        "TokenID x71 'q'                  Info x00  Length    1",
        f" {'3f':<49} | ?",
        "TokenID x07 '.'                  Info x00  Length    0",
    ]


def test_reclen_does_not_cut_tokens() -> None:
    long = a_record(tokens=(make_token("L", b"9" * 60),))
    assert len(lines_of(long, ggstoken=Level.DETAIL, reclen=10)) == 4 + 2 + 1 + 3


def test_a_record_without_ggs_tokens_has_no_block() -> None:
    assert not [line for line in lines_of(a_record(), ggstoken=Level.DETAIL) if "tokens" in line]


def test_ggs_tokens_that_do_not_decode_are_dumped() -> None:
    tokens = [*parse_tokens(a_record(b"x").body, ByteOrder.BIG), make_token("T", b"L\0\0\x09cut")]
    record = Record(build_record(1, build_tokens(tokens, ByteOrder.BIG), ByteOrder.BIG))
    assert lines_of(record, ggstoken=Level.DETAIL)[-1] == f" {'4c00 0009 6375 74':<49} | L...cut"


def test_usertoken_on_gives_lengths_detail_values() -> None:
    record = a_record(user_tokens=b"TKN-HOST\0samovar\0TKN-EMPTY\0\0")
    assert lines_of(record, usertoken=Level.ON)[4:] == [
        "",
        "User tokens:   28 bytes",
        "TKN-HOST              Length    7",
        "TKN-EMPTY             Length    0",
    ]
    assert lines_of(record, usertoken=Level.DETAIL)[6:] == ["TKN-HOST            : samovar", "TKN-EMPTY           : "]


def test_user_tokens_of_another_form_are_dumped() -> None:
    shown = lines_of(a_record(user_tokens=b"no end"), usertoken=Level.DETAIL)
    assert shown[-1] == f" {'6e6f 2065 6e64':<49} | no end"


def test_tokens_of_a_little_endian_record_are_read_in_its_order() -> None:
    columns = build_columns([make_column(1, b"x")], ByteOrder.LITTLE)
    record = a_record(columns, order=ByteOrder.LITTLE, tokens=TOKENS[:1])
    assert "TokenID x4c 'L' LOGCSN           Info x00  Length    8" in lines_of(record, ggstoken=Level.DETAIL)


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
    return [item for item in map(json.loads, lines) if item["type"] == "record"]


def test_json_has_the_place_of_a_part(trails: Path) -> None:
    segments = [item["segment"] for item in objects(trails / "kl000000000") if item["segment"]]
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
    (cut,) = [item for item in objects(trails / "pt000000000") if item["continued"] and item["io_type"] == 5]
    assert [column["name"] for column in cut["after"]] == ["TEA_CODE", "NAME", "ORIGIN", "GRADE", "PRICE", "STOCK_KG"]
    assert cut["problems"] == []

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from logdump.display.json_lines import render, shape_of
from logdump.display.json_shape import SCHEMA, Shape, exact
from logdump.notation.times import iso_time
from logdump.session.errors import ExitStatus
from logdump.session.events import Bad, Failure, Notice, Progress, say
from logdump.session.settings import Settings
from scripts.json_objects import PARTS, SHAPES
from tests.logdump.display.records import Alone, a_record
from tests.logdump.line import Line
from tests.logdump.program import logdump
from trailformat import BadRecord, TrailError, make_token

MEMBERS = {shape.name: [field.name for field in shape.members] for shape in SHAPES}


def objects(*commands: str) -> list[dict[str, Any]]:
    lines = logdump("--format", "jsonl", "-c", "; ".join(commands)).out.splitlines()
    return [json.loads(line) for line in lines]


def the_object(event: Any) -> dict[str, Any]:
    (line,) = render(event, Settings())
    assert line.isascii()
    assert line.isprintable()
    parsed: dict[str, Any] = json.loads(line)
    return parsed


def record_at(trail: Path, rba: int) -> dict[str, Any]:
    return objects(f"open {trail}", f"pos {rba}", "next")[-1]


@pytest.mark.parametrize(
    "name", ["et000000000", "el000000000", "ot000000", "pl000000000", "dt000000000", "ut000000000"]
)
def test_every_record_is_one_object_with_all_members(name: str, trails: Path) -> None:
    shown = objects(f"open {trails / name}", "next 1000")[1:]
    records = [item for item in shown if item["type"] in ("record", "file_header")]
    assert records[0]["type"] == "file_header"
    assert len(records) > 3
    for record in records:
        assert list(record) == ["type", *MEMBERS[record["type"]]]
        assert record["file"] == str(trails / name)


@pytest.mark.parametrize(
    ("words", "is_first_of"),
    [
        (["--format", "jsonl", "-c", "open {F}; pos 1811; next; count"], "text"),
        (["-c", "open {F}; pos 1811; format jsonl; pos; next 3"], "position"),
        (["count", "{F}", "--format", "jsonl"], "count"),
        (["safe", "{F}", "1811", "--format", "jsonl"], "safe_point"),
        (["list", "{F}", "--format", "jsonl"], "listed_record"),
        (["show", "{F}", "--format", "jsonl"], "file_header"),
        (["show", "{F}", "--format", "jsonl", "--op", "insert"], "record"),
    ],
)
def test_the_first_object_alone_has_the_number_of_the_schema(words: list[str], is_first_of: str, trails: Path) -> None:
    answer = logdump(*(word.replace("{F}", str(trails / "et000000000")) for word in words))
    first, *others = [json.loads(line) for line in answer.out.splitlines() if line.startswith("{")]
    assert first["type"] == is_first_of
    assert list(first)[:2] == ["type", "schema"]
    assert first["schema"] == SCHEMA
    assert [item for item in others if "schema" in item] == []


FORMER = {
    "spot": "place",
    "behind_damage": "after_damage",
    "taken": "statements",
    "definitions_taken": "definitions_copied",
}
"""Names of members that changed, and what they are now."""


@pytest.mark.parametrize("shape", [*SHAPES, *PARTS], ids=lambda shape: shape.name)
def test_a_renamed_member_stays_under_its_former_name(shape: Shape) -> None:
    members = {member.name: member for member in shape.members}
    former = {name for name in members if name in FORMER}
    assert former == {name for name, member in members.items() if "former name" in member.meaning}
    assert all(members[name].value is members[FORMER[name]].value for name in former)


@pytest.mark.parametrize(
    "commands",
    [
        ("cd {T}", "open at000000001", 'recovery over "at*" keep'),
        ("cd {T}", "open gt000000000", "repair to new000000000 dry"),
    ],
)
def test_objects_have_the_value_under_both_names(commands: tuple[str, ...], trails: Path) -> None:
    shown = objects(*(command.replace("{T}", str(trails)) for command in commands))
    renamed = [(item, name) for item in shown for name in FORMER if name in item]
    assert renamed, shown
    assert all(item[name] == item[FORMER[name]] for item, name in renamed)


def test_a_row_has_its_header_its_columns_and_its_tokens(trails: Path) -> None:
    row = record_at(trails / "et000000000", 1811)
    expected = {
        "rba": 1811,
        "length": 197,
        "io_type": 5,
        "io_type_name": "Insert",
        "table": "TEAHOUSE.TEAS",
        "table_index": 1,
        "time": "2024-03-14T09:31:00.000000Z",
        "trans_ind": 0,
        "before_after": "A",
        "audit_rba": 211,
        "audit_pos": "23409220",
        "csn": "41882317",
        "xid": "5.1.8801",
        "before": None,
        "problems": [],
    }
    assert {name: row[name] for name in expected} == expected
    price = {
        "index": 4,
        "name": "PRICE",
        "type": "NUMERIC(18,2)",
        "key": False,
        "null": False,
        "hex": "0000000000000000037a",
        "text": "8.90",
        "changed": None,
        "problem": None,
    }
    assert row["after"][4] == price
    assert [token["name"] for token in row["gg_tokens"]] == ["ORAROWID", "ORATAG", "LOGCSN", "TRANID"]
    assert bytes.fromhex(row["data"])[4:13] == b"\0\0\0\5SEN01"


def test_every_row_of_a_transaction_has_its_csn_and_xid(trails: Path) -> None:
    rows = [item for item in objects(f"open {trails / 'et000000000'}", "next 100") if item.get("table_index")]
    begun = None
    for row in rows:
        begun = row["csn"] if row["trans_ind"] in (0, 3) else begun
        assert row["csn"] == begun
        assert row["xid"]


def test_a_null_has_no_text(trails: Path) -> None:
    note = record_at(trails / "et000000000", 2722)["after"][5]
    assert (note["name"], note["null"], note["text"]) == ("NOTE", True, None)


def test_columns_without_a_definition_have_bytes_only(trails: Path) -> None:
    columns = objects(f"open {trails / 'ot000000'}", "sft insert")[-1]["after"]
    assert all(column["name"] is None and column["text"] is None and column["hex"] for column in columns)


@pytest.mark.parametrize("rba", [3987, 4767])
def test_a_unified_update_has_both_images(rba: int, trails: Path) -> None:
    update = record_at(trails / "et000000000", rba)
    assert len(update["before"]) > len(update["after"]) > 1


def test_metadata_is_decoded(trails: Path) -> None:
    database, table = objects(f"open {trails / 'et000000000'}", "pos 1130", "next 2")[2:]
    assert database["metadata"]["kind"] == "database"
    assert database["metadata"]["database"]["name"] == "TEADB"
    assert database["audit_rba"] is None
    assert table["table"] == "TEAHOUSE.TEAS"
    assert (table["metadata"]["kind"], table["metadata"]["tdr_index"]) == ("table", 1)
    assert [column["name"] for column in table["metadata"]["table"]["columns"]][:2] == ["TEA_CODE", "NAME"]


def test_ddl_is_taken_apart(trails: Path) -> None:
    ddl = objects(f"open {trails / 'dt000000000'}", "sft ddlop")[-1]["ddl"]
    statement = next(part["value"] for part in ddl if part["name"] == "statement")
    assert statement == "create table teas (tea_code varchar(6) default 'n/a' primary key)"


def test_the_file_header_has_its_groups_by_name(trails: Path) -> None:
    header = record_at(trails / "et000000000", 0)
    info = header["trail_info"]
    assert (info["compatibility"], info["first_csn"], info["last_csn"]) == (5, "41882317", None)
    assert info["creation_time"] == "2024-03-14T09:29:55.000000Z"
    assert info["x41"] == "ff" * 8
    assert header["machine_info"]["nodename"] == "samovar"
    assert record_at(trails / "ot000000", 0)["database_info"] is None


def test_switches_and_reclen_change_nothing(trails: Path) -> None:
    switches = "ghdr on; detail data; ggstoken detail; usertoken detail; headertoken on; fileheader detail"
    commands = (f"open {trails / 'ut000000000'}", "next 100")
    assert objects(switches, "reclen 1", *commands)[2:] == objects(*commands)[1:]


def test_count_gives_totals_and_with_detail_tables(trails: Path) -> None:
    plain, detailed = objects(f"open {trails / 'et000000000'}", "count", "count detail")[1:]
    assert (plain["records"], plain["data_bytes"], plain["transactions"]) == (22, 3584, 10)
    assert plain["types"][0] == {"io_type": 3, "io_type_name": "Delete", "records": 2}
    assert plain["types"][-1] == {"io_type": None, "io_type_name": "FileHeader", "records": 1}
    assert plain["tables"] is None
    assert sum(table["records"] for table in detailed["tables"]) == 22


def test_intervals_and_large_transactions_are_objects(trails: Path) -> None:
    shown = objects(f"open {trails / 'et000000000'}", "transhist 2; transreclimit 2", "count interval 5")
    intervals = [item for item in shown if item["type"] == "interval"]
    assert intervals[0]["start"] == "2024-03-14T09:30:00.000000Z"
    assert [transaction["rba"] for transaction in shown[-1]["transactions"]] == [1811, 3987]


def test_a_bad_record_is_an_object(trails: Path) -> None:
    path = trails / "gt000000000"
    bad = record_at(path, 3522)
    assert list(bad) == ["type", *MEMBERS["bad_record"]]
    expected = {"type": "bad_record", "file": str(path), "rba": 3522, "length": 109, "status": 4}
    assert {name: bad[name] for name in expected} == expected
    assert (bad["error"], bad["expected"]) == ("no record starts here", "header token x47 'G'")
    assert bad["found"]
    assert [item["length"] for item in objects(f"open {path}", "count") if item["type"] == "bad_record"] == [109]


def test_a_record_that_is_cut_off_is_a_bad_record_up_to_the_end(trails: Path) -> None:
    path = trails / "ct000000000"
    bad = objects(f"open {path}", "pos 5352", "next")[-1]
    assert (bad["type"], bad["length"]) == ("bad_record", path.stat().st_size - 5352)


def test_failures_and_notices_are_objects_too(trails: Path) -> None:
    failure, missing = objects("foo", "open /nowhere")
    assert (failure["type"], failure["status"], failure["error"]) == ("failure", 1, None)
    assert failure["lines"][0] == "Unknown command: FOO."
    assert (missing["type"], missing["file"], missing["status"]) == ("failure", "/nowhere", 4)
    notice = record_at(trails / "mt000000000", 2170)
    assert (notice["type"], notice["rba"], notice["length"]) == ("notice", 2170, 170)


def test_a_part_that_does_not_decode_is_null_and_said_so(trails: Path) -> None:
    shown = objects(f"open {trails / 'ut000000000'}", "next 100")
    broken = next(item for item in shown if item["type"] == "record" and item["gg_tokens"] is None)
    assert broken["csn"] is None
    assert any(problem.startswith("gg_tokens: ") for problem in broken["problems"])


def test_whatever_stands_in_a_trail_is_safe() -> None:
    hostile = "\x1b]0;\x07\ud800\u2028\0".encode("utf-8", "surrogatepass") + b"\xff"
    tokens = (make_token("L", hostile), make_token("q", hostile))
    shown = the_object(Alone(a_record(hostile, name="T\x1b\u2028\x07", tokens=tokens, user_tokens=hostile)))
    assert shown["table"] == "T\x1b\u2028\x07"
    assert shown["gg_tokens"][0]["text"] is None
    assert bytes.fromhex(shown["data"]) == hostile
    assert the_object(say("\udcff\x1b"))["lines"] == ["\udcff\x1b"]


def test_large_integers_are_strings() -> None:
    assert exact([2**53, 2**53 + 1, -(2**53) - 1, True, {"a": (2**64,)}]) == [
        2**53,
        "9007199254740993",
        "-9007199254740993",
        True,
        {"a": ["18446744073709551616"]},
    ]
    record = a_record(audit_pos=2**64 - 1, io_time=2**63 - 1)
    shown = the_object(Alone(record))
    assert shown["audit_pos"] == "18446744073709551615"
    assert (shown["time"], shown["julian_time"]) == (None, "9223372036854775807")


def test_times_have_four_digits_of_a_year() -> None:
    assert iso_time(0) is None
    assert iso_time(212577168660000001) == "2024-03-14T09:31:00.000001Z"
    first_year = iso_time(1721425 * 86_400_000_000 + 43_200_000_000)
    assert first_year == "0001-01-01T00:00:00.000000Z"


def test_members_are_named_in_snake_case_and_explained() -> None:
    for shape in (*SHAPES, *PARTS):
        names = [field.name for field in shape.members]
        assert len(names) == len(set(names)), shape.name
        assert all(name == name.lower() and name.isidentifier() for name in names), shape.name
        assert all(field.type and field.meaning for field in shape.members), shape.name


def test_every_event_finds_its_object() -> None:
    told = [shape for shape in SHAPES if shape.event is not None]
    assert [shape_of(shape.event) for shape in told if shape.event] == told


@pytest.mark.parametrize(
    ("event", "kind"),
    [
        (Failure(("x",)), "failure"),
        (Failure(("x",), ExitStatus.BAD_DATA, Bad(BadRecord("x", rba=1))), "bad_record"),
        (Notice(("x",)), "notice"),
        (Notice(("x",), bad=Bad(TrailError("x"))), "notice"),
        (Notice(("x",), bad=Bad(BadRecord("x"), 7)), "bad_record"),
        (Progress(10, 7, 0), "progress"),
    ],
)
def test_the_type_tells_what_an_object_is(event: Any, kind: str) -> None:
    shown = the_object(event)
    assert list(shown) == ["type", *MEMBERS[kind]]
    assert shown["type"] == kind


def test_format_switches_prompts_off_and_on_again(trails: Path) -> None:
    typed = f"format\nformat jsonl\nopen {trails / 'et000000000'}\nformat text\nformat\n"
    lines = logdump(typed=typed).out.splitlines()[5:]
    assert lines[0] == "Logdump 1 >Format is TEXT"
    assert lines[1].startswith('Logdump 2 >{"type":"text"')
    assert lines[2:] == ["Logdump 5 >Format is TEXT", "Logdump 6 >"]


def test_a_pipe_of_objects_has_no_banner_and_no_prompts(trails: Path) -> None:
    answer = logdump("--format", "jsonl", "open", str(trails / "ht000000000"), typed="next\nfoo\npos 7\nnext\n")
    assert [json.loads(line)["type"] for line in answer.out.splitlines()] == [
        "text",
        "file_header",
        "failure",
        "position",
        "no_record",
        "bad_record",
    ]
    assert answer.err == ""


def test_two_records_of_one_update_know_each_other_and_what_changed(trails: Path) -> None:
    before, after = (record_at(trails / "et000000000", rba) for rba in (3391, 3522))
    assert (before["operation"], before["other_rba"], after["other_rba"]) == ("UPDATE", 3522, 3391)
    assert (before["after"], after["before"]) == (None, None)
    assert [(column["name"], column["changed"]) for column in after["after"]] == [
        ("TEA_CODE", False),
        ("STOCK_KG", True),
    ]


def test_a_record_that_is_no_change_has_no_operation(trails: Path) -> None:
    record = record_at(trails / "ot000000", 561)
    assert (record["operation"], record["other_rba"]) == (None, None)


def test_a_value_that_does_not_decode_says_why(trails: Path) -> None:
    found = objects(f"open {trails / 'mt000000000'}", "pos 3435", "next")
    column = next(item for item in found if item["type"] == "record")["after"][0]
    assert (column["name"], column["type"], column["text"]) == (None, None, None)
    assert column["problem"] == "no definition of this column"


@pytest.mark.parametrize("is_open", [True, False])
def test_the_environment_has_every_line_of_the_text_as_a_setting(is_open: bool, line: Line, trails: Path) -> None:
    if is_open:
        line(f"open {trails / 'et000000000'}; pos 1811 rev")
    shown = [text.split(":", 1) for text in line("env")]
    described = the_object(line.events[0])
    assert list(described["settings"].values()) == [value.strip() for _, value in shown]
    assert len(described["settings"]) == len(shown)
    expected = (str(trails / "et000000000"), 5453, 1811, "reverse") if is_open else (None,) * 4
    assert tuple(described[name] for name in ("file", "end_of_file", "rba", "direction")) == expected

"""DDL: which statements are evaluated, what is said of them, and how it ends."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import Any

import pytest

from fixtures.capture import Capture
from fixtures.flavour import MYSQL_21, ORACLE_12, Flavour
from fixtures.headers import file_header
from fixtures.statements import EVERY_KIND
from logdump.commands import REGISTRY
from logdump.features.ddl.evaluation import EXTRACT_STEPS, REPLICAT_STEPS
from logdump.features.ddl.model import DdlCounted, DdlEvaluated
from logdump.language.execute import run_line
from logdump.session.errors import ExitStatus
from logdump.session.events import Notice
from scripts.marked import ROOT
from tests.logdump.commands.test_params import objects, written
from tests.logdump.ddl.files import evaluated, parameter_file
from tests.logdump.line import Line
from tests.logdump.program import logdump
from tests.searching import IS_LONG
from trailformat import TrailWriter
from trailformat.records.ddl import build_ddl
from trailformat.records.record_header import DDL_OP, RECORD_FRAGMENT

LARGE = "create table teahouse.big (" + ", ".join(f"column_{n:05} varchar(10)" for n in range(4000)) + ")"


@pytest.fixture
def statements(line: Line, trails: Path, tmp_path: Path) -> Line:
    """A session with a Replicat's file in which a trail of every kind of statement is open."""
    line(f"open {trails / 'zt000000000'}")
    line(f"params {written(tmp_path, 'REPLICAT r', 'DDL INCLUDE MAPPED', 'MAP teahouse.*, TARGET tea2.*;')}")
    return line


def evaluations(line: Line) -> list[DdlEvaluated]:
    return [evaluation for evaluation in line.events if isinstance(evaluation, DdlEvaluated)]


def test_the_next_statement_is_evaluated_and_the_position_stays(statements: Line) -> None:
    before = statements.session.cursor.next
    statements("ddl")
    assert [evaluation.base for evaluation in evaluations(statements)] == ["TEAHOUSE.HERBS"]
    assert statements.session.cursor.next == before


def test_statements_are_counted_from_the_position_on(statements: Line) -> None:
    statements("sft ddl; ddl all")
    assert len(evaluations(statements)) == len(EVERY_KIND) - 1
    statements("ddl 3")
    assert len(evaluations(statements)) == 3


def test_the_filter_applies(statements: Line) -> None:
    statements('filter include string "rename to"; ddl all')
    assert [evaluation.base for evaluation in evaluations(statements)] == ["TEAHOUSE.TISANES"]


def test_every_statement_of_the_fixture_has_its_operation_type_and_name(statements: Line) -> None:
    statements("ddl all")
    told = evaluations(statements)
    assert [(evaluation.operation, evaluation.object_type) for evaluation in told] == [
        (ddl.operation, ddl.object_type) for ddl in EVERY_KIND
    ]
    assert all(
        name.name in (evaluation.base or "") + (evaluation.derived or "")
        for evaluation, name in zip(told, EVERY_KIND, strict=True)
    )


def test_both_byte_orders_give_the_same(trails: Path, tmp_path: Path) -> None:
    path = written(tmp_path, "REPLICAT r", "MAP teahouse.*, TARGET tea2.*;")

    def told(trail: str) -> list[tuple[Any, ...]]:
        found = objects(f"open {trails / trail}", f"params {path}", "ddl all")
        members = ("operation", "object_type", "scope", "outcome", "step", "not_converted")
        evaluated = [item for item in found if item["type"] == "ddl_evaluation"]
        return [tuple(str(evaluation[name]).upper() for name in members) for evaluation in evaluated]

    assert told("zt000000000") == told("zl000000000")


def test_over_reads_whole_files_and_names_them(statements: Line, trails: Path) -> None:
    said = statements(f'ddl over "{trails / "z*"}"')
    assert len(evaluations(statements)) == 2 * len(EVERY_KIND)
    assert said[0].startswith(f"RBA 1036 of {trails / 'zl000000000'}, CSN ")
    assert said[-2:] == ["54 DDL statements", "  Replicat 50 applied, 4 left out"]


@pytest.mark.parametrize(
    "flavour", [ORACLE_12, MYSQL_21] if IS_LONG else [MYSQL_21], ids=lambda flavour: flavour.order.name
)
def test_a_statement_of_100_kilobytes_in_fragments_is_read_whole(flavour: Flavour, tmp_path: Path, line: Line) -> None:
    path = tmp_path / "tr000000000"
    items = [("B3", "teahouse"), ("B4", "big"), ("B5", "TABLE"), ("B6", "CREATE")]
    data = build_ddl(items) + f",C1='{LARGE}',".encode()
    pieces = [data[at : at + 30_000] for at in range(0, len(data), 30_000)]
    with TrailWriter(path, order=flavour.order, file_header=file_header(flavour)) as writer:
        capture = Capture(writer, flavour)
        capture.begin()
        for number, piece in enumerate(pieces, 1):
            kind, tokens = (DDL_OP, capture.transaction_tokens()) if number == 1 else (RECORD_FRAGMENT, ())
            capture.event(kind, piece, tokens, continued=int(number < len(pieces)), rec_count=len(pieces))
    line(f"params {written(tmp_path, 'REPLICAT r', 'MAP teahouse.*, TARGET tea2.*;')}; open {path}; ddl")
    (result,) = evaluations(line)
    assert len(LARGE) > 100_000
    assert result.statement == LARGE.replace("teahouse.big", "tea2.big")


def test_a_record_without_a_whole_statement_is_evaluated_by_its_items(line: Line, tmp_path: Path) -> None:
    path = tmp_path / "tr000000000"
    with TrailWriter(path, order=ORACLE_12.order, file_header=file_header(ORACLE_12)) as writer:
        capture = Capture(writer, ORACLE_12)
        capture.begin()
        capture.event(DDL_OP, b",B3='HR',,B4='T',,B5='TABLE',,B6='DROP',,C1='drop tab", capture.transaction_tokens())
    line(f"params {written(tmp_path, 'REPLICAT r', 'MAP hr.*, TARGET hr2.*;')}; open {path}; ddl")
    (result,) = evaluations(line)
    assert (result.base_target, result.statement) == ("hr2.T", "")
    assert result.problems == (
        "its record has no complete statement",
        "the text does not show the place of HR.T: no name in it is replaced",
    )


def test_damage_is_stepped_over_and_told(line: Line, trails: Path, tmp_path: Path) -> None:
    data = bytearray((trails / "zt000000000").read_bytes())
    data[1506:1510] = b"XXXX"
    (tmp_path / "tr000000000").write_bytes(data)
    line(f"params {written(tmp_path, 'REPLICAT r')}; open {tmp_path / 'tr000000000'}; ddl all")
    assert len(evaluations(line)) == len(EVERY_KIND) - 1
    notice, partial = [event for event in line.events if isinstance(event, Notice)]
    assert notice.status is partial.status is ExitStatus.BAD_DATA
    assert notice.bad is not None
    assert partial.lines == ("Damage at 1 place: this is partial, without a verdict.",)


@pytest.mark.parametrize("is_script", [True, False])
def test_ctrl_c_gives_what_there_is_so_far(statements: Line, *, is_script: bool) -> None:
    statements.session.is_script = is_script
    running = run_line(statements.session, REGISTRY, "ddl all")
    next(running)
    partial = running.throw(KeyboardInterrupt)
    said = "Stopped before the end: this is partial, without a verdict."
    assert partial == Notice((said,), ExitStatus.INTERRUPTED)
    counted = next(running)
    assert isinstance(counted, DdlCounted)
    assert counted.statements == 1
    with pytest.raises(KeyboardInterrupt):
        next(running)


@pytest.mark.parametrize(
    ("options", "status"),
    [("all", 0), ("all strict", 3), ("strict", 0), ("all strict whatif error 1", 3), ("all leftout strict", 3)],
)
def test_under_strict_the_exit_status_tells_of_what_does_not_get_through(
    options: str, status: int, trails: Path, tmp_path: Path
) -> None:
    path = written(tmp_path, "REPLICAT r", "DDL INCLUDE MAPPED", "MAP teahouse.*, TARGET tea2.*;")
    answer = logdump(str(trails / "zt000000000"), "-c", f"params {path}; ddl {options}")
    assert answer.status == status


def test_leftout_shows_nothing_else_and_counts_all(statements: Line) -> None:
    said = statements("ddl leftout")
    assert {evaluation.outcome.value for evaluation in evaluations(statements)} == {"left_out"}
    assert said[-2:] == ["27 DDL statements", "  Replicat 25 applied, 2 left out"]


def test_extract_comes_first_and_replicat_gets_what_it_lets_through(line: Line, tmp_path: Path) -> None:
    extract = ("EXTRACT e", "USERIDALIAS x", "DDL INCLUDE MAPPED", "DDLSUBST 'int' WITH 'number'", "TABLE hr.t*;")
    line(f"params {written(tmp_path, *extract, name='e.prm')}")
    line(f"params {written(tmp_path, 'REPLICAT r', 'MAP hr.*, TARGET hr2.*;')}")
    line('ddl text "rename t1 to t2 /* int */" owner hr')
    assert [(evaluation.side.value, evaluation.statement) for evaluation in evaluations(line)] == [
        ("extract", "ALTER TABLE hr.t1 RENAME to t2 /* number */"),
        ("replicat", "ALTER TABLE hr2.t1 RENAME to t2 /* number */"),
    ]
    line('ddl text "drop table hr.x"')
    assert [evaluation.side.value for evaluation in evaluations(line)] == ["extract"]


def test_names_that_still_tell_the_schema_of_the_source_are_listed(line: Line, tmp_path: Path) -> None:
    line(f"params {written(tmp_path, 'REPLICAT r', 'MAP teahouse.*, TARGET tea2.*;')}")
    line('ddl text "create view teahouse.v as select * from teahouse.teas, ""TEAHOUSE"".sales, other.x"')
    (result,) = evaluations(line)
    assert result.not_converted == ("teahouse.teas", '"TEAHOUSE".sales')


def test_with_across_the_files_after_the_open_one_are_read(line: Line, trails: Path, tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"tr00000000{number}").write_bytes((trails / "dt000000000").read_bytes())
    line(f"params {written(tmp_path, 'REPLICAT r')}; open {tmp_path / 'tr000000001'}; sft ddl; ddl all")
    assert len(evaluations(line)) == 2
    line("across on; ddl all")
    assert [(evaluation.path, evaluation.shows_file) for evaluation in evaluations(line)] == [
        (tmp_path / f"tr00000000{number}", True) for number in (1, 1, 2, 2, 2)
    ]
    assert line.session.trail.path == tmp_path / "tr000000001"


def test_a_file_that_is_no_trail_is_told_and_the_others_are_read(line: Line, trails: Path, tmp_path: Path) -> None:
    (tmp_path / "tr000000000").write_text("none")
    (tmp_path / "tr000000001").write_bytes((trails / "dt000000000").read_bytes())
    line(f"params {written(tmp_path, 'REPLICAT r')}; ddl over {tmp_path / 'tr*'}")
    assert len(evaluations(line)) == 3
    assert [notice.status for notice in line.events if isinstance(notice, Notice)] == 2 * [ExitStatus.BAD_DATA]


def test_what_would_happen_is_named_and_not_done(line: Line, tmp_path: Path) -> None:
    lines = ("REPLICAT r", f"DDL INCLUDE ALL STAYMETADATA EVENTACTIONS (SHELL 'touch {tmp_path / 'x'}', REPORT)")
    line(f"params {written(tmp_path, *lines)}")
    said = line('ddl text "drop table a.b"')
    assert said[1:] == [
        f"     EVENTACTIONS: SHELL, TOUCH, {str(tmp_path / 'x').upper()}, REPORT",
        "     STAYMETADATA: definitions stay as before this statement",
    ]
    assert not (tmp_path / "x").exists()


def test_the_schema_that_the_file_gives_to_sessions_goes_before_that_of_target(line: Line, tmp_path: Path) -> None:
    lines = ("REPLICAT r", "DDLOPTIONS MAPSESSIONSCHEMA fin TARGET fin9", "MAP hr.*, TARGET hr2.*;")
    line(f"params {written(tmp_path, *lines, 'MAP fin.t, TARGET fin2.t;')}")
    schemas = {"hr.t": "hr2", "fin.u": "fin9", "fin.t": "fin9", "x.t": "x"}
    for name, schema in schemas.items():
        line(f'ddl text "drop table {name}"')
        assert [evaluation.session_schema for evaluation in evaluations(line)] == [schema]


def test_an_object_in_another_database_is_named_with_its_link(line: Line, tmp_path: Path) -> None:
    line(f"params {written(tmp_path, 'REPLICAT r', 'MAP hr.*, TARGET hr2.*;')}")
    line('ddl text "create synonym hr.s for hr.t@far.example.com@inst1"')
    (result,) = evaluations(line)
    assert (result.base, result.session_schema) == ("hr.t@far.example.com@inst1", "hr")
    assert result.problems == ("hr.t@far.example.com@inst1 is in another database: no TABLE or MAP takes it",)


@pytest.mark.parametrize(
    ("lines", "unsure"),
    [
        (("DDL INCLUDE MAPPED OBJNAME hr2.*",), "OBJNAME beside MAPPED is taken as the name after TARGET"),
        (("DDLOPTIONS IGNOREMAPPING",), "IGNOREMAPPING is taken to make everything OTHER"),
        (("DDL INCLUDE OBJNAME hr.*",), None),
    ],
)
def test_what_rests_on_a_rule_that_is_not_verified_says_so(
    lines: tuple[str, ...], unsure: str | None, tmp_path: Path
) -> None:
    file = parameter_file(tmp_path, "REPLICAT r", *lines, "MAP hr.*, TARGET hr2.*;")
    (result,) = evaluated("drop table hr.t", file)
    assert result.problems == ((f"{unsure}: that is not verified",) if unsure else ())


def test_a_statement_of_4_mb_is_evaluated_within_seconds(tmp_path: Path) -> None:
    file = parameter_file(tmp_path, "REPLICAT r", "DDLOPTIONS REMOVECOMMENTS AFTER", "MAP hr.*, TARGET hr2.*;")
    statement = "create table hr.t " + "(" * 4_000_000
    begin = time.process_time()
    (result,) = evaluated(statement, file)
    assert time.process_time() - begin < 6
    assert (result.statement or "").startswith("create table hr2.t")


def test_addtrandata_says_what_it_would_issue(line: Line, tmp_path: Path) -> None:
    lines = ("EXTRACT e", "USERIDALIAS x", "DDL", "DDLOPTIONS ADDTRANDATA ABEND")
    line(f"params {written(tmp_path, *lines)}")
    line('ddl text "create table a.b (c int)"')
    (step,) = [result for result in evaluations(line)[0].steps if result.number == 13]
    assert step.result == "ADDTRANDATA (line 4) would issue ALTER TABLE a.b ADD SUPPLEMENTAL LOG GROUP …"


def test_the_object_of_a_statement_holds_its_steps_with_their_rules(trails: Path, tmp_path: Path) -> None:
    path = written(tmp_path, "REPLICAT r", "DDL INCLUDE MAPPED", "MAP teahouse.*, TARGET tea2.*;")
    told = next(
        item
        for item in objects(f"open {trails / 'zt000000000'}", f"params {path}", "ddl")
        if item["type"] == "ddl_evaluation"
    )
    assert [step["number"] for step in told["steps"]] == list(range(1, 12))
    assert told["steps"][4]["rule"] == {"file": str(path), "line": 3, "text": "MAP teahouse.*, TARGET tea2.*"}
    assert (told["rba"], told["csn"], told["side"], told["target"]) == (1130, "41882317", "replicat", None)
    assert told["rule"] is None
    assert json.dumps(told).isascii()


def test_every_statement_of_oracles_list_has_its_step() -> None:
    trace = (ROOT / "tests" / "seed-trace.md").read_text(encoding="utf-8")
    rows = set(re.findall(r"^\| 000-([XR]\d+[a-c]?) \|", trace, re.MULTILINE))
    assert {row for step in (*EXTRACT_STEPS, *REPLICAT_STEPS) for row in step.rows} == rows
    assert [step.number for step in EXTRACT_STEPS] == [step.number for step in REPLICAT_STEPS] == list(range(1, 15))

"""PARAMS: what is read, shown, kept and told of the tables of a trail."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from logdump.features.ddl.model import DdlEvaluated
from logdump.features.parameters.command import coverage
from logdump.features.parameters.model import CoverageShown, ParametersShown
from tests.logdump.ddl.files import in_use, parameter_file
from tests.logdump.line import Line
from tests.logdump.program import logdump
from tests.trailformat.samples import row, table_record, trail_of

REPLICAT = ("REPLICAT rtea", "DDL INCLUDE MAPPED", "REPORT AT 00:01", "MAP teahouse.*, TARGET tea2.*;")


def written(folder: Path, *lines: str, name: str = "rtea.prm") -> Path:
    path = folder / name
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def covered(line: Line) -> dict[tuple[str, str], CoverageShown]:
    line("params coverage")
    return {(shown.side.value, shown.table): shown for shown in line.events if isinstance(shown, CoverageShown)}


def objects(*commands: str) -> list[dict[str, Any]]:
    lines = logdump("--format", "jsonl", "-c", "; ".join(commands)).out.splitlines()
    return [json.loads(line) for line in lines]


def test_a_file_tells_its_side_and_what_it_holds(line: Line, tmp_path: Path) -> None:
    said = line(f"params {written(tmp_path, *REPLICAT)}")
    assert said == ["PARAMS for Replicat rtea: 1 MAP, DDL with 1 clause; 1 statement not used here"]


def test_the_side_may_be_given_to_a_file_that_does_not_tell_it(line: Line, tmp_path: Path) -> None:
    path = written(tmp_path, "TABLE a.b;")
    assert line(f"params {path}") == [
        f"PARAMS: {path}, line 1: has neither EXTRACT nor REPLICAT: give the side after the file"
    ]
    assert line(f"params {path} extract") == ["PARAMS for Extract: 1 TABLE; 0 statements not used here"]


def test_a_side_that_is_not_the_files_own_is_noted(line: Line, tmp_path: Path) -> None:
    said = line(f"params {written(tmp_path, *REPLICAT)} extract")
    assert said[1:] == [
        f"  Note: {tmp_path / 'rtea.prm'}, line 4: MAP is not for Extract",
        "  Note: the file itself is for Replicat",
    ]


def test_what_was_in_use_stays_where_a_file_is_refused(line: Line, tmp_path: Path) -> None:
    line(f"params {written(tmp_path, *REPLICAT)}")
    before = line("params")
    other = written(tmp_path, *REPLICAT, "MAP a.b", name="other.prm")
    assert line(f"params {other}") == [f"PARAMS: {other}, line 5: MAP is not closed by ;"]
    assert len(line.failures) == 1
    assert line("params") == before


def test_a_file_of_the_same_side_takes_the_place_of_the_one_before(line: Line, tmp_path: Path) -> None:
    line(f"params {written(tmp_path, *REPLICAT)}")
    line(f"params {written(tmp_path, 'REPLICAT other', name='other.prm')}")
    assert line("params") == ["PARAMS for Replicat other: nothing about DDL; 0 statements not used here"]


def test_globals_tells_the_quotes_of_files_read_after_it(line: Line, tmp_path: Path) -> None:
    line(f"params {written(tmp_path, 'NOUSEANSISQLQUOTES', name='GLOBALS')}")
    quoted = 'MAP "TEAHOUSE.TEAS", TARGET "a.b";'
    line(f"params {written(tmp_path, 'REPLICAT r', quoted)}")
    assert not line.failures


def test_no_password_is_shown(line: Line, tmp_path: Path) -> None:
    secrets = ("USERID ogg/leaf@db", "USERID ogg, PASSWORD leaf ENCRYPTKEY leaf", "DDLOPTIONS DEFAULTUSERPASSWORD leaf")
    line(f"params {written(tmp_path, 'REPLICAT r', *secrets)}")
    assert "leaf" not in str(line("params show")) + str(line.events)


def test_show_lists_what_is_used_and_what_is_not(line: Line, tmp_path: Path) -> None:
    path = written(tmp_path, *REPLICAT)
    line(f"params {path}")
    assert line("params show report")[1:] == ["Not used here:", f"  {path}, line 3: REPORT AT 00:01"]
    assert line("params show map")[1:] == ["Used:", f"  {path}, line 4: MAP teahouse.*, TARGET tea2.*"]


def test_coverage_names_the_statement_the_target_and_the_options(shop: Line, tmp_path: Path) -> None:
    map_sales = "MAP teahouse.sales, TARGET tea2.s, COLMAP (a = b), FILTER (x > 1), WHERE (x = 1);"
    shop(f"params {written(tmp_path, 'REPLICAT r', map_sales)}")
    found = covered(shop)
    (taking,) = found["replicat", "TEAHOUSE.SALES"].statements
    assert (taking.rule.line, taking.target, taking.options) == (2, "tea2.s", ("COLMAP", "FILTER", "WHERE"))
    assert found["replicat", "TEAHOUSE.TEAS"].statements == ()
    assert found["replicat", "TEAHOUSE.TEAS"].excluded is None


def test_coverage_names_what_excludes_a_table(shop: Line, tmp_path: Path) -> None:
    lines = ("EXTRACT e", "TABLEEXCLUDE teahouse.s*", "TABLE teahouse.*;")
    shop(f"params {written(tmp_path, *lines)}")
    excluded = covered(shop)["extract", "TEAHOUSE.SALES"].excluded
    assert excluded is not None
    assert excluded.line == 2


def test_coverage_lists_every_statement_that_takes_a_table(shop: Line, tmp_path: Path) -> None:
    lines = ("REPLICAT r", "MAP *.teas, TARGET a.*;", "MAP teahouse.*, TARGET b.*;")
    shop(f"params {written(tmp_path, *lines)}")
    statements = covered(shop)["replicat", "TEAHOUSE.TEAS"].statements
    assert [(taking.rule.line, taking.target) for taking in statements] == [(2, "a.TEAS"), (3, "b.TEAS")]


def test_coverage_goes_through_the_filter_and_leaves_the_position(shop: Line, tmp_path: Path) -> None:
    shop(f"params {written(tmp_path, *REPLICAT)}")
    shop("n 4")
    before = shop.session.cursor.next
    shop("filter include filename teahouse.sales")
    assert {table for _, table in covered(shop)} == {"TEAHOUSE.SALES"}
    assert shop.session.cursor.next == before


def test_with_across_coverage_is_that_of_all_files_from_the_open_one(line: Line, trails: Path, tmp_path: Path) -> None:
    line(f"params {written(tmp_path, *REPLICAT)}; open {trails / 'st000000000'}")
    alone = covered(line)["replicat", "TEAHOUSE.SALES"].records
    line(f"open {trails / 'st000000001'}")
    second = covered(line)["replicat", "TEAHOUSE.SALES"].records
    line(f"open {trails / 'st000000000'}; across on")
    assert covered(line)["replicat", "TEAHOUSE.SALES"].records == alone + second


@pytest.mark.parametrize("trail", ["et000000000", "el000000000", "ot000000", "mt000000000", "ct000000000"])
def test_coverage_counts_the_records_of_every_table_of_any_trail(trail: str, trails: Path, tmp_path: Path) -> None:
    path = written(tmp_path, "REPLICAT r", "MAP *.*, TARGET *.*;")
    told = objects(f"open {trails / trail}", f"params {path}", "params coverage")
    counted = [item for item in told if item["type"] == "coverage"]
    assert counted
    assert all(item["records"] >= 0 and item["taken"][0]["rule"]["line"] == 2 for item in counted)


def test_coverage_counts_rows_and_no_definitions(line: Line, tmp_path: Path) -> None:
    """Of three tables the second is defined three times, the third has no row."""
    tables = {number: table_record(number, f"TEA.{name}") for number, name in enumerate(("LEAVES", "POTS", "CUPS"), 1)}
    records = [*tables.values(), row(name=1), row(name=2), tables[2], row(name=2), tables[2], row(name=2)]
    path = trail_of(tmp_path, *records, name="zt000000000")
    parameters = written(tmp_path, "EXTRACT e", "USERIDALIAS x", "EXTTRAIL zt", "TABLE tea.*;")
    line(f"open {path}; params {parameters}")
    shown = covered(line)
    assert {table: table_coverage.records for (_, table), table_coverage in shown.items()} == {
        "TEA.LEAVES": 1,
        "TEA.POTS": 3,
        "TEA.CUPS": 0,
    }


def test_the_object_of_a_file_lists_its_statements(tmp_path: Path) -> None:
    told = objects(f"params {written(tmp_path, *REPLICAT)}")[0]
    assert (told["type"], told["side"], told["group"]) == ("parameters", "replicat", "rtea")
    assert [
        (statement["keyword"], statement["used"], statement["rule"]["line"]) for statement in told["statements"]
    ] == [
        ("REPLICAT", True, 1),
        ("DDL", True, 2),
        ("REPORT", False, 3),
        ("MAP", True, 4),
    ]


def test_a_value_of_the_running_process_is_noted(line: Line, tmp_path: Path) -> None:
    line(f"params {written(tmp_path, *REPLICAT, 'SETENV (HOME=?GGHOME)')}")
    (shown,) = [event for event in line.events if isinstance(event, ParametersShown)]
    assert [note.split(": ", 1)[1] for note in shown.notes] == [
        "SETENV is not evaluated: ?GGHOME is a value of the running process"
    ]


TWO_TRAILS = (
    *("EXTRACT e", "USERIDALIAS x", "DDL INCLUDE MAPPED", "EXTTRAIL ./dirdat/zt", "TABLEEXCLUDE teahouse.s*"),
    *("TABLE teahouse.*;", "EXTTRAIL ./dirdat/bb", "TABLE teahouse.sales;"),
)


def test_coverage_is_that_of_the_trail_of_the_open_file(line: Line, trails: Path, tmp_path: Path) -> None:
    (tmp_path / "zt000000000").write_bytes((trails / "st000000000").read_bytes())
    (tmp_path / "bb000000000").write_bytes((trails / "st000000000").read_bytes())
    line(f"params {written(tmp_path, *TWO_TRAILS)}")
    found = {}
    for name in ("zt", "bb"):
        line(f"open {tmp_path / name}000000000; params coverage")
        shown = [
            table_coverage
            for table_coverage in line.events
            if isinstance(table_coverage, CoverageShown) and table_coverage.table == "TEAHOUSE.SALES"
        ]
        found[name] = [
            (table_coverage.trail, [taking.rule.line for taking in table_coverage.statements])
            for table_coverage in shown
        ]
    assert found == {"zt": [("./dirdat/zt", [])], "bb": [("./dirdat/bb", [8])]}


def test_coverage_of_another_trail_is_told_for_each_that_the_file_names(shop: Line, tmp_path: Path) -> None:
    shop(f"params {written(tmp_path, *TWO_TRAILS)}")
    shop("params coverage")
    shown = [
        table_coverage
        for table_coverage in shop.events
        if isinstance(table_coverage, CoverageShown) and table_coverage.table == "TEAHOUSE.SALES"
    ]
    assert [(table_coverage.trail, bool(table_coverage.statements)) for table_coverage in shown] == [
        ("./dirdat/zt", False),
        ("./dirdat/bb", True),
    ]


def test_ddl_of_a_record_is_judged_for_its_trail_and_text_for_each(line: Line, trails: Path, tmp_path: Path) -> None:
    line(f"params {written(tmp_path, *TWO_TRAILS)}; open {trails / 'zt000000000'}; ddl all")
    assert {evaluation.trail for evaluation in line.events if isinstance(evaluation, DdlEvaluated)} == {"./dirdat/zt"}
    said = line("explain ddl")
    assert any(text.endswith("27 statements: Extract captured 22, Extract left out 5") for text in said)
    said = line('ddl text "drop table teahouse.sales"')
    assert [text for text in said if text.startswith("DROP")] == [
        "DROP TABLE teahouse.sales: left out by Extract for ./dirdat/zt at step 10: no INCLUDE is true (line 3)",
        "DROP TABLE teahouse.sales: captured by Extract for ./dirdat/bb, written to the trail",
    ]


def test_a_table_before_the_first_of_several_trails_is_for_none_and_says_so(line: Line, tmp_path: Path) -> None:
    lines = [*TWO_TRAILS[:3], "TABLE hr.*;", *TWO_TRAILS[3:]]
    path = written(tmp_path, *lines)
    line(f"params {path}")
    said = line('ddl text "drop table hr.emp"')
    assert sum("TABLE hr.* (line 4) is not evaluated: it is before the first trail" in text for text in said) == 2
    assert sum("left out" in text for text in said) == 2


@pytest.mark.parametrize(
    ("lines", "is_named"),
    [
        (("MAP hr.*, TARGET a.*;",), True),
        (("MAP hr.t, TARGET a.t;",), True),
        (("MAP fin.*, TARGET a.*;",), False),
        (("EXCLUDEWILDCARDOBJECTSONLY", "MAP hr.t, TARGET a.t;"), False),
        (("EXCLUDEWILDCARDOBJECTSONLY", "MAP hr.*, TARGET a.*;"), True),
        (("EXCLUDEWILDCARDOBJECTSONLY", "MAP hr.*, TARGET a.*;", "MAP hr.t, TARGET b.t;"), False),
    ],
)
def test_an_exclusion_is_named_where_it_rules_out_each_map(
    lines: tuple[str, ...], is_named: bool, tmp_path: Path
) -> None:
    """Two of three exclusions fit the table: the first of these is named."""
    file = parameter_file(tmp_path, "REPLICAT r", "MAPEXCLUDE hr.u", "MAPEXCLUDE hr.t*", "MAPEXCLUDE hr.t", *lines)
    (shown,) = coverage({"hr.t": 1}, in_use(file))
    assert (shown.excluded and shown.excluded.text) == ("MAPEXCLUDE hr.t*" if is_named else None)

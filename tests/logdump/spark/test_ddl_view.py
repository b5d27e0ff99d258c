"""The analysis ``ddl``: the statements of trails as rows, with what parameter files make of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fixtures.statements import EVERY_KIND
from logdump.display.json_lines import render
from logdump.features.sql.view_table import views_in
from logdump.spark.source.data_source import TrailSource
from logdump.tables.errors import BadOption, BadTrail
from tests.logdump.commands.test_params import written
from tests.logdump.line import Line
from tests.logdump.tables.reads import rows


def test_there_is_a_row_for_each_statement(trails: Path) -> None:
    found = rows(trails / "zl000000000", analysis="ddl")
    assert [(row["operation"], row["object_type"]) for row in found] == [(ddl[0], ddl[1]) for ddl in EVERY_KIND]
    assert [row["statement"] for row in found] == [ddl.statement for ddl in EVERY_KIND]
    assert {(row["side"], row["outcome"], row["result"], row["not_converted"]) for row in found} == {(None,) * 4}
    first = found[0]
    assert (first["rba"], first["xid"], first["base"]) == (1036, first["csn"], "teahouse.HERBS")
    assert first["time"].isoformat() == "2024-03-14T09:31:00+00:00"


def test_with_parameter_files_the_rows_are_what_ddl_tells(line: Line, trails: Path, tmp_path: Path) -> None:
    extract = written(tmp_path, "EXTRACT e", "USERIDALIAS x", "DDL INCLUDE ALL", "TABLE teahouse.*;", name="e.prm")
    maps = ("MAP teahouse.*, TARGET tea2.*;", "MAP teahouse.HERBS, TARGET tea3.*;", "MAP teahouse.HERBS, TARGET a.b;")
    replicat = written(tmp_path, "DDL INCLUDE MAPPED", *maps, name="r.prm")
    line(f"open {trails / 'zt000000000'}; params {extract}; params {replicat} replicat; ddl all")
    told = [json.loads(text) for event in line.events for text in render(event, line.session.settings)]
    evaluations = [item for item in told if item["type"] == "ddl_evaluation"]
    found = rows(trails / "zt000000000", analysis="ddl", params=f"{replicat} REPLICAT, {extract}")
    assert len(found) > 2 * len(EVERY_KIND)
    members = ("rba", "csn", "side", "target", "base", "scope", "outcome", "step", "rule", "base_target", "problems")
    assert [[row[name] for name in members] for row in found] == [
        [evaluation[name] for name in members] for evaluation in evaluations
    ]
    assert [row["result"] for row in found] == [evaluation["statement"] for evaluation in evaluations]


def test_records_are_chosen_by_where_and_bounds(trails: Path) -> None:
    found = rows(trails / "zt000000000", analysis="ddl", where='INCLUDE STRING "rename to"')
    assert [row["base"] for row in found] == ["TEAHOUSE.TISANES"]
    [csn] = [row["csn"] for row in found]
    assert rows(trails / "zt000000000", analysis="ddl", startCsn=csn, endCsn=csn) == found


def test_damage_ends_the_read_or_is_stepped_over(trails: Path, tmp_path: Path) -> None:
    data = bytearray((trails / "zt000000000").read_bytes())
    data[1506:1510] = b"XXXX"
    path = tmp_path / "tr000000000"
    path.write_bytes(data)
    with pytest.raises(BadTrail, match=f"^{path}, seqno 0, RBA 1[0-9]+: "):
        rows(path, analysis="ddl")
    assert len(rows(path, analysis="ddl", mode="PERMISSIVE")) == len(EVERY_KIND) - 1


def test_half_a_record_at_the_end_of_the_newest_file_is_no_damage(trails: Path, tmp_path: Path) -> None:
    path = tmp_path / "tr000000000"
    path.write_bytes((trails / "zt000000000").read_bytes()[:-10])
    assert len(rows(path, analysis="ddl")) == len(EVERY_KIND) - 1
    (tmp_path / "tr000000001").write_bytes((trails / "zt000000000").read_bytes())
    with pytest.raises(BadTrail, match="the file ends inside the record"):
        rows(tmp_path, analysis="ddl")


def test_a_parameter_file_that_cannot_be_understood_is_refused_with_its_line(tmp_path: Path) -> None:
    path = written(tmp_path, "REPLICAT r", "MAP hr.*;")
    with pytest.raises(BadOption, match=f"^option params: PARAMS: {path}, line 2: MAP: TARGET is missing"):
        TrailSource({"path": "x", "analysis": "ddl", "params": str(path)}).reader(None)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("statement", "views"),
    [
        ("select ddl from records", ["records"]),
        ("select rba, ddl from records where ddl is not null order by ddl", ["records"]),
        ("select count(*) from records r join (ddl) using (rba)", ["records", "ddl"]),
        ("select * from (select rba from records where rba > 1) a, ddl", ["records", "ddl"]),
        ("with one as (select * from ddl) select * from one", ["ddl"]),
        ("describe ddl", ["ddl"]),
    ],
)
def test_a_name_that_a_column_has_too_is_a_view_where_tables_stand(statement: str, views: list[str]) -> None:
    assert views_in(statement) == views

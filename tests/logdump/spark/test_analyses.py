"""Option ``analysis``: what commands tell of whole trails, as rows; what a planner and its tasks do, without Spark."""

from __future__ import annotations

import json
import shutil
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from fixtures import TRAILS
from fixtures.flavour import MYSQL_21
from logdump.display.json_lines import render
from logdump.spark.source.data_source import TrailSource
from logdump.tables.errors import BadOption, BadTrail, NoTrailFiles
from tests.logdump.commands.test_bounded_recovery import HISTORY
from tests.logdump.line import Line
from tests.logdump.tables.reads import Row, planned, rows
from tests.simulated.bounded_recovery import HOUR, redo_of, write_trail
from tests.simulated.recovery import killed_recovery


def of_command(line: Line, command: str, kind: str) -> list[Row]:
    """The objects of one type that a command prints in JSON."""
    line(command)
    found = [json.loads(text) for event in line.events for text in render(event, line.session.settings)]
    return [item for item in found if item.pop("type") == kind]


def as_json(value: Any) -> Any:
    """A value of a row as JSON has it."""
    if isinstance(value, datetime):
        return f"{value.replace(tzinfo=None).isoformat(timespec='microseconds')}Z"
    if isinstance(value, dict):
        return {name: dict(part) if name == "tables" and part else as_json(part) for name, part in value.items()}
    return value


@pytest.mark.parametrize("seed", [0, 1, 6])
def test_restarts_are_those_that_recovery_tells(line: Line, tmp_path: Path, seed: int) -> None:
    extract = killed_recovery(tmp_path, seed, MYSQL_21)
    line(f"open {extract.paths[0]}")
    assert as_json_rows(extract.paths[0].parent) == of_command(line, "recovery", "restart")


def as_json_rows(path: Path, **options: str) -> list[Row]:
    return [as_json(row) for row in rows(path, analysis="restarts", **options)]


def test_restarts_of_one_file_are_told_by_the_whole_trail(line: Line, trails: Path) -> None:
    line(f"open {trails / 'at000000000'}")
    every = of_command(line, "recovery", "restart")
    alone = as_json_rows(trails / "at000000001")
    assert alone == [item for item in every if item["file"].endswith("at000000001")]
    assert alone[0]["cut"]["begin"]["file"].endswith("at000000000")


@pytest.fixture
def long_trail(tmp_path: Path) -> Path:
    """One transaction is open from 01:00 to 09:00; checkpoints are at 03:00 and 07:00."""
    return write_trail(tmp_path / "br000000000", HISTORY, created=-HOUR)


def test_open_transactions_are_the_long_ones_that_br_tells(line: Line, long_trail: Path) -> None:
    line(f"open {long_trail}")
    told = of_command(line, "br", "br_transaction")
    found = [as_json(row) for row in rows(long_trail, analysis="open_transactions")]
    assert [item["xid"] for item in told] == ["9.9.2"]
    assert [{name: row[name] for name in told[0]} for row in found] == told


def test_an_open_transaction_reaches_back_until_a_checkpoint_has_it_on_disk(line: Line, long_trail: Path) -> None:
    [row] = rows(long_trail, analysis="open_transactions")
    assert (row["duration"], row["persisted"], row["reach"]) == (8 * 3600, True, 6 * 3600)
    line(f"open {long_trail}")
    [interval] = of_command(line, "br compare 4h", "br_interval")
    assert row["reach"] == interval["greatest"]


def test_an_open_transaction_has_the_redo_positions_of_its_ends(long_trail: Path) -> None:
    [row] = rows(long_trail, "begin_redo", "end_redo", analysis="open_transactions")
    assert [tuple(row[name].values()) for name in ("begin_redo", "end_redo")] == redo_of(HISTORY)[2]


def in_parameters(folder: Path, statement: str) -> str:
    path = folder / "ext.prm"
    path.write_text(f"EXTRACT ext\n{statement}\nEXTTRAIL lt\nTABLE *.*;\n")
    return str(path)


def test_the_interval_of_a_parameter_file_chooses_the_open_transactions(long_trail: Path, tmp_path: Path) -> None:
    params = in_parameters(tmp_path, "BR BRINTERVAL 10H")
    assert rows(long_trail, analysis="open_transactions", params=params) == []


def test_with_broff_no_open_transaction_is_persisted_and_a_restart_reads_all_of_it(
    long_trail: Path, tmp_path: Path
) -> None:
    [row] = rows(long_trail, analysis="open_transactions", params=in_parameters(tmp_path, "BR BROFF"))
    assert (row["persisted"], row["reach"]) == (False, 8 * 3600)


def test_a_wrong_interval_of_a_parameter_file_is_a_wrong_option(long_trail: Path, tmp_path: Path) -> None:
    with pytest.raises(BadOption, match=r"^option params: .*, line 2: BRINTERVAL: 5M is out of"):
        rows(long_trail, analysis="open_transactions", params=in_parameters(tmp_path, "BR BRINTERVAL 5M"))


def test_open_transactions_of_another_database_are_refused(trails: Path) -> None:
    with pytest.raises(BadTrail, match="Bounded Recovery exists for Oracle only"):
        rows(trails / "el000000000", analysis="open_transactions")


def test_a_task_has_the_files_of_one_trail(trails: Path) -> None:
    tasks = planned(f"{trails}/at*,{trails}/st*,{trails}/ot000000", analysis="restarts", maxPartitionBytes="500")
    names = [[Path(part.path).name for part in task] for task in tasks]
    assert names == [["at000000000", "at000000001", "at000000002"], ["ot000000"], ["st000000000", "st000000001"]]


def test_files_of_no_trail_are_each_their_own(trails: Path, tmp_path: Path) -> None:
    for name in ("one.trail", "two.trail"):
        shutil.copy(trails / "at000000000", tmp_path / name)
    assert [len(task) for task in planned(tmp_path, analysis="restarts")] == [1, 1]
    assert {Path(row["file"]).name for row in rows(tmp_path, analysis="restarts")} == {"one.trail", "two.trail"}


def test_files_whose_names_are_no_documented_ones_are_one_trail(trails: Path, tmp_path: Path) -> None:
    for number in range(3):
        shutil.copy(trails / f"at00000000{number}", tmp_path / f"copy00000{number}")
    found = rows(tmp_path, "file", "rba", "again_is", analysis="restarts")
    told = rows(trails / "at*", "file", "rba", "again_is", analysis="restarts")
    assert [(row["file"][-1], row["rba"], row["again_is"]) for row in found] == [
        (row["file"][-1], row["rba"], row["again_is"]) for row in told
    ]


def test_a_newest_file_that_is_only_begun_is_no_damage(trails: Path, tmp_path: Path) -> None:
    (tmp_path / "lt000000000").write_bytes((trails / "at000000000").read_bytes())
    (tmp_path / "lt000000001").write_bytes((trails / "at000000001").read_bytes()[:40])
    assert [row["rba"] for row in rows(tmp_path / "lt*", analysis="restarts")] == [3083, 3691]


def test_a_file_that_is_no_trail_ends_the_read(trails: Path, tmp_path: Path) -> None:
    (tmp_path / "lt000000000").write_bytes((trails / "at000000000").read_bytes())
    (tmp_path / "lt000000001").write_bytes(b"no trail " * 100)
    with pytest.raises(BadTrail, match="lt000000001"):
        rows(tmp_path / "lt000000000", analysis="restarts")


def test_few_rows_make_a_batch_where_batch_rows_says_so(trails: Path) -> None:
    assert as_json_rows(trails / "at*", batchRows="1") == as_json_rows(trails / "at*")


def test_a_trail_without_restarts_has_no_rows(trails: Path) -> None:
    assert rows(trails / "et000000000", analysis="restarts") == []


@pytest.mark.parametrize("analysis", ["restarts", "open_transactions", "transactions"])
def test_damage_ends_the_read_or_is_in_the_log(analysis: str, trails: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = trails / "gt000000000"
    with pytest.raises(BadTrail, match=f"^{path}, seqno 0, RBA [0-9]+: "):
        rows(path, analysis=analysis)
    found = rows(path, analysis=analysis, mode="PERMISSIVE")
    assert bool(found) == (analysis == "transactions")
    assert f"{path}, seqno 0, RBA" in caplog.text


def read(**options: str) -> None:
    source = TrailSource({"path": str(TRAILS / "at*"), **options})
    source.reader(None)  # type: ignore[arg-type]  # the options are refused before the schema is looked at


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"analysis": "restart"}, "option analysis: there is no restart; did you mean restarts?"),
        ({"analysis": "xyz"}, "option analysis: there is no xyz; there are restarts"),
        (
            {"analysis": "restarts", "where": "IOTYPE Insert"},
            "restarts needs whole trails: option where (a FILTER) cannot be used with it",
        ),
        (
            {"analysis": "restarts", "startCsn": "1"},
            "restarts needs whole trails: option startCsn cannot be used with it",
        ),
    ],
)
def test_an_analysis_that_lacks_what_it_needs_is_refused(options: dict[str, str], message: str) -> None:
    with pytest.raises(BadOption) as caught:
        read(**options)
    assert str(caught.value).startswith(message)


def test_no_file_is_no_trail(tmp_path: Path) -> None:
    with pytest.raises(NoTrailFiles):
        rows(tmp_path / "xy*", analysis="restarts")


@pytest.mark.parametrize("analysis", ["restarts", "open_transactions", "transactions"])
@pytest.mark.parametrize("content", [0, 40, None], ids=["empty", "half a header", "no trail"])
@pytest.mark.parametrize("place", range(3))
def test_a_file_of_the_trail_that_cannot_be_read_ends_the_read_unless_it_is_being_made(
    place: int, content: int | None, analysis: str, tmp_path: Path
) -> None:
    """Also where another file of the trail is read: what is told of it rests on all of them."""
    paths = [write_trail(tmp_path / f"br{number:09}", HISTORY) for number in range(3)]
    broken = paths[place]
    broken.write_bytes(b"no trail at all" if content is None else broken.read_bytes()[:content])
    other = paths[place - 1]
    if place == 2 and content is not None:
        rows(other, analysis=analysis, mode="FAILFAST")
        return
    with pytest.raises(BadTrail, match=broken.name):
        rows(other, analysis=analysis, mode="FAILFAST")


@pytest.mark.parametrize(
    ("given", "csns"),
    [
        ({}, "317 334 334 351 368 368 385 402 419 436"),
        ({"effective": "true"}, "317 334 351 368 385 419"),
        ({"table": "TEAHOUSE.SALES"}, "334 334 351 419"),
        ({"effective": "true", "table": "TEAHOUSE.SALES"}, "334 351 419"),
    ],
)
def test_transactions_are_those_that_a_replicat_applies_if_that_is_asked_for(given: dict[str, str], csns: str) -> None:
    """Some were cut by a restart, one is open at the end."""
    found = rows(TRAILS / "at*", "csn", "is_effective", analysis="transactions", **given)
    assert [row["csn"].removeprefix("41882") for row in found] == csns.split()
    assert all(row["is_effective"] for row in found) is ("effective" in given)

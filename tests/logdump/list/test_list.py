"""LIST: a record as one line, the same that the screen shows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fixtures import TRAILS
from logdump.display.record_row import RecordRows, row_text
from logdump.session.session import Session
from tests.logdump.program import logdump
from trailformat import TrailFile
from trailformat.changes.transaction_context import TransactionContext
from trailformat.trail.row_definitions import RowDefinitions


@pytest.fixture(autouse=True)
def here(trails: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder of the trails."""
    monkeypatch.chdir(trails)


def test_fields_stand_where_awk_finds_them() -> None:
    fields = logdump("list", "et000000000", "--rba", "3522", "--limit", "1").out.split(maxsplit=7)
    assert fields[:7] == [
        "3522",
        "2024/03/14",
        "09:34:00.000.000",
        "UPDATE",
        "TEAHOUSE.TEAS",
        "41882368",
        "5.4.8804",
    ]
    assert fields[7] == "ASS02  STOCK_KG 260→310\n"


@pytest.mark.parametrize("path", sorted(TRAILS.glob("?t000000000")), ids=lambda path: path.name)
def test_a_line_for_each_record_tells_what_the_row_of_the_screen_tells(path: Path) -> None:
    answer = logdump("list", str(path))
    with TrailFile(path) as trail:
        rows = RecordRows(trail, RowDefinitions(trail), TransactionContext(trail))
        records = [record for record in map(trail.record_at, _rbas(trail)) if record is not None]
        told = [(str(record.rba), row_text(rows.of(record))) for record in records]
    lines = answer.out.splitlines()
    assert [line.split()[0] for line in lines] == [rba for rba, _ in told]
    assert all(line.endswith(text.rstrip()) for line, (_, text) in zip(lines, told, strict=True))


def _rbas(trail: TrailFile) -> list[int]:
    rbas, rba = [], 0
    while (good := trail.next_good_header(rba)) is not None:
        rbas.append(good)
        rba = good + trail.record_length(good)
    return rbas


def test_it_reads_on_over_damage_and_says_where() -> None:
    answer = logdump("list", "ft000000000")
    assert answer.status == 4
    assert "RBA 3522: record has no trailer" in answer.err
    assert "reading on at RBA 3629" in answer.err
    assert len(answer.out.splitlines()) == 21


def test_over_several_files_a_line_begins_with_the_file() -> None:
    lines = logdump("list", "at").out.splitlines()
    assert {line.split(":")[0] for line in lines} == {"at000000000", "at000000001", "at000000002"}


def test_a_command_lists_a_screenful_from_the_position_on() -> None:
    listed = logdump("et000000000", "-c", "pos 1811; list 2; list all").out.splitlines()
    assert listed[2].split()[0] == "1811"
    assert len(listed) == 2 + 19


def test_in_json_null_and_absent_values_differ() -> None:
    columns = json.loads(logdump("list", "et000000000", "--rba", "4427", "--limit", "1", "--format", "jsonl").out)[
        "columns"
    ]
    note = next(one for one in columns if one["name"] == "NOTE")
    assert (note["has_before"], note["before"], note["after"]) == (True, None, "for a friend")


def test_the_screen_refuses_to_follow_in_its_prompt(trails: Path) -> None:
    from logdump.commands import REGISTRY
    from logdump.language.execute import run_commands
    from logdump.session.events import Failure

    session = Session()
    session.open(trails / "et000000000")
    failures = [event for event in run_commands(session, REGISTRY, "follow") if isinstance(event, Failure)]
    assert failures[0].lines == ("The screen follows the trail by the key w.",)

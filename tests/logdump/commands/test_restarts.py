"""What REDO, UNDO, EXPORT SQL and SAFE say of transactions that were cut, overtaken, or go over files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

import pytest

from fixtures.changes import Change, insert
from logdump.features.safe.model import SafePointShown
from logdump.session.errors import ExitStatus
from tests.logdump.line import Line
from tests.logdump.program import logdump
from tests.logdump.repair.repaired import rows
from tests.searching import Random
from tests.simulated.extract import Extract, Written
from tests.simulated.source import TABLE, Source
from tests.trailformat.samples import trail_of
from trailformat.records.record_header import RESTART_ABEND, RESTART_OK
from trailformat.scan import scan
from trailformat.transactions.not_applied import NotApplied

_ALTER = "  ALTER REPLICAT <group>, EXTSEQNO {}, EXTRBA {}"


class Trail(NamedTuple):
    """Its files, and its rows and markers."""

    paths: list[Path]
    written: list[Written]

    @property
    def rbas(self) -> list[int]:
        return [record.rba for record in self.written]


def _three_rows() -> list[Change]:
    source = Source(Random(1))
    return [insert(TABLE, row) for row in list(source.rows.values())[:3]]


@pytest.fixture
def restarted(tmp_path: Path) -> Trail:
    """T1; two of the three records of T2; RestartAbend; T2; RestartOK; T3."""
    extract = Extract(tmp_path, Random(0), roll_chance=0)
    rows = _three_rows()
    extract.begin()
    extract.rows(rows[:2], 2)
    extract.begin()
    extract.rows(rows, 2)
    extract.marker(RESTART_ABEND)
    extract.rows(rows, 3)
    extract.marker(RESTART_OK)
    extract.begin()
    extract.rows(rows[:1], 1)
    extract.close()
    return Trail(extract.paths, extract.written)


@pytest.fixture
def rolled(tmp_path: Path) -> Trail:
    """T1, one of whose records stands in each of three files."""
    extract = Extract(tmp_path, Random(0), roll_chance=0)
    extract.begin()
    for count in (1, 2, 3):
        if count > 1:
            extract.roll()
        extract.write_record(_three_rows(), count - 1)
    extract.close()
    return Trail(extract.paths, extract.written)


@pytest.fixture
def twice(tmp_path: Path) -> Trail:
    """T1, T2; in the next file T1 once more, and T3."""
    extract = Extract(tmp_path, Random(0), roll_chance=0)
    rows = _three_rows()
    for number in (1, 2, 1, 3):
        if number == 1 and extract.written:
            extract.roll()
        extract.begin(number)
        extract.rows(rows[:number], number)
    extract.close()
    return Trail(extract.paths, extract.written)


def _cut_comment(trail: Trail) -> str:
    begin, marker = trail.rbas[2], trail.rbas[4]
    names = "00000000000000000007:000000000002620 CSN 00000000000000000007:000000000002620 2024/03/14 09:30:00.000.000"
    reason = f"cut by RestartAbend at RBA {marker}: a Replicat drops it."
    return f"-- Left out: transaction {names}, RBA {begin}, 2 records: {reason}"


@pytest.mark.parametrize("command", ["redo", "undo"])
def test_a_cut_transaction_is_one_comment(command: str, restarted: Trail, line: Line) -> None:
    line(f"open {restarted.paths[0]}")
    said = line(f"{command} 10 ansi")
    assert said.count("COMMIT;") == 3
    assert said.count(_cut_comment(restarted)) == 1
    assert len([text for text in said if text.startswith(("INSERT", "DELETE"))]) == 6
    assert not line.failures


def test_include_cut_shows_its_statements_in_comments(restarted: Trail, line: Line) -> None:
    line(f"open {restarted.paths[0]}")
    line(f"pos {restarted.rbas[3]}")
    said = line("redo ansi include cut")
    assert said[0] == _cut_comment(restarted)
    assert [text.split(" VALUES")[0].split(" (")[0] for text in said[1:]] == ['-- INSERT INTO "teahouse"."teas"'] * 2


def test_the_position_moves_past_the_marker_so_that_redo_goes_on_with_the_second_copy(
    restarted: Trail, line: Line
) -> None:
    line(f"open {restarted.paths[0]}")
    line(f"pos {restarted.rbas[2]}")
    line("redo ansi")
    assert line("pos") == [f"Reading forward from RBA {restarted.rbas[5]}"]
    assert line("redo ansi")[-1] == "COMMIT;"


def test_json_has_no_statement_of_a_cut_transaction(restarted: Trail) -> None:
    answer = logdump("--format", "jsonl", "-c", f"open {restarted.paths[0]}; redo 10")
    shown = [json.loads(line) for line in answer.out.splitlines()]
    rbas = [item["rba"] for item in shown if item["type"] == "statement"]
    assert rbas == [record.rba for at, record in enumerate(restarted.written) if record.change and at not in (2, 3)]
    assert answer.status == 0


def test_export_leaves_a_cut_transaction_out_and_says_so(restarted: Trail, tmp_path: Path) -> None:
    target = tmp_path / "script.sql"
    answer = logdump("-c", f"open {restarted.paths[0]}; export sql to {target} ansi")
    text = target.read_text()
    assert answer.status == 0
    assert "Exported 6 statements of 3 transactions" in answer.out
    assert "1 transaction left out: a comment says why." in answer.err
    assert (text.count("INSERT"), text.count("COMMIT;"), text.count("cut by RestartAbend")) == (6, 3, 1)


@pytest.mark.parametrize("command", ["redo", "undo"])
def test_a_copy_of_a_transaction_in_an_earlier_file_is_one_comment(command: str, twice: Trail, line: Line) -> None:
    line(f"open {twice.paths[1]}")
    said = line(f"{command} 10 ansi")
    (left_out,) = (text for text in said if text.startswith("-- Left out"))
    assert left_out.endswith(
        f"RBA {twice.rbas[3]} to {twice.rbas[4]}, 1 record: the trail has it whole at RBA {twice.rbas[0]} of"
        f" {twice.paths[0]}: a Replicat skips this copy."
    )
    assert (said.count("COMMIT;"), len([text for text in said if text.startswith(("INSERT", "DELETE"))])) == (1, 3)


def test_include_cut_shows_the_statements_of_a_copy_in_comments(twice: Trail, line: Line) -> None:
    line(f"open {twice.paths[1]}")
    said = line("redo ansi include cut")
    assert [text[:14] for text in said] == ["-- Left out: t", "-- INSERT INTO"]


def test_the_first_copy_is_applied_wherever_reading_begins(twice: Trail, line: Line) -> None:
    line(f"open {twice.paths[0]}")
    assert line("redo 10 ansi").count("COMMIT;") == 2
    line(f"across on; open {twice.paths[0]}")
    assert line("redo 10 ansi").count("COMMIT;") == 3


def test_a_copy_is_known_when_the_trail_has_grown(twice: Trail, line: Line) -> None:
    content = twice.paths[1].read_bytes()
    twice.paths[1].unlink()
    line(f"open {twice.paths[0]}; redo 10 ansi")
    twice.paths[1].write_bytes(content)
    line(f"open {twice.paths[1]}")
    assert line("redo ansi")[0].startswith("-- Left out")


def test_a_copy_is_known_after_an_interrupt(twice: Trail, line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    line(f"open {twice.paths[1]}")
    with monkeypatch.context() as patch:
        patch.setattr(NotApplied, "take", _interrupted)
        with pytest.raises(KeyboardInterrupt):
            line("redo ansi")
    assert line("redo ansi")[0].startswith("-- Left out")


def _interrupted(*_: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize("effective", ["", "effective"])
def test_export_sql_has_nothing_of_a_copy_but_a_comment(
    effective: str, twice: Trail, line: Line, tmp_path: Path
) -> None:
    line(f"across on; open {twice.paths[0]}; export sql to {tmp_path / 'script.sql'} ansi {effective}")
    text = (tmp_path / "script.sql").read_text(encoding="utf-8")
    assert (text.count("INSERT"), text.count("START"), text.count(": a Replicat skips")) == (6, 3, 1)


def test_an_overtaken_transaction_is_one_comment(tmp_path: Path, line: Line) -> None:
    extract = Extract(tmp_path, Random(0), roll_chance=0)
    extract.begin()
    extract.rows(_three_rows(), 2)
    extract.rows(_three_rows(), 3)
    extract.close()
    line(f"open {extract.paths[0]}")
    said = line("redo 9 ansi")
    assert said[0].endswith(
        f"it has no last record, the next begins at RBA {extract.written[2].rba}: a Replicat drops it."
    )
    assert said.count("COMMIT;") == 1


@pytest.mark.parametrize("number", [0, 1, 2])
def test_a_transaction_over_files_is_whole_from_each_of_them(number: int, rolled: Trail, line: Line) -> None:
    line(f"open {rolled.paths[number]}")
    said = line("redo ansi")
    begin, end = rolled.written[0], rolled.written[-1]
    first = f"RBA {begin.rba}" + ("" if number == 0 else f" of {rolled.paths[0]}")
    last = f"{end.rba + end.length}" + ("" if number == 2 else f" of {rolled.paths[2]}")
    assert said[0].endswith(f", {first} to {last}, 3 records")
    assert [text.split()[0] for text in said[1:]] == ["START", "INSERT", "INSERT", "INSERT", "COMMIT;"]
    assert line("pos") == [f"Reading forward from RBA {rolled.paths[number].stat().st_size}"]


def test_a_transaction_whose_file_before_is_gone_is_a_comment_that_names_it(rolled: Trail, line: Line) -> None:
    rolled.paths[0].unlink()
    line(f"open {rolled.paths[1]}")
    said = line("redo ansi")
    assert len(said) == 1
    assert said[0].endswith(f"it begins in {rolled.paths[0]}, which is not here.")


def test_a_transaction_whose_next_file_is_not_there_is_not_committed(rolled: Trail, line: Line) -> None:
    rolled.paths[1].unlink()
    line(f"open {rolled.paths[0]}")
    said = line("redo ansi")
    assert len(said) == 1
    assert said[0].endswith(f"it continues in {rolled.paths[1]}, which is not here.")
    rolled.paths[2].unlink()
    assert line("pos 0; redo ansi")[-1].endswith(
        "it is open at the end of the trail: its rest is not written yet, or will never come."
    )


@pytest.mark.parametrize(("table", "left"), [("teahouse.teas", 3), ("teahouse.sales", 0)])
def test_the_filter_applies_to_the_records_of_the_other_files(table: str, left: int, rolled: Trail, line: Line) -> None:
    line(f"open {rolled.paths[1]}")
    line(f"filter include filename {table}")
    said = line("redo ansi")
    assert len([text for text in said if text.startswith("INSERT")]) == left
    assert said.count("-- The filter left out 3 changes of 1 transaction without another one.") == (not left)
    assert said.count("COMMIT;") == bool(left)


def test_safe_tells_a_cut_transaction_as_cut(restarted: Trail, line: Line) -> None:
    begin, marker = restarted.rbas[2], restarted.rbas[4]
    line(f"open {restarted.paths[0]}")
    said = line(f"safe {restarted.rbas[3]}")
    assert f"  Ends at    no end record. Cut by RestartAbend at RBA {marker}: a Replicat drops it" in said
    assert _ALTER.format(0, begin) in said
    assert _ALTER.format(0, restarted.rbas[8]) in said
    assert not [text for text in said if "apply the whole" in text]


def test_safe_at_the_end_of_a_trail_that_ends_with_a_marker(tmp_path: Path, line: Line) -> None:
    extract = Extract(tmp_path, Random(0), roll_chance=0)
    extract.begin()
    extract.rows(_three_rows(), 2)
    extract.marker(RESTART_ABEND)
    extract.close()
    line(f"open {extract.paths[0]}")
    end = extract.paths[0].stat().st_size
    assert line(f"safe {end}")[0].startswith(f"RBA {end} of sm000000000 is between two transactions")
    said = line(f"safe {extract.written[1].rba}")
    assert not [text for text in said if "open at the end" in text]


def test_safe_gives_json_how_it_ended(restarted: Trail) -> None:
    answer = logdump("--format", "jsonl", "-c", f"open {restarted.paths[0]}; safe {restarted.rbas[3]}")
    shown = json.loads(answer.out.splitlines()[-1])
    assert (shown["ended"], shown["marker"]["rba"], shown["has_end"]) == ("cut", restarted.rbas[4], False)


@pytest.mark.parametrize("name", ["et000000000", "ft000000000", "gt000000000", "ct000000000", "between"])
def test_safe_that_tells_of_damage_has_the_status_of_bad_data(
    name: str, line: Line, trails: Path, tmp_path: Path
) -> None:
    """Whether it is in the transaction asked for or before the next one; at any place of a trail."""
    garbage = b"no record at all, but bytes " * 4
    made = trail_of(tmp_path, *rows("a"), *rows("bc"), garbage, *rows("d"), garbage, *rows("efg"), name="tt000000000")
    line(f"open {made if name == 'between' else trails / name}")
    trail = line.session.trail
    places = [int(rba) for batch in scan(trail) for rba in batch.rba]
    told = []
    for rba in places:
        said = " ".join(line(f"safe {rba}"))
        shown = [event for event in line.events if isinstance(event, SafePointShown)]
        told += [("damage" in said.lower(), event.status is ExitStatus.BAD_DATA) for event in shown]
    assert all(is_said == is_bad for is_said, is_bad in told)
    assert any(is_bad for _, is_bad in told) == (name[0] in "fgb")

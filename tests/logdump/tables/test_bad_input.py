"""Damage, and files that are none: an error that names the place, a row of its own, or passed over."""

from __future__ import annotations

import logging
import shutil
from pathlib import Path

import pytest

from fixtures import TRAILS
from logdump.arrow.records.schema import COLUMNS, Selected
from logdump.tables.errors import BadTrail, FileChanged
from logdump.tables.options import Options
from logdump.tables.planner import plan
from logdump.tables.reader import read
from logdump.tables.slices import Request
from tests.logdump.tables.reads import rows
from trailformat import TrailFile

DAMAGED = TRAILS / "ft000000000"
GARBAGE = TRAILS / "gl000000000"
GOOD = TRAILS / "et000000000"
RBA = Request((Selected("rba", next(column for column in COLUMNS if column.name == "rba")),), Options())


@pytest.fixture
def cut(tmp_path: Path) -> Path:
    """A trail's last file, its last record half written."""
    return Path(shutil.copy(TRAILS / "ct000000000", tmp_path / "lt000000000"))


def sound(path: Path) -> list[int]:
    with TrailFile(path) as trail:
        return list(trail.sound_rbas(0, trail.size))


@pytest.mark.parametrize("path", [DAMAGED, GARBAGE], ids=lambda path: path.name)
def test_damage_ends_a_read_with_file_seqno_and_rba(path: Path) -> None:
    with pytest.raises(BadTrail, match=rf"^{path}, seqno 0, RBA \d+: .*; expected .*; found .*; \d+ bytes; mode PERM"):
        rows(path, "op")


@pytest.mark.parametrize("path", [DAMAGED, GARBAGE], ids=lambda path: path.name)
def test_permissive_shows_damage_as_a_row_and_keeps_the_good_ones(path: Path) -> None:
    found = rows(path, mode="PERMISSIVE")
    assert [row["rba"] for row in found if row["_corrupt_record"] is None] == sound(path)
    (damage,) = [row for row in found if row["_corrupt_record"] is not None]
    assert damage["raw"] == path.read_bytes()[damage["rba"] : damage["rba"] + damage["length"]]
    given = {name for name, value in damage.items() if value is not None}
    assert given == {"file", "seqno", "file_order", "rba", "length", "raw", "_corrupt_record"}


@pytest.mark.parametrize(
    "columns", [("_corrupt_record",), ("op", "_corrupt_record"), ("after", "_corrupt_record", "raw")]
)
def test_the_corrupt_record_is_the_same_whatever_else_is_asked(columns: tuple[str, ...]) -> None:
    alone = [row["_corrupt_record"] for row in rows(DAMAGED, mode="PERMISSIVE")]
    assert [row["_corrupt_record"] for row in rows(DAMAGED, *columns, mode="PERMISSIVE")] == alone
    assert len([reason for reason in alone if reason is not None]) == 1


def test_permissive_shows_damage_whatever_where_says() -> None:
    found = rows(DAMAGED, "op", "_corrupt_record", mode="PERMISSIVE", where="IOTYPE Delete")
    assert {row["op"] for row in found if row["_corrupt_record"] is None} == {"Delete"}
    assert len([row for row in found if row["_corrupt_record"]]) == 1


def test_dropmalformed_steps_over_damage_and_says_so(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "logdump.spark"):
        found = rows(DAMAGED, "rba", mode="DROPMALFORMED")
    assert [row["rba"] for row in found] == sound(DAMAGED)
    assert [f"{DAMAGED}, seqno 0, RBA " in line for line in caplog.messages] == [True]


def test_damage_is_found_in_whatever_piece_it_stands() -> None:
    whole = rows(GARBAGE, mode="PERMISSIVE")
    for size in (300, 700, 1500):
        assert rows(GARBAGE, mode="PERMISSIVE", maxPartitionBytes=size) == whole


@pytest.mark.parametrize("mode", ["FAILFAST", "DROPMALFORMED"])
def test_a_last_record_that_is_half_written_is_no_damage(cut: Path, mode: str) -> None:
    assert [row["rba"] for row in rows(cut, "rba", mode=mode)] == sound(cut)


def test_permissive_calls_it_incomplete(cut: Path) -> None:
    last = rows(cut, "rba", "_corrupt_record", mode="PERMISSIVE")[-1]
    assert last["_corrupt_record"].startswith("incomplete: the file ends inside the record; expected ")


def test_half_a_record_in_a_file_that_has_a_successor_is_damage(cut: Path) -> None:
    shutil.copy(GOOD, cut.with_name("lt000000001"))
    with pytest.raises(BadTrail, match=r"lt000000000, seqno 0, RBA \d+: the file ends inside the record"):
        rows(cut, "rba")


def test_a_file_that_is_just_being_made_has_no_rows(tmp_path: Path) -> None:
    shutil.copy(GOOD, tmp_path / "lt000000000")
    (tmp_path / "lt000000001").write_bytes(b"")
    assert len(rows(tmp_path, "rba")) == len(sound(GOOD))
    (tmp_path / "lt000000001").write_bytes(GOOD.read_bytes()[:500])
    assert len(rows(tmp_path, "rba")) == len(sound(GOOD))


@pytest.fixture
def mixture(tmp_path: Path) -> Path:
    """A directory with a trail and a file that is none."""
    shutil.copy(GOOD, tmp_path / "lt000000000")
    (tmp_path / "notes.txt").write_text("not a trail\n" * 100)
    return tmp_path


def test_a_file_that_is_no_trail_is_named_with_the_ways_around(mixture: Path) -> None:
    with pytest.raises(
        BadTrail, match=r"notes.txt, RBA 0: this is not a trail file: .* pathGlobFilter .*, ignoreCorruptFiles"
    ):
        rows(mixture, "rba")


def test_permissive_gives_such_a_file_one_row(mixture: Path) -> None:
    (other,) = [row for row in rows(mixture, mode="PERMISSIVE") if row["rba"] is None]
    assert other["file"] == str(mixture / "notes.txt")
    assert "this is not a trail file" in other["_corrupt_record"]


@pytest.mark.parametrize(
    "given", [{"ignoreCorruptFiles": "true"}, {"pathGlobFilter": "lt*"}, {"mode": "DROPMALFORMED"}]
)
def test_such_files_can_be_left_out(mixture: Path, given: dict[str, str]) -> None:
    assert len(rows(mixture, "rba", **given)) == len(sound(GOOD))


def test_a_file_that_is_no_trail_is_refused_before_any_task_where_it_is_to_be_split(mixture: Path) -> None:
    with pytest.raises(BadTrail, match=r"notes.txt, RBA 0: this is not a trail file"):
        plan(Options(path=str(mixture), max_partition_bytes=500))


def test_a_file_that_has_gone_since_the_plan(mixture: Path) -> None:
    slices = [part for lot in plan(Options(path=str(mixture / "lt*"))) for part in lot]
    (mixture / "lt000000000").unlink()
    with pytest.raises(
        FileChanged, match=r"lt000000000, seqno 0: No such file .*; option ignoreMissingFiles continues"
    ):
        list(read(slices, RBA))
    assert list(read(slices, RBA._replace(options=Options(ignore_missing_files=True)))) == []


def test_a_file_that_has_become_shorter_since_the_plan(mixture: Path) -> None:
    path = mixture / "lt000000000"
    slices = [part for lot in plan(Options(path=str(path))) for part in lot]
    path.write_bytes(path.read_bytes()[:3000])
    with pytest.raises(FileChanged, match=r"lt000000000, seqno 0: it had 5453 bytes when .* planned, and has 3000$"):
        list(read(slices, RBA))


def test_what_was_appended_since_the_plan_is_left_to_the_next_read(mixture: Path) -> None:
    path = mixture / "lt000000000"
    whole = path.read_bytes()
    path.write_bytes(whole[:4000])
    slices = [part for lot in plan(Options(path=str(path))) for part in lot]
    path.write_bytes(whole)
    found = [rba for batch in read(slices, RBA) for rba in batch.column("rba").to_pylist()]
    assert found == [rba for rba in sound(GOOD) if rba < 4000]

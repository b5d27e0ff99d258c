from __future__ import annotations

import errno
import json
import os
import re
import shutil
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from logdump.features.check.model import CheckShown, GapShown
from logdump.session.errors import ExitStatus
from logdump.session.events import Notice, Progress
from tests.logdump.line import Line
from tests.logdump.program import logdump
from tests.searching import Random, examples
from tests.simulated.trail_faults import Faulty
from tests.trailformat.samples import row, table_record, trail_of
from trailformat import TrailFile
from trailformat.records.record_header import FIRST, LAST, MIDDLE, ONLY
from trailformat.scan import Workers, measuring, parallel

GARBAGE = b"\xee" * 50


def gaps(line: Line) -> list[GapShown]:
    return [event for event in line.events if isinstance(event, GapShown)]


def result(line: Line) -> CheckShown:
    return next(event for event in line.events if isinstance(event, CheckShown))


def test_a_sound_file_has_no_gap(shop: Line) -> None:
    path = shop.session.trail.path
    assert shop("check") == [f"LogTrail {path} has 22 good records in 10 transactions, no gap in 5453 bytes"]


def test_every_gap_is_listed_with_its_place_and_what_follows(line: Line, tmp_path: Path) -> None:
    record = row()
    path = trail_of(tmp_path, record, GARBAGE, record, GARBAGE + GARBAGE, record)
    line(f"open {path}; check")
    n = record.length
    assert [(gap.rba, gap.length, gap.next_good) for gap in gaps(line)] == [
        (n, 50, n + 50),
        (2 * n + 50, 100, 2 * n + 150),
    ]
    assert (result(line).records, result(line).gaps, result(line).gap_bytes) == (3, 2, 150)


def test_the_reason_is_that_of_reading_there(line: Line, trails: Path) -> None:
    line(f"open {trails / 'gt000000000'}; check")
    line("pos 3522; n")
    (failure,) = line.failures
    said = failure.lines[0].removeprefix("Bad record found at RBA 3522: ")
    assert said in line("check")[0]


def test_a_half_written_end_is_told_apart(line: Line, trails: Path) -> None:
    line(f"open {trails / 'ct000000000'}")
    assert line("check")[0].endswith("more may follow")


def test_damage_up_to_the_end_has_nothing_after_it(line: Line, tmp_path: Path) -> None:
    line(f"open {trail_of(tmp_path, row(), GARBAGE)}")
    assert line("check")[0].endswith("no good record after it")


def test_records_without_a_definition_are_counted(line: Line, trails: Path) -> None:
    line(f"open {trails / 'mt000000000'}")
    records = list(line.session.trail.records(line.session.trail.first_rba))
    rows = [record for record in records if record.table_index == 2]
    assert (
        line("check")[-1]
        == f"{len(rows)} records belong to tables that are not defined before them: their columns cannot be shown."
    )


@pytest.mark.parametrize("damage", [b"", GARBAGE])
def test_records_without_a_definition_are_a_finding_and_damage_counts_more(
    damage: bytes, line: Line, trails: Path, tmp_path: Path
) -> None:
    path = tmp_path / "mt000000000"
    path.write_bytes((trails / path.name).read_bytes() + damage)
    line(f"open {path}; check")
    assert (result(line).undefined, result(line).status) == (
        7,
        ExitStatus.BAD_DATA if damage else ExitStatus.FINDINGS,
    )


def test_a_missing_file_counts_more_than_records_without_a_definition(line: Line, trails: Path, tmp_path: Path) -> None:
    for number in (0, 2):
        shutil.copy(trails / "mt000000000", tmp_path / f"mt{number:09}")
    line(f"check {tmp_path}/mt*")
    assert (result(line).undefined, result(line).status) == (14, ExitStatus.BAD_DATA)


def test_the_position_stays(shop: Line) -> None:
    shop("pos 2008; n; check")
    assert (shop.session.cursor.current, shop.session.cursor.next) == (2008, 2170)


def test_several_files_come_to_one_result(line: Line, trails: Path, tmp_path: Path) -> None:
    for name in ("st000000000", "st000000001"):
        (tmp_path / name).write_bytes((trails / name).read_bytes())
    (tmp_path / "st000000002").write_bytes(b"nothing of a trail")
    said = line(f"check {tmp_path / 'st*'}")
    assert said[0].startswith(f"Gap in {tmp_path / 'st000000002'} at RBA 0, 18 bytes: this is not a trail file")
    assert said[1].startswith(f"LogTrail {tmp_path / 'st*'}, 3 files, has ")
    assert result(line).size == sum(path.stat().st_size for path in tmp_path.iterdir())


def test_a_file_can_be_named(line: Line, trails: Path) -> None:
    line(f"check {trails / 'ft000000000'}")
    assert result(line).title == f"LogTrail {trails / 'ft000000000'}"


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("nowhere*", "No file matches nowhere*."),
        ("/no/such/place/lt*", "/no/such/place: No such file or directory"),
    ],
)
def test_no_file_is_a_failure(name: str, why: str, line: Line) -> None:
    assert (line(f"check {name}"), len(line.failures)) == ([why], 1)


@pytest.mark.parametrize(
    ("name", "status"),
    [("et000000000", ExitStatus.OK), ("ft000000000", ExitStatus.BAD_DATA), ("ct000000000", ExitStatus.BAD_DATA)],
)
def test_a_script_fails_where_there_is_damage(name: str, status: ExitStatus, trails: Path) -> None:
    assert logdump("-c", f"open {trails / name}; check").status == status


def test_json_has_an_object_per_gap_and_one_for_the_whole(trails: Path) -> None:
    answer = logdump("--format", "jsonl", "-c", f"open {trails / 'ft000000000'}; check")
    gap, whole = (json.loads(text) for text in answer.out.splitlines()[1:])
    assert (gap["type"], gap["rba"], gap["length"], gap["next_good"]) == ("gap", 3522, 107, 3629)
    assert (whole["type"], whole["gaps"], whole["partial"]) == ("check", 1, False)
    assert answer.status == ExitStatus.BAD_DATA


@pytest.mark.parametrize("name", ["et000000000", "fl000000000", "gt000000000", "cl000000000", "mt000000000"])
@pytest.mark.parametrize("form", ["text", "jsonl"])
def test_threads_find_the_same(form: str, name: str, trails: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("--format", form, "-c", f"open {trails / name}; check")
    expected = logdump(*words)
    monkeypatch.setattr(parallel, "PIECE", 700)
    assert logdump(*words) == expected


def test_progress_is_told_at_the_steps_of_notify(shop: Line) -> None:
    shop("notify 5; check")
    assert [event.records for event in shop.events if isinstance(event, Progress)] == [22]


class Stopped:
    """A scan that Ctrl+C ends in its third batch of five rows."""

    whole = staticmethod(measuring.measured_batches)

    def __init__(self, trail: TrailFile, workers: Workers) -> None:
        self._scan = self.whole(trail, workers, batch_size=5)
        self._batches = 0

    def __iter__(self) -> Stopped:
        return self

    def __next__(self) -> object:
        self._batches += 1
        if self._batches == 3:
            raise KeyboardInterrupt
        return next(self._scan)


def test_ctrl_c_keeps_what_was_found_and_says_so(shop: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measuring, "measured_batches", Stopped)
    with pytest.raises(KeyboardInterrupt):
        shop("check")
    assert (result(shop).records, result(shop).is_partial) == (10, True)
    assert [event.status for event in shop.events if isinstance(event, Notice)] == [ExitStatus.INTERRUPTED]


def test_ctrl_c_in_the_first_of_two_files_looks_at_no_second(
    line: Line, trails: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measuring, "measured_batches", Stopped)
    with pytest.raises(KeyboardInterrupt):
        line(f"check {trails / 'st00000000?'}")
    assert (result(line).records, result(line).is_partial) == (10, True)
    [notice] = [event for event in line.events if isinstance(event, Notice)]
    assert f"{trails / 'st000000000'}, after 10 records" in notice.lines[0]


@pytest.mark.parametrize("stopped", [0, 1])
@pytest.mark.parametrize("batches", [0, 1])
def test_ctrl_c_names_the_records_of_the_file_that_it_stopped(
    batches: int, stopped: int, line: Line, trails: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In either of two files, before or after so many batches of five records."""
    whole, files = measuring.measured_batches, list[Path]()

    def measured(trail: TrailFile, workers: Workers) -> Iterator[measuring.Measured]:
        files.append(trail.path)
        for number, batch in enumerate(whole(trail, workers, batch_size=5)):
            if len(files) > stopped and number == batches:
                raise KeyboardInterrupt
            yield batch

    monkeypatch.setattr(measuring, "measured_batches", measured)
    with pytest.raises(KeyboardInterrupt):
        line(f"check {trails / 'st00000000?'}")
    [notice] = [event for event in line.events if isinstance(event, Notice)]
    assert f"{files[-1]}, after {5 * batches} records" in notice.lines[0]


def test_restarts_are_counted_as_recovery_counts_them(line: Line, trails: Path) -> None:
    line(f"open {trails / 'at000000000'}; across on")
    assert "Restarts: 4, see RECOVERY" in line("check")
    assert ", 4 restarts," in line("recovery")[0]


@pytest.mark.parametrize(("name", "restarts"), [("aa000000001", 1), ("bb000000000", 0)])
def test_another_writer_is_a_restart_in_the_same_trail_alone(
    name: str, restarts: int, line: Line, trails: Path, tmp_path: Path
) -> None:
    shutil.copy(trails / "et000000000", tmp_path / "aa000000000")
    shutil.copy(trails / "el000000000", tmp_path / name)
    line(f'check "{tmp_path}/*"')
    assert result(line).restarts == restarts


def test_of_some_files_cut_transactions_are_not_missed_whose_copy_may_be_in_one_that_was_not_asked_for(
    line: Line, trails: Path
) -> None:
    line(f"check {trails}/at000000000,{trails}/at000000002")
    (state,) = result(line).states
    assert (state.restarts, state.lost, [gap.is_left_out for gap in state.gaps]) == (4, 0, [True])


def test_of_one_file_of_several_cut_transactions_are_not_missed(line: Line, tmp_path: Path) -> None:
    expected = Faulty(tmp_path, Random(3), ["none", "cut", "none"]).expected
    line(f"check {tmp_path / 'ff000000001'}")
    assert (expected.lost, result(line).states[0].lost, result(line).status) == (1, 0, ExitStatus.OK)
    for number in (0, 2):
        (tmp_path / f"ff00000000{number}").unlink()
    line(f"check {tmp_path / 'ff000000001'}")
    assert (result(line).states[0].lost, result(line).status) == (1, ExitStatus.FINDINGS)


@pytest.mark.parametrize("kinds", list(permutations(["short", "cut", "none"])))
def test_the_most_severe_of_several_trails_counts_and_each_is_named(
    kinds: tuple[str, ...], line: Line, tmp_path: Path
) -> None:
    for name, kind in zip("abc", kinds, strict=True):
        (tmp_path / name).mkdir()
        Faulty(tmp_path / name, Random(5), ["none", kind, "none"])
    lines = line(f"check {','.join(str(tmp_path / name) for name in 'abc')}")
    assert result(line).status is ExitStatus.BAD_DATA
    cut = f"{tmp_path / 'abc'[kinds.index('cut')] / 'ff'}: "
    assert f"{cut}1 cut transaction without a whole copy, see RECOVERY" in lines
    (tmp_path / "abc"[kinds.index("short")] / "ff000000001").unlink()
    (tmp_path / "abc"[kinds.index("short")] / "ff000000002").unlink()
    line(f"check {','.join(str(tmp_path / name) for name in 'abc')}")
    assert result(line).status is ExitStatus.FINDINGS


def test_of_a_trail_without_restarts_nothing_is_said_of_them(shop: Line) -> None:
    assert not [text for text in shop("check") if "Restarts" in text]


@pytest.mark.parametrize("denied", [(0,), (1,), (0, 1), (1, 2), (0, 1, 2)])
def test_the_first_file_that_may_not_be_opened_is_named_and_the_others_are_checked(
    denied: tuple[int, ...], line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Faulty(tmp_path, Random(5), ["none", "none", "none"])
    paths = [tmp_path / f"ff00000000{number}" for number in range(3)]
    refused, sound = {str(paths[number]) for number in denied}, os.open

    def opened(path: str | os.PathLike[str], *more: Any, **how: Any) -> int:
        if os.fspath(path) in refused:
            raise PermissionError(errno.EACCES, "Permission denied", os.fspath(path))
        return sound(path, *more, **how)

    monkeypatch.setattr(os, "open", opened)
    line(f"check {tmp_path / 'ff'}")
    assert [failure.lines for failure in line.failures] == [
        (f"Error: {paths[denied[0]]}: cannot be read: Permission denied",)
    ]
    assert [gap.path for gap in gaps(line)] == [paths[number] for number in denied]


@pytest.mark.parametrize("case", range(examples(16)))
def test_transactions_are_counted_wherever_batches_end(
    case: int, line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Definitions, which are in none, stand between the records of transactions, and at the end of each file."""
    random, size = Random(f"batches {case}"), case % 4 + 1
    batches = measuring.measured_batches
    monkeypatch.setattr(measuring, "measured_batches", lambda trail, workers, *_: batches(trail, workers, size))
    expected = list[int]()
    for number in range(random.randint(1, 3)):
        kinds = [kind for _ in range(random.randint(1, 5)) for kind in random.choice(((ONLY,), (FIRST, MIDDLE, LAST)))]
        records = [row(trans_ind=kind) for kind in kinds]
        for _ in range(random.randint(1, 3)):
            records.insert(random.randint(0, len(records)), table_record(random.randint(1, 3), "TEA.LEAVES"))
        records += [table_record(1, "TEA.LEAVES")] * random.randint(size, size + 3)
        trail_of(tmp_path, *records, name=f"tt{number:09}")
        expected.append(sum(kind in (ONLY, LAST) for kind in kinds))
    line(f"check {tmp_path / 'tt000000000'}")
    assert result(line).transactions == expected[0]
    line(f"check {tmp_path / 'tt*'}")
    assert result(line).transactions == sum(expected)
    line(f"open {tmp_path / 'tt000000000'}; check")
    assert result(line).transactions == expected[0]


@pytest.mark.parametrize("case", range(examples(16)))
def test_several_trails_are_told_in_the_order_of_their_names(case: int, line: Line, tmp_path: Path) -> None:
    """Each lacks a file, in the order of writing: the numbers of some have wrapped; they are named in any order."""
    random = Random(f"trails {case}")
    wrapped = random.sample(["ta", "tb", "tc"], random.randint(0, 3))
    for name in ("ta", "tb", "tc"):
        numbers = [999_999_997, 999_999_999, 0, 1] if name in wrapped else [3, 4, 6]
        for number in numbers:
            trail_of(tmp_path, row(trans_ind=ONLY), name=f"{name}{number:09}")
    files = [str(path) for path in tmp_path.iterdir()]
    random.shuffle(files)
    said = line(f"check {random.choice((tmp_path / 't*', ','.join(files)))}")
    assert [state.trail for state in result(line).states] == [str(tmp_path / name) for name in ("ta", "tb", "tc")]
    missing = [name for text in said if "issing" in text for name in re.findall(r"\bt[abc]\d{9}\b", text)]
    assert missing == [f"{name}{999_999_998 if name in wrapped else 5:09}" for name in ("ta", "tb", "tc")], said

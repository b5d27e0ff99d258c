"""RECOVERY in a session: what it takes, what it tells, with what exit status."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from fixtures import TRAILS
from logdump.features.recovery.model import KeepShown, RecoveryShown, RestartShown, SecondCopyShown, TrailFileShown
from logdump.features.recovery.survey import Survey
from logdump.session.errors import ExitStatus
from logdump.session.events import Progress
from tests.logdump.line import Line
from tests.logdump.program import logdump


@pytest.fixture
def cut(line: Line, trails: Path) -> Line:
    """A session with the middle file of a trail open whose Extract was cut off."""
    line(f"open {trails / 'at000000001'}")
    return line


def shown(line: Line) -> RecoveryShown:
    return next(event for event in line.events if isinstance(event, RecoveryShown))


def test_the_files_before_and_behind_the_open_one_belong_to_it(cut: Line) -> None:
    cut("recovery")
    assert (shown(cut).files, shown(cut).transactions, shown(cut).effective) == (3, 10, 6)


def test_the_position_stays(cut: Line) -> None:
    cut("pos 2363")
    cut("recovery")
    assert cut.session.cursor.next == 2363


def test_over_takes_other_files_than_the_open_one(cut: Line, trails: Path) -> None:
    cut(f"recovery over {trails / 'al*'}")
    assert shown(cut).title == f"LogTrail {trails / 'al*'}"
    assert {event.position.path.name[:2] for event in cut.events if isinstance(event, RestartShown)} == {"al"}


def test_over_takes_one_trail_alone(cut: Line, trails: Path) -> None:
    assert "files of several trails" in cut(f"recovery over {trails / 'a*'}")[0]


@pytest.mark.parametrize("part", ["restarts", "cut", "twice", "order", "files"])
def test_a_part_is_what_the_whole_has_of_it(cut: Line, part: str) -> None:
    whole, alone = set(cut("recovery")), cut(f"recovery {part}")
    kinds = {type(event).__name__ for event in cut.events}
    assert len(kinds - {"RecoveryShown", "RecoveryEnd"}) <= 1
    assert set(alone[:1]) <= whole


def test_a_reader_of_an_older_release_cannot_read_newer_files(line: Line, trails: Path) -> None:
    line(f"open {trails / 'al000000000'}; recovery reader 12.2")
    assert [path.name for path in shown(line).too_new] == ["al000000000", "al000000001", "al000000002"]
    for name in ("al", "at"):
        line(f"open {trails / name}000000000; recovery reader 19c")
        assert shown(line).too_new == ()


@pytest.mark.parametrize("release", ["8.0", "23ai", "nonsense"])
def test_of_a_release_that_is_not_known_nothing_is_said(cut: Line, release: str) -> None:
    assert f"What release {release} reads is not known" in cut(f"recovery reader {release}")[0]


@pytest.mark.parametrize(
    ("place", "free"),
    [("", ["at000000000"]), ("0 2722", []), ("1 0", ["at000000000"]), ("2 2363", ["at000000000", "at000000001"])],
)
def test_files_before_the_transaction_in_which_a_reader_is_can_go(cut: Line, place: str, free: list[str]) -> None:
    cut(f"recovery keep {place}")
    (keep,) = (event for event in cut.events if isinstance(event, KeepShown))
    assert [path.name for path in keep.free] == free


def test_files_tell_which_of_them_a_reader_needs(cut: Line) -> None:
    cut("recovery files keep 2 2363")
    files = [event for event in cut.events if isinstance(event, TrailFileShown)]
    assert [(file.path.name, file.keeps) for file in files] == [
        ("at000000000", False),
        ("at000000001", False),
        ("at000000002", True),
    ]


def test_half_a_trail_is_refused(cut: Line) -> None:
    cut("filter include iotype insert")
    assert cut("recovery")[0].startswith("RECOVERY needs all records of the trail")


def test_filtered_findings_hold_a_record_that_passes(line: Line, trails: Path) -> None:
    line(f"open {trails / 'wt000000000'}; filter include filename TEAHOUSE.SALES")
    line("recovery filtered")
    tables = [event.copy.tables for event in line.events if isinstance(event, SecondCopyShown)]
    assert tables
    assert all("TEAHOUSE.SALES" in (table or {}) for table in tables)
    assert shown(line).state.twice > len(tables)


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("et000000000", ExitStatus.OK),
        ("ot000000", ExitStatus.OK),
        ("at000000000", ExitStatus.FINDINGS),
        ("wt000000000", ExitStatus.BAD_DATA),
        ("gt000000000", ExitStatus.BAD_DATA),
    ],
)
def test_the_exit_status_tells_of_findings(trails: Path, name: str, status: ExitStatus) -> None:
    assert logdump("-c", f"open {trails / name}; recovery").status == status


@pytest.mark.parametrize("words", ["sideways", "over", "reader", "keep 1", "keep 1 x"])
def test_words_that_are_none_are_refused(cut: Line, words: str) -> None:
    cut(f"recovery {words}")
    assert len(cut.failures) == 1


def test_json_has_the_members_that_are_documented(trails: Path) -> None:
    answer = logdump("--format", "jsonl", "-c", f"open {trails / 'at000000000'}; recovery")
    objects = [json.loads(line) for line in answer.out.splitlines()]
    (summary,) = (item for item in objects if item["type"] == "recovery")
    assert (summary["cut"], summary["lost"], summary["mode"]) == (3, 1, [1])
    restart = next(item for item in objects if item["type"] == "restart")
    assert (restart["kind"], restart["cut"]["csn"], restart["again_is"]) == ("abend", "41882334", "prefix")
    assert restart["recovery_point"]["alter"].endswith("EXTRBA 2722")


def test_the_text_names_the_places_of_the_fixture(cut: Line) -> None:
    text = "\n".join(cut("recovery"))
    assert re.search(r"Restart at RBA 3083 of at000000000: RestartAbend", text)
    assert "Recovery point RBA 2722 of at000000000" in text
    assert "Again at       RBA 3130 to 3691 of at000000000, 3 records, whole: the 2 cut records are its first 2" in text


def test_an_interrupt_gives_what_there_is(cut: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    from logdump.features.recovery.survey import Survey

    def interrupted(*_: object) -> object:
        raise KeyboardInterrupt

    monkeypatch.setattr(Survey, "_take", interrupted)
    with pytest.raises(KeyboardInterrupt):
        cut("recovery")
    assert shown(cut).is_partial


def test_progress_is_reported_every_so_many_records(cut: Line) -> None:
    cut("notify 4")
    cut("recovery")
    assert [event.records for event in cut.events if isinstance(event, Progress)]


@pytest.mark.parametrize(
    ("kept", "damage", "causes"),
    [
        ((1,), False, "begun before the first file"),
        ((0, 2), False, "by missing files"),
        ((0, 1, 2), True, "by damage"),
        ((0, 2), True, "by damage or missing files"),
    ],
)
def test_a_transaction_that_is_not_whole_is_told_with_what_may_be_the_reason(
    kept: tuple[int, ...], damage: bool, causes: str, line: Line, trails: Path, tmp_path: Path
) -> None:
    for number in kept:
        data = bytearray((trails / f"st{min(number, 1):09}").read_bytes())
        if damage and number == 0:
            data[2722:2726] = b"XXXX"
        (tmp_path / f"st{number:09}").write_bytes(data)
    said = "\n".join(line(f"open {tmp_path / f'st{kept[0]:09}'}; recovery"))
    assert shown(line).incomplete
    assert re.search(rf"\d+ transactions? not whole, {causes}\.$", said, re.MULTILINE)
    assert ("Damage at" in said) is damage


@pytest.mark.parametrize("command", ["safe {}", "recovery keep 0 {}", "explain restart at 0 {}"])
@pytest.mark.parametrize(
    ("rba", "problem"),
    [
        (5353, "position is inside an incomplete record[,;] expected 5352"),
        (5403, "position is inside an incomplete record[,;] expected 5352"),
        (5404, "position is outside the file; expected 0 to 5403"),
        (99999, "position is outside the file; expected 0 to 5403"),
    ],
)
def test_no_reader_is_sent_into_a_half_written_record_or_behind_the_file(
    command: str, rba: int, problem: str, line: Line, trails: Path, tmp_path: Path
) -> None:
    path = tmp_path / "et000000000"
    path.write_bytes((trails / path.name).read_bytes()[:-50])
    said = line(f"open {path}; {command.format(rba)}")
    assert len(line.failures) == 1
    assert re.search(problem, "\n".join(said))
    assert not [text for text in said if "between two transactions" in text or "Keep: " in text]
    line(command.format(5352))
    assert line.failures == []


def test_damage_is_told_once_and_the_trail_was_read_to_its_end(cut: Line, tmp_path: Path) -> None:
    for path in TRAILS.glob("at00000000?"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    content = bytearray((tmp_path / "at000000000").read_bytes())
    content[2722:2730] = b"no start"
    (tmp_path / "at000000000").write_bytes(content)
    cut(f"open {tmp_path / 'at000000000'}")
    first, title, *rest = cut("recovery")
    assert first == "Damage at 1 place: this is partial, without a verdict."
    assert "as far as it was read" not in title
    assert not any("amage at" in text for text in rest)
    assert any(text.startswith("CHECK shows the damage") for text in rest)


@pytest.mark.parametrize("place", ["9 0", "1 2364", "1 99999"])
def test_a_bad_place_of_keep_is_refused_before_anything_is_read(
    place: str, cut: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object) -> None:
        pytest.fail("the trail is read")

    monkeypatch.setattr(Survey, "run", never)
    cut(f"recovery keep {place}")
    assert len(cut.events) == 1
    assert len(cut.failures) == 1

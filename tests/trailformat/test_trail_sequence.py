"""What is said of a record that the file cuts: the length that it has, in whatever byte order the file is."""

from __future__ import annotations

from pathlib import Path

import pytest

from fixtures import TRAILS
from tests.logdump.line import Line
from tests.simulated.plain_reader import read_all
from trailformat import NotATrail, TrailError, TrailFile, TrailName, TrailSequence
from trailformat.trail.sequence import next_file, previous_file

WRITTEN_IN = {"et000000000": ">", "el000000000": "<", "ft000000000": ">", "gl000000000": "<", "at000000000": ">"}
OF_THE_TOKEN = 8
"""Bytes of a record that say how long its header is."""


@pytest.mark.parametrize(("name", "sign"), WRITTEN_IN.items())
def test_a_cut_record_is_as_long_as_it_is(name: str, sign: str, tmp_path: Path) -> None:
    content = (TRAILS / name).read_bytes()
    header, first = list(read_all(content, sign))[:2]
    for record in (header, first):
        for size in (OF_THE_TOKEN + 2, 12, record.length // 2, record.length - 5, record.length - 1):
            cut = tmp_path / name
            cut.write_bytes(content[: record.rba + size])
            error = _error(cut, record.rba)
            assert (error.expected, error.found) == (f"{record.length} bytes", f"{size} bytes")


@pytest.mark.parametrize(("name", "sign"), WRITTEN_IN.items())
def test_no_length_is_named_where_nothing_tells_the_order(name: str, sign: str, tmp_path: Path) -> None:
    content = (TRAILS / name).read_bytes()
    first = list(read_all(content, sign))[1]
    for size in range(1, OF_THE_TOKEN + 2):
        cut = tmp_path / name
        cut.write_bytes(content[: first.rba + size])
        error = _error(cut, first.rba)
        assert error.expected in (None, f"{first.length} bytes")
        assert error.found == f"{size} bytes"


@pytest.mark.parametrize(("name", "sign"), WRITTEN_IN.items())
def test_check_says_the_same(name: str, sign: str, tmp_path: Path) -> None:
    content = (TRAILS / name).read_bytes()
    first = list(read_all(content, sign))[1]
    cut = tmp_path / name
    cut.write_bytes(content[: first.rba + 70])
    shown = Line()(f"check {cut}")
    assert any(f"expected {first.length} bytes, found 70 bytes" in text for text in shown), shown


def _error(path: Path, rba: int) -> TrailError:
    try:
        with TrailFile(path) as trail:
            error = trail.error_at(rba)
            assert error is not None
            return error
    except NotATrail as refusal:
        return refusal


def files(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).touch()
    return folder


def listed(path: Path) -> list[str]:
    return [file.name for file in TrailSequence(path)]


@pytest.mark.parametrize(
    ("name", "prefix", "seqno", "digits"),
    [
        ("lt000007", "lt", 7, 6),
        ("tr000000012", "tr", 12, 9),
        ("e1000007", "e1", 7, 6),
        ("e1000000007", "e1", 7, 9),
        ("trail12", "trail", 12, 2),
    ],
)
def test_a_name_is_a_prefix_and_a_number(name: str, prefix: str, seqno: int, digits: int) -> None:
    assert TrailName.parse(f"dirdat/{name}") == TrailName(Path("dirdat"), prefix, seqno, digits)


@pytest.mark.parametrize("name", ["dirdat/lt000007", "dirdat/tr000000012"])
def test_a_parsed_name_leads_back_to_its_path(name: str) -> None:
    parsed = TrailName.parse(name)
    assert parsed is not None
    assert parsed.path == Path(name)


@pytest.mark.parametrize("name", ["lt", "trail.dat", "lt00000\u0661", ""])
def test_a_name_without_a_number_is_none(name: str) -> None:
    assert TrailName.parse(name) is None


@pytest.mark.parametrize(
    ("name", "after"),
    [
        ("lt000007", "lt000008"),
        ("lt999999", "lt000000"),
        ("tr000000009", "tr000000010"),
        ("tr999999999", "tr000000000"),
    ],
)
def test_after_the_last_number_comes_the_first(name: str, after: str) -> None:
    parsed = TrailName.parse(name)
    assert parsed is not None
    assert parsed.next.path.name == after


@pytest.mark.parametrize("asked", ["lt000001", "lt"])
def test_a_trail_is_found_by_any_of_its_files_or_by_its_name(tmp_path: Path, asked: str) -> None:
    files(tmp_path, "lt000001", "lt000000", "lt000002")
    assert listed(tmp_path / asked) == ["lt000000", "lt000001", "lt000002"]


@pytest.mark.parametrize("asked", ["e1000001", "e1"])
def test_a_trail_s_name_may_end_in_a_digit(tmp_path: Path, asked: str) -> None:
    files(tmp_path, "e1000000", "e1000001", "e2000000")
    assert listed(tmp_path / asked) == ["e1000000", "e1000001"]


def test_other_files_are_left_out(tmp_path: Path) -> None:
    files(tmp_path, "lt000000", "rt000000", "lt000000.bak", ".lt000001.x.part", "lt", "notes.txt")
    assert listed(tmp_path / "lt") == ["lt000000"]


def test_numbers_that_are_missing_do_not_matter(tmp_path: Path) -> None:
    files(tmp_path, "lt000003", "lt000011", "lt000007")
    assert listed(tmp_path / "lt") == ["lt000003", "lt000007", "lt000011"]


def test_six_digits_are_older_than_nine(tmp_path: Path) -> None:
    files(tmp_path, "lt000000000", "lt000009", "lt000000001")
    assert listed(tmp_path / "lt") == ["lt000009", "lt000000000", "lt000000001"]


def test_a_sequence_that_wrapped_begins_behind_its_widest_gap(tmp_path: Path) -> None:
    files(tmp_path, "lt000000", "lt000001", "lt999997", "lt999998", "lt999999")
    assert listed(tmp_path / "lt") == ["lt999997", "lt999998", "lt999999", "lt000000", "lt000001"]


def test_a_sequence_that_has_not_reached_its_end_has_not_wrapped(tmp_path: Path) -> None:
    files(tmp_path, "lt000000", "lt900000")
    assert listed(tmp_path / "lt") == ["lt000000", "lt900000"]


def test_after_gives_the_following_file(tmp_path: Path) -> None:
    sequence = TrailSequence(files(tmp_path, "lt000000", "lt000002") / "lt")
    assert sequence.after(tmp_path / "lt000000") == tmp_path / "lt000002"
    assert sequence.after(tmp_path / "lt000002") is None
    assert sequence.after(tmp_path / "lt000001") is None


def test_refresh_sees_a_file_that_has_appeared(tmp_path: Path) -> None:
    sequence = TrailSequence(files(tmp_path, "lt000000") / "lt")
    assert len(sequence) == 1
    files(tmp_path, "lt000001")
    sequence.refresh()
    assert sequence.paths == (tmp_path / "lt000000", tmp_path / "lt000001")


def test_no_file_of_this_name_is_not_a_trail(tmp_path: Path) -> None:
    with pytest.raises(NotATrail, match="lt: no file of this trail"):
        TrailSequence(tmp_path / "lt")


@pytest.mark.parametrize("folder", ["missing", "nul\0byte"])
def test_a_folder_that_cannot_be_listed_is_not_a_trail(tmp_path: Path, folder: str) -> None:
    with pytest.raises(NotATrail):
        TrailSequence(tmp_path / folder / "lt")


def test_neighbours_are_the_files_before_and_after(tmp_path: Path) -> None:
    folder = files(tmp_path, "lt000000007", "lt000000008", "lt000000009")
    assert previous_file(folder / "lt000000008") == (folder / "lt000000007", None)
    assert next_file(folder / "lt000000008") == (folder / "lt000000009", None)


def test_a_missing_neighbour_is_named(tmp_path: Path) -> None:
    folder = files(tmp_path, "lt000000005", "lt000000007", "lt000000009")
    assert previous_file(folder / "lt000000007") == (None, folder / "lt000000006")
    assert next_file(folder / "lt000000007") == (None, folder / "lt000000008")


def test_before_the_first_file_one_is_missing_unless_its_number_is_0(tmp_path: Path) -> None:
    folder = files(tmp_path, "lt000000000", "rt000003")
    assert previous_file(folder / "lt000000000") == (None, None)
    assert previous_file(folder / "rt000003") == (None, folder / "rt000002")
    assert next_file(folder / "rt000003") == (None, None)


def test_numbers_of_nine_digits_follow_those_of_six(tmp_path: Path) -> None:
    folder = files(tmp_path, "lt000041", "lt000000042")
    assert next_file(folder / "lt000041") == (folder / "lt000000042", None)
    assert previous_file(folder / "lt000000042") == (folder / "lt000041", None)


@pytest.mark.parametrize("name", ["copy", "copy1", "trail.000001"])
def test_other_names_have_no_neighbours(name: str, tmp_path: Path) -> None:
    folder = files(tmp_path, name, "copy0", "copy2", "trail.000000", "trail.000002")
    assert previous_file(folder / name) == next_file(folder / name) == (None, None)

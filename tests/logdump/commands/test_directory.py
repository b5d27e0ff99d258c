"""CD and FILES."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from logdump.notation.text import display_width
from tests.logdump.line import Line

NEW_YEAR = 1_704_067_200
"""2024-01-01 00:00 GMT."""


@pytest.fixture
def here(tmp_path: Path, trails: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with trails, an empty file, a text and a directory, all changed at new year."""
    for name in ("et000000000", "st000000001", "nh000000"):
        (tmp_path / name).write_bytes((trails / name).read_bytes())
    (tmp_path / "empty").touch()
    (tmp_path / "notes with blanks.txt").write_text("Good morning")
    (tmp_path / ".hidden").write_text("x")
    (tmp_path / "dirdat").mkdir()
    for path in tmp_path.iterdir():
        os.utime(path, (NEW_YEAR, NEW_YEAR))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def cells(lines: list[str]) -> list[list[str]]:
    return [line.split() for line in lines]


def test_columns_of_files_stand_in_line_below_a_wide_name(line: Line, tmp_path: Path) -> None:
    (tmp_path / "茶.txt").write_text("sencha")
    (tmp_path / "tea.txt").write_text("earl grey")
    shown = line(f"files {tmp_path}/*.txt")
    assert [display_width(text[: text.index("20")]) for text in shown[1:]] == [16, 16]


def test_files_lists_the_current_directory_by_name(line: Line, here: Path) -> None:
    sizes = {path.name: path.stat().st_size for path in here.iterdir()}
    when = "2024/01/01 00:00:00.000.000"
    assert line("files") == [
        "Name                   Bytes  Modified                     Seqno  First CSN",
        f"dirdat/                       {when}",
        f"empty                      0  {when}",
        f"et000000000            {sizes['et000000000']:>5}  {when}      0  41882317",
        f"nh000000               {sizes['nh000000']:>5}  {when}      0",
        f"notes with blanks.txt     12  {when}",
        f"st000000001            {sizes['st000000001']:>5}  {when}      1",
    ]


@pytest.mark.parametrize("word", ["fi", "dir", "fileinfo", "files"])
def test_a_wildcard_or_a_name_selects_files(line: Line, here: Path, word: str) -> None:  # noqa: ARG001
    assert [row[0] for row in cells(line(f"{word} ?t0*"))] == ["Name", "et000000000", "st000000001"]
    assert [row[0] for row in cells(line(f"{word} empty"))] == ["Name", "empty"]


def test_a_directory_is_listed_wherever_it_is(line: Line, here: Path) -> None:
    (here / "dirdat" / "lt000001").touch()
    assert [row[0] for row in cells(line("files dirdat"))] == ["Name", "lt000001"]
    assert [row[0] for row in cells(line(f"files {here}/dirdat/l*"))] == ["Name", "lt000001"]


def test_a_name_with_blanks_is_put_into_quotes(line: Line, here: Path) -> None:  # noqa: ARG001
    assert line('files "notes with*"')[1].startswith("notes with blanks.txt")
    assert line("files notes with*")[0].startswith("FILES: takes one file name")


def test_hidden_files_are_listed_for_those_who_ask(line: Line, here: Path) -> None:  # noqa: ARG001
    assert [row[0] for row in cells(line("files .h*"))] == ["Name", ".hidden"]


def test_times_are_shown_in_the_zone_of_timeoffset(line: Line, here: Path) -> None:  # noqa: ARG001
    line("timeoffset gmt +09")
    assert "2024/01/01 09:00:00.000.000" in line("files empty")[1]


def test_what_cannot_be_looked_into_has_a_line_all_the_same(line: Line, here: Path) -> None:
    (here / "gone").symlink_to("nowhere")
    os.mkfifo(here / "pipe")
    (here / "et000000002").write_bytes((here / "et000000000").read_bytes()[:200])
    assert cells(line("files gone"))[1] == ["gone"]
    assert cells(line("files pipe"))[1][:2] == ["pipe", "0"]
    assert cells(line("files et000000002"))[1][-1] == "2"


def test_names_do_not_reach_the_terminal_raw(line: Line, here: Path) -> None:
    (here / "a\x1b[2Jb").touch()
    assert line("files a*")[1].startswith(r"a\x1b[2Jb")


def test_nothing_to_list_is_told(line: Line, here: Path) -> None:
    assert line("files zz*") == ["No file zz*."]
    assert line("files missing/*") == ["missing: No such file or directory."]
    (here / "empty directory").mkdir()
    assert line('files "empty directory"') == [f"No files in {here}/empty directory."]


@pytest.mark.parametrize("word", ["cd", "volume", "vol", "v"])
def test_cd_changes_the_current_directory(line: Line, here: Path, word: str) -> None:
    assert line(f"{word} dirdat") == [f"Current Directory is {here}/dirdat"]
    assert line(word) == [f"Current Directory is {here}/dirdat"]
    assert f"Current Directory   : {here}/dirdat" in line("env")


def test_the_open_trail_stays_open(line: Line, here: Path) -> None:
    line("open et000000000; cd dirdat")
    assert line("open") == [f"Current LogTrail is {here}/et000000000"]


def test_a_directory_that_is_none_is_told(line: Line, here: Path) -> None:
    assert line("cd missing") == ["The directory was not changed: missing: No such file or directory."]
    assert line("cd empty") == ["The directory was not changed: empty: Not a directory."]
    assert Path.cwd() == here


def test_a_current_directory_that_is_gone_ends_no_session(line: Line, here: Path) -> None:
    line("cd dirdat")
    (here / "dirdat").rmdir()
    assert line("env")[1] == "Current Directory   : *No such file or directory*"
    assert line("cd") == ["CD: [Errno 2] No such file or directory"]
    line(f"cd {here}")
    assert line.failures == []

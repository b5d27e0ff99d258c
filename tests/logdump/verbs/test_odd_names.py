"""Names that hold no trail: pipes, sockets, devices, names longer than any file has; a folder that another writes."""

from __future__ import annotations

import fcntl
import os
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.logdump.program import logdump
from tests.searching import in_turn

_LONG = "a" * 5000
_VERBS = (["count"], ["check"], ["list"], ["doctor"], ["safe", "1811"], ["sql", "SELECT 1 FROM records"], ["recovery"])


@pytest.fixture
def names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with a pipe and a socket."""
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    with socket.socket(socket.AF_UNIX) as some:
        some.bind("socket")
        yield tmp_path


@pytest.mark.parametrize(("verb", "name"), in_turn(_VERBS, ["pipe", "socket", "/dev/null"]))
def test_what_is_no_regular_file_is_said_in_one_way(verb: list[str], name: str, names: Path) -> None:
    words = [verb[0], *verb[1:], name] if verb[0] == "sql" else [verb[0], name, *verb[1:]]
    answer = logdump(*words)
    assert answer.status == 4
    assert f"{names / name}: it is not a regular file" in answer.err


@pytest.mark.parametrize("name", ["pipe", "socket", "/dev/null"])
def test_open_says_the_same(name: str, names: Path) -> None:
    answer = logdump(name, "-c", "count")
    assert f"{names / name}: it is not a regular file" in answer.err


@pytest.mark.parametrize(
    "words",
    [
        ("count", _LONG),
        ("-c", f"open {_LONG}"),
        ("-c", f"obey {_LONG}"),
        ("-f", _LONG),
        (_LONG,),
        ("--format", "jsonl", "-c", f"open {_LONG}"),
        ("list", f"x/{_LONG}"),
    ],
    ids=lambda words: words[0][:10],
)
def test_a_name_that_is_too_long_is_cut_in_messages(words: tuple[str, ...]) -> None:
    answer = logdump(*words)
    assert answer.status
    assert "aaa…aaa" in answer.out + answer.err
    assert "a" * 256 not in answer.out + answer.err


def test_names_that_files_may_have_are_whole_in_messages() -> None:
    name = "/".join("a" * 200 for _ in range(10))
    assert name in logdump("-c", f"open {name}").err


def test_a_folder_that_another_export_is_replacing_is_said(tmp_path: Path, trails: Path) -> None:
    trail, target = tmp_path / "et000000000", tmp_path / "out"
    shutil.copy(trails / "et000000000", trail)
    command = f"export csv to {target} by table replace"
    assert logdump(str(trail), "-c", command).status == 0
    handle = os.open(target, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        answer = logdump(str(trail), "-c", command)
    finally:
        os.close(handle)
    assert answer.status == 1
    assert f"{target}: another process is writing it now; run this again" in answer.err

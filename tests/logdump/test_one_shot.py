"""A command as the words of a shell: it runs, and the program ends with the status of what it has found."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from logdump.commands import REGISTRY
from tests.logdump.program import logdump

ENDED = [
    (("check", "et000000000"), 0),
    (("check", "ft000000000"), 4),
    (("diff", "et000000000", "el000000000", "quiet"), 3),
    (("diff", "et000000000", "et000000000"), 0),
    (("count", "et000000000"), 0),
    (("check", "et*"), 0),
    (("check", "*t000000000"), 4),
    (("check", "nosuch"), 4),
    (("recovery", "over", "et*"), 0),
    (("help", "check"), 0),
    (("files",), 0),
]
"""Words, and the status with which they end where nobody is at a terminal."""


@pytest.fixture(autouse=True)
def here(trails: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder of the trails."""
    monkeypatch.chdir(trails)


@pytest.mark.parametrize(("words", "status"), ENDED)
def test_it_answers_as_under_c_and_ends_with_the_status_of_what_it_found(words: tuple[str, ...], status: int) -> None:
    answer = logdump(*words)
    assert answer.status == status
    assert "Logdump" not in answer.out.splitlines()[0] if answer.out else answer.err
    assert logdump("-c", " ".join(words)) == answer
    assert logdump(*words, typed="open et000000000\n") == answer, "what stands on standard input is not its business"


def test_standard_input_stays_unread_so_that_a_loop_of_the_shell_goes_on() -> None:
    answer = logdump("check", "et000000000", typed="exit\n")
    assert answer.out.count("LogTrail") == 1


def test_in_json_there_are_objects_alone() -> None:
    lines = logdump("--format", "jsonl", "check", "ft000000000").out.splitlines()
    assert [line[:1] for line in lines] == ["{"] * len(lines)


@pytest.mark.parametrize("words", [("OPEN", "et000000000"), ("et000000000",), ("detail", "on")])
def test_what_prepares_a_session_goes_on_with_standard_input_as_oracles(words: tuple[str, ...]) -> None:
    answer = logdump(*words, typed="ghdr on\nghdr\n")
    assert "GHDR is ON" in answer.out
    assert answer.status == 0


@pytest.mark.parametrize(("word", "near"), [("chekc", "check"), ("et00", "et000000000"), ("sqll", "sql")])
def test_an_unknown_word_is_wrong_usage_and_gets_the_nearest(word: str, near: str) -> None:
    answer = logdump(word, "ft000000000", typed="open et000000000\n")
    assert (answer.status, answer.out) == (2, "")
    assert f"{word} is not a verb, a command or a file. Did you mean {near}" in answer.err


def test_those_that_end_need_nothing_open() -> None:
    named = {command.name for command in REGISTRY.commands if command.is_one_shot}
    assert {"CHECK", "DIFF", "COUNT", "RECOVERY", "HEARTBEAT", "REPAIR"} <= named
    assert not named & {"OPEN", "NEXT", "DETAIL", "FILTER", "FIND", "POSITION"}


def test_files_without_a_verb_get_advice() -> None:
    answer = logdump("at000000000", "at000000001")
    assert answer.status == 2
    assert "only one file can be opened, 2 are given: open the first; ACROSS ON continues in the" in answer.err


def test_a_name_with_blanks_is_one_file(trails: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a b", "c"):
        shutil.copy(trails / "et000000000", tmp_path / name)
    monkeypatch.chdir(tmp_path)
    assert logdump("check", "a b").status == 0
    assert logdump("diff", "a b", "c").status == 0


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("way", ["-f", "-f -", "a pipe", "OBEY"])
def test_a_script_of_an_editor_that_writes_byte_order_marks_runs(way: str, end: str, tmp_path: Path) -> None:
    mark = b"\xef\xbb\xbf"
    script = b"".join(mark + line.encode() + end.encode() for line in ("open et000000000", "count"))
    (tmp_path / "script").write_bytes(script)
    words = {"-f": ["-f", str(tmp_path / "script")], "-f -": ["-f", "-"], "a pipe": []}
    answer = logdump(*words.get(way, ["-c", f"obey {tmp_path / 'script'}"]), typed=script)
    assert "Unknown command" not in answer.out + answer.err
    assert "has 22 records" in answer.out

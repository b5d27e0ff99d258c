"""Words that are paths, wherever one is entered: homes that do not exist, names with a tilde, and empty words."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from fixtures import TRAILS
from logdump.session.errors import ExitStatus
from tests.logdump.program import Answer, logdump
from trailformat import NotATrail
from trailformat.codec.remote.path import path_of

TILDE = "~lt000000000"
WORDS = ("~no-such-user/lt000000000", "~no-such-user", "", "~no-such-user/*")
READING = (
    *("count W", "list W", "check W", "doctor W", "tables W", "info W", "recovery W", "transactions W", "tail W"),
    *("diff W T", "diff T W", "explain W", "sql|select 1 from records|W", "safe W 0", "find W x", "row W T.T A=1"),
    *("-c|open W", "-c|count W", "-c|check W", "-c|open T; diff W", "-c|open T; count log W", "-c|recovery over W"),
    *("-c|doctor W", "-c|params W; params", "-c|sourcedefs W; sourcedefs", "-c|obey W", "-c|cd W", "-c|files W"),
    *("-c|explain message W", "-c|br over W", "-c|sql over W select 1 from records", "W", "-f|W"),
)
WRITING = (
    *("export T -o W", "report T -o W.md", "repair T -o W", "-c|open T; save W all", "-c|open T; export csv to W"),
    *(
        "-c|open T; log to W",
        "-c|open T; pos 3939; lob 3939 to W",
        "-c|open T; repair to W",
        "-c|open T; report to W.md",
    ),
)


def asked(command: str, word: str) -> Answer:
    """The answer to a command in which W is the word, in quotes where it is part of a line, and T a trail."""
    arguments = command.split("|") if "|" in command else command.split()
    trail = str(TRAILS / "at000000000")
    in_line = f'"{word}"' if arguments[0] == "-c" else word
    given = [re.sub(r"\bT\b(?!\.)", trail, re.sub(r"\bW\b", lambda _: in_line, argument)) for argument in arguments]
    return logdump(*given)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("word", WORDS)
def test_no_word_is_a_traceback(word: str, folder: Path) -> None:
    """An answer is made of lines of ours: an exception that nobody expects would end the test."""
    for command in (*READING, *WRITING):
        done = asked(command, word)
        assert done.out + done.err, command
        assert not any(path.is_file() and not path.name.startswith("~") for path in folder.iterdir()), command


@pytest.mark.parametrize("command", [command for command in READING if not command.startswith("-c") and command != "W"])
def test_an_unset_variable_of_a_script_is_no_folder(command: str, folder: Path) -> None:
    shutil.copy(TRAILS / "at000000000", folder / "lt000000000")
    done = asked(command, "")
    assert done.status != ExitStatus.OK, (command, done)
    assert "lt000000000" not in done.out


@pytest.mark.parametrize("command", ["count W", "-c|open W; count", "-c|count W"])
def test_a_file_may_begin_with_a_tilde(command: str, folder: Path) -> None:
    shutil.copy(TRAILS / "at000000000", folder / TILDE)
    assert f"{TILDE} has 15 records" in asked(command, TILDE).out


def test_a_home_is_that_of_the_environment(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(folder))
    shutil.copy(TRAILS / "at000000000", folder / "lt000000000")
    assert path_of("~/lt000000000") == folder / "lt000000000"
    assert "has 15 records" in logdump("count", "~/lt000000000").out
    assert path_of("s3://bucket/~x").as_posix() == "s3://bucket/~x"
    with pytest.raises(NotATrail, match="an empty name names no file"):
        path_of("")

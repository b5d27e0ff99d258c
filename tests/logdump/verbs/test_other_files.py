"""Files that are no trails beside those that are, and words that are neither: for every verb, in every shape."""

from __future__ import annotations

import shutil
import tarfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from logdump.line.verbs import NAMES
from tests.logdump.program import Answer, logdump

REST = {
    "find": ["Uji"],
    "row": ["TEAHOUSE.TEAS", "TEA_CODE=SEN01"],
    "sql": ["SELECT op, count(*) AS n FROM records GROUP BY op ORDER BY op"],
    "ddl": ["--params", "rep1.prm"],
    "tail": ["--idle", "1", "--list", "--since", "2024-03-14T09:38Z"],
    "compress": ["LEVEL", "1"],
    "watch": ["--once"],
    "repair": ["--dry", "-o", "copy000000000"],
    "redact": ["-o", "copy000000000"],
    "report": ["--replace", "-o", "page.md"],
    "apply": ["sqlite:///shop.db", "--create", "--once"],
    "publish": ["kafka://127.0.0.1:1", "--once", "--patience", "1"],
}
"""What follows the files of a verb."""
WITHOUT_TRAIL = ("safe", "lob", "explain", "params", "diff", "redact", "watch")
"""Verbs that take a place in one file, a text, or two trails, draw anew what they write, or wait for a writer."""
OTHERS = ("ggserr.log", "notes.txt", "REP1.rpt", "lt.tmp", "PSALES.dsc", "map.prm", "x000000y")


@pytest.fixture(autouse=True)
def here(trails: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a trail among other files, the same as an archive, and the trail alone."""
    monkeypatch.chdir(tmp_path)
    for folder in ("dirdat", "alone"):
        (tmp_path / folder).mkdir()
        for path in trails.glob("at*"):
            shutil.copy(path, tmp_path / folder)
    for name in OTHERS:
        (tmp_path / "dirdat" / name).write_text("2024-03-14 09:33:00  ERROR  OGG-01028  of no trail\n" * 30)
    (tmp_path / "dirdat" / ".hidden").write_text("x")
    (tmp_path / "rep1.prm").write_text("REPLICAT rep1\nMAP *.*, TARGET *.*;\n")
    with tarfile.open("customer.tar.gz", "w:gz") as archive:
        archive.add("dirdat")
    slept: list[float] = []
    clock = SimpleNamespace(sleep=slept.append, monotonic=lambda: sum(slept))
    monkeypatch.setattr("logdump.features.list.command.time", clock)
    return tmp_path


def _answer(verb: str, file: str) -> Answer:
    words = REST.get(verb, [])
    return logdump(verb, file, *words)


def _lines(text: str) -> list[str]:
    """The lines of an answer, without the room on the disk, which DOCTOR does not say of an archive."""
    return [line for line in text.splitlines() if not line.startswith("Disk ")]


@pytest.mark.parametrize("verb", [name for name in NAMES if name not in WITHOUT_TRAIL])
def test_other_files_are_passed_over_and_named_once(verb: str) -> None:
    alone = _answer(verb, "alone/at*")
    for shape in ("dirdat", "dirdat/*", "customer.tar.gz"):
        answer = _answer(verb, shape)
        assert answer.status == alone.status, answer.err
        assert len(_lines(answer.out)) == len(_lines(alone.out))
        assert answer.err.count(" and 2 more are no trail files and are passed over.") == 1
        assert answer.err.count("ggserr.log") == 1
        assert ".hidden" not in answer.err
    assert "passed over" not in alone.err + _answer(verb, "dirdat/at").err


@pytest.mark.parametrize("names", [("ggserr.log",), ("a.log", "b.log", "c.log")])
def test_the_sentence_has_the_number_of_what_it_names(names: tuple[str, ...], here: Path) -> None:
    for name in names:
        (here / "alone" / name).write_text("text")
    said = logdump("list", "alone", "--limit", "1").err.splitlines()
    end = "is no trail file and is passed over." if len(names) == 1 else "are no trail files and are passed over."
    assert said == [f"alone: {', '.join(names)} {end}"]


def test_a_copy_of_a_trail_under_another_name_is_one_of_a_wildcard(here: Path) -> None:
    shutil.copy(here / "alone" / "at000000001", here / "alone" / "copy of at")
    assert "passed over" not in logdump("list", "alone/*").err
    assert "copy of at" in logdump("list", "alone/*").out


def test_a_file_that_is_named_itself_is_never_passed_over() -> None:
    for line in (["check", "dirdat/ggserr.log"], ["list", "dirdat/at000000000", "dirdat/ggserr.log"]):
        answer = logdump(*line)
        assert answer.status == 4
        assert "ggserr.log" in answer.out + answer.err


def test_sql_at_a_prompt_takes_a_folder_as_other_commands_do() -> None:
    count = "SELECT count(*) AS n FROM records"
    assert logdump("-c", f"sql over dirdat {count}").out == logdump("-c", f"sql over alone/at* {count}").out


@pytest.mark.parametrize("verb", [name for name in NAMES if name not in ("find", "explain", "sql", "row")])
def test_a_word_that_is_neither_file_nor_word_of_the_verb_is_misuse(verb: str, here: Path) -> None:
    before = sorted(here.iterdir())
    file = "rep1.prm" if verb == "params" else "alone/at000000000"
    rest = {"safe": ["2913"], "lob": ["2913", "NAME"], "diff": ["alone/at000000000"]}.get(verb, REST.get(verb, []))
    for word in ("nosuch", "dirdat/at000000009"):
        answer = logdump(verb, file, *rest, word)
        assert (answer.status, answer.out) == (2, ""), (word, answer)
        assert word in answer.err
    assert sorted(here.iterdir()) == before


@pytest.mark.parametrize(
    "line", ["diff {} {}", "sql SELECT_ {}", "recovery {}", "br {}", "undo {}", "list {}", "count {}"]
)
@pytest.mark.parametrize(
    ("option", "name"), [(["--table", "TEAHOUSE.TEES"], "TEAHOUSE.TEES"), (["--where", "PRIZE = 1"], "PRIZE")]
)
def test_a_name_that_no_file_defines_is_status_1_for_every_verb(line: str, option: list[str], name: str) -> None:
    statement = "SELECT count(*) AS n FROM records"
    words = [statement if word == "SELECT_" else word.format("alone/at") for word in line.split()]
    answer = logdump(*words, *option)
    assert answer.status in ((1, 3) if words[0] == "recovery" else (1,)), answer
    assert answer.err.count(name) == 1 or words[0] == "recovery"
    defined = logdump(*words, "--table", "TEAHOUSE.TEAS", "--where", "PRICE > 0")
    assert "is defined in this trail" not in defined.err


@pytest.mark.parametrize("verb", ["list", "show", "export", "find", "undo", "values", "tail"])
def test_no_line_says_which_file_is_open(verb: str) -> None:
    answer = _answer(verb, "alone")
    assert "Current LogTrail" not in answer.out + answer.err


@pytest.mark.parametrize(
    "line",
    [
        *("list {} --rba 2551", "show {} --rba 2551", "values {} --rba 2551", "tail {} --rba 2551 --idle 1"),
        *("safe {} 2551", "find {} Uji --rba 2551", "export {} --rba 2551", "lob {} 2551 NAME"),
        *("export {} --table TEAHOUSE.TEAS --columns TEA_ID --rba 2551", "redo {} --rba 2551", "undo {} --rba 2551"),
    ],
)
def test_a_place_is_one_of_one_file(line: str) -> None:
    answer = logdump(*line.format("alone/at*").split())
    assert (answer.status, answer.out) == (2, "")
    assert "2551 is a place in one file, and alone/at* has 3 files" in answer.err
    assert "a place in one file" not in logdump(*line.format("alone/at000000001").split()).err


@pytest.mark.parametrize("count", [1, 3, 5])
def test_where_no_trail_file_is_what_is_there_is_named(count: int, tmp_path: Path) -> None:
    """It may be an archive in an archive."""
    names = [f"inner{number}.tar.gz" for number in range(count)]
    for name in names:
        (tmp_path / name).write_bytes(b"no trail")
    with tarfile.open(tmp_path / "outer.tar", "w") as archive:
        for name in reversed(names):
            archive.add(tmp_path / name, name)
    answer = logdump("count", str(tmp_path / "outer.tar"))
    held = ", ".join(names[:3]) + (" and 2 more" if count == 5 else "")
    assert answer.err == f"No trail file is in {tmp_path / 'outer.tar'}; it holds {held}.\n"
    assert answer.status == 4


def test_what_is_there_is_named_without_what_a_terminal_obeys(tmp_path: Path) -> None:
    name = "inner\x1b[2J\x9b31m.zip"
    (tmp_path / "some").write_bytes(b"no trail")
    with tarfile.open(tmp_path / "outer.tar", "w") as archive:
        archive.add(tmp_path / "some", name)
    for answer in (logdump("count", str(tmp_path / "outer.tar")), logdump("-c", f"count {tmp_path / 'outer.tar'}/*")):
        assert answer.status
        assert not {"\x1b", "\x9b"} & {*answer.out, *answer.err}

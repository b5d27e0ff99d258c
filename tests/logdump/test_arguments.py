"""What holds for the arguments of every command: examples, unfinished lines and completion agree with parsing.

``logdump FILE`` opens the file; Oracle's ``logdump COMMAND`` runs the command.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from logdump.cli import names_a_file
from logdump.commands import REGISTRY
from logdump.filters import criteria
from logdump.language.command import AnyCommand
from logdump.language.reader import Context, Validity, parse
from logdump.language.words import complete, last_word, split_calls, split_commands, validity
from logdump.session.errors import CommandError
from scripts.marked import ROOT
from tests.logdump.program import logdump
from tests.searching import examples, part_of
from tests.transcripts.play import SCRIPTS


@pytest.fixture
def here(tmp_path: Path, trails: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of the user's own, with a trail in it."""
    for name in ("et000000000", "my file", "a;b", "überfällig", "--"):
        shutil.copy(trails / "et000000000", tmp_path / name)
    (tmp_path / "dirdat").mkdir()
    shutil.copy(trails / "et000000000", tmp_path / "dirdat")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("argument", "opened"),
    [
        ("et000000000", "et000000000"),
        ("et", "et000000000"),
        ("dirdat/et000000000", "dirdat/et000000000"),
        ("dirdat/et", "dirdat/et000000000"),
        ("my file", "my file"),
        ("a;b", "a;b"),
        ("überfällig", "überfällig"),
        ("./--", "--"),
    ],
)
def test_a_file_is_opened(argument: str, opened: str, here: Path) -> None:
    answer = logdump(argument, "-c", "open")
    assert answer == (0, f"Current LogTrail is {here / opened}\n" * 2, "")


def test_the_same_opens_at_a_prompt_and_with_oracles_open(here: Path) -> None:
    assert f"Current LogTrail is {here / 'et000000000'}\n" in logdump("et000000000").out
    assert logdump("OPEN", "et000000000", "-c", "open").out == logdump("et000000000", "-c", "open").out


def test_the_word_of_a_command_is_that_command_whatever_lies_there(here: Path) -> None:
    for word in map(str.lower, REGISTRY.words()):
        (here / word).hardlink_to(here / "et000000000")
    assert [word for word in REGISTRY.words() if names_a_file([word.lower()])] == []
    (here / "no-command").hardlink_to(here / "et000000000")
    assert names_a_file(["no-command"])


def test_a_file_that_is_called_like_a_command_is_opened_by_its_folder(here: Path) -> None:
    shutil.copy(here / "et000000000", here / "count")
    assert logdump("./count", "-c", "open").out == f"Current LogTrail is {here / 'count'}\n" * 2


@pytest.mark.parametrize("path", ["dirdat/nosuch", "./nosuch"])
def test_a_path_without_a_file_is_told_so(path: str, here: Path) -> None:
    answer = logdump(path, "-c", "env")
    assert answer.status == 4
    assert answer.err == f"Error: {(here / path).resolve()}: No such file or directory\n"


def test_a_word_that_is_neither_is_an_unknown_command(here: Path) -> None:  # noqa: ARG001 - nothing of the name there
    assert logdump("cuont", "-c", "env").err.startswith("Unknown command: CUONT.\nDid you mean COUNT")


def test_a_path_at_the_prompt_is_answered_with_open(here: Path) -> None:  # noqa: ARG001 - the working directory
    assert logdump("-c", "dirdat/et000000000").err == (
        "Unknown command: dirdat/et000000000.\nIt is a file: OPEN dirdat/et000000000 opens it.\n"
    )


TRAIL = Context(tables=["TEAHOUSE.SALES", "HR.JOBS"], marks=["abend", "b"])
COMMANDS = REGISTRY.commands


def _examples(command: AnyCommand) -> Iterator[str]:
    """The lines of HELP that can be typed as they are."""
    names = (command.name, *command.aliases)
    for detail in command.details:
        for text in split_commands(detail.removeprefix("Example: ")):
            if text.split()[0] in names and not _SENTENCE.search(text):
                yield text
    yield from (term.example for term in command.terms() if term.keyword not in _ON_NONSTOP)


_SENTENCE = re.compile(r"[\[{<|]|\.$| governs |, FC ")
_ON_NONSTOP = {option.keyword for option in criteria.NONSTOP}
_TYPED = re.compile(r"^(?:    )?Logdump \d+ >(.+)$", re.MULTILINE)
PAGES = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
EXAMPLES = [example for command in COMMANDS for example in _examples(command)]
EXAMPLES += [line for page in PAGES for line in _TYPED.findall(page.read_text(encoding="utf-8"))]


def _runs(line: str) -> bool:
    try:
        for word, text in split_calls(line):
            parse(REGISTRY.find(word).form, text, TRAIL)
    except CommandError:
        return False
    return True


TYPED = sorted(
    {
        command
        for script in SCRIPTS
        for line in script.read_text(encoding="utf-8").splitlines()
        for command in split_commands(line)
    }
)
"""The commands of the transcripts, those that are refused among them."""
RUNNING = [line for line in TYPED if _runs(line)]


def test_the_examples_of_help_and_of_pages_run() -> None:
    assert [line for line in EXAMPLES if validity(REGISTRY, line, TRAIL) is not Validity.VALID] == []


def test_the_examples_and_transcripts_are_of_most_commands() -> None:
    used = {REGISTRY.find(word).name for line in (*EXAMPLES, *RUNNING) for word, _ in split_calls(line)}
    assert len(EXAMPLES) > 40
    assert {command.name for command in COMMANDS} - used == set()


def test_a_line_of_a_transcript_is_valid_where_its_arguments_are_not_refused() -> None:
    assert [line for line in TYPED if (validity(REGISTRY, line, TRAIL) is Validity.VALID) is not _runs(line)] == []


@cache
def _is_wrong(begun: str) -> bool:
    """Lines share their beginnings."""
    return validity(REGISTRY, begun, TRAIL) is Validity.ERROR


def _wrong_beginnings(line: str) -> list[str]:
    return [line[:end] for end in range(len(line)) if _is_wrong(line[:end])]


def test_a_line_that_runs_is_nowhere_wrong_while_it_is_typed() -> None:
    assert [begun for line in (*EXAMPLES, *part_of(RUNNING, 0, 2)) for begun in _wrong_beginnings(line)] == []


def test_an_option_that_is_given_again_is_nowhere_wrong_while_it_is_typed() -> None:
    again = {f"{line} {word}" for line in (*EXAMPLES, *RUNNING) for word in line.split()[1:]}
    lines = sorted(line for line in again if _runs(line))
    assert len(lines) > 50
    assert [begun for line in part_of(lines, 0, 2) for begun in _wrong_beginnings(line)] == []


WORDS = "0 1 17 0x1F -1 x all on OFF detail FIRST, time 2024-03-01 09:30 csn 4:1095 name hr.* ; , ! to file by table"


def test_a_command_with_one_word_is_nowhere_wrong_while_it_is_typed() -> None:
    lines = [f"{command.name} {word}" for command in COMMANDS for word in WORDS.split()]
    assert [begun for line in lines if _runs(line) for begun in _wrong_beginnings(line)] == []


def test_a_keyword_after_another_word_is_nowhere_wrong_while_it_is_typed() -> None:
    """Where the word before it, such as a file, may be any word, the beginning of the keyword is not one more of it."""
    lines = [
        f"{command.name} {word} {offer}"
        for command in COMMANDS
        for word in ("x", "tt000000000", "1")
        for offer in complete(REGISTRY, f"{command.name} {word} ", TRAIL)
    ]
    assert len(lines) > 50
    assert [begun for line in lines if _runs(line) for begun in _wrong_beginnings(line)] == []


@st.composite
def _lines(draw: st.DrawFn) -> str:
    """A command and words that completion offers, mixed with others."""
    line = draw(st.sampled_from([command.name for command in COMMANDS])) + " "
    for _ in range(draw(st.integers(0, 4))):
        offers = complete(REGISTRY, line, TRAIL)
        word = draw(st.sampled_from([*offers, *WORDS.split()]))
        line = line[: last_word(line)] + word + draw(st.sampled_from([" ", " ", ", ", ""]))
    return line


@given(line=_lines())
@settings(max_examples=examples(150))
def test_a_line_is_valid_exactly_where_it_parses(line: str) -> None:
    assert (validity(REGISTRY, line, TRAIL) is Validity.VALID) is _runs(line)


@given(line=_lines())
@settings(max_examples=examples(150))
def test_a_drawn_line_that_runs_is_nowhere_wrong_while_it_is_typed(line: str) -> None:
    assume(_runs(line))
    assert _wrong_beginnings(line) == []


@given(line=_lines() | st.sampled_from([*EXAMPLES, *RUNNING]), end=st.integers(0, 60))
@settings(max_examples=examples(150))
def test_completion_offers_nothing_that_makes_a_line_wrong(line: str, end: int) -> None:
    begun = line[: end + 1]
    if validity(REGISTRY, begun, TRAIL) is Validity.ERROR:
        return
    start = last_word(begun)
    offered = {begun[:start] + word for word in complete(REGISTRY, begun, TRAIL)}
    assert {word for word in offered if validity(REGISTRY, word, TRAIL) is Validity.ERROR} == set()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("ghdr maybe", Validity.ERROR),
        ("ghdr o", Validity.INCOMPLETE),
        ("ghdr", Validity.VALID),
        ("open a b", Validity.ERROR),
        ("sft Upserts", Validity.ERROR),
        ("count start 2024-0", Validity.INCOMPLETE),
        ("count start 2024-02-30", Validity.ERROR),
        ("count log lt* fi", Validity.INCOMPLETE),
        ("export csv to x undo", Validity.ERROR),
        ("export sql to x undo", Validity.VALID),
        ("export csv", Validity.INCOMPLETE),
        ("save x 5", Validity.INCOMPLETE),
        ("save x 5 apples", Validity.ERROR),
        ("save x ext (1, 2) 5 records", Validity.VALID),
        ("filter include colour red", Validity.ERROR),
        ("filter clear filename", Validity.VALID),
        ("help filter usert", Validity.INCOMPLETE),
        ("help nosuch", Validity.ERROR),
        ("timeoffset gmt +", Validity.INCOMPLETE),
        ("reclen 0x", Validity.INCOMPLETE),
        ("pos record", Validity.INCOMPLETE),
    ],
)
def test_the_prompt_knows_what_becomes_of_a_line(line: str, expected: Validity) -> None:
    assert validity(REGISTRY, line, TRAIL) is expected


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("export sql to x o", ["ORACLE"]),
        ("export csv to x o", ["ONE"]),
        ("export parquet to x compression ", ["SNAPPY", "NONE", "ZSTD", "GZIP"]),
        ("pos mark a", ["abend"]),
        ("mark clear ", ["abend", "b"]),
        ("sft insert,h", ["insert,HR.JOBS"]),
        ("metadata ddlformat ", ["ON", "OFF"]),
        ("metadata detail ", ["ON", "OFF", "DATA"]),
        ("filter match ", ["ANY", "ALL"]),
        ("filter include ansiname t", ["TEAHOUSE.SALES"]),
        ("save x 5 ", ["RECORDS", "BYTES"]),
        ("count file hr.jobs, int", ["INTERVAL"]),
        ("sql sel", ["SELECT"]),
        ("sql select op ", []),
        ("sql select max(rb", ["max(rba"]),
        ("sql select op from rec", ["records"]),
        ("sql select op from tea", ["TEAHOUSE.SALES"]),
        ("sql select op from records wh", ["WHERE"]),
        ("sql desc", ["DESCRIBE"]),
    ],
)
def test_what_is_offered_fits_the_words_before(line: str, offered: list[str]) -> None:
    assert complete(REGISTRY, line, TRAIL) == offered


def test_a_file_that_is_spelled_like_an_option_is_not_wrong_while_it_is_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert validity(REGISTRY, "count trail", TRAIL) is Validity.ERROR
    (tmp_path / "trailer").touch()
    assert validity(REGISTRY, "count trail", TRAIL) is Validity.INCOMPLETE


def test_a_word_that_may_be_a_file_offers_files_and_keywords(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "stopped").touch()
    assert sorted(complete(REGISTRY, "log ")) == ["STOP", "TO", "stopped"]
    assert complete(REGISTRY, "log to ") == ["stopped"]

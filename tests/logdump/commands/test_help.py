"""HELP: commands by task, options from the table that reads them, pages of the documents; in the terminal's width."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import pytest

from logdump.commands import help as help_command
from logdump.filters import OPTIONS, Option
from tests.logdump.line import Line

DOCS = Path(__file__).parents[3] / "docs"


def test_help_of_filter_lists_every_option(line: Line) -> None:
    shown = line("help filter")
    for option in OPTIONS:
        assert any(one.split(None, 1) == [option.keyword, option.help] for one in shown)


@pytest.mark.parametrize("option", OPTIONS, ids=[one.keyword for one in OPTIONS])
def test_help_of_an_option_gives_its_syntax_and_an_example_by_any_of_its_words(option: Option, line: Line) -> None:
    for word in option.words:
        first, *rest = line(f"help filter {word.lower()}")
        assert first == f"{option.syntax} - {option.help}"
        assert rest[-1] == f"     Example: FILTER {option.example}"


def test_several_words_are_explained_one_after_the_other(line: Line) -> None:
    both = line("help filter csn reclen count")
    assert both == line("help filter csn") + line("help filter reclen") + line("help count")


def test_an_option_that_is_not_there_is_told(line: Line) -> None:
    assert line("help filter colour") == ["FILTER has no option colour.", "HELP FILTER lists them."]
    assert line("help colour")[0] == "Unknown command: COLOUR."


def test_the_second_word_of_a_command_is_explained(line: Line) -> None:
    first, *rest = line("help explain lag")
    assert first.startswith("EXPLAIN LAG [AT ")
    assert "the hop that is late" in " ".join(rest)
    assert "OGG-02191" not in " ".join(rest)
    assert line("help explain restart")[0].startswith("EXPLAIN RESTART [AT {<seqno> <rba> | CSN <csn> | <time>}] - ")
    assert line("help explain restart n") == [*line("help explain restart"), *line("help n")]


def test_a_word_that_is_a_command_too_is_explained_as_one(line: Line) -> None:
    assert line("help count detail") == line("help count") + line("help detail")


def test_a_question_mark_is_help(line: Line) -> None:
    assert line("?") == line("help")
    assert line("? filter csn") == line("help filter csn")


def test_the_list_has_a_heading_for_each_task(line: Line) -> None:
    shown = line("help")
    headings = [at for at, one in enumerate(shown) if one.endswith(":") and " - " not in one]
    assert headings[0] == 0
    assert all(shown[at - 1] == "" and " - " in shown[at + 1] for at in headings[1:])
    assert len(headings) > len("tasks")


def test_help_pages_lists_every_page_of_a_user_with_its_question(line: Line) -> None:
    shown = line("help pages")
    assert "When something is wrong:" in shown
    assert "  repair             How do I get a sound copy of a damaged trail, and what does it lack?" in shown
    pages = {path.stem for path in DOCS.glob("*.md")} - {"README", "spark-rules", "clusters"}
    assert {one.split()[0] for one in shown if one.startswith("  ")} == pages


@pytest.mark.parametrize("word", ["finding", "FINDING", "finding.md", "recovery.md", "keys.md"])
def test_a_page_is_printed_whole(line: Line, word: str) -> None:
    found = next(DOCS.rglob(f"{word.lower().removesuffix('.md')}.md"))
    assert line(f"help {word}") == found.read_text(encoding="utf-8").rstrip("\n").split("\n")


def test_a_command_is_explained_before_a_page_of_the_same_name(line: Line) -> None:
    assert line("help recovery")[0].startswith("RECOVERY [OVER <wildcard>]")


def test_a_page_that_is_not_there_is_told(line: Line) -> None:
    assert line("help colour.md") == ["There is no page colour.md.", "HELP PAGES lists them."]


def test_pages_that_are_not_installed_are_told(line: Line, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(help_command, "__file__", str(tmp_path / "a" / "b" / "c.py"))
    monkeypatch.setattr("logdump.commands.help.sysconfig.get_path", lambda _: str(tmp_path))
    monkeypatch.setattr("logdump.commands.help.site.getuserbase", lambda: str(tmp_path))
    assert line("help finding.md")[0] == "The pages of the documents are not installed."
    assert line("help finding")[0] == "Unknown command: FINDING."


@pytest.mark.parametrize("entered", ["help", "help export", "help filter", "help explain lag", "help pages"])
def test_lines_fit_the_terminal(line: Line, entered: str) -> None:
    whole = line(entered)
    line.session.width, line.session.standard_output = 60, BytesIO
    shown = line(entered)
    assert max(map(len, shown)) <= 60
    assert " ".join(shown).split() == " ".join(whole).split()

"""HELP of a command's options is made from the table that reads them."""

from __future__ import annotations

import pytest

from logdump.filters import OPTIONS, Option
from tests.logdump.line import Line


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

"""From what is typed to a command: separators, quotes, case, abbreviations, hints."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logdump.language.words import first_word, is_keyword, plain, split_commands, split_words
from tests.logdump.line import Line


@pytest.mark.parametrize(
    ("line", "commands"),
    [
        ("", []),
        (" ; ;; ", []),
        ("ghdr on", ["ghdr on"]),
        ("ghdr on;detail data; n;", ["ghdr on", "detail data", "n"]),
        ('open "a;b"; n', ['open "a;b"', "n"]),
        ('open "a;b', ['open "a;b']),
        ("filter 'a;b'; n", ["filter 'a", "b'", "n"]),
        ("sql select 'a;b'; n", ["sql select 'a;b'", "n"]),
        (
            """n; SQL select "it's;" from 'it''s;', "a;b"; n""",
            ["n", """SQL select "it's;" from 'it''s;', "a;b\"""", "n"],
        ),
        ("sql select 'a; n", ["sql select 'a; n"]),
        ("sqlx 'a;b'", ["sqlx 'a", "b'"]),
        ("sql select $$a;b$$, E'it\\'s;'; n", ["sql select $$a;b$$, E'it\\'s;'", "n"]),
        ("sql select /* a;b */ 1 -- c; n", ["sql select /* a;b */ 1 -- c; n"]),
    ],
)
def test_semicolons_outside_quotes_separate_commands(line: str, commands: list[str]) -> None:
    assert split_commands(line) == commands


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        ("  a \t b ", ["a", "b"]),
        ('"a b" c', ["a b", "c"]),
        ('dir"a b"x', ["dira bx"]),
        ('""', [""]),
        ('"open end', ["open end"]),
    ],
)
def test_quotes_hold_a_word_together(text: str, words: list[str]) -> None:
    assert split_words(text) == words


@pytest.mark.parametrize(
    ("text", "first", "rest"),
    [
        ("", "", ""),
        (" n ", "n", ""),
        ("open  a b", "open", "a b"),
        ("open\ta", "open", "a"),
        ("count, a", "count", ", a"),
    ],
)
def test_a_command_word_ends_at_a_blank_or_a_comma(text: str, first: str, rest: str) -> None:
    assert first_word(text) == (first, rest)


def words_by_character(text: str, separators: Callable[[str], bool]) -> list[str]:
    """What stands between separators outside of quotes, quotes included; a quote without its end reaches to the end."""
    parts, quoted = [""], False
    for character in text:
        quoted ^= character == '"'
        if separators(character) and not quoted:
            parts.append("")
        else:
            parts[-1] += character
    return parts


@given(st.text(st.sampled_from('ab;" \t\n\u2003\x1c'), max_size=20))
def test_quotes_open_and_close_wherever_they_stand(text: str) -> None:
    commands = [part.strip() for part in words_by_character(text, ";".__eq__)]
    assert split_commands(text) == [command for command in commands if command]
    words = words_by_character(text, str.isspace)
    assert split_words(text) == [word.replace('"', "") for word in words if word]


def test_brackets_mark_what_a_keyword_may_leave_out() -> None:
    fits = [word for word in ("RE", "rev", "Reve", "REVERSE", "REVERSED") if is_keyword(word, "REV[ERSE]")]
    assert fits == ["rev", "Reve", "REVERSE"]
    assert is_keyword("on", "ON")
    assert not is_keyword("o", "ON")
    assert plain("REV[ERSE]") == "REVERSE"


def test_the_commands_of_a_line_run_one_after_the_other(line: Line) -> None:
    assert line("ghdr on; ghdr;; detail on ;detail") == ["GHDR is ON", "DETAIL is ON"]


@pytest.mark.parametrize("spelling", ["GHDR", "ghdr", "Ghdr", "  ghdr", "\tghdr ", "ghd"])
def test_case_leading_blanks_and_abbreviations_are_fine(spelling: str, line: Line) -> None:
    assert line(spelling) == ["GHDR is OFF"]


@pytest.mark.parametrize("word", ["n", "rec", "record", "NEXT", "reco"])
def test_every_name_of_next_means_next(word: str, shop: Line) -> None:
    shop(word)
    assert shop.rbas == [0]


def test_an_abbreviation_that_fits_several_names_them(line: Line) -> None:
    assert line("trans 5") == ["TRANS is ambiguous: TRANSHIST, TRANSRECLIMIT, TRANSBYTELIMIT."]


def test_an_abbreviation_of_several_means_the_one_that_the_others_lengthen(shop: Line) -> None:
    shop("nex")
    assert shop.rbas == [0]


@pytest.mark.parametrize("word", ["gh", "rele", "form"])
def test_two_letters_and_commands_of_ours_are_no_abbreviations(word: str, line: Line) -> None:
    assert line(word)[0] == f"Unknown command: {word.upper()}."


def test_an_unknown_command_gets_a_hint(line: Line) -> None:
    assert line("detial on") == ["Unknown command: DETIAL.", "Did you mean DETAIL? HELP lists all commands."]
    assert line("qqq") == ["Unknown command: QQQ.", "HELP lists all commands."]


def test_a_wrong_argument_names_the_command_and_its_syntax(line: Line) -> None:
    assert line("det nonsense") == [
        "DETAIL: 'nonsense' is not one of ON, OFF, DATA.",
        "Syntax: DETAIL {ON | OFF | DATA}",
        "See HELP DETAIL.",
    ]


def test_a_failure_does_not_keep_the_rest_of_the_line_from_running(line: Line) -> None:
    assert line("foo; ghdr")[-1] == "GHDR is OFF"


def test_open_takes_a_quoted_name_and_refuses_two(line: Line, tmp_path: Path, trails: Path) -> None:
    path = tmp_path / "a trail;1"
    path.write_bytes((trails / "et000000000").read_bytes())
    assert line(f'open "{path}"') == [f"Current LogTrail is {path}"]
    assert "put one with blanks into double quotes" in line("open a trail")[0]


def test_control_characters_of_a_command_never_reach_the_terminal(line: Line) -> None:
    assert line("foo\x1b[2Jbar")[0] == "Unknown command: FOO\\x1b[2JBAR."
    assert line("history")[0] == "1> timeoffset gmt"
    assert line("history")[1] == "2> foo\\x1b[2Jbar"

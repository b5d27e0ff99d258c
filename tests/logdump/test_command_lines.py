"""From what is typed to a command: separators, quotes, case, abbreviations, hints.

``logdump.hst``: what is kept of a history, and what is refused.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logdump.language.words import first_word, is_keyword, plain, split_commands, split_words
from logdump.line.history_file import UnusableHistory, history_path, load_history, save_history
from logdump.session.session import History
from tests.logdump.line import Line


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "logdump.hst"


def test_a_history_comes_back_as_it_was_saved(path: Path) -> None:
    save_history(path, History(["open dirdat/lt", "count; détail"], 124))
    again = load_history(path)
    assert (again.lines, again.number, again.first) == (["open dirdat/lt", "count; détail"], 124, 122)


def test_the_file_is_text_with_the_next_number_in_front(path: Path) -> None:
    save_history(path, History(["ghdr on"]))
    assert path.read_text() == "logdump history, next 2\nghdr on\n"


def test_an_empty_history_is_a_history(path: Path) -> None:
    save_history(path, History())
    assert load_history(path).number == 1


def test_no_file_is_an_empty_history(path: Path) -> None:
    assert load_history(path).number == 1


def test_only_its_owner_can_read_it(path: Path) -> None:
    save_history(path, History(["ghdr on"]))
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_control_characters_are_written_out(path: Path) -> None:
    save_history(path, History(["x echo \x1b[2J\n", "caf\udce9"]))
    assert load_history(path).lines == [r"x echo \x1b[2J\n", r"caf\udce9"]


def test_a_symbolic_link_stays_one(path: Path, tmp_path: Path) -> None:
    path.parent.mkdir()
    path.symlink_to(tmp_path / "elsewhere")
    save_history(path, History(["ghdr on"]))
    assert path.is_symlink()
    assert load_history(tmp_path / "elsewhere").lines == ["ghdr on"]


def test_nothing_is_left_behind_when_it_cannot_be_written(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save_history(path, History(["ghdr on"]))

    def full(_self: Path, _target: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(UnusableHistory, match="No space left"):
        save_history(path, History(["reclen"]))
    assert list(path.parent.iterdir()) == [path]
    assert load_history(path).lines == ["ghdr on"]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"logdump history, next 2",
        b"export PATH=/bin\n",
        b"logdump history, next x\n",
        b"logdump history, next 99999999999999999999\n",
        b"logdump history, next 3\nghdr on\n\x1b[2J\n",
        b"logdump history, next 3\nghdr on\nhalf a line",
        b"logdump history, next 2\nghdr on\nreclen\n",
        b"logdump history, next 2\n\xff\xfe\n",
        bytes(5_000_000),
    ],
)
def test_a_file_that_is_not_ours_is_refused(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(UnusableHistory):
        load_history(path)


def test_what_is_no_regular_file_is_refused_and_not_waited_for(path: Path) -> None:
    path.parent.mkdir()
    os.mkfifo(path)
    with pytest.raises(UnusableHistory, match=r"it is (not a regular file|a directory)"):
        load_history(path)
    with pytest.raises(UnusableHistory, match=r"it is (not a regular file|a directory)"):
        load_history(path.parent)


def test_the_variable_names_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", "/home/tea")
    assert history_path({"LOGDUMP_HISTORY": "/u01/my.hst"}) == Path("/u01/my.hst")
    assert history_path({"LOGDUMP_HISTORY": "~/my.hst"}) == Path("/home/tea/my.hst")
    assert history_path({"LOGDUMP_HISTORY": "my.hst"}) == tmp_path / "my.hst"


def test_an_empty_variable_keeps_none() -> None:
    assert history_path({"LOGDUMP_HISTORY": ""}) is None


def test_without_the_variable_it_is_in_the_state_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/tea")
    assert history_path({"XDG_STATE_HOME": "/var/state"}) == Path("/var/state/logdump/logdump.hst")
    assert history_path({}) == Path("/home/tea/.local/state/logdump/logdump.hst")
    assert history_path({"XDG_STATE_HOME": "relative"}) == Path("/home/tea/.local/state/logdump/logdump.hst")


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

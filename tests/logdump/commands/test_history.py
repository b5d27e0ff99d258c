"""HISTORY and FC."""

from __future__ import annotations

from pathlib import Path

import pytest

from logdump.commands.scripts import find_command
from logdump.line.history_file import KeptHistory, load_history
from logdump.line.line_mode import Script
from logdump.session import session
from logdump.session.session import MOST_KEPT, History
from tests.logdump.line import Line
from tests.searching import Random, examples


def answering(line: Line, *edits: str) -> list[str]:
    """Have FC's questions answered by these lines, then by the end of the input; returns the prompts it asks with."""
    prompts: list[str] = []
    lines = iter(edits)

    def ask(prompt: str) -> str | None:
        prompts.append(prompt)
        return next(lines, None)

    line.session.ask = ask
    return prompts


@pytest.fixture
def typed(line: Line) -> Line:
    """A session whose lines 2 to 4 are ``reclen 11``, ``ghdr`` and ``reclen 12``."""
    for text in ("reclen 11", "ghdr", "reclen 12"):
        line(text)
    return line


def test_history_lists_the_lines_with_their_numbers_itself_included(typed: Line) -> None:
    assert typed("history") == ["1> timeoffset gmt", "2> reclen 11", "3> ghdr", "4> reclen 12", "5> history"]


def test_history_n_lists_the_last_n(typed: Line) -> None:
    assert typed("hist 2") == ["4> reclen 12", "5> hist 2"]


def test_history_clear_forgets_and_the_numbers_start_at_1(typed: Line) -> None:
    typed("history clear")
    assert typed.session.number == 1
    assert typed("history") == ["1> history"]


def test_a_line_is_one_entry_however_many_commands_it_holds(line: Line) -> None:
    line("ghdr; reclen")
    assert line.session.history.lines[-1] == "ghdr; reclen"


def test_the_newest_thousand_lines_are_kept_under_their_numbers() -> None:
    history = History()
    for number in range(1, 1502):
        history.append(f"line {number}")
    assert len(history.lines) == MOST_KEPT
    assert (history.first, history.lines[0], history.number) == (502, "line 502", 1502)


def test_of_more_lines_that_were_kept_before_the_newest_thousand_are_taken() -> None:
    history = History(f"line {number}" for number in range(1, 1502))
    assert (len(history.lines), history.lines[0], history.lines[-1]) == (MOST_KEPT, "line 502", "line 1501")
    assert (history.first, history.number) == (1, MOST_KEPT + 1)


def test_fc_shows_the_command_and_asks_for_the_edit_under_it(typed: Line) -> None:
    prompts = answering(typed, "        5", "")
    assert typed("fc 2") == ["> reclen 11", "reclen 15", "Reclen set to 15"]
    assert prompts == ["..", ""]


@pytest.mark.parametrize(
    ("argument", "found"), [("", "reclen 12"), ("2", "reclen 11"), ("-2", "ghdr"), ("gh", "ghdr"), ("REC", "reclen 12")]
)
def test_fc_finds_a_command_by_number_distance_or_beginning(typed: Line, argument: str, found: str) -> None:
    answering(typed, "//")
    assert typed(f"fc {argument}") == [f"> {found}"]


def test_fc_counts_on_from_the_oldest_line_kept(typed: Line) -> None:
    typed.session.history = History(["ghdr", "reclen 7"], 102)
    answering(typed)
    assert typed("fc 101") == ["> reclen 7"]
    assert typed("fc 99") == ["FC: there is no command 99."]


def test_an_empty_edit_line_runs_the_command_as_it_is(typed: Line) -> None:
    answering(typed, "")
    assert typed("fc 4") == ["> reclen 12", "Reclen set to 12"]


def test_another_edit_line_goes_on_editing_under_the_result(typed: Line) -> None:
    answering(typed, "       2", "        3", " ")
    assert typed("fc 2") == ["> reclen 11", "reclen 21", "reclen 23", "Reclen set to 23"]


@pytest.mark.parametrize("edits", [("//",), ("       2", "//"), ()])
def test_two_slashes_or_the_end_of_the_input_call_it_off(typed: Line, edits: tuple[str, ...]) -> None:
    answering(typed, *edits)
    typed("fc 2")
    assert typed.session.settings.reclen == 12
    assert typed.session.history.lines[-1] == "fc 2"


def test_the_edited_command_takes_the_place_of_fc_in_the_history(typed: Line) -> None:
    answering(typed, "       2", "")
    number = typed.session.number
    typed("fc 2")
    assert typed.session.history.lines[-1] == "reclen 21"
    assert typed.session.number == number + 1


@pytest.mark.parametrize(
    ("before", "edit", "after"),
    [
        ("count", "     i detail", "count detail"),
        ("timeoffset local", "           rgmt", "timeoffset gmt"),
        ("scanforrrbba", "        dd", "scanforrba"),
        ("scanforrba 107", "           127", "scanforrba 127"),
    ],
)
def test_the_examples_of_the_manual(line: Line, before: str, edit: str, after: str) -> None:
    line(before)
    answering(line, edit, "//")
    assert line("fc 2") == [f"> {before}", after]


def test_an_edited_line_may_hold_several_commands_that_may_fail(typed: Line) -> None:
    answering(typed, "         i; nonsense; ghdr", "")
    assert typed("fc 4")[-4:] == [
        "Reclen set to 12",
        "Unknown command: NONSENSE.",
        "HELP lists all commands.",
        "GHDR is OFF",
    ]


def test_fc_does_not_run_another_fc(typed: Line) -> None:
    answering(typed, "rfc 1", "")
    assert typed("fc 3") == ["> ghdr", "fc 1", "FC: it does not run another FC."]


def test_fc_without_anything_before_it_says_so(line: Line) -> None:
    line.session.history.clear()
    answering(line)
    assert line("fc") == ["FC: there is no command before it."]


def test_fc_where_nobody_can_be_asked_says_so(typed: Line) -> None:
    assert typed("fc") == ["FC needs interactive input for the edit line."]


def test_fc_in_a_script_takes_its_edit_lines_from_the_script(capsys: pytest.CaptureFixture[str]) -> None:
    assert Script("reclen 11\nfc\n       2\n\nreclen".splitlines()).run() == 0
    assert capsys.readouterr().out.splitlines() == [
        "Reclen set to 11",
        "> reclen 11",
        "reclen 21",
        "Reclen set to 21",
        "Reclen is 21",
    ]


def test_fc_at_the_end_of_a_script_is_called_off(capsys: pytest.CaptureFixture[str]) -> None:
    assert Script("reclen 11\nfc".splitlines()).run() == 0
    assert capsys.readouterr().out.splitlines() == ["Reclen set to 11", "> reclen 11"]


@pytest.mark.parametrize("entered", range(7))
@pytest.mark.parametrize("count", [None, 1, 2, 3, 4, 20])
def test_history_lists_the_newest_lines_with_their_numbers_though_older_ones_are_gone(
    count: int | None, entered: int, line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three lines are kept; the first line of the session and HISTORY itself are among those entered."""
    monkeypatch.setattr(session, "MOST_KEPT", 3)
    texts = [f"reclen {number + 10}" for number in range(entered)]
    for text in texts:
        line(text)
    last = f"history {count}" if count else "history"
    numbered = [f"{number}> {text}" for number, text in enumerate(["timeoffset gmt", *texts, last], 1)]
    assert line(last) == numbered[-min(count or 20, 3) :]


LINES = ["next", "Count detail", "reclen 5", "count", "COUNT log", "next 3"]


@pytest.mark.parametrize("first", [1, 4, 101])
def test_each_argument_of_fc_means_one_of_several_commands(first: int) -> None:
    for at, text in enumerate(LINES):
        assert find_command(LINES, str(first + at), first) == text
        assert find_command(LINES, str(at - len(LINES)), first) == text
    for number in (0, first - 1, first + len(LINES)):
        assert find_command(LINES, str(number), first) is None
    for back in (-len(LINES) - 1, -2 * len(LINES), -100):
        assert find_command(LINES, str(back), first) is None
    begins = {
        "": "next 3",
        "n": "next 3",
        "c": "COUNT log",
        "count ": "COUNT log",
        "Count D": "Count detail",
        "x": None,
    }
    assert {beginning: find_command(LINES, beginning, first) for beginning in begins} == begins


def test_fc_in_a_file_of_commands_means_lines_entered_and_leaves_the_obey_in_its_place(
    typed: Line, tmp_path: Path
) -> None:
    """The OBEY is the last line entered before it; by a number, a distance or a beginning another one is edited."""
    script = tmp_path / "edit.oby"
    for argument in ("-2", "4", "r"):
        typed("reclen 12")
        script.write_text(f"fc {argument}\n        7\n\n")
        said = typed(f"obey {script}")
        assert said[:1] == ["> reclen 12"]
        assert said[-1] == "Reclen set to 17"
        assert typed.session.history.lines[-1] == f"obey {script}"
    script.write_text("fc -1\n//\n")
    assert typed(f"obey {script}") == [f"> obey {script}"]


@pytest.mark.parametrize("text", ["", "   ", ";", " ; ;", "-- nothing"])
def test_a_line_without_a_command_is_not_kept(text: str, typed: Line) -> None:
    before = list(typed.session.history.lines)
    typed(text)
    assert typed.session.history.lines == before


@pytest.mark.parametrize("case", range(examples(60, short=16)))
def test_the_file_has_the_lines_of_all_sessions_in_the_order_in_which_they_were_entered(
    case: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sessions begin, enter lines and clear the history in any order, also where there is no file yet."""
    monkeypatch.setattr(session, "MOST_KEPT", 6)
    random, path = Random(case), tmp_path / "logdump.hst"
    sessions: list[tuple[KeptHistory, History]] = []
    lines, number = list[str](), 1
    for step in range(30):
        if not sessions or random.random() < 0.15:
            kept = KeptHistory(path)
            sessions.append((kept, kept.recall()))
            assert (sessions[-1][1].lines, sessions[-1][1].number) == (lines, number)
        kept, history = random.choice(sessions)
        if random.random() < 0.1:
            history.clear()
            lines, number = [], 1
        elif random.random() < 0.9:
            history.append(f"line {step}")
            lines, number = [*lines, f"line {step}"][-6:], number + 1
        kept.save(history)
        assert (load_history(path).lines, load_history(path).number) == (lines, number)

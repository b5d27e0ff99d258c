"""OBEY: commands from a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from logdump.commands import scripts
from logdump.language.words import MOST_CHARACTERS
from logdump.line.line_mode import Script
from tests.logdump.line import Line


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("word", ["obey", "o", "source"])
def test_the_lines_of_a_file_run_one_after_the_other(line: Line, here: Path, word: str) -> None:
    (here / "a.oby").write_text("reclen 11\n\n  ghdr on; ghdr\nreclen")
    assert line(f"{word} a.oby") == ["Reclen set to 11", "GHDR is ON", "Reclen is 11"]


def test_the_example_of_the_manual_runs(line: Line, here: Path) -> None:
    (here / "a.oby").write_text("ghdr on\nusertoken on\ndetail\nfilter enable\nfilter clear\nfilter match all\n")
    line("obey a.oby")
    assert line.failures == []
    assert line.session.settings.ghdr


def test_a_line_that_begins_with_two_hyphens_or_a_hash_is_a_comment(line: Line, here: Path) -> None:
    (here / "a.oby").write_text("-- reclen 11; reclen 12\n  --reclen 13\n# reclen 14\n  #!reclen 15\nreclen\n")
    assert line("obey a.oby") == ["Reclen is 140"]


def test_its_commands_do_not_enter_the_history(line: Line, here: Path) -> None:
    (here / "a.oby").write_text("reclen 11\nghdr on\n")
    number = line.session.number
    line("obey a.oby")
    assert line.session.history.lines[-1] == "obey a.oby"
    assert line.session.number == number + 1


def test_a_line_that_fails_is_named_and_the_rest_runs(line: Line, here: Path) -> None:
    (here / "a.oby").write_text("reclen 11\nnonsense\nreclen x\nreclen")
    assert line("obey a.oby") == [
        "Reclen set to 11",
        "a.oby, line 2: Unknown command: NONSENSE.",
        "HELP lists all commands.",
        "a.oby, line 3: RECLEN: 'x' is not a number.",
        "Syntax: RECLEN [<bytes>]",
        "Reclen is 11",
    ]


def test_a_file_may_obey_another_and_a_failure_names_both(line: Line, here: Path) -> None:
    (here / "a.oby").write_text("obey b.oby\nreclen")
    (here / "b.oby").write_text("reclen 12\nnonsense")
    assert line("obey a.oby")[:2] == ["Reclen set to 12", "a.oby, line 1: b.oby, line 2: Unknown command: NONSENSE."]


def test_a_file_that_obeys_itself_is_refused(line: Line, here: Path) -> None:
    (here / "a.oby").write_text("obey b.oby\nobey ./a.oby\nreclen")
    (here / "b.oby").write_text("obey a.oby")
    (here / "c.oby").symlink_to("a.oby")
    assert line("obey c.oby") == [
        "c.oby, line 1: b.oby, line 1: a.oby is being obeyed already: a file cannot obey itself.",
        "c.oby, line 2: ./a.oby is being obeyed already: a file cannot obey itself.",
        "Reclen is 140",
    ]


def test_files_obey_each_other_sixteen_deep(line: Line, here: Path) -> None:
    for number in range(1, 18):
        (here / f"{number}.oby").write_text(f"obey {number + 1}.oby\nreclen {number}\n")
    shown = line("obey 1.oby")
    assert shown[0].endswith("16.oby, line 1: 17.oby is not obeyed: files can obey each other 16 deep.")
    assert shown[1:] == [f"Reclen set to {number}" for number in range(16, 0, -1)]


def test_the_same_file_runs_again_when_it_has_ended(line: Line, here: Path) -> None:
    (here / "a.oby").write_text("reclen")
    assert line("obey a.oby; obey a.oby") == ["Reclen is 140", "Reclen is 140"]


def test_exit_in_a_file_ends_the_session(line: Line, here: Path) -> None:
    (here / "a.oby").write_text("exit\nreclen")
    assert line("obey a.oby; reclen") == []
    assert line.session.is_over


def test_a_file_that_cannot_be_read_is_told(line: Line, here: Path) -> None:
    assert line("obey missing.oby") == ["missing.oby cannot be read: No such file or directory."]
    assert line(f"obey {here}") == [f"{here} cannot be read: it is a directory."]
    assert line("obey")[0] == "OBEY: takes a file name."


def test_under_c_a_failing_line_is_exit_status_1(here: Path) -> None:
    (here / "a.oby").write_text("nonsense\n")
    assert Script("obey a.oby".splitlines()).run() == 1
    assert Script("obey missing.oby".splitlines()).run() == 1


@pytest.mark.parametrize("content", [b"reclen\0 5\n", b"x" * (MOST_CHARACTERS + 1)])
def test_a_file_that_is_no_text_is_refused_and_not_run_to_its_end(line: Line, here: Path, content: bytes) -> None:
    (here / "a.oby").write_bytes(b"reclen\n" + content + b"\nreclen\n")
    assert line("obey a.oby") == ["Reclen is 140", "a.oby, line 2: this is not a file of commands."]


def test_a_trail_is_no_file_of_commands(line: Line, trails: Path) -> None:
    line(f"obey {trails / 'et000000000'}")
    assert line.failures[-1].lines[0].endswith("this is not a file of commands.")


def test_windows_line_ends_and_a_byte_order_mark_are_no_part_of_a_command(line: Line, here: Path) -> None:
    (here / "a.oby").write_bytes(b"\xef\xbb\xbfreclen 11\r\nreclen\r\n")
    assert line("obey a.oby") == ["Reclen set to 11", "Reclen is 11"]


def test_fc_in_a_file_takes_its_edit_lines_from_the_file(line: Line, here: Path) -> None:
    line("reclen 11")
    (here / "a.oby").write_text("fc reclen\n       22\n\nghdr\n")
    assert line("obey a.oby") == ["> reclen 11", "reclen 22", "Reclen set to 22", "GHDR is OFF"]
    assert line.session.history.lines[-1] == "obey a.oby"
    assert line.session.ask is None


def test_one_obey_leads_to_so_many_files_and_no_more(line: Line, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scripts, "_MOST_FILES", 12)
    for number in range(4):
        (here / f"{number}.oby").write_text(f"reclen {number}\n" + f"obey {number + 1}.oby\n" * 9)
    (here / "4.oby").write_text("reclen 4\n")
    shown = line("obey 0.oby")
    assert sum(text.startswith("Reclen set to") for text in shown) == 12
    assert shown[-1] == "0.oby, line 10: 1.oby is not obeyed: one OBEY can lead to 12 files."
    assert line("obey 4.oby") == ["Reclen set to 4"]


@pytest.mark.parametrize(
    ("argument", "meant"),
    [("-1", "obey {}"), ("-2", "reclen 13"), ("-3", "ghdr"), ("", "obey {}"), ("re", "reclen 13"), ("2", "reclen 11")],
)
def test_fc_in_a_file_counts_from_the_obey_that_was_entered(
    argument: str, meant: str, line: Line, tmp_path: Path
) -> None:
    script = tmp_path / "edit.oby"
    script.write_text(f"fc {argument}\n//\n")
    for text in ("reclen 11", "reclen 12", "ghdr", "reclen 13"):
        line(text)
    assert line(f"obey {script}") == [f"> {meant.format(script)}"]


@pytest.mark.parametrize("edit", ["//", "  //", "       2 //", "       i1//", "// 5"])
def test_two_slashes_at_either_end_of_an_edit_cancel_it(edit: str, line: Line, tmp_path: Path) -> None:
    (script := tmp_path / "edit.oby").write_text(f"fc re\n{edit}\nreclen\n")
    line("reclen 11")
    assert line(f"obey {script}") == ["> reclen 11", "Reclen is 11"]

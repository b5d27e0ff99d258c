"""ENV: every setting as the transcripts print it.

SHOW and TIME.
X: a program.
"""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from logdump.commands import show
from logdump.line.line_mode import Script
from tests.logdump.line import Line

MANUAL_MOMENT = 211976584185800569
"""The moment of the manual's INTERPRETTIMESTAMP: 2005/03/03 04:29:45.800.569 GMT."""


@pytest.mark.parametrize("word", ["show", "sh", "sho"])
def test_show_env_is_env(line: Line, word: str) -> None:
    assert line(f"{word} env") == line("env")


def test_show_rectype_lists_numbers_and_names(line: Line) -> None:
    shown = line("show rectype")
    assert shown[:5] == ["1 - Abort", "2 - Commit", "3 - Delete", "4 - EndRollBack", "5 - Insert"]
    assert "89 - SQL/MX DDL OP" in shown
    assert "115 - GGSPKUpdate" in shown
    assert shown == sorted(shown, key=lambda text: int(text.split()[0]))


def test_show_filter_as_in_the_manual(line: Line) -> None:
    line('filter include filename $QA01.QAESRC.ACCT*; filter hex "4BF6" 0:3; filter match all')
    shown = line("show filter")
    assert shown[:3] == ["Data filters are ENABLED", "Include  Match ALL", "Filename-0 : $QA01.QAESRC.ACCT*"]
    assert shown[-1] == "Exclude  Match ANY"


def test_show_filter_without_any_filter(line: Line) -> None:
    assert line("show filter") == ["Data filters are ENABLED", "Include  Match ANY", "Exclude  Match ANY"]


def test_show_open_lists_the_trail_and_the_session_log(line: Line, trails: Path, tmp_path: Path) -> None:
    assert line("show open") == ["No file is open"]
    line(f"open {trails / 'et000000000'}; log {tmp_path / 'log'}")
    assert line("show open") == [f"0 : {trails / 'et000000000'}", f"1 : {tmp_path / 'log'}"]
    line("log stop")


@pytest.mark.parametrize("command", ["time", "show time"])
def test_the_time_is_shown_in_every_form(line: Line, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(show, "current_timestamp", lambda: MANUAL_MOMENT)
    shown = line(command)
    assert shown[:2] == ["JulianTimestamp 211976584185800569", "2005/03/03 04:29:45.800.569 GMT"]
    assert shown[2].endswith(" LCT")
    assert shown[3] == "timestamp  = 1109824185 (0x422692b9)"
    assert shown[4].startswith("localtime  = ")
    assert shown[5] == "gmtime     = Thu Mar  3 04:29:45 2005"


def test_show_takes_one_of_its_words(line: Line) -> None:
    assert line("show")[0] == "SHOW: takes one of ENV, FILTER, OPEN, RECTYPE, TIME."
    assert line("show tables")[0] == "SHOW: 'tables' is not one of ENV, FILTER, OPEN, RECTYPE, TIME."


def test_a_program_writes_after_what_was_printed_before_it(capfd: pytest.CaptureFixture[str]) -> None:
    assert Script(["reclen; x echo hello; reclen 7"]).run() == 0
    assert capfd.readouterr().out == "Reclen is 140\nhello\nReclen set to 7\n"


def test_its_arguments_are_those_of_the_shell(line: Line, capfd: pytest.CaptureFixture[str]) -> None:
    line("""x echo "a; b" 'c  d' | tr a-z A-Z""")
    assert capfd.readouterr().out == "A; B C  D\n"


def test_a_status_that_is_not_zero_is_told(line: Line, capfd: pytest.CaptureFixture[str]) -> None:
    assert line("x exit 3") == ["exit ended with status 3."]
    assert line("x kill -9 $$") == ["kill ended by signal 9."]
    assert line("x no-such-program-here") == ["no-such-program-here ended with status 127."]
    assert "no-such-program-here" in capfd.readouterr().err


def test_under_c_a_failing_program_is_exit_status_1() -> None:
    assert Script(["x false"]).run() == 1


def test_it_takes_a_program(line: Line) -> None:
    assert line("x")[0] == "X: takes a program and its arguments."


def test_a_program_does_not_read_the_commands_of_a_pipe(line: Line, capfd: pytest.CaptureFixture[str]) -> None:
    assert line("x wc -c") == []
    assert capfd.readouterr().out.strip() == "0"


def test_in_jsonl_it_stays_off_standard_output(line: Line, capfd: pytest.CaptureFixture[str]) -> None:
    line("format jsonl; x echo hello")
    assert capfd.readouterr() == ("", "hello\n")


@pytest.mark.usefixtures("capfd")
def test_ctrl_c_is_the_programs_and_works_again_afterwards(line: Line) -> None:
    before = signal.getsignal(signal.SIGINT)
    assert line("x kill -INT $PPID; reclen") == ["Reclen is 140"]
    assert line("x kill -INT $$") == ["kill ended by signal 2."]
    assert signal.getsignal(signal.SIGINT) is before


def rows(lines: list[str]) -> dict[str, str]:
    return {line[:20].rstrip(): line[22:] for line in lines}


def test_env_as_in_the_transcript_of_12_1(line: Line, evidence: Path) -> None:
    transcript = (evidence / "env.txt").read_text().split("Logdump 49 >ENV\n")[1].splitlines()
    line("timeoffset local")
    machine = ("Version", "Current Directory", "Local System", "Metadata Byte Order")
    assert [text for text in line("env") if not text.startswith(machine)] == [
        text for text in transcript if not text.startswith(machine)
    ]
    assert [text[:22] for text in line("env")] == [text[:22] for text in transcript]


def test_release_11_1_knows_no_metadata(line: Line) -> None:
    assert "Metadata Byte Order" in rows(line("env"))
    line("release 11.1")
    assert "Metadata Byte Order" not in rows(line("env"))


@pytest.mark.parametrize(
    ("command", "label", "shown"),
    [
        ("reclen 200", "Display RecLen", "200"),
        ("filter off", "Logtrail Filter", "Off"),
        ("filter rectype 5", "Logtrail Filter", "On"),
        ("ghdr on", "Show Ghdr", "On"),
        ("detail data", "Detail", "Data"),
        ("transhist 20", "Trans History", "20 Transactions, Records 100, Bytes 100000"),
        ("transreclimit 7; transbytelimit 8", "Trans History", "0 Transactions, Records 7, Bytes 8"),
        ("bio off", "LargeBlock I/O", "Off, Blocksize 57344"),
        ("bio block 4096", "LargeBlock I/O", "On, Blocksize 4096"),
        ("ebcdicdata on", "Logtrail Data", "BigEndian/EBCDIC"),
        ("asciiheader off", "Logtrail Headers", "EBCDIC"),
        ("ebcdicdump on", "Dump", "EBCDIC"),
        ("savefilecomment on", "Savefile comments", "On"),
        ("timeoffset gmt -01", "Timeoffset", "GMT -01:00"),
        ("notify 500; scanscrolling off", "Scan Notify Interval", "500 records, Scrolling Off"),
    ],
)
def test_a_setting_shows(line: Line, command: str, label: str, shown: str) -> None:
    line(command)
    assert rows(line("env"))[label] == shown


def test_an_open_trail_has_its_lines(shop: Line, trails: Path) -> None:
    shown = rows(shop("pos 0; n; env")[-19:])
    assert shown["LogTrail"] == str(trails / "et000000000")
    assert shown["Trail Format"] == "New"
    assert shown["End of File"] == str((trails / "et000000000").stat().st_size)
    assert shown["Current Position"] == "0 Forward"


def test_a_trail_whose_file_is_gone_is_shown_all_the_same(line: Line, trails: Path, tmp_path: Path) -> None:
    trail = tmp_path / "et000000000"
    trail.write_bytes((trails / "et000000000").read_bytes())
    line(f"open {trail}")
    trail.unlink()
    assert rows(line("env"))["Last Modtime"] == "*No such file or directory*"

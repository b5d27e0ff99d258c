"""SHOW and TIME."""

from __future__ import annotations

from pathlib import Path

import pytest

from logdump.commands import show
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
    assert shown == sorted(shown, key=lambda one: int(one.split()[0]))


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

"""The conversions as commands: the manual's examples, and arguments that do not fit."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from tests.logdump.line import Line

EXAMPLES = {
    "COMPUTETIMESTAMP 2005-01-01 12:00:00": ["2005-01-01 12:00:00 is JulianTimestamp 211971340800000000"],
    "INTERPRETTIMESTAMP 211976584185800569": ["2005/03/03 04:29:45.800.569 GMT", "2005/03/02 20:29:45.800.569 LCT"],
    "INTERPRETINTERVAL 1234567": ["Interval 1234567 is 0-00:00:01.234.567"],
    "CTIME 1109823330": [
        "timestamp  = 1109823330 (0x42268f62)",
        "localtime  = Wed Mar  2 20:15:30 2005",
        "gmtime     = Thu Mar  3 04:15:30 2005",
    ],
    "ESBLOCK 4294967302": [
        "Interpreted               4294967302   0x00000001000000060   1.6",
        "64-bit Syskey             4294967302   0x00000001000000060",
        "ES64_TO_RBA64                   4102   0x00000000000010060",
        "RBA64_TO_ES64             4294967302   0x00000001000000060",
    ],
    "float 2.1": ["4000cccccccccccd  2.100000"],
    "float 2.2": ["400199999999999a  2.200000"],
    "float 0x4000cccccccccccd": ["4000cccccccccccd  2.100000"],
    "float %H400199999999999a": ["400199999999999a  2.200000"],
    "float 2.2 FMT %e": ["400199999999999a  2.200000e+00"],
    "float 2.2 FMT %g": ["400199999999999a  2.2"],
    "float 2.2e+01": ["4036000000000000  22.000000"],
    "float 2.2e-05": ["3ef711947cfa26a2  0.000022"],
    "float 2.2 FORMAT %g": ["400199999999999a  2.2"],
    "interpretinterval -90000000": ["Interval -90000000 is -0-00:01:30.000.000"],
}
"""Command to what it prints: those of the manual, HELP's FORMAT, and a negative interval."""


@pytest.fixture
def california(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The zone of the manual's author."""
    monkeypatch.setenv("TZ", "PST8PDT")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize("command", EXAMPLES)
@pytest.mark.usefixtures("california")
def test_the_examples_of_the_manual(line: Line, command: str) -> None:
    assert line(command) == EXAMPLES[command]


@pytest.mark.parametrize(
    "command",
    [
        "float",
        "float tea",
        "float 2.2 FMT %s",
        "ctime",
        "ctime x",
        "ctime 1 2",
        "ctime 99999999999999999",
        "computetimestamp",
        "computetimestamp 2024-02-30",
        "interprettimestamp 1.5",
        "interpretinterval 99999999999999999999",
        "esblock -1",
        "esblock 4095999",
    ],
)
def test_an_argument_that_does_not_fit_is_told_with_the_syntax(line: Line, command: str) -> None:
    name = command.split(maxsplit=1)[0].upper()
    shown = line(command)
    assert shown[0].startswith(f"{name}: ")
    assert shown[0].endswith(".")
    assert shown[1].startswith(f"Syntax: {name} ")

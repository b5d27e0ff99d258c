"""What is not supported says so in one line; and DEBUG."""

from __future__ import annotations

import pytest

from logdump import __version__
from logdump.line.line_mode import Script
from tests.logdump.line import Line

ON_NONSTOP = [
    "argetnondatachanges",
    "arstopnondatachanges",
    "calctlfkey on",
    "datafile $data1.bank.acct",
    "writerec",
    "ggsauditread $audit.zb.aa000001",
    "tmfbeforeimage on",
    "tmfgetrecaddr",
    "notmfgetrecaddr",
    "tmfignorereccount 5",
]


@pytest.mark.parametrize("command", ON_NONSTOP)
def test_a_command_of_nonstop_says_so_in_one_line(line: Line, command: str) -> None:
    assert line(command) == [f"{command.split(maxsplit=1)[0].upper()} works on NonStop only."]
    assert len(line.failures) == 1


@pytest.mark.parametrize("name", ["DECRYPT", "ENCRYPT"])
def test_encryption_is_off(line: Line, name: str) -> None:
    assert line(f"{name} off; {name}") == [f"{name} is OFF"]


@pytest.mark.parametrize("name", ["DECRYPT", "ENCRYPT"])
@pytest.mark.parametrize("arguments", ["on", "on keyname superkey"])
def test_encryption_cannot_be_switched_on(line: Line, name: str, arguments: str) -> None:
    (shown,) = line(f"{name} {arguments}")
    assert shown.startswith(f"{name} ON: trail encryption is not supported;")
    assert Script([f"{name} {arguments}"]).run() == 1


@pytest.mark.parametrize("arguments", ["perhaps", "off now", "on keyname", "on key a"])
def test_encryption_checks_its_arguments(line: Line, arguments: str) -> None:
    assert line(f"decrypt {arguments}")[0] == f"DECRYPT: takes OFF or ON, not {arguments!r}."


def test_debug_tells_the_versions_and_enters_nothing(line: Line) -> None:
    shown = line("debug")
    assert "no debugger" in shown[0]
    assert f"logdump {__version__}, Python " in shown[1]
    assert "construct 2." in shown[3]

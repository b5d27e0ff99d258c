"""EXPLAIN of a message: its meaning, and what there is at its place."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from logdump.features.explain.messages import NOT_SEEN, meanings
from logdump.features.explain.places import PlaceRole, places_in
from tests.logdump.program import logdump


@pytest.fixture(autouse=True)
def here(trails: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder of the trails."""
    monkeypatch.chdir(trails)


def test_each_message_of_the_table_is_explained_at_its_place() -> None:
    """With its meaning; and with a place to restart at, unless it is one of the file that a process writes."""
    for code, meaning in meanings().items():
        text = f"2024-03-14 09:40:11  {meaning.severity:<7} {code}  Something in ./dirdat/et000000000, rba 3,987."
        answer = logdump("explain", text)
        lines = answer.out.splitlines()
        assert answer.status == 0, code
        assert lines[0] == text
        assert lines[1].startswith(meaning.text)
        assert ("Not verified" in lines[1]) == (meaning.source == NOT_SEEN)
        assert "Values of UPDATE TEAHOUSE.SALES" in answer.out, code
        advises = not meaning.roles or meaning.roles[0] not in (PlaceRole.WRITING, PlaceRole.FORMER)
        assert ("ALTER REPLICAT <group>, EXTSEQNO 0, EXTRBA" in answer.out) == advises, code


def test_nothing_is_said_of_a_message_that_is_not_in_the_table() -> None:
    answer = logdump("explain", "ERROR OGG-99999 Something.")
    assert answer.status == 1
    assert "OGG-99999 is not known as a message about trails." in answer.err
    answer = logdump("explain", "ERROR OGG-99999 Something in et000000000, rba 3987.")
    assert answer.status == 0
    assert "EXTSEQNO 0, EXTRBA 3987" in answer.out


@pytest.mark.parametrize(
    ("text", "file", "rba"),
    [
        (
            "OGG-02191 Incompatible record 101 in /u01/dirdat/lt000000012, rba 483,188,832 when",
            "/u01/dirdat/lt000000012",
            483188832,
        ),
        (
            "OGG-01184 expected 4 bytes, but got 0 bytes, in trail ./dirdat/lt000012, RBA: 1,750.",
            "./dirdat/lt000012",
            1750,
        ),
        ("OGG-01028 record fragment at rba 1.750", None, 1750),
        ("OGG-01296 Error mapping from A.B to A.B (file lt000000001 rba 99)", "lt000000001", 99),
        ("OGG-01668 PROCESS ABENDING.", None, None),
    ],
)
def test_file_and_rba_are_read_as_messages_write_them(text: str, file: str | None, rba: int | None) -> None:
    named = places_in(text).others
    assert [(place.file, place.rba) for place in named] == ([(file, rba)] if file or rba else [])


def test_at_damage_the_next_good_record_is_named() -> None:
    answer = logdump("explain", "OGG-02191 Incompatible record 101 in ft000000000, rba 3,522")
    assert answer.status == 4
    assert "Next good header at RBA 3629." in answer.err
    assert "RBA 3522 of ft000000000 is in damage (3522 to 3629): a restart there is not safe" in answer.out
    assert "Gap in " in answer.out


LOG = """\
2024-03-14 09:00:00  INFO    OGG-00987  Oracle GoldenGate Command Interpreter: start
2024-03-14 09:10:00  ERROR   OGG-01296  Error mapping, file et000000000, rba 3,987.
ORA-00001: unique constraint violated, file /dev/sda000001 rba 12
2024-03-14 09:20:00  ERROR   OGG-02191  Incompatible record in ft000000000, rba 3,522.
2024-03-14 09:20:01  ERROR   OGG-01668  PROCESS ABENDING.
"""


def test_of_a_log_the_last_error_that_speaks_of_a_trail_is_explained(tmp_path: Path) -> None:
    log = tmp_path / "ggserr.log"
    log.write_text(LOG)
    answer = logdump("explain", str(log))
    assert answer.out.splitlines()[0] == LOG.splitlines()[3]
    assert answer.out.count("OGG-01296") == 1
    assert "  OGG-01296: 1 time, 2024-03-14 09:10:00" in answer.out.splitlines()
    every = logdump("explain", str(log), "--all").out
    assert every.index("OGG-01296") < every.index("OGG-02191")
    assert "RBA 12 of" not in every


def test_error_lines_of_other_products_are_passed_over(tmp_path: Path) -> None:
    log = tmp_path / "alert.log"
    log.write_text(
        'ERROR: relation "t" does not exist at character 15\n'
        "2024-03-14T09:10:00 ERROR [main] o.a.k.c.NetworkClient - disconnected, file kt000000000 rba 12\n"
        "ORA-00600: internal error code, arguments: [OGG-1]\n"
    )
    answer = logdump("explain", str(log))
    assert (answer.status, answer.out) == (1, "")
    assert "has no error about a trail" in answer.err


def test_a_long_log_is_read_as_a_stream(tmp_path: Path) -> None:
    """Its lines are not held: a hole of a gigabyte is read as bytes without an end of line."""
    log = tmp_path / "ggserr.log"
    with log.open("wb") as file:
        file.write(LOG.encode())
        file.seek(1 << 25)
        file.write(b"\n" + LOG.splitlines()[1].encode() + b"\n")
    tracemalloc.start()
    try:
        assert "OGG-01296" in logdump("explain", str(log)).out
        assert tracemalloc.get_traced_memory()[1] < 1 << 24
    finally:
        tracemalloc.stop()


def test_a_log_without_such_an_error_and_one_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "empty.rpt").write_bytes(b"")
    assert logdump("-c", f"explain file {tmp_path / 'empty.rpt'}").status == 1
    assert logdump("-c", "explain file nosuch.rpt").status == 4


def test_a_file_that_is_not_here_is_named() -> None:
    answer = logdump("explain", "OGG-01184 expected 4 bytes in ./dirdat/zz000000009, rba 5")
    assert "zz000000009 is not here" in answer.err


def test_control_characters_of_a_message_are_escaped() -> None:
    assert "\x1b" not in logdump("explain", "OGG-02191 \x1b[2J et000000000, rba 3,987").out

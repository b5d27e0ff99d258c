"""Bad input: a clear message with file and place and what to do next, status 4, and the session goes on."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from logdump.session.errors import ExitStatus
from tests.logdump.display.records import a_record
from tests.logdump.program import logdump
from tests.searching import in_turn, stride
from tests.trailformat.samples import row
from trailformat import ByteOrder, TrailFile

GOES_ON = "GHDR is OFF\n"
SWITCHES = "ghdr on; detail data; ggstoken detail; usertoken detail; headertoken detail; fileheader detail"


def opened(path: Path, *commands: str) -> tuple[str, str]:
    """The two streams of a script that opens ``path`` and ends with a command that always works."""
    answer = logdump("-c", "; ".join([f'open "{path}"', *commands, "ghdr off; ghdr"]))
    assert answer.status == ExitStatus.BAD_DATA
    assert answer.out.endswith(GOES_ON)
    return answer.out, answer.err


def file_of(folder: Path, data: bytes) -> Path:
    path = folder / "bad000000000"
    path.write_bytes(data)
    return path


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    assert opened(tmp_path / "nowhere")[1] == f"Error: {tmp_path / 'nowhere'}: No such file or directory\n"


def test_a_directory(tmp_path: Path) -> None:
    assert opened(tmp_path)[1] == f"Error: {tmp_path}: it is a directory\n"


def test_an_empty_file(tmp_path: Path) -> None:
    path = file_of(tmp_path, b"")
    assert f"Error: {path}" in opened(path)[1]
    assert "empty" in opened(path)[1]


@pytest.mark.parametrize("data", [b"\x7fELF" + bytes(500), b"-----BEGIN CERTIFICATE-----\n" * 20, b"F", b"G" * 9999])
def test_a_file_that_is_no_trail(data: bytes, tmp_path: Path) -> None:
    path = file_of(tmp_path, data)
    error = opened(path)[1]
    assert error.startswith(f"Error: {path}, RBA 0: ")
    assert "expected" in error or "found" in error


def test_a_file_without_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> int:
        raise PermissionError(errno.EACCES, "Permission denied")

    path = file_of(tmp_path, a_record().raw)
    monkeypatch.setattr(os, "open", refuse)
    assert opened(path)[1] == f"Error: {path}: Permission denied\n"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_named_pipe_does_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe", stat.S_IRUSR | stat.S_IWUSR)
    assert "not a regular file" in opened(tmp_path / "pipe")[1]


@pytest.mark.parametrize(
    ("words", "kind"),
    in_turn(
        [("{0}",), ("-f", "{0}"), ("-c", "obey {0}"), ("-c", "open {1}; sourcedefs {0}"), ("-c", "params {0}; ddl")],
        ["fifo", "folder", "/dev/zero"],
    ),
)
def test_what_is_no_regular_file_is_refused_at_once(
    kind: str, words: tuple[str, ...], tmp_path: Path, trails: Path
) -> None:
    path = Path("/dev/zero") if kind == "/dev/zero" else tmp_path / kind
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    answer = logdump(*(word.format(path, trails / "et000000000") for word in words))
    reason = "it is a directory" if kind == "folder" else "it is not a regular file"
    assert reason in answer.out + answer.err


@pytest.mark.parametrize("way", ["-c", "-f", "pipe"])
def test_a_line_that_is_too_long_is_not_carried_out_and_the_next_one_is(way: str, tmp_path: Path) -> None:
    lines = f"{'reclen 11;' * 200_000}\nreclen\n"
    (script := tmp_path / "a.txt").write_text(lines)
    answer = {
        "-c": lambda: logdump("-c", lines),
        "-f": lambda: logdump("-f", str(script)),
        "pipe": lambda: logdump(typed=lines),
    }[way]()
    assert "A line of more than 1048576 characters is not carried out." in answer.out + answer.err
    assert "Reclen is 140" in answer.out + answer.err


def test_what_was_open_stays_open_when_the_next_does_not_open(trails: Path) -> None:
    answer = logdump("-c", f"open {trails / 'et000000000'}; open /nowhere; open")
    assert answer.out == f"Current LogTrail is {trails / 'et000000000'}\n" * 2


@pytest.mark.parametrize("where", [1, 5, 48, 100, 185])
def test_a_file_cut_inside_its_last_record(where: int, tmp_path: Path, trails: Path) -> None:
    whole = (trails / "et000000000").read_bytes()
    path = file_of(tmp_path, whole[: 1811 + where])
    error = opened(path, "pos 1811", "next")[1]
    assert error.startswith("Partial record found at RBA 1811: the file ends inside the record")
    assert f"in {path}\n" in error
    assert error.endswith("It may be still being written: NEXT tries again.\n")


@pytest.mark.parametrize("name", ["et000000000", "el000000000"])
def test_a_length_past_the_end_of_the_file(name: str, tmp_path: Path, trails: Path) -> None:
    data = bytearray((trails / name).read_bytes())
    with TrailFile(trails / name) as trail:
        rbas = [record.rba for record in trail.records()]
    at, after = rbas[5], rbas[6]
    data[at + 2 : at + 4] = b"\xff\xff"
    path = file_of(tmp_path, bytes(data))
    error = opened(path, f"pos {at}", "next")[1]
    assert error.startswith(f"No record starts at RBA {at}: the bytes there are damaged.\n")
    assert f"\nBad record found at RBA {at}: the record extends past the end of the file" in error
    assert f"in {path}\n 4701 ffff 48" in error
    assert error.endswith(f"Next good header at RBA {after}: SCANFORHEADER (SFH) goes there.\n")


def test_scanforheader_goes_on_behind_the_damage(trails: Path) -> None:
    out, error = opened(trails / "ft000000000", "pos 3522", "next", "sfh", "next")
    assert [line.split("RBA ")[1] for line in out.splitlines() if " RBA " in line] == ["3522", "3629", "3817"]
    assert error.count("\n") == 7, "POSITION says in two lines what is there, NEXT in five"


def test_nothing_good_behind_the_damage(tmp_path: Path, trails: Path) -> None:
    data = (trails / "et000000000").read_bytes()
    path = file_of(tmp_path, data + b"garbage, no record in it")
    error = opened(path, f"pos {len(data)}", "next", "sfh prev")[1]
    assert error.endswith("No good header after it. SCANFORHEADER PREV (SFH PREV) goes back to the last one.\n")


@pytest.mark.parametrize("command", ["n 9", "check"])
def test_good_headers_in_the_data_of_a_bad_record_are_named_as_such(command: str, tmp_path: Path) -> None:
    inner, last = row(b"inner").raw, row(b"last").raw
    outer = bytearray(row(inner).raw)
    outer[-4] = 0
    path = tmp_path / "rt000000000"
    path.write_bytes(row().raw + bytes(outer) + last)
    begin, end = len(row().raw), len(row().raw) + len(outer)
    answer = logdump("-c", f"open {path}; {command}")
    said = {
        "n 9": f"The length of the bad record leads to RBA {end}: good headers before that may be part of its data.",
        "check": f"{path}, RBA {begin}: its length leads to RBA {end}; "
        f"the records from RBA {begin + outer.index(inner)} up to there may be its data",
    }
    assert said[command] in answer.err.splitlines()
    path.write_bytes(row().raw + last[:-4] + bytes(4) + last)
    assert "may be" not in logdump("-c", f"open {path}; {command}").err


def test_what_is_said_of_damage_does_not_depend_on_what_was_read_before(tmp_path: Path) -> None:
    first = row(order=ByteOrder.LITTLE).raw
    inner = row(b"inner", order=ByteOrder.BIG).raw
    outer = bytearray(row(inner, order=ByteOrder.LITTLE).raw)
    outer[-4] = 0
    path = file_of(tmp_path, first + bytes(outer))
    told = opened(path, "n 9")[1]
    assert f"The length of the bad record leads to RBA {len(first) + len(outer)}: " in told
    assert opened(path, f"pos {len(first) + outer.index(inner)}", "next", "pos first", "n 9")[1] == told


def test_count_says_what_it_left_out(trails: Path) -> None:
    out, error = opened(trails / "gt000000000", "count")
    assert "has 22 records\n" in out
    assert error.startswith(f"{trails / 'gt000000000'}, RBA 3522: no record starts here")
    assert error.endswith(": 109 bytes are not counted\n")


def test_an_index_without_a_definition(trails: Path) -> None:
    path = trails / "mt000000000"
    out, error = opened(path, "pos 2170", "next")
    assert "Name:   (TDR Index: 2)\n" in out
    assert error == f"{path}, RBA 2170: no table definition 2 before it: the name is not known\n"


def test_a_name_that_is_not_utf_8(trails: Path) -> None:
    path = trails / "bt000000000"
    out, error = opened(path, "pos 1261", "next")
    assert "Table Name: TEAHOUSE.T\\xe9AS\n" in out
    assert error == f"{path}, RBA 1261: the name is not UTF-8: shown with its bytes escaped\n"


def test_columns_that_do_not_decode(tmp_path: Path) -> None:
    path = file_of(tmp_path, a_record(b"\0\0\xff\xff").raw)
    out, error = opened(path, "detail on", "next")
    assert "Columns cannot be shown" not in out, "it is no line of Logdump's"
    assert error.startswith(f"{path}, RBA 0: the columns do not decode: column at byte 0")


@pytest.mark.parametrize("step", range(4))
def test_a_file_cut_anywhere_never_ends_a_session(step: int, tmp_path: Path, trails: Path) -> None:
    whole = (trails / "el000000000").read_bytes()
    path, width = tmp_path / "el000000000", stride(46)
    for end in range(1 + width * step, len(whole), 4 * width):
        path.write_bytes(whole[:end])
        answer = logdump("-c", f"open {path}; {SWITCHES}; next 100; count; pos eof rev; next 3; ghdr off; ghdr")
        assert answer.out.endswith(GOES_ON)
        assert answer.status in (ExitStatus.OK, ExitStatus.COMMAND_FAILED, ExitStatus.BAD_DATA)


def test_a_trail_that_vanishes_while_it_is_open(tmp_path: Path, trails: Path) -> None:
    path = file_of(tmp_path, (trails / "et000000000").read_bytes())
    answer = logdump("-c", f"open {path}; x rm {path}; env; next; count; ghdr")
    assert answer.out.endswith(GOES_ON)
    assert "Traceback" not in answer.err


def test_a_directory_that_vanishes_under_a_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gone").mkdir()
    answer = logdump("-c", f"cd {tmp_path / 'gone'}; x rmdir {tmp_path / 'gone'}; env; files; cd; open x; cd /; ghdr")
    assert answer.out.endswith(GOES_ON)
    assert answer.status == ExitStatus.COMMAND_FAILED

"""EXPORT to standard output: the bytes that the file would have, and nothing else."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from fixtures import TRAILS
from tests.logdump.export.exported import FORMATS
from tests.logdump.line import Line
from tests.logdump.program import logdump


def _program(commands: str, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "logdump", *arguments, "-c", f"open {TRAILS / 'et000000000'}; {commands}"]
    return subprocess.run(command, capture_output=True, check=False, timeout=60)


@pytest.mark.parametrize("words", [*FORMATS, "csv compression gzip", "sql undo mysql"])
def test_standard_output_holds_what_the_file_would_and_nothing_else(words: str, tmp_path: Path) -> None:
    format_, _, more = words.partition(" ")
    commands = f"open {TRAILS / 'et000000000'}; export {format_} to {tmp_path / 'out'} {more}"
    to_file = logdump("-c", commands)
    done = _program(f"export {format_} to - {more}")
    assert done.stdout == (tmp_path / "out").read_bytes()
    told = done.stderr.decode()
    assert told.startswith("Current LogTrail is ")
    assert to_file.out.replace(str(tmp_path / "out"), "standard output") in told + to_file.err
    assert (to_file.status, to_file.err in told) == (done.returncode, True)


def test_under_jsonl_standard_output_is_for_the_data_too() -> None:
    done = _program("export csv to - 2 records", "--format", "jsonl")
    assert done.stdout.startswith(b'"file","rba"')
    assert [json.loads(line)["type"] for line in done.stderr.splitlines()] == ["text", "text", "text"]


@pytest.mark.parametrize("format_", FORMATS)
def test_a_reader_that_has_enough_ends_the_export_quietly(format_: str, tmp_path: Path) -> None:
    commands = f"open {TRAILS / 'et000000000'}; " + f"export {format_} to -; " * 9
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as pipe, (tmp_path / "err").open("wb") as errors:
        command = [sys.executable, "-m", "logdump", "-c", commands]
        assert subprocess.run(command, stdout=pipe, stderr=errors, check=False, timeout=60).returncode == 0
    assert "roken" not in (tmp_path / "err").read_text()


def test_what_standard_output_cannot_take_is_refused(shop: Line, tmp_path: Path) -> None:
    assert shop("export csv to - by table")[0] == "EXPORT: BY TABLE writes several files, and - is standard output."
    refused = "The screen has standard output: EXPORT … TO - is for line mode, -c and -f."
    assert shop("export csv to -") == [refused]
    path = tmp_path / "et000000000"
    path.write_bytes((TRAILS / "et000000000").read_bytes())
    with path.open("ab") as file:
        command = [sys.executable, "-m", "logdump", "-c", f"open {path}; export csv to -"]
        done = subprocess.run(command, stdout=file, stderr=subprocess.PIPE, check=False, timeout=60)
    assert done.stderr.endswith(b"Standard output is the open trail: EXPORT never writes over it.\n")
    assert path.read_bytes() == (TRAILS / "et000000000").read_bytes()


class _Terminal(io.BytesIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_gets_no_control_characters_and_nothing_binary(line: Line) -> None:
    terminal = _Terminal()
    line.session.standard_output = lambda: terminal
    line(f"open {TRAILS / 'ut000000000'}; export csv to -; pos 0; export jsonl to -; pos 0; export sql to -")
    shown = terminal.getvalue().decode()
    assert shown.replace("\n", "").isprintable()
    assert ('"file","rba"' in shown, '{"type":' in shown, "INSERT INTO" in shown) == (True, True, True)
    for words in ("parquet to -", "arrow to -", "csv to - compression gzip"):
        refused = "This is binary, and standard output is a terminal: send it to a file or a program."
        assert line(f"pos 0; export {words}")[-1] == refused

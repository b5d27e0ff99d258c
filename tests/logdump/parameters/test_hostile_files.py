"""Files that are large, no files, no text, or that include themselves: an error with file and line, soon."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from logdump.parameters.lexer import MOST_BYTES
from logdump.parameters.model import ParameterError
from logdump.parameters.reading import read_parameters


def refusal(path: Path) -> str:
    with pytest.raises(ParameterError) as caught:
        read_parameters(path)
    return str(caught.value)


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


DOUBLING = "".join(f"MACRO #m{n} BEGIN #m{n + 1} () #m{n + 1} () END;\n" for n in range(20))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("REPLICAT r\nDDL INCLUDE OPTYPE " + "(" * 101_000, "line 2: DDL has more than 100000 words"),
        ("REPLICAT r\nMAP " + "x " * 101_000, "line 2: MAP has more than 100000 words"),
        ("REPLICAT r\nMAP " + "*a" * 4000 + ".b, TARGET a.b;", "line 2: MAP: MAP takes a name, not *a*a"),
        ("REPLICAT r\nMAP 'a" + "\n" * 500_000, "line 2: the quote ' is not closed"),
        ("REPLICAT r\nx 'a\nMAP a.b, TARGET c.d;", "line 2: the quote ' is not closed"),
        ("REPLICAT r\n\nMAP a.b, TARGET c.d", "line 3: MAP is not closed by ;"),
        (DOUBLING + "MACRO #m20 BEGIN END;\n#m0 ()", "line 22: macro #M"),
        ("REPLICAT r\n" + "#" * 500_000, "line 2: macro ###"),
        ("x" * (MOST_BYTES + 1), "line 1: {path} is larger than 1 MB"),
        ("REPLICAT r\nDDL\n\0", "line 3: byte x00 is not text"),
        ("REPLICAT r\nDDL\n\x1b[2J", "line 3: byte x1b is not text"),
        ("TABLE a.b;", "line 1: has neither EXTRACT nor REPLICAT: give the side after the file"),
        ("EXTRACT e\nREPLICAT r", "line 2: REPLICAT: the file is EXTRACT's ({path}, line 1)"),
        ("REPLICAT r\nDDL\nDDL INCLUDE ALL", "line 3: DDL: there is one at line 2 already"),
        ("REPLICAT r\nDDL EXCLUDE OBJTYPE 'x'", "line 2: DDL: EXCLUDE needs an INCLUDE, unless it is EXCLUDE ALL"),
        ("REPLICAT r\nDDLSUBST 'a' 'b'", "line 2: DDLSUBST: WITH is missing"),
        ("REPLICAT r\nDDLSUBST '' WITH 'b'", "line 2: DDLSUBST: an empty text cannot be replaced"),
        ("REPLICAT r\nDDLOPTIONS REMOVECOMMENTS", "line 2: DDLOPTIONS: REMOVECOMMENTS takes BEFORE or AFTER"),
        ("REPLICAT r\nMAP a.b;", "line 2: MAP: TARGET is missing"),
        ("REPLICAT r\nMAP a.b.c.d, TARGET a.b;", "line 2: MAP: MAP takes a name, not a.b.c.d"),
        ("REPLICAT r\nINCLUDE no.prm", "line 2: {folder}/no.prm cannot be read: No such file or directory"),
        ("REPLICAT r\nINCLUDE p.prm", "line 2: {path} includes itself: by {path}, line 2"),
        ("REPLICAT r\nINCLUDE /dev/zero", "line 2: /dev/zero cannot be read: it is not a regular file"),
        ("REPLICAT r\nINCLUDE", "line 2: INCLUDE takes a file"),
    ],
    ids=range(24),
)
def test_a_file_is_refused_with_its_line(text: str, problem: str, tmp_path: Path) -> None:
    path = written(tmp_path / "p.prm", text)
    assert refusal(path).startswith(f"PARAMS: {path}, {problem.format(path=path, folder=tmp_path)}")


def test_the_message_is_short_whatever_the_file_says(tmp_path: Path) -> None:
    assert len(refusal(written(tmp_path / "p.prm", "REPLICAT r\nMAP " + "a." * 40_000 + ";"))) < 500


def test_only_regular_files_are_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    with socket.socket(socket.AF_UNIX) as server_socket:
        server_socket.bind(str(tmp_path / "socket"))
        for name in ("fifo", "socket", "."):
            path = tmp_path / name
            assert refusal(path).startswith(f"PARAMS: {path}, line 1: {path} ")


def test_files_in_files_come_to_an_end(tmp_path: Path) -> None:
    for number in range(20):
        written(tmp_path / f"p{number}.prm", f"K {number}\nINCLUDE p{number + 1}.prm")
    assert refusal(tmp_path / "p0.prm") == (
        f"PARAMS: {tmp_path / 'p16.prm'}, line 2: more than 16 files in files, or 100 in all"
    )


def test_sixteen_files_in_each_other_are_read(tmp_path: Path) -> None:
    for number in range(16):
        written(tmp_path / f"p{number}.prm", f"INCLUDE p{number + 1}.prm")
    written(tmp_path / "p16.prm", "REPLICAT r")
    assert read_parameters(tmp_path / "p0.prm").group == "r"


def test_a_file_that_is_included_may_not_include_the_first(tmp_path: Path) -> None:
    path = written(tmp_path / "p.prm", "REPLICAT r\n\nINCLUDE q.prm")
    written(tmp_path / "q.prm", "INCLUDE p.prm")
    assert refusal(path) == f"PARAMS: {tmp_path / 'q.prm'}, line 1: {path} includes itself: by {path}, line 3"


def test_what_is_obeyed_obeys_nothing(tmp_path: Path) -> None:
    path = written(tmp_path / "p.prm", "REPLICAT r\nOBEY q.prm")
    written(tmp_path / "q.prm", "OBEY s.prm")
    assert (
        refusal(path)
        == f"PARAMS: {tmp_path / 'q.prm'}, line 1: OBEY inside of {tmp_path / 'q.prm'}, which is obeyed itself"
    )


def test_globals_includes_nothing(tmp_path: Path) -> None:
    path = written(tmp_path / "GLOBALS", "GGSCHEMA g\nINCLUDE p.prm")
    assert refusal(path) == f"PARAMS: {path}, line 2: INCLUDE cannot be in GLOBALS"


def test_what_is_not_utf_8_is_latin_1(tmp_path: Path) -> None:
    (tmp_path / "p.prm").write_bytes(b"REPLICAT r\nMAP caf\xe9.*, TARGET a.*;")
    assert "café.*" in str(read_parameters(tmp_path / "p.prm"))

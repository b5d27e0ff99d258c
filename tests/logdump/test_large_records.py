"""Records of a gigabyte: every command answers, and none of them holds more than a part of one."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.logdump.line import Line
from tests.logdump.program import ENVIRONMENT, logdump
from tests.searching import IS_LONG
from tests.sparse import GIGABYTE, LARGE, Hole, head, rest, with_large_record
from trailformat import TrailFile
from trailformat.records.record_header import LARGE_OBJECT, LAST

pytest.importorskip("resource", reason="the memory of a process is known on Unix")

_MOST = 256 << 20
_USUAL = ("16,387 columns",)
_PROGRAM = """
import resource, sys
from logdump.cli import main
own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
main(["-c", sys.argv[1]])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - own, file=sys.stderr)
"""
_SWITCHES = "ghdr on; detail data; values on; headertoken detail; ggstoken detail; usertoken detail; metadata detail"
_COMMANDS = (
    "n 99; count; check; pos 0; filter include hex 0a0b0c0d0e; n 99; count; filter off; pos 0",
    f"{_SWITCHES}; n 99; pos last reverse; n 4; pos 0 forward; format json; n 99; pos 0",
    "redo; undo; pos 0; export sql to {}/sql; pos 0; recovery; explain restart; pos 0",
    "export jsonl to {}/jsonl; pos 0; export csv to {}/csv by table; pos 0",
    "export parquet to {}/parquet; pos 0; export arrow to {}/arrow by table",
)


@pytest.mark.parametrize("what", LARGE if IS_LONG else _USUAL)
def test_no_command_holds_a_record_of_a_gigabyte(what: str, tmp_path: Path) -> None:
    with_large_record(tmp_path / "wd000000", *LARGE[what])
    commands = "; ".join((f"open {tmp_path / 'wd000000'}", *_COMMANDS)).replace("{}", str(tmp_path))
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, commands], capture_output=True, text=True, check=False, env=ENVIRONMENT
    )
    assert "Traceback" not in done.stderr
    assert int(done.stderr.splitlines()[-1]) << 10 < _MOST


@pytest.fixture(scope="module")
def trail(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A trail with an insert of a gigabyte of zeros."""
    path = tmp_path_factory.mktemp("large") / "wd000000"
    with_large_record(path, head(), Hole("D"), rest("T"))
    return path


def test_a_large_record_is_shown_with_the_first_bytes_of_its_data(trail: Path) -> None:
    line = Line()
    line(f"open {trail}; reclen 40; headertoken on; sfh; n 98")
    shown = line("pos first; n 99")
    assert any("Insert               Len 1073741824 RBA" in text for text in shown)
    assert " 0000 0000 0000 0000 0000 0000 0000 0000 0000 0000 | ...................." in shown
    assert "TokenID x44 'D' Data             Info x40  Length 1073741824" in shown


def test_what_is_too_large_in_json_is_null_and_named(trail: Path) -> None:
    lines = logdump("--format", "jsonl", "-c", f"open {trail}; n 99").out.splitlines()
    record = next(item for item in map(json.loads, lines) if item.get("length", 0) > GIGABYTE)
    assert (record["data"], record["before"], record["after"]) == (None, None, None)
    assert record["data_length"] == GIGABYTE
    assert record["csn"] is not None
    assert "data: the data has 1073741824 bytes: more than 8388608 are not taken apart" in record["problems"]


@pytest.mark.parametrize("command", ["redo", "undo", "export sql to {}"])
def test_statements_of_a_large_row_are_refused_with_its_size(command: str, trail: Path, tmp_path: Path) -> None:
    target = tmp_path / "script.sql"
    answer = logdump("-c", f"open {trail}; pos 0; n 99; pos 0; {command.format(target)}")
    text = answer.out + (target.read_text() if target.exists() else "")
    assert "the data has 1073741824 bytes: more than 8388608 are not taken apart" in text


@pytest.mark.parametrize("command", ["save {}", "repair to {} all", "repair to {} all megabytes 64"])
def test_a_large_record_is_copied_byte_for_byte(command: str, tmp_path: Path) -> None:
    source, target = tmp_path / "wd000000", tmp_path / "sv000000"
    with_large_record(source, head(), Hole("D", 1 << 24), rest("T"))
    logdump("-c", f"open {source}; {command.format(target)}")
    with TrailFile(source) as trail, TrailFile(target) as copy:
        pairs = zip(trail.records(trail.first_rba), copy.records(copy.first_rba), strict=True)
        assert all(record.has_bytes_of(other) for record, other in pairs)


def test_a_lob_with_a_piece_of_any_size_is_written_to_a_file(tmp_path: Path) -> None:
    piece = head(io_type=LARGE_OBJECT, trans_ind=LAST)
    rba = with_large_record(tmp_path / "wd000000", piece, Hole("D", 1 << 25), rows=1)
    answer = logdump("-c", f"open {tmp_path / 'wd000000'}; lob {rba} 1 to {tmp_path / 'lob'} raw")
    assert (answer.status, (tmp_path / "lob").stat().st_size) == (0, 1 << 25)

"""More tables than a process may have open files: every format writes them all."""

from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path

import pytest

from logdump.commands import REGISTRY
from logdump.language.execute import run_line
from logdump.operations.export import text_export
from logdump.session.events import Progress
from tests.logdump.export.rows import arrow_rows, json_rows
from tests.logdump.line import Line
from tests.trailformat.samples import row, table_record, trail_of
from trailformat import ByteOrder

resource = pytest.importorskip("resource", reason="limits of a process are those of Unix")

_TABLES, _FILES = 100, 64
_PROGRAM = """
import resource, sys
from logdump.cli import main
resource.setrlimit(resource.RLIMIT_NOFILE, (int(sys.argv[1]), resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
sys.argv[1:] = ["-c", sys.argv[2]]
sys.exit(main())
"""


@pytest.fixture
def trail(tmp_path: Path) -> Path:
    """A row of each table, twice."""
    order, numbers = ByteOrder.BIG, range(1, _TABLES + 1)
    tables = [table_record(number, f"TEA.T{number}", order, columns=1) for number in numbers]
    rows = [row(number.to_bytes(8, "big"), number, order) for number in [*numbers, *numbers]]
    return trail_of(tmp_path, *tables, *rows)


@pytest.mark.parametrize("words", ["parquet", "arrow", "jsonl", "csv", "csv compression gzip"])
def test_files_that_are_written_need_no_descriptors(words: str, trail: Path, tmp_path: Path) -> None:
    format_, _, rest = words.partition(" ")
    command = f"open {trail}; export {format_} to {tmp_path / 'out'} by table {rest}"
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, str(_FILES), command], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert len(list((tmp_path / "out").iterdir())) == _TABLES


def _exported(trail: Path, words: str, target: Path) -> Path:
    line = Line()
    line(f"open {trail}; export {words.replace('T', str(target), 1)}")
    line.session.close()
    assert not line.failures
    return target


@pytest.mark.parametrize("compression", ["none", "gzip"])
def test_text_that_is_written_piece_by_piece_is_the_same(
    compression: str, trail: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = f"jsonl to T by table compression {compression}"
    whole = _exported(trail, words, tmp_path / "whole")
    monkeypatch.setattr(text_export, "_MOST_WAITING", 300)
    pieces = _exported(trail, words, tmp_path / "pieces")
    for path in whole.iterdir():
        texts = [(folder / path.name).read_bytes() for folder in (whole, pieces)]
        first, second = (gzip.decompress(one) for one in texts) if compression == "gzip" else texts
        assert first == second


def test_text_of_many_tables_does_not_wait_in_memory(
    trail: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_export, "_MOST_WAITING", 300)
    line = Line()
    line(f"notify {_TABLES}; open {trail}")
    written = [
        sum(path.stat().st_size for path in tmp_path.rglob("*.jsonl"))
        for event in run_line(line.session, REGISTRY, f"export jsonl to {tmp_path / 'out'} by table")
        if isinstance(event, Progress)
    ]
    line.session.close()
    assert 0 == written[0] < written[1] < written[2]


def test_both_ways_hold_all_rows(trail: Path, tmp_path: Path) -> None:
    found = [
        arrow_rows(_exported(trail, "parquet to T by table", tmp_path / "columns")).keys(),
        json_rows(_exported(trail, "jsonl to T by table", tmp_path / "records")).keys(),
    ]
    assert found[0] == found[1]
    assert len(found[0]) == 2 * _TABLES

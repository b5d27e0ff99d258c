"""More tables than a process may have open files: every format writes them all."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from logdump.features.export import text_export
from logdump.features.export.files import OpenFiles, TextFile
from tests.logdump.export.rows import arrow_rows, json_rows
from tests.logdump.line import Line
from tests.trailformat.samples import row, table_record, trail_of
from trailformat import ByteOrder

resource = pytest.importorskip("resource", reason="limits of a process are those of Unix")

_TABLES, _FILES = 40, 30
_PROGRAM = """
import resource, sys
from logdump.cli import main
resource.setrlimit(resource.RLIMIT_NOFILE, (int(sys.argv[1]), resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
sys.argv[1:] = ["-c", sys.argv[2]]
sys.exit(main())
"""
_WAYS = ["parquet", "arrow", "jsonl", "csv", "csv compression gzip"]


@pytest.fixture(scope="module")
def trail(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A row of each table, twice."""
    order, numbers = ByteOrder.BIG, range(1, _TABLES + 1)
    tables = [table_record(number, f"TEA.T{number}", order, columns=1) for number in numbers]
    rows = [row(number.to_bytes(8, "big"), number, order) for number in [*numbers, *numbers]]
    return trail_of(tmp_path_factory.mktemp("trail"), *tables, *rows)


def test_files_that_are_written_need_no_descriptors(trail: Path, tmp_path: Path) -> None:
    command = f"open {trail}"
    for number, words in enumerate(_WAYS):
        format_, _, rest = words.partition(" ")
        command += f"; pos 0; export {format_} to {tmp_path / str(number)} by table {rest}"
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, str(_FILES), command], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert [len(list((tmp_path / str(number)).iterdir())) for number in range(len(_WAYS))] == [_TABLES] * len(_WAYS)


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
        first, second = (gzip.decompress(text) for text in texts) if compression == "gzip" else texts
        assert first == second


def test_text_of_many_tables_does_not_wait_in_memory(
    trail: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_export, "_MOST_WAITING", 300)
    make_room, waiting = text_export.TextExport._make_room, list[int]()

    def noted(export: text_export.TextExport[Any], files: OpenFiles[TextFile]) -> None:
        make_room(export, files)
        waiting.append(export._waiting.bytes)

    monkeypatch.setattr(text_export.TextExport, "_make_room", noted)
    _exported(trail, "jsonl to T by table", tmp_path / "out")
    assert len(waiting) >= _TABLES
    assert max(waiting) <= 300


def test_both_ways_hold_all_rows(trail: Path, tmp_path: Path) -> None:
    found = [
        arrow_rows(_exported(trail, "parquet to T by table", tmp_path / "columns")).keys(),
        json_rows(_exported(trail, "jsonl to T by table", tmp_path / "records")).keys(),
    ]
    assert found[0] == found[1]
    assert len(found[0]) == 2 * _TABLES


@pytest.mark.parametrize("words", ["parquet", "arrow"])
def test_the_writers_of_small_files_do_not_live_together(
    words: str, trail: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrow_files = pytest.importorskip("logdump.features.export.arrow_export", reason="Arrow files need pyarrow")
    alive, most = set[int](), 0

    class Counted:
        def __init__(self, *arguments: Any) -> None:
            nonlocal most
            self._writer = made.writer(*arguments)
            alive.add(id(self))
            most = max(most, len(alive))

        def write_table(self, table: Any) -> None:
            self._writer.write_table(table)

        def close(self) -> None:
            self._writer.close()
            alive.discard(id(self))

    made = arrow_files.FORMATS[words.upper()]
    monkeypatch.setitem(arrow_files.FORMATS, words.upper(), made._replace(writer=Counted))
    folder = _exported(trail, f"{words} to T by table", tmp_path / "out")
    assert len(list(folder.iterdir())) == _TABLES
    assert (len(alive), 0 < most <= _TABLES // 4) == (0, True)


def test_each_file_waits_for_the_disk_once(trail: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    fsync = os.fsync

    def counted(handle: int) -> None:
        synced.append(os.fstat(handle).st_ino)
        fsync(handle)

    for number, words in enumerate(("parquet", "csv")):
        synced.clear()
        with monkeypatch.context() as patched:
            patched.setattr(os, "fsync", counted)
            folder = _exported(trail, f"{words} to T by table", tmp_path / f"out{number}")
        assert Counter(synced)[folder.stat().st_ino] == 1
        assert {Counter(synced)[path.stat().st_ino] for path in folder.iterdir()} == {1}


def test_the_paths_of_columns_are_those_of_parquet(tmp_path: Path) -> None:
    arrow_files = pytest.importorskip("logdump.features.export.arrow_export", reason="Arrow files need pyarrow")
    records = pytest.importorskip("logdump.features.export.arrow_export").record_schema()
    pq = pytest.importorskip("pyarrow.parquet")
    pq.write_table(records.empty_table(), tmp_path / "out")
    leaves = pq.read_metadata(tmp_path / "out").schema
    wanted = [leaves.column(number).path for number in range(len(leaves))]
    assert [path for field in records for path in arrow_files.leaf_paths(field)] == wanted
    assert any(".list.element" in path for path in wanted)

"""Rows of a second block, and blocks behind rows that wait: what an export has does not depend on where blocks end."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from types import ModuleType

import pytest

from fixtures import TRAILS
from logdump.arrow.tables import group
from logdump.features.export import arrow_export, batch_walk, beat_export, files, record_lines, text_export
from logdump.features.export.files import exported_files
from logdump.features.export.target import ExportOptions, ExportTally
from tests.logdump.export.drawn_transactions import TABLES, DrawnTransactions, definition
from tests.logdump.export.rows import table_of
from tests.logdump.line import Line
from tests.searching import IS_LONG, Random, in_turn
from tests.trailformat.samples import BOTH, trail_of
from trailformat import ByteOrder, TrailFile


@pytest.mark.parametrize("order", [*permutations((1, 9, 3, 12), 4)])
def test_what_is_written_is_in_the_order_in_which_it_comes(
    order: tuple[int, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Small blocks that wait, and larger ones that do not."""
    monkeypatch.setattr(files, "_MOST_WAITING", 5)
    lines = [b"%d" % size * size + b"\n" for size in order]
    for compression in ("NONE", "GZIP", "ZSTD"):
        file = files.TextFile(
            tmp_path / "rows", compression=compression, count_rows=lambda opened: len(opened.read().splitlines())
        )
        for line in lines:
            file.append(line, 1)
        assert file.close() == len(lines)
    file = files.TextFile(
        tmp_path / "rows", compression="NONE", count_rows=lambda opened: len(opened.read().splitlines())
    )
    for line in lines:
        file.append(line, 1)
    file.close()
    assert (tmp_path / "rows").read_bytes() == b"".join(lines)


@pytest.mark.parametrize("name", ["pt000000000", "pl000000000", "et000000000"])
def test_rows_in_fragments_are_those_of_their_record_in_each_block(
    name: str, line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line(f"open {TRAILS / name}; export jsonl to {tmp_path / 'whole'} by table")
    expected = {path.name: path.read_bytes() for path in (tmp_path / "whole").iterdir()}
    assert expected
    for cells in (1, 3, 6):
        monkeypatch.setattr(group, "_MOST_CELLS", cells)
        target = tmp_path / f"blocks{cells}"
        line(f"open {TRAILS / name}; export jsonl to {target} by table")
        assert not line.failures
        assert {path.name: path.read_bytes() for path in target.iterdir()} == expected


FORMATS = (
    *("jsonl", "csv", "parquet", "arrow"),
    *("jsonl by table", "csv by table", "parquet by table", "arrow by table"),
    "jsonl debezium",
)
LIMITS: tuple[tuple[ModuleType, str], ...] = (
    (batch_walk, "_ROWS"),
    (group, "_MOST_BYTES"),
    (group, "_MOST_CELLS"),
    (files, "_MOST_WAITING"),
    (text_export, "_MOST_WAITING"),
    (record_lines, "_MOST_BYTES"),
    (arrow_export, "_ROWS"),
    (arrow_export, "_MOST_WAITING"),
)
"""What ends a batch, a piece of one, a block of rows, or what waits to be written."""


def _exported(trail: Path, words: str, target: Path) -> dict[str, object]:
    """What an export over all files of a trail has written, by file."""
    kind, *more = words.split(" ", 1)
    line = Line()
    line(f"open {trail}; across on")
    line(f"export {kind} to {target} {' '.join(more)}")
    assert not line.failures, line.failures
    line.session.close()
    paths = sorted(target.iterdir()) if target.is_dir() else [target]
    is_text = kind in ("jsonl", "csv")
    return {path.name * (path != target): path.read_bytes() if is_text else table_of(path, kind) for path in paths}


def _drawn_trail(folder: Path, random: Random) -> Path:
    """A trail of drawn transactions, cut in two files at any record; or one of the fixtures."""
    if random.random() < 0.3:
        return TRAILS / random.choice(("at000000000", "al000000000", "st000000000", "et000000000", "pt000000000"))
    order = random.choice(BOTH)
    drawn = DrawnTransactions(random, order)
    records = [record for _ in range(8) for record in drawn.transaction()]
    cut = random.randrange(1, len(records))
    with TrailFile(TRAILS / ("et000000000" if order is ByteOrder.BIG else "el000000000")) as trail:
        header = trail.path.read_bytes()[: trail.first_rba]
    for number, part in enumerate((records[:cut], records[cut:])):
        tables = [definition(name, index, order) for index, name in enumerate(TABLES, 1)]
        trail_of(folder, header, *tables, *part, name=f"tt{number:09}")
    return folder / "tt000000000"


@pytest.mark.parametrize(("words", "seed"), in_turn(FORMATS, range(20 if IS_LONG else 3)))
def test_what_is_written_does_not_depend_on_where_anything_ends(
    words: str, seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = Random(f"{words} {seed}")
    trail = _drawn_trail(tmp_path, random)
    expected = _exported(trail, words, tmp_path / "whole")
    assert expected
    for number in range(4):
        with monkeypatch.context() as small:
            for module, name in LIMITS:
                if random.random() < 0.7:
                    small.setattr(module, name, random.choice((1, 2, 3, 7)))
            assert _exported(trail, words, tmp_path / f"blocks{number}") == expected


@pytest.mark.parametrize("rows", [1, 2, 3])
@pytest.mark.parametrize("kind", ["jsonl", "csv", "parquet", "arrow"])
def test_beats_are_written_once_wherever_a_batch_of_them_ends(
    kind: str, rows: int, line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line(f"open {TRAILS / 'yl000000000'}; export {kind} to {tmp_path / 'whole'} heartbeats")
    monkeypatch.setattr(beat_export, "_ROWS", rows)
    line(f"export {kind} to {tmp_path / 'batches'} heartbeats")
    assert not line.failures
    if kind in ("jsonl", "csv"):
        assert (tmp_path / "batches").read_bytes() == (tmp_path / "whole").read_bytes()
    else:
        assert table_of(tmp_path / "batches", kind) == table_of(tmp_path / "whole", kind)


@pytest.mark.parametrize("across", ["on", "off"])
@pytest.mark.parametrize(
    ("stop", "records", "selected", "number"),
    [
        (None, None, 4, 3),
        (None, 5, 4, 3),
        (None, 4, 4, 1),
        (5000, None, 4, 1),
        (5000, 9, 4, 1),
        (None, 9, 3, 3),
        (None, 9, 0, 3),
        (None, 6, 3, 2),
    ],
)
def test_an_export_ends_with_the_file_in_which_its_stretch_or_its_limit_does(
    across: str, stop: int | None, records: int | None, selected: int, number: int, line: Line
) -> None:
    """Each file has so many records that pass."""
    line(f"open {TRAILS / 'at000000000'}; across {across}")
    tally, read = ExportTally(), list[str]()
    options = ExportOptions("JSONL", Path("x"), stop=stop, records=records)
    for trail in exported_files(line.session, options, tally):
        read.append(trail.path.name)
        tally.selected += selected
    assert read == [f"at{seqno:09}" for seqno in range(number if across == "on" else 1)]

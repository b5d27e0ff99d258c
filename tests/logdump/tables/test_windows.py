"""The bytes of rows are read: a file that is cut in the middle of a read ends it with its name and a place."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from logdump.arrow.records.columns import builder_of
from logdump.arrow.records.rows import Rows
from logdump.arrow.records.schema import COLUMNS
from logdump.tables.errors import FileChanged
from logdump.tables.options import Options
from logdump.tables.planner import plan
from logdump.tables.reader import read
from logdump.tables.slices import OpenSlice, wanted_rows
from tests.logdump.tables.reads import batches, rows
from tests.logdump.tables.test_bad_input import RBA
from tests.trailformat.samples import row, table_record, trail_of
from trailformat import CannotRead, TrailFile

LOOK_AT_BYTES = ("raw", "tdr_index", "before", "after", "gg_tokens", "user_tokens", "row_id", "problems")
MANY = 4000
PAGE = 4096


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file of many pages."""
    return trail_of(tmp_path, table_record(1, "TEA.LEAVES"), *[row(b"teatimes", 1)] * MANY)


@pytest.fixture
def source(path: Path) -> Iterator[OpenSlice]:
    ((part,),) = plan(Options(path=str(path)))
    with TrailFile(path) as trail:
        yield OpenSlice(trail, part, Options())


@pytest.mark.parametrize("column", LOOK_AT_BYTES)
def test_a_column_of_a_file_that_was_cut_is_refused(source: OpenSlice, path: Path, column: str) -> None:
    (batch, at), *_ = wanted_rows(source)
    os.truncate(path, PAGE)
    with pytest.raises(CannotRead, match="the file was truncated while it was read"):
        builder_of(column)(Rows(source, batch, at))


@pytest.mark.parametrize(
    "column", [column.name for column in COLUMNS if column.name not in {*LOOK_AT_BYTES, "csn", "xid"}]
)
def test_other_columns_need_no_bytes(source: OpenSlice, path: Path, column: str) -> None:
    (batch, at), *_ = wanted_rows(source)
    os.truncate(path, PAGE)
    assert len(builder_of(column)(Rows(source, batch, at))) == len(at) == MANY + 1


@pytest.mark.parametrize("column", LOOK_AT_BYTES)
def test_a_read_of_it_ends_with_file_and_place(path: Path, column: str, monkeypatch: pytest.MonkeyPatch) -> None:
    _cut_before_rows_are_made(monkeypatch, path)
    offered = {row_column.name: row_column for row_column in COLUMNS}
    selected = RBA.selected[0]._replace(alias=column, column=offered[column])
    ((part,),) = plan(Options(path=str(path)))
    with pytest.raises(
        FileChanged, match=r"tt000000000, seqno 0, RBA \d+: (the file was truncated|position is outside)"
    ):
        list(read([part], RBA._replace(selected=(selected,))))


def _cut_before_rows_are_made(monkeypatch: pytest.MonkeyPatch, path: Path) -> None:
    def truncating(source: OpenSlice, **_: object) -> Iterator[Any]:
        for found in wanted_rows(source):
            os.truncate(path, PAGE)
            yield found

    monkeypatch.setattr("logdump.tables.reader.wanted_rows", truncating)


def test_a_file_that_shrinks_between_two_batches_ends_in_an_error(source: OpenSlice, path: Path) -> None:
    batches = wanted_rows(source, batch_size=2)
    next(batches)
    os.truncate(path, PAGE)
    with pytest.raises(FileChanged, match="seqno 0, RBA 4096: the file was truncated to 4096 bytes while it was read"):
        list(batches)


def test_a_slice_that_ends_before_its_end_is_refused(path: Path) -> None:
    ((part,),) = plan(Options(path=str(path)))
    os.truncate(path, part.size - row(b"teatimes", 1).length)
    with TrailFile(path) as trail, pytest.raises(FileChanged, match="the file has become shorter while it was read"):
        list(wanted_rows(OpenSlice(trail, part, Options())))


Choose = Callable[[int], bool]


@pytest.mark.parametrize("choose", [lambda number: number % 7 == 0, lambda number: number % 1000 == 3])
def test_rows_that_are_left_say_what_they_say_among_all(path: Path, choose: Choose) -> None:
    whole = [found_row for number, found_row in enumerate(rows(path)) if choose(number)]
    (batch, _), *_ = _batches(path)
    at = np.array([number for number in range(len(batch)) if choose(number)])
    with TrailFile(path) as trail:
        ((part,),) = plan(Options(path=str(path)))
        some = Rows(OpenSlice(trail, part, Options()), batch, at)
        for column in COLUMNS:
            assert builder_of(column.name)(some).to_pylist() == [found_row[column.name] for found_row in whole]


def _batches(path: Path) -> list[Any]:
    with TrailFile(path) as trail:
        ((part,),) = plan(Options(path=str(path)))
        return list(wanted_rows(OpenSlice(trail, part, Options())))


def test_raw_is_the_bytes_that_were_read(path: Path) -> None:
    (batch,) = batches(path, "raw")
    assert batch.column(0).buffers()[2].size == path.stat().st_size

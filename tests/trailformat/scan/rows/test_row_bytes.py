"""Rows of a batch with their bytes: what is read, and how much at once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

np = pytest.importorskip("numpy")

from tests.trailformat.samples import row, trail_of  # noqa: E402
from trailformat import TrailFile  # noqa: E402
from trailformat.scan import Batch, scan  # noqa: E402
from trailformat.scan.rows import RowBytes, row_bytes  # noqa: E402

ROWS = 400


@pytest.fixture(scope="module")
def trail(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TrailFile]:
    path = trail_of(tmp_path_factory.mktemp("rows"), *(row(bytes(400) + b"tea %4d" % number) for number in range(ROWS)))
    with TrailFile(path) as trail:
        yield trail


@pytest.fixture(scope="module")
def batch(trail: TrailFile) -> Batch:
    (batch,) = scan(trail)
    return batch


APART = [0, 1, 200, 201, 399]


def test_rows_that_lie_apart_are_read_without_what_is_between(trail: TrailFile, batch: Batch) -> None:
    rows = RowBytes(trail.buffer, batch, np.array(APART))
    assert [rows.record(number).data[-8:] for number in range(5)] == [b"tea %4d" % number for number in APART]
    assert len(rows.data) == sum(rows.of("length"))


def test_many_bytes_stay_where_they_are_mapped(trail: TrailFile, batch: Batch, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_bytes, "MOST_COPIED", 100)
    rows = RowBytes(trail.buffer, batch, np.array(APART))
    assert rows.data is trail.buffer
    assert [rows.record(number).rba for number in range(5)] == rows.starts.tolist()


def test_some_of_the_rows_have_their_own_bytes(trail: TrailFile, batch: Batch) -> None:
    rows = RowBytes(trail.buffer, batch, np.array(APART)).subset(np.array([1, 4]))
    assert [rows.record(number).data[-8:] for number in range(2)] == [b"tea    1", b"tea  399"]


@pytest.mark.parametrize("rows_at_once", [1, 7, ROWS])
def test_chunks_reach_over_so_many_bytes(trail: TrailFile, batch: Batch, rows_at_once: int) -> None:
    size = int(batch.length[0])
    chunks = list(RowBytes.chunks(trail.buffer, batch, np.arange(ROWS), rows_at_once * size))
    assert [len(chunk) for chunk in chunks[:-1]] == [rows_at_once] * (len(chunks) - 1)
    assert np.concatenate([chunk.rows for chunk in chunks]).tolist() == list(range(ROWS))


def test_a_row_larger_than_a_chunk_is_one(trail: TrailFile, batch: Batch) -> None:
    assert [len(chunk) for chunk in RowBytes.chunks(trail.buffer, batch, np.arange(3), 1)] == [1, 1, 1]

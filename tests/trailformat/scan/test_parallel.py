"""Threads side by side give what one scan gives, in its order."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from fixtures import TRAILS
from fixtures.catalogue import names
from tests.trailformat.samples import BOTH, metadata_record, row, table_record, trail_of
from tests.trailformat.scan.test_file_ranges import block
from tests.trailformat.scan.test_scan import everything
from trailformat import ByteOrder, TrailFile
from trailformat.scan import Engine, Workers, is_available, parallel, parallel_batches, parallel_scan, scan
from trailformat.scan.batch import Batch

pytestmark = pytest.mark.skipif(not is_available(Engine.NUMBA), reason="numba is not installed")


def rows(batch: Batch) -> list[tuple[Any, ...]]:
    columns = [column for name, column in batch.columns() if name != "table"]
    texts = [(batch.names[key], batch.names.unknown_index(key)) for key in batch.table]
    return list(zip(*columns, texts, strict=True))


def assert_same(path: Path, threads: int = 3) -> None:
    with TrailFile(path) as trail, Workers(threads) as workers:
        expected = [one for batch in scan(trail, engine=Engine.NUMBA) for one in rows(batch)]
        assert [one for batch in parallel_scan(trail, workers, 100) for one in rows(batch)] == expected


@pytest.fixture(autouse=True, params=[300, 5000])
def small_pieces(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "PIECE", request.param)


@pytest.mark.parametrize("name", names())
@pytest.mark.parametrize("threads", [1, 2])
def test_a_fixture(name: str, threads: int) -> None:
    assert_same(TRAILS / name, threads)


@pytest.mark.parametrize("order", BOTH)
def test_data_full_of_records(tmp_path: Path, order: ByteOrder) -> None:
    tables = [table_record(number, f"T{number}", order) for number in (1, 2)]
    assert_same(trail_of(tmp_path, *tables, block(order), row(order=order).raw[:-2]))


@pytest.mark.parametrize("order", BOTH)
def test_everything_in_any_order_with_bits_turned_over(tmp_path: Path, order: ByteOrder) -> None:
    chance = random.Random(order.value)
    shapes = [shape for shape in everything(order) if len(shape) < 60_000]
    for _ in range(40):
        data = bytearray(b"".join(chance.choices(shapes, k=60)))
        for _ in range(chance.choice([0, 1, 20])):
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        assert_same(trail_of(tmp_path, row().raw, bytes(data)))


def test_definitions_in_the_middle(tmp_path: Path) -> None:
    filling = [row(name=1), row(name=2), row(name=3)] * 10
    path = trail_of(
        tmp_path,
        *[table_record(1, "A"), table_record(2, "B"), *filling, metadata_record(3, 2, "C"), *filling],
        *[row(name=4), *filling, metadata_record(3, 1, "D"), *filling, row(name=4), row(name=5), *filling],
        *[table_record(1, "A"), *filling, row(name="B"), *filling],
    )
    assert_same(path)


def test_work_is_done_with_a_trail_of_its_own(tmp_path: Path) -> None:
    path = trail_of(tmp_path, *[row(bytes(50))] * 200)
    with TrailFile(path) as trail, Workers(2) as workers:
        found = list(parallel_batches(trail, workers, lambda batch, own: (len(batch), own.record_length(0))))
        assert {length for _, (_, length) in found} == {row(bytes(50)).length}
        assert sum(number for _, (number, _) in found) == 200


def test_no_more_than_a_few_pieces_are_ahead(tmp_path: Path) -> None:
    path = trail_of(tmp_path, *[row(bytes(100))] * 2000)
    done: list[int] = []
    with TrailFile(path) as trail, Workers(2) as workers:
        batches = parallel_batches(trail, workers, lambda batch, _own: done.append(len(batch)), 5)
        next(batches)
    assert sum(done) < 2000


def test_a_file_that_grows_while_it_is_scanned(tmp_path: Path) -> None:
    path = trail_of(tmp_path, *[row(bytes(100))] * 100)
    with TrailFile(path) as trail, Workers(2) as workers:
        batches = parallel_scan(trail, workers, 7)
        first = len(next(batches))
        with path.open("ab") as file:
            file.write(row().raw * 20)
        assert first + sum(map(len, batches)) == 120

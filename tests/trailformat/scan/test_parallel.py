"""Threads side by side give what one scan gives, in its order."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from fixtures import TRAILS
from fixtures.catalogue import names
from tests.searching import IS_LONG, Random, examples, in_turn, some_trails
from tests.trailformat.samples import BOTH, metadata_record, row, table_record, trail_of
from tests.trailformat.scan.drawn_definitions import drawn_trail
from tests.trailformat.scan.test_file_ranges import block
from tests.trailformat.scan.test_scan import everything
from trailformat import ByteOrder, Record, TrailFile
from trailformat.scan import (
    CountBounds,
    ScanPosition,
    Workers,
    parallel,
    parallel_batches,
    parallel_counts,
    parallel_scan,
    scan,
)
from trailformat.scan.batch import Batch


def rows(batch: Batch) -> list[tuple[Any, ...]]:
    columns = [column for name, column in batch.columns() if name != "table"]
    texts = [(batch.names[key], batch.names.unknown_index(key)) for key in batch.table]
    return list(zip(*columns, texts, strict=True))


def assert_same(path: Path, threads: int = 3) -> None:
    with TrailFile(path) as trail, Workers(threads) as workers:
        for start in (0, next(trail.sound_rbas(trail.size // 3, trail.size), 0)):
            expected = [values for batch in scan(trail, start) for values in rows(batch)]
            found = parallel_scan(trail, workers, 100, start)
            assert [values for batch in found for values in rows(batch)] == expected


PIECES = [300, 5000]


@pytest.fixture(autouse=True, params=PIECES)
def piece(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pieces of so many bytes."""
    monkeypatch.setattr(parallel, "PIECE", request.param)


in_pieces = partial(pytest.mark.parametrize, indirect=["piece"])


@in_pieces(("name", "piece"), in_turn(some_trails(names(), __name__), PIECES))
@pytest.mark.parametrize("threads", [1, 2] if IS_LONG else [2])
def test_a_fixture(name: str, threads: int) -> None:
    assert_same(TRAILS / name, threads)


@in_pieces(("piece", "order"), in_turn(PIECES, BOTH))
def test_data_full_of_records(tmp_path: Path, order: ByteOrder) -> None:
    tables = [table_record(number, f"T{number}", order) for number in (1, 2)]
    assert_same(trail_of(tmp_path, *tables, block(order), row(order=order).raw[:-2]))


@in_pieces(("piece", "order"), in_turn(PIECES, BOTH))
def test_everything_in_any_order_with_bits_turned_over(tmp_path: Path, order: ByteOrder) -> None:
    chance = Random(order.value)
    shapes = [shape for shape in everything(order) if len(shape) < 60_000]
    for _ in range(examples(40)):
        data = bytearray(b"".join(chance.choices(shapes, k=60)))
        for _ in range(chance.choice([0, 1, 20])):
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        assert_same(trail_of(tmp_path, row().raw, bytes(data)))


@in_pieces(("piece", "order"), in_turn(PIECES, BOTH))
def test_definitions_again_and_again(tmp_path: Path, order: ByteOrder) -> None:
    chance = Random(order.value)
    for _ in range(examples(5)):
        assert_same(trail_of(tmp_path, *drawn_trail(chance, order)))


ROWS = [row(name=1, trans_ind=0), row(name=2, trans_ind=1), row(name=3, trans_ind=2)] * 4
OF_EVERY_TABLE = [table_record(1, "A"), table_record(2, "B"), metadata_record(3, 2, "C")]
ONCE: dict[str, list[Record]] = {
    "all definitions again in every piece": [*OF_EVERY_TABLE, *[*ROWS, *OF_EVERY_TABLE[:2], *ROWS] * 40],
    "each definition between rows": [
        *OF_EVERY_TABLE,
        *[record for table in OF_EVERY_TABLE[:2] for record in (*ROWS, table)] * 40,
    ],
    "references": [*OF_EVERY_TABLE, *[*ROWS, metadata_record(3, 1, "D"), row(name=4, trans_ind=2)] * 40],
    "one transaction": [*OF_EVERY_TABLE, *[row(name=number, trans_ind=1) for number in (1, 2, 3)] * 240],
    "the index of another table": [*OF_EVERY_TABLE, *ROWS * 30, table_record(1, "C"), table_record(3, "A"), *ROWS * 30],
}


@in_pieces(("name", "piece"), in_turn(ONCE, PIECES))
@pytest.mark.parametrize("what", ["batches", "sums"])
def test_each_piece_is_scanned_once(name: str, what: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    begun: list[tuple[int, int | None]] = []

    def noting(scanning: Callable[..., Any]) -> Callable[..., Any]:
        def begin(trail: TrailFile, position: ScanPosition, stop: int | None, *others: Any, **named: Any) -> Any:
            begun.append((position.rba, stop))
            return scanning(trail, position, stop, *others, **named)

        return begin

    for class_name in ("Scan", "Scanning"):
        monkeypatch.setattr(parallel, class_name, noting(getattr(parallel, class_name)))
    with TrailFile(trail_of(tmp_path, *ONCE[name])) as trail, Workers(2) as workers:
        for _ in (
            parallel_scan(trail, workers)
            if what == "batches"
            else parallel_counts(trail, workers, CountBounds()).results()
        ):
            pass
        assert len(begun) > 1
        begun.sort()
        assert [stop for _, stop in begun] == [*[start for start, _ in begun[1:]], trail.size]


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

"""Pages of the index are pages of the walk.

What stands around a place is what a walk over the file says, by the index and without it.
The sums of an index are those of the walk, whatever the batches.
"""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

from fixtures import TRAILS
from fixtures.catalogue import names
from tests.searching import IS_LONG, Random, in_turn, some_trails, stride
from tests.trailformat.index.reference import built, fed, known, summed, walked
from tests.trailformat.samples import BOTH, row, trail_of
from tests.trailformat.scan.test_scan import everything
from trailformat import ByteOrder, TrailFile
from trailformat.changes.transaction_context import transaction_at
from trailformat.index import (
    BAD_SPAN,
    ROWS_PER_CHECKPOINT,
    IndexRow,
    Neighbours,
    TrailIndex,
    build,
    index_of,
    trail_index,
)
from trailformat.index.trail_index import neighbours_of
from trailformat.records.record_header import NO_TRANSACTION
from trailformat.transactions import spans

SOUND = TRAILS / "et000000000"
DAMAGED = TRAILS / "gt000000000"


def expected(rows: list[IndexRow], rba: int) -> Neighbours | None:
    """By the rows of the walk."""
    sound = [index_row for index_row in rows if index_row.kind != BAD_SPAN]
    if rba == rows[-1].rba + rows[-1].length or any(index_row.rba == rba for index_row in sound):
        return None
    before = next((index_row for index_row in reversed(sound) if index_row.rba < rba), None)
    after = next((index_row.rba for index_row in sound if index_row.rba > rba), None)
    is_inside = before is not None and rba < before.rba + before.length
    return Neighbours(before.rba if before else None, after, is_inside=is_inside)


def places(last: int, rows: list[IndexRow]) -> list[int]:
    """One byte of seven, or of more in the short form, and those beside the boundaries."""
    beside = {index_row.rba + step for index_row in rows for step in (-2, -1, 0, 1, 2, 47)}
    return sorted({*range(0, last + 1, stride(7)), *(rba for rba in beside if 0 <= rba <= last)})


@pytest.mark.parametrize("by_index", [True, False], ids=["index", "bytes"])
@pytest.mark.parametrize("path", [SOUND, DAMAGED], ids=lambda path: path.name)
def test_every_byte_has_the_neighbours_of_the_walk(path: Path, *, by_index: bool) -> None:
    rows = walked(path)
    with TrailFile(path) as trail:
        for _ in build(trail, index_of(trail)) if by_index else ():
            pass
        wrong = [rba for rba in places(trail.size, rows) if neighbours_of(trail, rba) != expected(rows, rba)]
    assert wrong == []


def test_behind_the_end_the_last_record_stands_before() -> None:
    with TrailFile(SOUND) as trail:
        last = walked(SOUND)[-1].rba
        assert neighbours_of(trail, trail.size + 1) == neighbours_of(trail, 1 << 62) == Neighbours(last, None)


def test_backwards_a_place_will_do_where_a_record_ends_or_starts() -> None:
    rows = walked(DAMAGED)
    ends = {b.rba for a, b in pairwise(rows) if a.kind != BAD_SPAN}
    starts = {index_row.rba for index_row in rows if index_row.kind != BAD_SPAN}
    with TrailFile(DAMAGED) as trail:
        will_do = {rba for rba in places(trail.size - 1, rows) if neighbours_of(trail, rba, backwards=True) is None}
    assert will_do == ends | starts


def test_a_record_that_is_half_written_is_there(tmp_path: Path) -> None:
    path = trail_of(tmp_path, row(), row())
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])
    with TrailFile(path) as trail:
        start = walked(path)[-1].rba + walked(path)[-1].length
        assert neighbours_of(trail, start) is None
        assert neighbours_of(trail, start + 1) == Neighbours(walked(path)[-1].rba, None)


def test_a_long_way_is_not_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trailformat.index.trail_index._FAR", 40)
    with TrailFile(DAMAGED) as trail:
        assert neighbours_of(trail, 3600) == Neighbours(None, 3631)
        assert index_of(trail).places.records == 0


def assert_sums(index: TrailIndex, path: Path) -> None:
    """Everything is as a walk adds it up, in plain numbers."""
    largest = index.sums.transactions.largest
    json.dumps([index.places.bad_spans, index.sums.tables, index.sums.times, largest], default=sorted)
    assert {type(index.places.records), type(index.covered), type(index.partial)} == {int}
    expected = summed(path)
    assert index.sums.tables == expected["tables"]
    assert index.sums.times == expected["times"]
    assert list(index.places.metadata) == expected["metadata"]
    assert index.places.bad_spans == expected["bad"][: len(index.places.bad_spans)]
    assert len(expected["bad"]) - len(index.places.bad_spans) <= 1  # damage at the end may still grow
    assert index.sums.transactions.open == expected["open"]
    assert largest == expected["largest"][: spans.MOST_TRANSACTIONS]
    assert index.sums.transactions.ended == expected["ended"]
    assert [restart.rba for restart in index.places.restarts] == expected["restarts"]


@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize("name", some_trails(names(), __name__))
def test_a_fixture(name: str) -> None:
    assert_sums(built(TRAILS / name), TRAILS / name)


@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize(("batch_size", "order"), in_turn([1, 3, 100, 1 << 16], BOTH))
def test_everything_in_batches_of_any_size(tmp_path: Path, order: ByteOrder, batch_size: int) -> None:
    path = trail_of(tmp_path, *Random(7).choices(everything(order)[:-1], k=250), row())
    index = fed(path, batch_size)
    assert_sums(index, path)
    assert known(index) == known(built(path))


@pytest.mark.usefixtures("kernels")
def test_of_many_transactions_the_largest_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spans, "MOST_TRANSACTIONS", 5)
    sizes = [Random(3).randrange(30) for _ in range(100)]
    path = trail_of(tmp_path, *[row(b"x" * size) for size in sizes])
    for batch_size in (1, 8, 1 << 10):
        assert_sums(fed(path, batch_size), path)


@pytest.mark.usefixtures("kernels")
def test_of_too_many_tables_the_first_are_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trail_index, "MOST_TABLES", 2)
    index = built(trail_of(tmp_path, *[row(name=name) for name in "ABCDA"]))
    assert list(index.sums.tables) == ["A", "B"]
    assert index.sums.tables["A"].records == 2
    assert index.sums.other_tables.records == 2


def test_a_transaction_tells_its_csn_and_xid() -> None:
    path = TRAILS / "et000000000"
    with TrailFile(path) as trail:
        found = [transaction_at(trail, span.begin) for span in built(path).sums.transactions.largest]
    assert found != []
    assert all(transaction.csn is not None and transaction.xid is not None for transaction in found)


def test_a_transaction_that_began_in_the_file_before_tells_its_csn() -> None:
    first, second = (built(TRAILS / name).sums.transactions for name in ("st000000000", "st000000001"))
    assert first.open is not None
    rest = min(second.largest, key=lambda span: span.begin)
    with TrailFile(TRAILS / "st000000000") as before, TrailFile(TRAILS / "st000000001") as trail:
        assert transaction_at(trail, rest.begin) == transaction_at(before, first.open.begin) != NO_TRANSACTION


def test_a_transaction_whose_record_is_lost_has_no_csn(tmp_path: Path) -> None:
    with TrailFile(trail_of(tmp_path, row())) as trail:
        assert transaction_at(trail, 5) == NO_TRANSACTION


_SPACING = 6
"""So many rows to a checkpoint: a few records have several."""


@pytest.fixture
def _near_checkpoints(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trailformat.index.record_index.ROWS_PER_CHECKPOINT", _SPACING)


@pytest.mark.usefixtures("kernels", "_near_checkpoints")
@pytest.mark.parametrize("name", some_trails(names(), __name__))
def test_a_page_of_any_size_is_that_of_the_walk(name: str) -> None:
    expected = walked(TRAILS / name)
    index = built(TRAILS / name)
    rows = len(expected)
    assert index.places.records == rows
    with TrailFile(TRAILS / name) as trail:
        for size in range(1, rows + 2) if IS_LONG else {1, 2, _SPACING - 1, _SPACING + 2, rows - 1, rows + 1} - {0}:
            pages = [index.places.rows(trail, first, size) for first in range(0, rows, size)]
            assert [row for page in pages for row in page] == expected


@pytest.mark.usefixtures("kernels", "_near_checkpoints")
@pytest.mark.parametrize("order", BOTH)
def test_pages_of_a_long_file_with_damage_and_both_byte_orders(tmp_path: Path, order: ByteOrder) -> None:
    path = trail_of(tmp_path, *Random(order.value).choices(everything(order)[:-1], k=20 * _SPACING))
    expected = walked(path)
    index = built(path)
    with TrailFile(path) as trail:
        assert index.places.rows(trail, 0, len(expected)) == expected
        for first in range(len(expected)):
            assert index.places.rows(trail, first, 10) == expected[first : first + 10]


@pytest.mark.usefixtures("_near_checkpoints")
@pytest.mark.parametrize("name", some_trails(names(), __name__))
def test_numbers_and_rbas_are_each_other_s_inverse(name: str) -> None:
    index = built(TRAILS / name)
    with TrailFile(TRAILS / name) as trail:
        for index_row in walked(TRAILS / name):
            assert index.places.rba_of(trail, index_row.number) == index_row.rba
            assert (
                index.places.row_at(trail, index_row.rba)
                == index.places.row_at(trail, index_row.rba + index_row.length - 1)
                == index_row
            )


def test_there_is_nothing_outside(tmp_path: Path) -> None:
    path = trail_of(tmp_path, row(), row())
    index = built(path)
    with TrailFile(path) as trail:
        assert index.places.rows(trail, 2, 5) == index.places.rows(trail, -1, 5) == index.places.rows(trail, 0, 0) == []
        assert index.places.rba_of(trail, 2) is index.places.rba_of(trail, -1) is None
        assert index.places.row_at(trail, trail.size) is index.places.row_at(trail, -1) is None


def test_every_256th_row_has_a_checkpoint(tmp_path: Path) -> None:
    path = trail_of(tmp_path, *[row()] * (3 * ROWS_PER_CHECKPOINT + 1))
    checkpoints = built(path).places.checkpoints
    assert list(checkpoints.rba) == [number * ROWS_PER_CHECKPOINT * row().length for number in range(4)]
    assert list(checkpoints.io_time) == [row().header.io_time] * 4


def test_an_index_of_millions_of_records_takes_less_than_a_megabyte() -> None:
    checkpoints = built(TRAILS / "et000000000").places.checkpoints
    size = sum(column.itemsize for column in (checkpoints.rba, checkpoints.io_time, checkpoints.order))
    assert 6_000_000 // ROWS_PER_CHECKPOINT * size < 500_000

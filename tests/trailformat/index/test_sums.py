"""The sums of an index are those of the walk, whatever the batches."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from fixtures import TRAILS
from fixtures.catalogue import names
from tests.searching import in_turn, some_trails
from tests.trailformat.index.reference import built, fed, known, summed
from tests.trailformat.samples import BOTH, row, trail_of
from tests.trailformat.scan.test_scan import everything
from trailformat import ByteOrder, TrailFile
from trailformat.changes.transaction_context import transaction_at
from trailformat.index import TrailIndex, trail_index
from trailformat.records.record_header import NO_TRANSACTION
from trailformat.transactions import spans


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
    assert [one.rba for one in index.places.restarts] == expected["restarts"]


@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize("name", some_trails(names(), __name__))
def test_a_fixture(name: str) -> None:
    assert_sums(built(TRAILS / name), TRAILS / name)


@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize(("batch_size", "order"), in_turn([1, 3, 100, 1 << 16], BOTH))
def test_everything_in_batches_of_any_size(tmp_path: Path, order: ByteOrder, batch_size: int) -> None:
    path = trail_of(tmp_path, *random.Random(7).choices(everything(order)[:-1], k=700), row())
    index = fed(path, batch_size)
    assert_sums(index, path)
    assert known(index) == known(built(path))


@pytest.mark.usefixtures("kernels")
def test_of_many_transactions_the_largest_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spans, "MOST_TRANSACTIONS", 5)
    sizes = [random.Random(3).randrange(30) for _ in range(100)]
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
        found = [transaction_at(trail, one.begin) for one in built(path).sums.transactions.largest]
    assert found != []
    assert all(one.csn is not None and one.xid is not None for one in found)


def test_a_transaction_that_began_in_the_file_before_tells_its_csn() -> None:
    first, second = (built(TRAILS / name).sums.transactions for name in ("st000000000", "st000000001"))
    assert first.open is not None
    rest = min(second.largest, key=lambda one: one.begin)
    with TrailFile(TRAILS / "st000000000") as before, TrailFile(TRAILS / "st000000001") as trail:
        assert transaction_at(trail, rest.begin) == transaction_at(before, first.open.begin) != NO_TRANSACTION


def test_a_transaction_whose_record_is_lost_has_no_csn(tmp_path: Path) -> None:
    with TrailFile(trail_of(tmp_path, row())) as trail:
        assert transaction_at(trail, 5) == NO_TRANSACTION

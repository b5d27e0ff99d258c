"""COUNT from sums of groups comes to what COUNT over records comes to."""

from __future__ import annotations

from pathlib import Path

import pytest

from fixtures import TRAILS
from logdump.notation.text import name_test
from tests.logdump.test_batch_counting import BEGIN, FILES, MINUTE, TAKEN, _by_record, _new_count, _outcome
from tests.oracles.count_by_record import RecordTotals
from tests.searching import Random, examples, in_turn, part_of
from tests.trailformat.samples import BOTH, IO_TIME, row, trail_of
from tests.trailformat.scan.drawn_definitions import drawn_trail
from tests.trailformat.scan.test_scan import everything
from trailformat import ByteOrder, TrailFile
from trailformat.index.trail_index import NOTHING, TableTotals, TrailIndex
from trailformat.scan import CountBounds, Workers, counting, parallel, parallel_counts, scan
from trailformat.totals.counting import FILE_HEADER_NAME, Totals, add_counted, breakdown_of


def _by_group(path: Path, taken: CountBounds, count: Totals, threads: int = 2) -> None:
    with TrailFile(path) as trail, Workers(threads) as workers:
        for counted, _ in parallel_counts(trail, workers, taken, breakdown_of(count)).results():
            add_counted(count, taken, 7, counted)


def _assert_same(path: Path, taken: CountBounds, threads: int = 2, expected: RecordTotals | None = None) -> None:
    count = _new_count(taken.start)
    _by_group(path, taken, count, threads)
    if expected is None:
        expected = _new_count(taken.start)
        _by_record(path, taken, expected)
    assert _outcome(count) == _outcome(expected), path.name
    if taken == CountBounds():
        assert _of_index(path) == _of_tables(count), path.name


def _of_index(path: Path) -> dict[str, TableTotals]:
    index = TrailIndex()
    with TrailFile(path) as trail:
        for batch in scan(trail):
            index.extend(batch)
    return index.sums.tables


def _of_tables(count: Totals) -> dict[str, TableTotals]:
    """The sums of COUNT by the names of tables, as the screen has them: without partitions and the file header."""
    found: dict[str, TableTotals] = {}
    for (name, _), tally in count.tables.items():
        if name != FILE_HEADER_NAME:
            found[name] = found.get(name, NOTHING).plus(tally.records, tally.data_bytes)
    return found


STRETCHES = [(400, 1 << 15), (1 << 24, 3), (900, 1)]
"""Bytes of a piece of a file, and rows that are counted together."""


@pytest.fixture(autouse=True, params=STRETCHES)
def stretches(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    piece, rows = request.param
    monkeypatch.setattr(parallel, "PIECE", piece)
    monkeypatch.setattr(counting, "ROWS", rows)


@pytest.mark.parametrize(("stretches", "name"), in_turn(STRETCHES, TAKEN), indirect=["stretches"])
def test_groups_count_like_records(name: str) -> None:
    for path in part_of(FILES, [*TAKEN].index(name)):
        _assert_same(path, TAKEN[name])


@pytest.mark.parametrize(("stretches", "order"), in_turn(STRETCHES, BOTH), indirect=["stretches"])
def test_everything_with_bits_turned_over(tmp_path: Path, order: ByteOrder) -> None:
    chance = Random(order.value)
    shapes = [shape for shape in everything(order) if len(shape) < 60_000]
    for _ in range(examples(20, short=4)):
        data = bytearray(b"".join(chance.choices(shapes, k=60)))
        for _ in range(chance.choice([0, 1, 20])):
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        path = trail_of(tmp_path, row().raw, bytes(data))
        for taken in (
            CountBounds(),
            CountBounds(takes_name=name_test("shop.*")),
            CountBounds(start=BEGIN, end=BEGIN + MINUTE),
        ):
            _assert_same(path, taken)


@pytest.mark.parametrize(("stretches", "order"), in_turn(STRETCHES, BOTH), indirect=["stretches"])
def test_definitions_again_and_again(tmp_path: Path, order: ByteOrder) -> None:
    chance = Random(order.value)
    for _ in range(examples(2, short=1)):
        path = trail_of(tmp_path, *drawn_trail(chance, order))
        for taken in (CountBounds(), CountBounds(takes_name=name_test("A")), CountBounds(start=IO_TIME + 1)):
            _assert_same(path, taken, threads=3)


@pytest.fixture(scope="module")
def many_groups(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, RecordTotals]:
    """A trail with more groups and tables than there is room for, counted by record."""
    rows = [row(name=f"T{number % 700}", trans_ind=number % 7 == 6) for number in range(1500)]
    path, expected = trail_of(tmp_path_factory.mktemp("many"), *rows), _new_count()
    _by_record(path, CountBounds(), expected)
    return path, expected


def test_more_groups_and_tables_than_there_is_room_for(many_groups: tuple[Path, RecordTotals]) -> None:
    path, expected = many_groups
    _assert_same(path, CountBounds(), expected=expected)


def test_a_transaction_goes_on_in_the_next_file() -> None:
    expected, count = _new_count(), _new_count()
    for name in ("st000000000", "st000000001"):
        _by_record(TRAILS / name, CountBounds(), expected)
        _by_group(TRAILS / name, CountBounds(), count)
    assert _outcome(count) == _outcome(expected)

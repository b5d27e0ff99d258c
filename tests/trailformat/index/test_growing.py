"""A file that grows, is cut, or is written anew while its index is in use."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.kernels import WAYS, run
from tests.searching import Random, examples
from tests.trailformat.index.reference import built, fed, known, walked
from tests.trailformat.samples import BOTH, IO_TIME, header, row, table_record, trail_of
from tests.trailformat.scan.test_scan import everything
from trailformat import ByteOrder, TrailFile, make_record
from trailformat.index import BadSpan, TrailIndex, build, index_of
from trailformat.scan import scan


def grown(path: Path, data: bytes, sizes: list[int]) -> TrailIndex:
    """The index of a file that has these sizes one after the other, built as it grows."""
    index = TrailIndex()
    path.write_bytes(data[: sizes[0]])
    with TrailFile(path) as trail:
        for before, size in zip([sizes[0], *sizes], sizes, strict=False):
            with path.open("ab") as file:
                file.write(data[before:size])
            for _ in build(trail, index):
                pass
            assert index.covered + index.partial == size
    return index


@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize("order", BOTH)
def test_a_file_that_grows_byte_by_byte(tmp_path: Path, order: ByteOrder) -> None:
    data = b"".join([row(order=order).raw, row(order=order).raw, b"no record", row(order=order.other).raw])
    path = tmp_path / "lt000000000"
    index = grown(path, data, list(range(row().length, len(data) + 1)))
    assert known(index) == known(built(path))


@pytest.mark.parametrize("order", BOTH)
def test_a_file_that_grows_in_any_steps(tmp_path: Path, order: ByteOrder) -> None:
    chance, shapes = Random(order.value), everything(order)
    path = tmp_path / "lt000000000"
    for turn in range(examples(60)):
        data = row(order=order).raw + b"".join(chance.choices(shapes, k=chance.choice([3, 12, 100])))
        sizes = sorted({row().length, *(chance.randrange(row().length, len(data)) for _ in range(4)), len(data)})
        with run(WAYS[turn % len(WAYS)]):
            index = grown(path, data, sizes)
        assert known(index) == known(built(path)), (turn, sizes)


def test_a_half_written_record_is_no_row(tmp_path: Path) -> None:
    path = trail_of(tmp_path, row(), row().raw[:-3])
    index = built(path)
    assert (index.places.records, index.covered, index.partial) == (1, row().length, row().length - 3)


def test_damage_at_the_end_is_a_row_that_may_become_another(tmp_path: Path) -> None:
    path = trail_of(tmp_path, row(), b"junk" * 9)
    index = built(path)
    with TrailFile(path) as trail:
        assert index.places.rows(trail, 0, 9) == walked(path)
        assert index.places.rba_of(trail, 1) == index.places.end == row().length
        assert index.places.row_at(trail, trail.size - 1) == walked(path)[1]
        assert index.covered == trail.size


def test_a_record_that_was_taken_for_damage_while_it_was_half_written(tmp_path: Path) -> None:
    inner = row(b"inside")
    outer = make_record(header(), b"x" * 50 + inner.raw + b"x" * 50)
    data = row().raw + outer.raw + row().raw
    path = tmp_path / "lt000000000"
    half = row().length + outer.length - 30
    index = grown(path, data, [half])
    assert index.places.bad_spans != []
    assert known(grown(path, data, [half, len(data)])) == known(built(path))
    assert built(path).places.bad_spans == []


@pytest.mark.usefixtures("kernels")
def test_a_file_that_was_cut_does_not_fit(tmp_path: Path) -> None:
    path = trail_of(tmp_path, row(), row(), row())
    index = built(path)
    path.write_bytes(row().raw * 2)
    with TrailFile(path) as trail:
        assert not index.fits(trail)
        assert list(build(trail, index)) == [trail.size]
    assert known(index) == known(built(path))


def test_a_file_with_another_last_record_does_not_fit(tmp_path: Path) -> None:
    path = trail_of(tmp_path, row(), row())
    index = built(path)
    for data in (row().raw + row(io_time=IO_TIME + 1).raw, row().raw + row(b"longer").raw, row().raw + bytes(999)):
        path.write_bytes(data)
        with TrailFile(path) as trail:
            assert not index.fits(trail)
    path.write_bytes(row().raw * 3)
    with TrailFile(path) as trail:
        assert index.fits(trail)


def test_a_file_with_more_damage_than_is_looked_at_fits_as_long_as_it_does_not_grow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trailformat.index.record_index.MOST_BAD_SPANS", 1)
    path = trail_of(tmp_path, row(), b"junk", row(), b"junk", row())
    index = built(path)
    assert index.places.bad_span_count == 2
    assert index.places.bad_spans == [BadSpan(row().length, 4)]
    with TrailFile(path) as trail:
        assert index.fits(trail)
        with path.open("ab") as file:
            file.write(row().raw)
        assert not index.fits(trail)


@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize("batch_size", [1, 3, 100])
def test_of_too_much_metadata_the_first_is_kept(
    tmp_path: Path, batch_size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trailformat.index.record_index.MOST_METADATA", 2)
    tdr = table_record(1, "A")
    places = fed(trail_of(tmp_path, *[tdr] * 5, row()), batch_size).places
    assert list(places.metadata) == [0, tdr.length]
    assert (places.metadata_end, places.end) == (2 * tdr.length, 5 * tdr.length + row().length)


@pytest.mark.usefixtures("kernels")
def test_batches_that_leave_a_gap_or_are_known_change_nothing(tmp_path: Path) -> None:
    path = trail_of(tmp_path, *[row()] * 20)
    index = TrailIndex()
    with TrailFile(path) as trail:
        batches = list(scan(trail, batch_size=4))
        for number in (1, 0, 0, 2, 1, 0):
            index.extend(batches[number])
        assert index.covered == 8 * row().length
        (whole,) = scan(trail)
        index.extend(whole)
    assert known(index) == known(built(path))


def test_places_may_be_ahead_of_the_sums(tmp_path: Path) -> None:
    path = trail_of(tmp_path, *[row()] * 20)
    with TrailFile(path) as trail:
        assert list(build(trail, index_of(trail).places)) == [trail.size]
        assert (index_of(trail).places.records, index_of(trail).covered) == (20, 0)
        assert list(build(trail, index_of(trail))) == [trail.size]
        assert known(index_of(trail)) == known(built(path))


def test_building_stops_where_it_is_told(tmp_path: Path) -> None:
    path = trail_of(tmp_path, *[row()] * 20)
    with TrailFile(path) as trail:
        assert list(build(trail, index_of(trail), stop=2 * row().length + 1)) == [3 * row().length]


def test_two_threads_may_build_one_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trailformat.index.trail_index._ROWS", 200)
    path = trail_of(tmp_path, *Random(5).choices(everything(ByteOrder.BIG)[:-1], k=5000), row())
    index = TrailIndex()

    def go_over(_number: int) -> None:
        with TrailFile(path) as trail:
            for _ in build(trail, index):
                pass

    with ThreadPoolExecutor() as pool:
        list(pool.map(go_over, range(3)))
    assert known(index) == known(built(path))

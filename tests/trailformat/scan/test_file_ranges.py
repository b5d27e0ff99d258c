"""A file in pieces: cut anywhere, its pieces give what one scan gives, whatever the data looks like."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from fixtures import TRAILS
from fixtures.catalogue import names
from tests.kernels import needs_native
from tests.searching import IS_LONG, Random, examples, some_trails, stride
from tests.trailformat.samples import BOTH, header, row, table_record, trail_of
from trailformat import ByteOrder, TrailFile, make_record
from trailformat.scan import Scan, scan
from trailformat.scan.position import FileRange, first_position
from trailformat.scan.scanning import scan_range
from trailformat.scan.split import consistent_ranges, next_boundary, split_points

_LARGE = 200_000_000 if IS_LONG else 20_000_000
_OFFSETS = examples(100)


def block(order: ByteOrder) -> bytes:
    """Records of which some hold whole chains of records, some longer than the chain that a boundary must show."""
    inner = b"".join(row(bytes([65 + number]) * 40, order=order).raw for number in range(3))
    return b"".join(
        [
            *[row(b"leaf" * number, name=1 + number % 2, order=order).raw for number in range(20)],
            row(inner, order=order).raw,
            row(inner * 40, order=order, trans_ind=0).raw,
            make_record(header(order=order, trans_ind=2), inner * 200, order=order).raw,
            make_record(header(order=order), inner * 900, order=order).raw,
            row(row(inner * 12, order=order).raw + inner, order=order).raw,
        ]
    )


@pytest.fixture(scope="module", params=BOTH, ids=["big", "little"])
def small(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    order = request.param
    tables = [table_record(number, f"T{number}", order) for number in (1, 2)]
    return trail_of(tmp_path_factory.mktemp("small"), *tables, block(order) * 3, row(order=order).raw[:-2])


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    path = tmp_path_factory.mktemp("large") / "lt000000000"
    content = block(ByteOrder.BIG)
    with path.open("wb") as file:
        while file.tell() < _LARGE:
            file.write(content * 32)
    yield path
    path.unlink()


def starts(batches: Scan) -> list[int]:
    return [int(rba) for batch in batches for rba in batch.rba]


def seen(batches: Scan) -> list[tuple[int, str]]:
    return [
        (int(rba), batch.names[int(key)]) for batch in batches for rba, key in zip(batch.rba, batch.table, strict=True)
    ]


@pytest.mark.parametrize("name", some_trails(names(), __name__))
def test_a_fixture_cut_in_two_at_every_offset(name: str) -> None:
    with TrailFile(TRAILS / name) as trail:
        whole = starts(scan(trail))
        for offset in range(0, trail.size, stride(61)):
            point = next_boundary(trail, offset)
            if point is None:
                continue
            pieces = [FileRange(first_position(trail), point), FileRange(first_position(trail, point), trail.size)]
            fitting = consistent_ranges(trail, pieces)
            assert [rba for piece in fitting for rba in starts(scan_range(trail, piece))] == whole


def test_boundaries_are_real_where_data_is_full_of_records(small: Path) -> None:
    with TrailFile(small) as trail:
        *real, _half_written = starts(scan(trail))
        for offset in range(0, trail.size, stride(4001)):
            point = next_boundary(trail, offset)
            assert point in real if offset <= real[-1] else point is None
            assert point is None or point >= offset


@needs_native
def test_a_large_trail_cut_at_thousands_of_offsets(large: Path) -> None:
    chance = Random(0)
    with TrailFile(large) as trail:
        real = starts(scan(trail))
        known = set(real)
        points = {next_boundary(trail, chance.randrange(trail.size)) for _ in range(_OFFSETS)}
        assert points - {None} <= known
        cuts = sorted({0, *(point for point in points if point is not None), trail.size})
        pieces = [FileRange(first_position(trail, start), stop) for start, stop in pairwise(cuts)]
        assert consistent_ranges(trail, pieces) == pieces
        assert [rba for piece in pieces for rba in starts(scan_range(trail, piece))] == real


@pytest.mark.usefixtures("kernels")
def test_pieces_give_the_names_and_transactions_of_the_whole(small: Path) -> None:
    with TrailFile(small) as trail:
        whole = scan(trail)
        expected = seen(whole)
        points = [*split_points(trail, 5), trail.size]
        assert len(points) > 3
        pieces = [FileRange(first_position(trail, start), stop) for start, stop in pairwise(points)]
        scans = [scan_range(trail, piece) for piece in pieces]
        assert [pair for each in scans for pair in seen(each)] == expected
        assert sum(file_scan.transactions for file_scan in scans) == whole.transactions
        ends = [file_scan.position for file_scan in scans]
        assert consistent_ranges(trail, pieces, ends) == pieces
        assert [end.rba for end in ends] == [piece.stop for piece in pieces]


def test_wrong_cuts_are_mended(small: Path) -> None:
    chance = Random(3)
    with TrailFile(small) as trail:
        whole = starts(scan(trail))
        for _ in range(examples(40)):
            cuts = sorted({0, *chance.sample(whole, 4), *(chance.randrange(trail.size) for _ in range(4)), trail.size})
            pieces = [FileRange(first_position(trail, start), stop) for start, stop in pairwise(cuts)]
            ends = [scan_range(trail, piece).run().position for piece in pieces]
            for given in (None, ends):
                fitting = consistent_ranges(trail, pieces, given)
                assert [rba for piece in fitting for rba in starts(scan_range(trail, piece))] == whole
                assert all(before.stop == after.start.rba for before, after in pairwise(fitting))


def test_no_boundary_in_garbage(tmp_path: Path) -> None:
    with TrailFile(trail_of(tmp_path, row(), b"GHE" * 500)) as trail:
        assert next_boundary(trail, 1) is None
        assert split_points(trail, 4) == [0]

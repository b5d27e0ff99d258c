"""However a file is split, the pieces together give what one walk gives."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.generate import large_trail
from fixtures import TRAILS
from logdump.arrow.records.schema import COLUMNS, Selected
from logdump.tables import before
from logdump.tables.errors import SplitMismatch
from logdump.tables.options import Options
from logdump.tables.planner import plan
from logdump.tables.reader import read
from logdump.tables.slices import Request
from tests.logdump.tables.reads import planned, rows, table
from tests.searching import IS_LONG, Random, examples, in_turn, some_trails
from tests.trailformat.samples import BOTH, trail_of
from tests.trailformat.scan.drawn_definitions import drawn_trail
from trailformat import ByteOrder
from trailformat.scan import parallel

WHOLE = some_trails((path for path in TRAILS.iterdir() if path.name[0] in "eondrpuvhs"), __name__)
SIZES = (40, *Random(5).sample(range(41, 6000), examples(10)))
"""The smallest puts each record of a fixture at the edge of a piece."""
BULK = ("rba", "length", "op", "table", "time", "csn", "xid", "tdr_index", "raw")


NEAR = (before._NEAR, 0)
"""The transaction before a piece is found by steps back, or by a pass over the file."""


@pytest.mark.parametrize(("path", "near"), in_turn(WHOLE, NEAR), ids=lambda parameter: getattr(parameter, "name", None))
def test_every_record_stands_in_one_piece(path: Path, near: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(before, "_NEAR", near)
    whole = table(path, maxPartitionBytes=0, undecodable="null")
    for size in SIZES[:8]:
        assert table(path, maxPartitionBytes=size, undecodable="null").equals(whole), size


def test_many_sizes_give_the_serial_read_of_a_trail_of_two_files() -> None:
    whole = table(TRAILS / "st*", *BULK, maxPartitionBytes=0)
    for size in SIZES:
        assert table(TRAILS / "st*", *BULK, maxPartitionBytes=size).equals(whole), size


def test_the_real_trail(evidence: Path) -> None:
    whole = table(evidence / "tr000000000", maxPartitionBytes=0)
    for size in SIZES:
        assert table(evidence / "tr000000000", maxPartitionBytes=size).equals(whole), size


@pytest.mark.parametrize("order", ["big", "little"] if IS_LONG else ["big"])
def test_a_larger_trail(order: str, megabyte: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = large_trail(2, 3, order, tmp_path / "lt000000000").path if IS_LONG else megabyte
    whole = table(path, *BULK, maxPartitionBytes=0)
    for near in NEAR:
        monkeypatch.setattr(before, "_NEAR", near)
        for size in (37_001, 200_000, 400_000):
            assert table(path, *BULK, maxPartitionBytes=size).equals(whole), (near, size)


def _assert_threads_find_the_same(path: Path, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    options = Options(path=str(path), max_partition_bytes=most)
    for wanted in (["table", "csn", "problems"], ["table"], ["csn"]):
        with monkeypatch.context() as patch:
            patch.setattr(before, "_NEAR", 0)
            patch.setattr(before, "cores", lambda: 1)
            alone = plan(options, wanted)
            patch.setattr(before, "cores", lambda: 3)
            patch.setattr(parallel, "PIECE", 200)
            assert plan(options, wanted) == alone


@pytest.mark.parametrize("path", WHOLE, ids=lambda path: path.name)
def test_threads_find_what_one_finds_before_each_piece(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _assert_threads_find_the_same(path, 900, monkeypatch)


@pytest.mark.parametrize("order", BOTH)
def test_threads_find_the_definitions_of_drawn_trails(
    order: ByteOrder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """References, indexes that are defined again, and damage, on either side of each border."""
    chance = Random(order.value)
    for is_damaged in (False, True) * examples(2, short=1):
        records = drawn_trail(chance, order, is_damaged=is_damaged)
        _assert_threads_find_the_same(trail_of(tmp_path, *records), chance.randrange(300, 3000), monkeypatch)


def test_pieces_lie_side_by_side() -> None:
    slices = [part for lot in planned(TRAILS / "et000000000", maxPartitionBytes=500) for part in lot]
    assert len(slices) > 5
    assert slices[0].start == 0
    assert [part.stop for part in slices] == [*(part.start for part in slices[1:]), slices[0].size]


def test_small_files_are_packed_and_0_keeps_them_apart() -> None:
    assert [len(lot) for lot in planned(TRAILS / "st*")] == [2]
    assert [len(lot) for lot in planned(TRAILS / "st*", maxPartitionBytes=0)] == [1, 1]


def test_a_piece_that_does_not_end_where_the_next_begins_is_an_error() -> None:
    options = Options(path=str(TRAILS / "et000000000"), max_partition_bytes=1000)
    first, *_ = (part for lot in plan(options) for part in lot)
    wrong = first._replace(stop=first.stop + 1)
    with pytest.raises(SplitMismatch, match=rf"seqno 0, RBA {wrong.stop}: .* maxPartitionBytes 0"):
        list(
            read(
                [wrong],
                Request((Selected("rba", next(column for column in COLUMNS if column.name == "rba")),), options),
            )
        )


def test_data_that_holds_a_trail_does_not_mislead(tmp_path: Path) -> None:
    inner = (TRAILS / "et000000000").read_bytes()
    outer = tmp_path / "lt000000000"
    with_blob(outer, inner)
    whole = rows(outer, "rba", "raw", maxPartitionBytes=0)
    for size in (200, 700, 1500, 3001):
        assert rows(outer, "rba", "raw", maxPartitionBytes=size) == whole


def with_blob(path: Path, blob: bytes) -> None:
    """A trail whose only row has a whole trail in its data."""
    from trailformat import make_header, make_record
    from trailformat.records.record_header import COMPRESSED

    head = (TRAILS / "et000000000").read_bytes()[:1130]
    header = make_header(116, name_field=b"A.B\0", partition=COMPRESSED)
    path.write_bytes(head + b"".join(make_record(header, blob + bytes(7)).raw for _ in range(3)))

"""What compressing blocks on the wire saves is what zlib makes of the same blocks, put together byte by byte."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from fixtures import TRAILS
from logdump.features.compression import blocks as of_blocks
from logdump.features.compression import survey
from logdump.features.compression.blocks import (
    LEVELS,
    MOST_THRESHOLD,
    SAMPLE,
    Compressor,
    Packer,
    RecordPlaces,
    WaitingBlocks,
    WireBlock,
)
from logdump.features.compression.model import Compression
from tests.logdump.line import Line
from tests.searching import Random, examples, some_trails
from trailformat import BadRecord, Record, TrailFile
from trailformat.changes.transactions import TransactionRole, role_of
from trailformat.scan import scan

TRAIL = TRAILS / "et000000000"


def records_of(path: Path) -> list[bytes]:
    with TrailFile(path) as trail:
        return [record.raw for record in trail.records()]


def plainly_packed(records: list[bytes], size: int) -> list[bytes]:
    """The blocks, put together byte by byte."""
    blocks = [b""]
    for record in records:
        if blocks[-1] and len(blocks[-1]) + len(record) > size:
            blocks.append(b"")
        blocks[-1] += record
    return [block for block in blocks if block]


def parts(records: list[bytes], ends: Iterable[int] = (), at: int = 0) -> RecordPlaces:
    """Records in a file that begins with ``at`` other bytes."""
    sizes = np.array([*map(len, records)], np.int64)
    mask = np.zeros(len(records), bool)
    mask[[*ends]] = True
    return RecordPlaces(bytes(at) + b"".join(records), at + np.cumsum(sizes) - sizes, sizes, mask)


def read(blocks: Iterable[WireBlock]) -> list[bytes]:
    stored = [(block.size, block.read()) for block in blocks]
    assert all(size == len(data) for size, data in stored)
    return [data for _, data in stored]


def packed(records: list[bytes], size: int) -> list[bytes]:
    packer = Packer(size)
    return read([*packer.add(parts(records)), *packer.end()])


def compress(
    blocks: Iterable[bytes], levels: Iterable[int] = LEVELS, threshold: int = 1000, percent: int | None = 100
) -> list[Compression]:
    compressor = Compressor(levels, threshold, percent)
    for block in blocks:
        compressor.add(WireBlock(len(block), partial(bytes, block)))
    return compressor.results()


@pytest.mark.parametrize("size", [1, 300, 1000, 30_000])
def test_blocks_hold_whole_records_up_to_their_size(size: int) -> None:
    assert packed(records_of(TRAIL), size) == plainly_packed(records_of(TRAIL), size)


@pytest.mark.parametrize("level", [1, 6, 9])
@pytest.mark.parametrize("threshold", [0, 700, MOST_THRESHOLD])
def test_blocks_over_the_threshold_are_compressed_each_for_itself(threshold: int, level: int) -> None:
    some = plainly_packed(records_of(TRAIL), 1000)
    (found,) = compress(some, [level], threshold)
    expected = [len(zlib.compress(data, level)) if len(data) > threshold else len(data) for data in some]
    assert (found.bytes, found.compressed) == (sum(map(len, some)), sum(expected))
    assert (found.blocks, found.blocks_compressed) == (len(some), sum(len(data) > threshold for data in some))


@pytest.mark.parametrize("case", range(examples(60)))
def test_drawn_parts_in_batches_with_ends_are_packed_as_byte_by_byte(case: int) -> None:
    random = Random(f"parts {case}")
    records = [random.randbytes(random.randint(1, 90)) for _ in range(random.randint(1, 60))]
    size, closing = random.randint(1, 200), {number for number in range(len(records)) if not random.randrange(4)}
    expected, group = list[bytes](), list[bytes]()
    for number, record in enumerate(records):
        group.append(record)
        if number in closing or number == len(records) - 1:
            expected += plainly_packed(group, size)
            group = []
    packer, found, first = Packer(size), list[bytes](), 0
    while first < len(records):
        stop = random.randint(first + 1, len(records))
        ends = [number - first for number in closing if first <= number < stop]
        found += read(packer.add(parts(records[first:stop], ends, at=random.randrange(9))))
        first = stop
    assert found + read(packer.end()) == expected


def test_records_between_which_others_lie_are_a_block_without_those() -> None:
    stream, starts, sizes = b"0123456789abcdef", np.array([1, 3, 4, 9]), np.array([2, 1, 2, 3])
    packer = Packer(100)
    given = RecordPlaces(stream, starts, sizes, np.zeros(4, bool))
    assert read([*packer.add(given), *packer.end()]) == [b"12" + b"3" + b"45" + b"9ab"]


def test_blocks_that_leave_the_sample_are_not_compressed(monkeypatch: pytest.MonkeyPatch) -> None:
    compressed = list[bytes]()

    def noted(data: bytes, level: int) -> bytes:
        compressed.append(data)
        return compress_data(data, level)

    compress_data = zlib.compress
    monkeypatch.setattr(zlib, "compress", noted)
    (found,) = compress([b"leaf%d" % number * 300 for number in range(5 * SAMPLE)], [1], percent=None)
    assert found.tried == len(compressed) <= SAMPLE


@pytest.mark.parametrize("most", [0, 1, 5_000, 200_000])
def test_with_no_room_for_blocks_that_wait_the_sums_are_the_same(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = [Random(number).randbytes(600) + b"leaf" * number for number in range(3 * SAMPLE)]
    expected = compress(blocks, [1, 6], 900, percent=None)
    monkeypatch.setattr(of_blocks, "MOST_WAITING", most)
    found = compress(blocks, [1, 6], 900, percent=None)
    assert [compression._replace(seconds=0) for compression in found] == [
        compression._replace(seconds=0) for compression in expected
    ]


def test_compressors_that_share_the_room_do_not_take_more_and_give_it_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(of_blocks, "MOST_WAITING", 10_000)
    waiting, most = WaitingBlocks(), 0
    compressors = [Compressor([1], 0, None, waiting) for _ in range(3)]
    for number in range(3 * SAMPLE):
        for compressor in compressors:
            compressor.add(WireBlock(20, lambda: b"leaf" * 5))
            most = max(most, waiting.bytes)
        assert number < SAMPLE or waiting.bytes > 0
    assert 9_000 < most <= 10_000
    for compressor in compressors:
        compressor.results()
    assert waiting.bytes == 0


def test_random_bytes_stay_as_large_as_they_are() -> None:
    (found,) = compress([Random(1).randbytes(30_000)], [6])
    assert found.compressed == found.bytes
    assert found.is_incompressible


def test_rows_of_a_table_are_not_taken_for_encrypted() -> None:
    assert not any(compression.is_incompressible for compression in compress(packed(records_of(TRAIL), 30_000)))


def test_nothing_has_a_ratio_of_one() -> None:
    (found,) = compress([], [6])
    assert (found.ratio, found.is_incompressible) == (1.0, False)


@pytest.mark.parametrize(("percent", "expected"), [(100, 60), (50, 31), (10, 7), (1, 1)])
def test_so_many_percent_of_the_blocks_are_tried_and_the_first_always(percent: int, expected: int) -> None:
    (found,) = compress([b"leaf" * 300] * 60, [1], percent=percent)
    assert found.tried == expected
    assert found.compressed == 60 * len(zlib.compress(b"leaf" * 300, 1))


def test_without_a_level_at_most_two_hundred_blocks_are_tried_all_over_the_trail() -> None:
    # a trail whose second half does not compress: a sample of its beginning would not show that
    random = Random(7)
    blocks = [b"leaf" * 300] * 1000 + [random.randbytes(1200) for _ in range(1000)]
    (whole,), (sampled,) = compress(blocks, [1]), compress(blocks, [1], percent=None)
    assert SAMPLE // 2 <= sampled.tried <= SAMPLE
    assert sampled.compressed == pytest.approx(whole.compressed, rel=0.02)


def test_the_sample_trail_of_oracle_compresses_as_measured(evidence: Path) -> None:
    # by the gzip program: one block of 5,660 bytes, 2.9 : 1 at level 1 and 3.2 : 1 at 6 and 9
    found = compress(packed(records_of(evidence / "tr000000000"), 30_000), threshold=0)
    assert [(compression.blocks, round(compression.ratio, 1)) for compression in found] == [
        (1, 2.9),
        (1, 3.2),
        (1, 3.2),
    ]


FILES = some_trails((path for path in TRAILS.iterdir() if path.is_file() and path.stat().st_size < 1_000_000), __name__)
_PIECE = 64


def walked(trail: TrailFile) -> list[Record | None]:
    """The records of a file, one by one; None for damage."""
    found, start = list[Record | None](), 0
    while True:
        try:
            for record in trail.records(start):
                found.append(record)
                start = record.rba + record.length
        except BadRecord:
            good = trail.next_good_header(start + 1)
            found.append(None)
            if good is None:
                return found
            start = good
        else:
            return found


def grouped(trail: TrailFile, largest: int, *, at_commit: bool, table: str | None = None) -> list[list[bytes]]:
    """The records of a table, or of all, by the blocks' ends: a commit, and among those of all records damage.

    A record that is larger than ``largest`` is given in pieces.
    """
    groups = [list[bytes]()]
    for record in walked(trail):
        if record is None:
            groups += [[]] if table is None else []
        elif table is None or (not record.is_file_header and trail.name_of(record) == table):
            width = _PIECE if record.length > largest else record.length
            pieces = range(0, record.length, width)
            groups[-1] += [record.raw[place : place + width] for place in pieces]
            groups += [[]] if at_commit and TransactionRole.ENDS in role_of(record) else []
    return groups


@pytest.mark.parametrize("largest", [1 << 23, 150])
@pytest.mark.parametrize("at_commit", [False, True])
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_blocks_of_a_trail_are_those_of_its_records_one_by_one(
    path: Path, line: Line, monkeypatch: pytest.MonkeyPatch, *, at_commit: bool, largest: int
) -> None:
    monkeypatch.setattr(survey, "LARGEST", largest)
    monkeypatch.setattr(survey, "PIECE", _PIECE)
    random = Random(f"{path.name} {at_commit}")
    monkeypatch.setattr(survey, "scan", partial(scan, batch_size=random.choice([1, 3, 1 << 14])))
    size = random.choice([50, 200, 900, 5000])
    line(f"open {path}; compress by table block {size} threshold 0 level 1{' flush commit' * at_commit}")
    for found in (event for event in line.events if isinstance(event, Compression)):
        with TrailFile(path) as trail:
            groups = grouped(trail, largest, at_commit=at_commit, table=found.table)
        blocks = [block for group in groups for block in plainly_packed(group, size)]
        smaller = sum(min(len(zlib.compress(block, 1)), len(block)) for block in blocks)
        assert (found.blocks, found.bytes, found.compressed) == (len(blocks), sum(map(len, blocks)), smaller)

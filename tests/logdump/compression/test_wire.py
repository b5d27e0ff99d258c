"""What compressing blocks on the wire saves is what zlib makes of the same blocks."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from pathlib import Path
from random import Random

import pytest

from fixtures import TRAILS
from logdump.features.compression.model import Compression
from logdump.features.compression.survey import LEVELS, MOST_THRESHOLD, SAMPLE, Compressor, Packer
from trailformat import TrailFile

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


def packed(records: list[bytes], size: int) -> list[bytes]:
    packer = Packer(size)
    return [*(block for record in records for block in packer.add(record)), *packer.end()]


def compress(
    blocks: Iterable[bytes], levels: Iterable[int] = LEVELS, threshold: int = 1000, percent: int | None = 100
) -> list[Compression]:
    compressor = Compressor(levels, threshold, percent)
    for block in blocks:
        compressor.add(block)
    return compressor.results()


@pytest.mark.parametrize("size", [1, 300, 1000, 30_000])
def test_blocks_hold_whole_records_up_to_their_size(size: int) -> None:
    assert packed(records_of(TRAIL), size) == plainly_packed(records_of(TRAIL), size)


@pytest.mark.parametrize("level", [1, 6, 9])
@pytest.mark.parametrize("threshold", [0, 700, MOST_THRESHOLD])
def test_blocks_over_the_threshold_are_compressed_each_for_itself(threshold: int, level: int) -> None:
    some = plainly_packed(records_of(TRAIL), 1000)
    (found,) = compress(some, [level], threshold)
    expected = [len(zlib.compress(one, level)) if len(one) > threshold else len(one) for one in some]
    assert (found.bytes, found.compressed) == (sum(map(len, some)), sum(expected))
    assert (found.blocks, found.blocks_compressed) == (len(some), sum(len(one) > threshold for one in some))


def test_random_bytes_stay_as_large_as_they_are() -> None:
    (found,) = compress([Random(1).randbytes(30_000)], [6])
    assert found.compressed == found.bytes
    assert found.is_incompressible


def test_rows_of_a_table_are_not_taken_for_encrypted() -> None:
    assert not any(one.is_incompressible for one in compress(packed(records_of(TRAIL), 30_000)))


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
    assert [(one.blocks, round(one.ratio, 1)) for one in found] == [(1, 2.9), (1, 3.2), (1, 3.2)]

"""What compressing blocks on the wire saves is what zlib makes of the same blocks."""

from __future__ import annotations

import zlib
from pathlib import Path
from random import Random

import pytest

from fixtures import TRAILS
from logdump.operations.compression.blocks import Block, blocks_of, packed
from logdump.operations.compression.wire import MOST_THRESHOLD, compress
from trailformat import TrailFile
from trailformat.scan import Engine, is_available, scan

ENGINES = [one for one in Engine if is_available(one)]
SAMPLE = TRAILS / "et000000000"


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


def blocks(path: Path, size: int, engine: Engine = Engine.PYTHON, batch_size: int = 3) -> list[bytes]:
    with TrailFile(path) as trail:
        found = list(blocks_of(scan(trail, engine=engine, batch_size=batch_size), size))
        return [bytes(trail.buffer[one.rba : one.rba + one.length]) for one in found]


@pytest.mark.parametrize("engine", ENGINES, ids=lambda one: one.name)
@pytest.mark.parametrize("size", [1, 300, 1000, 30_000])
def test_blocks_hold_whole_records_up_to_their_size(size: int, engine: Engine) -> None:
    assert blocks(SAMPLE, size, engine) == plainly_packed(records_of(SAMPLE), size)


@pytest.mark.parametrize("size", [1, 500, 30_000])
def test_records_of_one_table_are_packed_in_the_same_way(size: int) -> None:
    assert list(packed(records_of(SAMPLE), size)) == plainly_packed(records_of(SAMPLE), size)


def test_damage_is_in_no_block(tmp_path: Path) -> None:
    whole = SAMPLE.read_bytes()
    with TrailFile(SAMPLE) as trail:
        third = [record.rba for record in trail.records()][3]
    path = tmp_path / "et000000000"
    path.write_bytes(whole[:third] + b"\0" * 50 + whole[third:])
    with TrailFile(path) as trail:
        assert list(blocks_of(scan(trail, engine=Engine.PYTHON))) == [
            Block(0, third),
            Block(third + 50, len(whole) - third),
        ]


@pytest.mark.parametrize("level", [1, 6, 9])
@pytest.mark.parametrize("threshold", [0, 700, MOST_THRESHOLD])
def test_blocks_over_the_threshold_are_compressed_each_for_itself(threshold: int, level: int) -> None:
    some = plainly_packed(records_of(SAMPLE), 1000)
    (found,) = compress(some, [level], threshold)
    expected = [len(zlib.compress(one, level)) if len(one) > threshold else len(one) for one in some]
    assert (found.bytes, found.compressed) == (sum(map(len, some)), sum(expected))
    assert (found.blocks, found.blocks_compressed) == (len(some), sum(len(one) > threshold for one in some))


def test_random_bytes_stay_as_large_as_they_are() -> None:
    (found,) = compress([Random(1).randbytes(30_000)], [6])
    assert found.compressed == found.bytes
    assert found.is_incompressible


def test_rows_of_a_table_are_not_taken_for_encrypted() -> None:
    assert not any(one.is_incompressible for one in compress(blocks(SAMPLE, 30_000)))


def test_nothing_has_a_ratio_of_one() -> None:
    (found,) = compress([], [6])
    assert (found.ratio, found.is_incompressible) == (1.0, False)


def test_the_sample_trail_of_oracle_compresses_as_measured(evidence: Path) -> None:
    # by the gzip program: one block of 5,660 bytes, 2.9 : 1 at level 1 and 3.2 : 1 at 6 and 9
    found = compress(blocks(evidence / "tr000000000", 30_000), threshold=0)
    assert [(one.blocks, round(one.ratio, 1)) for one in found] == [(1, 2.9), (1, 3.2), (1, 3.2)]

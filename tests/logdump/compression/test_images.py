"""What an image option would save is the difference to the same trail, written without those columns.

What compressing blocks on the wire saves is what zlib makes of the same blocks.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from fixtures import TRAILS
from logdump.features.compression.model import Compression, ImageSaving
from logdump.features.compression.survey import LEVELS, MOST_THRESHOLD, PARTS, SAMPLE, Compressor, ImageSavings, Packer
from tests.searching import Random, some_trails
from trailformat import Images, Record, TableDefinition, TrailError, TrailFile
from trailformat.records.columns import Column, build_images
from trailformat.records.record_header import DELETE, UNIFIED_PK_UPDATE, UNIFIED_UPDATE
from trailformat.trail.row_definitions import RowDefinitions

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


FILES = some_trails((path for path in TRAILS.glob("[eorpmsu]?0*") if path.is_file()), __name__)


def rows(path: Path) -> list[tuple[Record, TableDefinition | None]]:
    with TrailFile(path) as trail:
        definitions = RowDefinitions(trail)
        return [(one, None if one.is_file_header else definitions.of(one).table) for one in trail.records()]


def savings(path: Path) -> ImageSavings:
    found = ImageSavings()
    for record, definition in rows(path):
        found.add(record, definition)
    return found


def saving(path: Path, word: str) -> ImageSaving:
    (found,) = (one for one in savings(path).savings() if word in one.what)
    return found


def rewritten(record: Record, images: Images) -> int:
    """Bytes that a record has less with these images."""
    return len(record.data) - len(build_images(images, record.order))


def images_of(record: Record) -> Images | None:
    """The images of a record; None of one that goes on in the next records, too."""
    try:
        return record.images
    except TrailError:
        return None


def without_null_filler(columns: tuple[Column, ...] | None) -> tuple[Column, ...] | None:
    if columns is None:
        return None
    return tuple(Column(one.index, one.raw[:2] if one.is_null else one.raw) for one in columns)


def key_alone(record: Record, keys: set[int]) -> int:
    assert record.images is not None
    return rewritten(record, Images(tuple(one for one in record.images.before or () if one.index in keys), None))


def changed_alone(record: Record, keys: set[int]) -> int:
    assert record.images is not None
    before = {one.index: one for one in record.images.before or ()}
    kept = tuple(one for one in record.images.after or () if one.index in keys or before.get(one.index) != one)
    return rewritten(record, record.images._replace(after=kept))


def changed_before(record: Record, keys: set[int]) -> int:
    assert record.images is not None
    after = {one.index: one for one in record.images.after or ()}
    kept = tuple(
        one
        for one in record.images.before or ()
        if one.index in keys or (one.index in after and after[one.index] != one)
    )
    return rewritten(record, record.images._replace(before=kept))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
@pytest.mark.parametrize(
    ("word", "types", "less"),
    [
        ("COMPRESSDELETES", {DELETE}, key_alone),
        ("COMPRESSUPDATES", {UNIFIED_UPDATE, UNIFIED_PK_UPDATE}, changed_alone),
        ("columns before left out", {UNIFIED_UPDATE, UNIFIED_PK_UPDATE}, changed_before),
    ],
)
def test_what_is_saved_is_what_the_rewritten_records_are_shorter(
    word: str, types: set[int], less: Callable[[Record, set[int]], int], path: Path
) -> None:
    about = [(one, table) for one, table in rows(path) if not one.is_file_header and one.header.io_type in types]
    judged = [(one, table) for one, table in about if table is not None and images_of(one) is not None]
    expected = sum(
        less(one, {index for index, column in enumerate(table.columns) if column.is_key}) for one, table in judged
    )
    found = saving(path, word)
    assert (found.records, found.judged, found.saved) == (len(about), len(judged), expected)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_filler_behind_null_is_counted_to_the_byte(path: Path) -> None:
    expected = 0
    for record, _ in rows(path):
        images = None if record.is_file_header or record.is_metadata else images_of(record)
        if images is not None:
            before, after = map(without_null_filler, (images.before, images.after))
            expected += rewritten(record, Images(before, after, images.prefix_size))
    assert saving(path, "NULL").saved == expected


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_parts_are_all_bytes_of_the_records(path: Path) -> None:
    found = savings(path)
    assert set(found.parts) <= set(PARTS)
    assert sum(found.parts.values()) == sum(record.length for record, _ in rows(path))
    assert all(count >= 0 for count in found.parts.values())


def test_a_definition_that_comes_again_is_counted_and_not_in_the_next_file() -> None:
    (definition, *_) = (one for one, _ in rows(TRAILS / "et000000000") if one.is_metadata)
    found = ImageSavings()
    found.add(definition, None)
    found.new_file()
    found.add(definition, None)
    assert found.repeated_definitions == 0
    found.add(definition, None)
    assert found.repeated_definitions == definition.length

"""What an image option would save is the difference to the same trail, written without those columns."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from fixtures import TRAILS
from logdump.features.compression.model import ImageSaving
from logdump.features.compression.survey import PARTS, ImageSavings
from tests.searching import some_trails
from trailformat import Images, Record, TableDefinition, TrailError, TrailFile
from trailformat.records.columns import Column, build_images
from trailformat.records.record_header import DELETE, UNIFIED_PK_UPDATE, UNIFIED_UPDATE
from trailformat.trail.row_definitions import RowDefinitions

TRAIL = TRAILS / "et000000000"


FILES = some_trails((path for path in TRAILS.glob("[eorpmsu]?0*") if path.is_file()), __name__)


def rows(path: Path) -> list[tuple[Record, TableDefinition | None]]:
    with TrailFile(path) as trail:
        definitions = RowDefinitions(trail)
        return [(record, None if record.is_file_header else definitions.of(record).table) for record in trail.records()]


def savings(path: Path) -> ImageSavings:
    found = ImageSavings()
    for record, definition in rows(path):
        found.add(record, definition)
    return found


def saving(path: Path, word: str) -> ImageSaving:
    (found,) = (image_saving for image_saving in savings(path).savings() if word in image_saving.what)
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
    return tuple(Column(column.index, column.raw[:2] if column.is_null else column.raw) for column in columns)


def key_alone(record: Record, keys: set[int]) -> int:
    assert record.images is not None
    return rewritten(
        record, Images(tuple(column for column in record.images.before or () if column.index in keys), None)
    )


def changed_alone(record: Record, keys: set[int]) -> int:
    assert record.images is not None
    before = {column.index: column for column in record.images.before or ()}
    kept = tuple(
        column for column in record.images.after or () if column.index in keys or before.get(column.index) != column
    )
    return rewritten(record, record.images._replace(after=kept))


def changed_before(record: Record, keys: set[int]) -> int:
    assert record.images is not None
    after = {column.index: column for column in record.images.after or ()}
    kept = tuple(
        column
        for column in record.images.before or ()
        if column.index in keys or (column.index in after and after[column.index] != column)
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
    about = [
        (record, table) for record, table in rows(path) if not record.is_file_header and record.header.io_type in types
    ]
    judged = [(record, table) for record, table in about if table is not None and images_of(record) is not None]
    expected = sum(
        less(record, {index for index, column in enumerate(table.columns) if column.is_key}) for record, table in judged
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
    (definition, *_) = (record for record, _ in rows(TRAILS / "et000000000") if record.is_metadata)
    found = ImageSavings()
    found.add(definition, None)
    found.new_file()
    found.add(definition, None)
    assert found.repeated_definitions == 0
    found.add(definition, None)
    assert found.repeated_definitions == definition.length

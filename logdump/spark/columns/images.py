"""The images before and after, with the names of their columns: for all rows together.

Which data hold which images is what :mod:`trailformat.images` says. A row that does not come apart here is asked as a
record, which tells what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from logdump.spark.column_types import IMAGE
from logdump.spark.columns.arrow_values import bytes_at, lists, masked, replaced
from logdump.spark.columns.definitions import Known, definitions_of
from logdump.spark.rows import Array, Rows
from trailformat import TrailError
from trailformat.columns import Columns
from trailformat.images import PREFIX_SIZES, ROW_TYPES
from trailformat.record_header import COMPRESSED
from trailformat.row_definitions import RowDefinition
from trailformat.scan.parts import Parts, columns_in, u16_at

BEFORE, AFTER = 0, 1
_PREFIX = np.array([PREFIX_SIZES.get(number, 0) for number in range(256)])
_IS_SINGLE = np.array([number in ROW_TYPES for number in range(256)])


class ImageParts(NamedTuple):
    """The columns of all rows.

    Attributes:
        images: before and after, a region for each row.
        present: which rows have such an image.
        is_sound: which rows come apart, those without images too.
    """

    images: tuple[Parts, Parts]
    present: tuple[Array, Array]
    is_sound: Array


def image_parts(rows: Rows) -> ImageParts:
    """Where the columns of the rows lie; found once, for both images and their problems."""
    if "images" not in rows.walked:
        rows.walked["images"] = _image_parts(rows)
    found: ImageParts = rows.walked["images"]
    return found


def _image_parts(rows: Rows) -> ImageParts:
    io_type = np.where(rows.is_record, rows.of("io_type"), 0)
    starts, ends = rows.payload("data")
    prefix = _PREFIX[io_type]
    middle = starts + prefix
    is_paired, is_sound = prefix > 0, middle <= ends
    measured = is_paired & is_sound
    middle[measured] += _lengths(rows, measured, starts, prefix)
    is_sound &= middle <= ends
    is_single = _IS_SINGLE[io_type] & (rows.of("partition") & COMPRESSED != 0)
    is_before = is_single & (rows.of("before_after") == ord("B"))
    present = (is_paired | is_before, is_paired | (is_single & ~is_before))
    before = _walk(rows, starts + prefix, np.where(is_paired, middle, ends), present[BEFORE] & is_sound)
    after = _walk(rows, middle, ends, present[AFTER] & is_sound)
    is_sound &= before.is_sound & after.is_sound
    return ImageParts((before.only(is_sound), after.only(is_sound)), present, is_sound)


def _lengths(rows: Rows, which: Array, starts: Array, prefix: Array) -> Array:
    """The length in front of a before image, of 2 or 4 bytes."""
    at, little, is_long = starts[which], rows.is_little[which], prefix[which] == 4
    first = u16_at(rows.view, at, little)
    second = u16_at(rows.view, at + 2 * is_long, little)
    return np.where(is_long, np.where(little, second << 16 | first, first << 16 | second), first)


def _walk(rows: Rows, starts: Array, ends: Array, which: Array) -> Parts:
    """The columns of these rows; of the others none."""
    return columns_in(rows.view, np.where(which, starts, 0), np.where(which, ends, 0), rows.is_little)


def _image(which: int) -> Callable[[Rows], Any]:
    def build(rows: Rows) -> Any:
        found = image_parts(rows)
        present = found.present[which] & found.is_sound
        parts = found.images[which]
        kind = IMAGE.arrow(pa)
        array = lists(kind, parts.first, _columns(rows, parts, kind.value_type), present)
        unsound = np.flatnonzero(~found.is_sound).tolist()
        return replaced(array, unsound, [_asked(rows, row, which) for row in unsound])

    return build


def _columns(rows: Rows, parts: Parts, kind: Any) -> Any:
    """Index, name, value and NULL of each column."""
    start, size = parts.start, np.minimum(parts.size, 2)
    last = len(rows.view) - 1
    has_mark = (rows.view[np.minimum(start, last)] == 0xFF) & (rows.view[np.minimum(start + 1, last)] == 0xFF)
    is_null = has_mark & (size == 2)
    values = bytes_at(rows.view, start + size, parts.size - size, ~is_null)
    arrays = [pa.array(parts.number.astype(np.int32)), _names(rows, parts), values, pa.array(is_null)]
    return pa.StructArray.from_arrays(arrays, fields=list(kind))


def _names(rows: Rows, parts: Parts) -> Any:
    """The names of columns, where a definition tells them."""
    known = _known(rows)
    pool: list[str] = []
    first, count = np.zeros((2, len(known.definitions) + 1), np.int64)
    for number, names in enumerate(map(_column_names, known.definitions)):
        first[number], count[number] = len(pool), len(names)
        pool += names
    group = known.group[parts.region]
    is_known = parts.number < count[group]
    places = np.where(is_known, first[group] + parts.number, 0)
    return pa.array(pool or [""], pa.string()).take(masked(places, is_known))


def _known(rows: Rows) -> Known:
    """The definitions of the rows with images; found once, for both images."""
    if "definitions" not in rows.walked:
        before, after = image_parts(rows).images
        rows.walked["definitions"] = definitions_of(rows, (before.counts > 0) | (after.counts > 0))
    found: Known = rows.walked["definitions"]
    return found


def _column_names(known: RowDefinition) -> list[str]:
    return [column.name for column in known.table.columns] if known.table else []


def _asked(rows: Rows, row: int, which: int) -> list[dict[str, Any]] | None:
    """The image of a row that did not come apart, as the record has it."""
    record = rows.record(row)
    try:
        images = record.images
    except TrailError as error:
        rows.source.undecodable(error)
        return None
    columns: Columns | None = None if images is None else (images.before, images.after)[which]
    if columns is None:
        return None
    names = dict(enumerate(_column_names(rows.source.definitions.of(record))))
    return [
        {"index": one.index, "name": names.get(one.index), "bytes": None if one.is_null else one.value}
        | {"is_null": one.is_null}
        for one in columns
    ]


BUILDERS = {"before": _image(BEFORE), "after": _image(AFTER)}

"""The images before and after, with names and values of their columns: for all rows together.

Which data hold which images is what :mod:`trailformat.images` says. A row that does not come apart here is asked as a
record, which tells what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from logdump.spark.column_types import IMAGE
from logdump.spark.columns.arrow_values import bytes_at, lists, replaced
from logdump.spark.columns.asked_images import AskedImages, asked_images
from logdump.spark.columns.definitions import Known, definitions_of
from logdump.spark.columns.image_values import ImageValues, ValueProblem, image_values, too_large
from logdump.spark.rows import Array, Rows
from trailformat import BadData
from trailformat.images import PREFIX_SIZES, ROW_TYPES
from trailformat.record_header import COMPRESSED
from trailformat.scan.parts import Parts, columns_in, u16_at

BEFORE, AFTER = 0, 1
SIDES = ("before", "after")
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
        array = lists(kind, parts.first, _columns(rows, parts, _values(rows, which), kind.value_type), present)
        asked = _asked(rows)
        _tell(rows, which)
        try:
            return replaced(array, list(asked), [one.images[which] for one in asked.values()])
        except pa.ArrowException:
            raise too_large(rows, "too much text for one array") from None

    return build


def _columns(rows: Rows, parts: Parts, known: ImageValues, kind: Any) -> Any:
    """Index, name, stored value, NULL and text of each column."""
    start, size = parts.start, np.minimum(parts.size, 2)
    last = len(rows.view) - 1
    has_mark = (rows.view[np.minimum(start, last)] == 0xFF) & (rows.view[np.minimum(start + 1, last)] == 0xFF)
    is_null = has_mark & (size == 2)
    values = bytes_at(rows.view, start + size, parts.size - size, ~is_null)
    arrays = [pa.array(parts.number.astype(np.int32)), known.names, values, pa.array(is_null), known.values]
    return pa.StructArray.from_arrays(arrays, fields=list(kind))


def _values(rows: Rows, which: int) -> ImageValues:
    """What the columns of an image hold; found once, for the image and for ``problems``."""
    name = f"values {which}"
    if name not in rows.walked:
        rows.walked[name] = image_values(rows, image_parts(rows).images[which], _known(rows))
    found: ImageValues = rows.walked[name]
    return found


def _known(rows: Rows) -> Known:
    """The definitions of the rows with images; found once, for both images."""
    if "definitions" not in rows.walked:
        before, after = image_parts(rows).images
        rows.walked["definitions"] = definitions_of(rows, (before.counts > 0) | (after.counts > 0))
    found: Known = rows.walked["definitions"]
    return found


def _asked(rows: Rows) -> dict[int, AskedImages]:
    """The images of the rows that did not come apart, by their numbers; found once."""
    if "asked" not in rows.walked:
        unsound = np.flatnonzero(~image_parts(rows).is_sound).tolist()
        rows.walked["asked"] = {row: asked_images(rows.record(row), rows.source.definitions) for row in unsound}
    found: dict[int, AskedImages] = rows.walked["asked"]
    return found


def value_problems(rows: Rows, which: int) -> list[ValueProblem]:
    """The values of an image that do not decode, in the order of the rows."""
    asked = [ValueProblem(row, *one) for row, images in _asked(rows).items() for one in images.problems[which]]
    return sorted([*_values(rows, which).problems, *asked], key=lambda one: one.row)


def _tell(rows: Rows, which: int) -> None:
    """Say what is null because it does not decode, unless the column ``problems`` does."""
    if rows.source.explains_nulls:
        return
    for images in _asked(rows).values():
        if images.error is not None:
            rows.source.undecodable(images.error)
    if problems := value_problems(rows, which):
        first, others = problems[0], len(problems) - 1
        more = f" ({others} more values of this batch do not decode)" if others else ""
        error = BadData(f"{SIDES[which]}.{first.column}: {first.reason}{more}")
        rows.source.undecodable(error.at(rows.source.trail.path, int(rows.of("rba")[first.row])))


BUILDERS = {"before": _image(BEFORE), "after": _image(AFTER)}

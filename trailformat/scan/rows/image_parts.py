"""The images of many rows at once, with numpy: where the columns before and after lie.

Which data hold which images is what :mod:`trailformat.records.images` says.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from trailformat.records.images import PREFIX_SIZES, ROW_TYPES
from trailformat.records.record_header import COMPRESSED
from trailformat.scan.rows.fields import Array, Fields, columns_in, u16_at

_BEFORE = ord("B")
_PREFIX = np.array([PREFIX_SIZES.get(number, 0) for number in range(256)])
_IS_SINGLE = np.array([number in ROW_TYPES for number in range(256)])


class ImageFields(NamedTuple):
    """The columns of rows.

    Attributes:
        images: before and after, a region for each row.
        present: which rows have such an image.
        is_sound: which rows come apart, those without images too.
    """

    images: tuple[Fields, Fields]
    present: tuple[Array, Array]
    is_sound: Array


class RowData(NamedTuple):
    """Rows, as arrays with a value for each.

    Attributes:
        starts, ends: int64, where their data lie in the bytes.
        io_type: 0 where a row is no record with images.
        partition, before_after: of their headers.
        little: bool, their byte order.
    """

    starts: Array
    ends: Array
    io_type: Array
    partition: Array
    before_after: Array
    little: Array


def images_in(view: Array, rows: RowData) -> ImageFields:
    """Where the columns of rows lie in ``view``."""
    prefix = _PREFIX[rows.io_type]
    middle = rows.starts + prefix
    is_paired, is_sound = prefix > 0, middle <= rows.ends
    measured = is_paired & is_sound
    middle[measured] += _lengths(view, rows, measured, prefix)
    is_sound &= middle <= rows.ends
    is_single = _IS_SINGLE[rows.io_type] & (rows.partition & COMPRESSED != 0)
    is_before = is_single & (rows.before_after == _BEFORE)
    present = (is_paired | is_before, is_paired | (is_single & ~is_before))
    before = _walk(view, rows, rows.starts + prefix, np.where(is_paired, middle, rows.ends), present[0] & is_sound)
    after = _walk(view, rows, middle, rows.ends, present[1] & is_sound)
    is_sound &= before.is_sound & after.is_sound
    return ImageFields((before.only(is_sound), after.only(is_sound)), present, is_sound)


def _lengths(view: Array, rows: RowData, which: Array, prefix: Array) -> Array:
    """The length in front of a before image, of 2 or 4 bytes."""
    at, little, is_long = rows.starts[which], rows.little[which], prefix[which] == 4
    first = u16_at(view, at, little)
    second = u16_at(view, at + 2 * is_long, little)
    return np.where(is_long, np.where(little, second << 16 | first, first << 16 | second), first)


def _walk(view: Array, rows: RowData, starts: Array, ends: Array, which: Array) -> Fields:
    """The columns of these rows; of the others none."""
    return columns_in(view, np.where(which, starts, 0), np.where(which, ends, 0), rows.little)

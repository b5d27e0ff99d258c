"""The images of many rows: offsets of the columns before and after.

Which images a record's data hold is defined in :mod:`trailformat.records.columns`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from trailformat.codec.tokens import is_known
from trailformat.native.loaded import kernels
from trailformat.native.scan.arguments import ONE
from trailformat.scan.rows.definitions import length_at
from trailformat.scan.rows.row_bytes import Array, RowBytes, RowData


class Fields(NamedTuple):
    """Tokens or columns in regions of a file; all arrays are one-dimensional.

    Attributes:
        first: int64, regions + 1 values: region n has the fields ``first[n]`` to before ``first[n + 1]``.
        number: int64, the id of a token or the index of a column.
        start, size: int64, offset in the view and size of the payload.
        is_sound: bool, by region: True if the fields fill it exactly; a region that is not sound has no fields here.
    """

    first: Array
    number: Array
    start: Array
    size: Array
    is_sound: Array

    @property
    def counts(self) -> Array:
        """Number of fields of each region."""
        return np.diff(self.first)

    @property
    def region(self) -> Array:
        """Number of the region of each field."""
        return np.repeat(np.arange(len(self.is_sound)), self.counts)

    def only(self, regions: Array) -> Fields:
        """Return the same regions, without the fields of regions that the mask excludes."""
        if regions.all():
            return self
        mask = regions[self.region]
        first = np.concatenate((np.zeros(1, np.int64), np.cumsum(np.where(regions, self.counts, 0))))
        return Fields(first, self.number[mask], self.start[mask], self.size[mask], self.is_sound)


def columns_in(view: Array, starts: Array, ends: Array, little: Array) -> Fields:
    """Return the columns in the regions from ``starts`` to ``ends`` of ``view``, bytes of the file.

    ``little`` has a bool for each region: True for little-endian. The payload of a column begins with its indicator.
    """
    return _fields(view, starts, ends, little, are_tokens=False)


def tokens_in(view: Array, starts: Array, ends: Array, little: Array) -> Fields:
    """Return the tokens in the regions; arguments as for :func:`columns_in`."""
    return _fields(view, starts, ends, little, are_tokens=True)


_IS_KNOWN = np.array([is_known(number) for number in range(256)])


def has_unknown_tokens(rows: RowBytes) -> Array:
    """Return a mask of the rows with a GGS token whose meaning is not known; damaged tokens are none."""
    return unknown_among(tokens_in(rows.view, *rows.payload("token"), rows.is_little))


def unknown_among(tokens: Fields) -> Array:
    """Return a mask of the regions with a GGS token whose meaning is not known."""
    is_unknown = ~_IS_KNOWN[tokens.number]
    if not is_unknown.any():
        return np.zeros(len(tokens.is_sound), bool)
    mask: Array = np.bincount(tokens.region[is_unknown], minlength=len(tokens.is_sound)) > 0
    return mask


def _fields(view: Array, starts: Array, ends: Array, little: Array, *, are_tokens: bool) -> Fields:
    places = [np.ascontiguousarray(column, np.int64) for column in (starts, ends)]
    orders = np.ascontiguousarray(little, np.uint8)
    data, begins, stops, order = (array.ctypes.data for array in (view, *places, orders))
    first, is_sound = np.empty(len(starts) + 1, np.int64), np.empty(len(starts), np.bool_)
    shared = (len(starts), int(are_tokens), first.ctypes.data)
    total = kernels()["count_fields"](data, begins, stops, order, *shared, is_sound.ctypes.data)
    columns = np.empty((3, total), np.int64)
    kernels()["take_fields"](data, begins, order, *shared, *(column.ctypes.data for column in columns))
    number, start, size = columns
    return Fields(first, number, start, size, is_sound)


class ImageRegions(NamedTuple):
    """Bounds of the before and after images of rows.

    Attributes:
        starts, ends: of the before and of the after image, int64 offsets; equal without an image.
        present: masks of the rows that have such an image.
        is_sound: mask of the rows whose data have room for the length before an image, and for the image.
    """

    starts: tuple[Array, Array]
    ends: tuple[Array, Array]
    present: tuple[Array, Array]
    is_sound: Array


class ImageFields(NamedTuple):
    """The columns of rows.

    Attributes:
        images: the columns of the before and the after images, a region for each row.
        present: masks of the rows that have such an image.
        is_sound: mask of the rows whose images split into columns in ascending order, rows without images included.
    """

    images: tuple[Fields, Fields]
    present: tuple[Array, Array]
    is_sound: Array


def has_columns(rows: RowBytes) -> Array:
    """Return a mask of the rows whose data are columns: one list of them, or two lists after a length."""
    data = rows.row_data
    mask: Array = (data.prefix > 0) | data.is_list
    return mask


def image_regions(view: Array, rows: RowData) -> ImageRegions:
    """Return the bounds of the images of rows in ``view``."""
    is_paired = rows.prefix > 0
    begin = rows.starts + rows.prefix
    middle, is_sound = begin.copy(), begin <= rows.ends
    if is_paired.any():
        measured = is_paired & is_sound
        middle[measured] += length_at(view, rows.starts[measured], rows.little[measured], rows.prefix[measured] == 4)
        is_sound &= middle <= rows.ends
    is_before, is_after = rows.is_list & rows.is_before, rows.is_list & ~rows.is_before
    present = is_paired | is_before, is_paired | is_after
    ends = np.where(is_before, rows.ends, middle), np.where(present[1], rows.ends, middle)
    if not is_sound.all():
        for places in (begin, middle, *ends):
            places[~is_sound] = 0
    return ImageRegions((begin, middle), ends, present, is_sound)


def images_of(rows: RowBytes) -> ImageFields:
    """Return the columns of the images of rows."""
    view, data = rows.view, rows.row_data
    regions = image_regions(view, data)
    before, after = (
        columns_in(view, *bounds, data.little) for bounds in zip(regions.starts, regions.ends, strict=True)
    )
    is_sound = regions.is_sound & _are_ascending(before) & _are_ascending(after)
    return ImageFields((before.only(is_sound), after.only(is_sound)), regions.present, is_sound)


def _are_ascending(columns: Fields) -> Array:
    """Return a mask of the sound regions whose columns ascend: none is there twice."""
    region, mask = columns.region, columns.is_sound.copy()
    mask[region[1:][(region[1:] == region[:-1]) & (columns.number[1:] <= columns.number[:-1])]] = False
    return mask


class PickedColumn(NamedTuple):
    """One column of an image of each row.

    Attributes:
        start, size: int64, its payload, which begins with the indicator; valid only where ``columns`` is ONE.
        columns: uint8: ONE, ANOTHER, SEVERAL or NO_COLUMNS of ``native.scan.arguments``.
    """

    start: Array
    size: Array
    columns: Array


class PickedColumns(NamedTuple):
    """One column of rows, in the before and after images.

    ``is_plain`` is a mask of the rows with an image that have the column at most once in each image.
    """

    images: tuple[PickedColumn, PickedColumn]
    is_plain: Array


def column_of(rows: RowBytes, wanted: Array) -> PickedColumns:
    """Return the column with the index ``wanted`` (int64, one per row) of each row, before and after."""
    view, data = rows.view, rows.row_data
    regions = image_regions(view, data)
    indexes = np.ascontiguousarray(wanted, np.int64)
    before, after = (
        _picked(view, *bounds, data.little, indexes) for bounds in zip(regions.starts, regions.ends, strict=True)
    )
    has_image = regions.is_sound & (regions.present[0] | regions.present[1])
    return PickedColumns((before, after), has_image & (before.columns <= ONE) & (after.columns <= ONE))


def _picked(view: Array, starts: Array, ends: Array, little: Array, wanted: Array) -> PickedColumn:
    places = [np.ascontiguousarray(column, np.int64) for column in (starts, ends)]
    orders, number = np.ascontiguousarray(little, np.uint8), len(wanted)
    start, size = np.zeros((2, number), np.int64)
    picked = PickedColumn(start, size, np.empty(number, np.uint8))
    given = (array.ctypes.data for array in (view, *places, orders))
    kernels()["pick_columns"](*given, number, wanted.ctypes.data, *(column.ctypes.data for column in picked))
    return picked

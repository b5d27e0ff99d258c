"""Conditions on one column of each row, decided by a kernel where the values stand in the bytes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from trailformat.scan.kernels.arguments import CONDITION_SIZE, HELD, OF_RECORD, OF_VALUE, Q_BYTES, Q_SIZE
from trailformat.scan.kernels.loaded import kernels
from trailformat.scan.rows.images import image_regions
from trailformat.scan.rows.row_bytes import Array, RowData

ANY_SIZE = 1 << 16
"""More bytes than any value has."""


class Condition(NamedTuple):
    """A condition on the values of a column, as the kernel ``hold`` takes it.

    Attributes:
        column: its index in the table.
        kind: COMPARES_… or DECODES of :mod:`trailformat.scan.kernels.arguments`, which says what the others mean.
        data: the bytes that values are compared with.
    """

    column: int
    kind: int
    is_prefixed: bool = False
    most: int = ANY_SIZE
    scale: int = 0
    shift: int = 0
    flip: int = 0
    low: int = 0
    high: int = 0
    is_negated: bool = False
    data: bytes = b""
    signs: int = 0


class ImageVerdicts(NamedTuple):
    """What the kernel says of one image of each row.

    Attributes:
        held: which rows hold.
        values: the rows whose value has to be decoded.
        starts, sizes: of the columns of these, from the beginning of the bytes.
    """

    held: Array
    values: Array
    starts: Array
    sizes: Array


class RowVerdicts(NamedTuple):
    """What the kernel says of rows: both images, and a mask of the rows whose record has to be read."""

    images: tuple[ImageVerdicts, ImageVerdicts]
    of_record: Array


def verdicts_on(view: Array, data: RowData, conditions: Sequence[Condition], chosen: Array) -> RowVerdicts:
    """The verdicts of conditions on rows whose data stand in ``view``.

    ``chosen`` is the number of the condition on each row, int64, below 0 for none.
    """
    regions = image_regions(view, data)
    chosen = np.ascontiguousarray(np.where(regions.is_sound, chosen, -1), np.int64)
    little = np.ascontiguousarray(data.little, np.uint8)
    described, texts = _described(conditions)
    of_record = ~regions.is_sound | ~(regions.present[0] | regions.present[1])
    images = []
    for starts, ends in zip(regions.starts, regions.ends, strict=True):
        verdicts, image = _of_image(view, (starts, ends, little), chosen, described)
        of_record |= verdicts == OF_RECORD
        images.append(image)
    del texts
    before, after = images
    return RowVerdicts((before, after), of_record)


def _described(conditions: Sequence[Condition]) -> tuple[Array, Array]:
    """The conditions as the kernel takes them, and their bytes, whose addresses they hold."""
    texts = np.frombuffer(b"".join(condition.data for condition in conditions) or b"\0", np.uint8)
    described = np.empty((len(conditions), CONDITION_SIZE), np.int64)
    at = texts.ctypes.data
    for row, condition in zip(described, conditions, strict=True):
        row[:Q_BYTES] = condition[:Q_BYTES]
        row[Q_BYTES], row[Q_SIZE] = at, len(condition.data)
        row[Q_SIZE + 1 :] = condition[Q_BYTES + 1 :]
        at += len(condition.data)
    return described, texts


def _of_image(
    view: Array, regions: tuple[Array, Array, Array], chosen: Array, described: Array
) -> tuple[Array, ImageVerdicts]:
    starts, ends, little = regions
    count = len(chosen)
    verdicts, places = np.empty(count, np.uint8), np.empty((count, 2), np.int64)
    places_of_rows = [np.ascontiguousarray(column, np.int64) for column in (starts, ends)]
    addresses = [array.ctypes.data for array in (view, *places_of_rows, little)]
    results = [array.ctypes.data for array in (chosen, described, verdicts, places)]
    left = kernels()["hold"](*addresses, count, *results)
    values = np.flatnonzero(verdicts == OF_VALUE) if left else np.empty(0, np.int64)
    return verdicts, ImageVerdicts(verdicts == HELD, values, *places[values].T)

"""The images in a record's data, what the row was before and is after; paired ones laid out by ``spec.paired_images``.

The two forms with a length prefix are those of the MySQL 21.3c transcript and of the real 12.2 trail.
"""

from __future__ import annotations

from typing import NamedTuple

from trailformat.codec import layout
from trailformat.codec.byte_order import ByteOrder
from trailformat.errors import BadData, CannotWrite
from trailformat.records import io_types
from trailformat.records.columns import Columns, build_columns, parse_columns
from trailformat.records.record_header import RecordHeader

PREFIX_SIZES = {io_types.PK_UPDATE: 2, io_types.UNIFIED_UPDATE: 4, io_types.UNIFIED_PK_UPDATE: 4}
"""Size of the length in front of the before image, for the types with both images."""
ROW_TYPES = frozenset({io_types.DELETE, io_types.INSERT, io_types.UPDATE, io_types.FIELD_COMP})
"""The types with one image."""


class Images(NamedTuple):
    """The columns before and after, each None where the record carries no such image.

    ``prefix_size`` is the size of the length in front of a paired before image: 0 (single image), 2 or 4 bytes.
    """

    before: Columns | None
    after: Columns | None
    prefix_size: int = 0


def parse_images(header: RecordHeader, data: bytes, order: ByteOrder) -> Images | None:
    """The images in ``data``, or None when a record of this type holds no columns.

    Raises:
        BadData: the data does not parse as its type says.
    """
    if prefix_size := PREFIX_SIZES.get(header.io_type):
        end = prefix_size + order.decode(data[:prefix_size])
        if not prefix_size <= end <= len(data):
            # the layout says what is missing
            from trailformat import spec

            layout.parse_whole(spec.paired_images(order.value, prefix_size), data, BadData, "before image")
        before, after = data[prefix_size:end], data[end:]
        return Images(parse_columns(before, order), parse_columns(after, order), prefix_size)
    if header.io_type not in ROW_TYPES or not header.is_compressed:
        return None
    columns = parse_columns(data, order)
    return Images(columns, None) if header.is_before else Images(None, columns)


def build_images(images: Images, order: ByteOrder) -> bytes:
    """The data of a record with these images.

    Raises:
        CannotWrite: two images and no length between them, or a part that does not fit.
    """
    if not images.prefix_size:
        if images.before and images.after:
            raise CannotWrite("a record with two images needs a length before the first", expected="2 or 4 bytes")
        return build_columns(images.before or images.after or (), order)
    from trailformat import spec

    both = {"before": build_columns(images.before or (), order), "after": build_columns(images.after or (), order)}
    return layout.build(spec.paired_images(order.value, images.prefix_size), both, "before image")

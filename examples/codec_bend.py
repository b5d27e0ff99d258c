"""The codec alone, bending: a copy of a trail file in which the values of one column are others, for a test.

    python examples/codec_bend.py fixtures/trails/et000000000 /tmp/xt000000000 TEAHOUSE.TEAS ORIGIN Kyoto

Lengths follow: records after a changed one move. Everything else is copied byte for byte.
"""

from __future__ import annotations

import sys

from trailformat import Column, Images, Record, TrailFile, TrailWriter, encode_value, make_column, make_record
from trailformat.trail.row_definitions import RowDefinition, RowDefinitions


def bend(source: str, target: str, table: str, column: str, text: str) -> int:
    """Write the copy; return the number of records that are not as they were."""
    bent = 0
    with TrailFile(source) as trail, TrailWriter(target, order=trail.order) as writer:
        definitions = RowDefinitions(trail)
        for record in trail.records():
            if record.is_file_header or record.images is None or trail.name_of(record) != table:
                writer.write(record)
                continue
            other = _bent(record, definitions.of(record), column, text)
            bent += not other.has_bytes_of(record)
            writer.write(other)
    return bent


def _bent(record: Record, row: RowDefinition, name: str, text: str) -> Record:
    def other(column: Column) -> Column:
        definition = row.column(column.index)
        if definition is None or definition.name != name or column.is_null:
            return column
        return make_column(column.index, encode_value(text, definition, record.order, row.charset))

    images = record.images
    if images is None:
        return record
    sides = [None if side is None else tuple(map(other, side)) for side in (images.before, images.after)]
    user_tokens = record.payload("U") or b""
    return make_record(
        record.header, Images(sides[0], sides[1], images.prefix_size), record.gg_tokens, user_tokens, record.order
    )


if __name__ == "__main__":
    sys.stdout.write(f"{bend(*sys.argv[1:6])} records are others\n")

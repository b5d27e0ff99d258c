"""The codec alone, writing: a trail with a table, its definition and a transaction of two inserts.

    python examples/codec_write.py /tmp/tt000000000

The file appears under its name when all of it is written.
"""

from __future__ import annotations

import sys

from trailformat import Images, TrailWriter, encode_value, make_column, make_header, make_token
from trailformat.codec.byte_order import ByteOrder
from trailformat.definitions.metadata import ColumnDefinition, TableDefinition, build_table
from trailformat.records.record_header import COMPRESSED, FIRST, INSERT, LAST, METADATA, NAME_IS_INDEX, name_field

ORDER = ByteOrder.BIG
TEA = ColumnDefinition("TEA", 64, 20, 20, 20, 0, 0, 0, -1, 1, 0, 0, 0, 0, 0, 0x23)
TEAS = ("Sencha", "Assam")
TIME = 212577132600000000
"""2024-03-14 09:30:00 GMT, in microseconds since the Julian epoch."""


def write(path: str) -> None:
    """Write the trail."""
    with TrailWriter(path, order=ORDER) as writer:
        definition = make_header(
            METADATA, orig_node=2, audit_rba=0x10001, io_time=TIME, name_field=name_field("SHOP.TEAS", ORDER)
        )
        writer.write_values(definition, build_table(TableDefinition(1, 1, (TEA,)), ORDER))
        for tea, place in zip(TEAS, (FIRST, LAST), strict=True):
            row = make_header(
                INSERT,
                partition=COMPRESSED | NAME_IS_INDEX,
                orig_node=255,
                io_time=TIME,
                trans_ind=place,
                name_field=name_field(1, ORDER),
            )
            tokens = [make_token("L", b"41882317"), make_token("6", b"5.4.8801")] if place == FIRST else []
            column = make_column(0, encode_value(tea, TEA, ORDER))
            record = writer.write_values(row, Images(None, (column,)), tokens)
            sys.stdout.write(f"RBA {record.rba}: {tea}\n")


if __name__ == "__main__":
    write(sys.argv[1])

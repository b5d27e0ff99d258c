"""The codec alone, reading: what happened to each row of a table, from the records of a trail file.

    python examples/codec_read.py fixtures/trails/et000000000 TEAHOUSE.SALES

It needs no command of Logdump: ``trailformat`` finds records, decodes headers, images and values.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from trailformat import TrailFile, decode_value, io_type_name
from trailformat.trail.row_definitions import RowDefinitions


def changes(path: str, table: str) -> Iterator[str]:
    """Yield a line for each change of a table: RBA, type, and the columns after it."""
    with TrailFile(path) as trail:
        definitions = RowDefinitions(trail)
        for record in trail.records(trail.first_rba):
            if trail.name_of(record) != table or record.images is None:
                continue
            row = definitions.of(record)
            columns = record.images.after or record.images.before or ()
            values = [
                decode_value(column, row.column(column.index), record.order, row.charset).text for column in columns
            ]
            yield f"{record.rba} {io_type_name(record.header.io_type)} {', '.join(values)}"


if __name__ == "__main__":
    for line in changes(sys.argv[1], sys.argv[2]):
        sys.stdout.write(f"{line}\n")

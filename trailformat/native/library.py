"""The kernels that are compiled together; imported to build the library, and to run them interpreted."""

from __future__ import annotations

from trailformat.native.arrays.bytes import drop_high_bytes, join_runs, unmarked
from trailformat.native.arrays.columns import make_columns
from trailformat.native.arrays.lines import count_lines, write_lines
from trailformat.native.arrays.shortening import spell_short_values
from trailformat.native.arrays.spelling import spell_values
from trailformat.native.scan.columns import count_fields, locate, pick_columns, take_fields
from trailformat.native.scan.counts import count, count_rows
from trailformat.native.scan.fill import fill
from trailformat.native.scan.frames import find_metadata, next_frame, read_headers
from trailformat.native.scan.measure import measure
from trailformat.native.scan.search import find
from trailformat.native.scan.tokens import gather, mark_rows, own_tokens

KERNELS = (
    fill,
    count,
    count_rows,
    find,
    next_frame,
    own_tokens,
    gather,
    mark_rows,
    count_fields,
    take_fields,
    pick_columns,
    locate,
    measure,
    read_headers,
    find_metadata,
    unmarked,
    make_columns,
    drop_high_bytes,
    write_lines,
    join_runs,
    spell_values,
    spell_short_values,
    count_lines,
)

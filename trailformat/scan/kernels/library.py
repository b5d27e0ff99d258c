"""The kernels that are compiled together for the scan and for rows; loaded only to build the library."""

from __future__ import annotations

from trailformat.scan.kernels.columns import count_fields, locate, take_fields
from trailformat.scan.kernels.counts import count
from trailformat.scan.kernels.fill import fill
from trailformat.scan.kernels.headers import read_headers
from trailformat.scan.kernels.own_tokens import gather, own_tokens
from trailformat.scan.kernels.resync import next_frame
from trailformat.scan.kernels.search import find
from trailformat.scan.kernels.tokens import mark_rows

KERNELS = (
    fill,
    count,
    find,
    next_frame,
    own_tokens,
    gather,
    mark_rows,
    count_fields,
    take_fields,
    locate,
    read_headers,
)

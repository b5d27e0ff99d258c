"""LOGCSN and TRANID in the tokens of rows, as machine code.

``data`` is the address where the byte at RBA 0 would stand; the caller has seen to it that the bytes of every row are
there. Every load lies inside of the payload of ``T`` whose place is in the batch.
"""

from __future__ import annotations

from typing import Any

from trailformat.native.constants import KIND_RECORD, LOGCSN, MOST_FIELDS, TRANID
from trailformat.native.loads import AHEAD, fetch, i64, inlined, store8, store64, u8
from trailformat.native.scan.arguments import ABSENT, T_KIND
from trailformat.native.scan.tokens import area_of, next_token


@inlined
def _own(data: int, at: int, stop: int, little: int) -> Any:
    """Place and size of the first LOGCSN and the first TRANID in the payload of ``T``; none when it is damaged."""
    csn_at, csn_size, xid_at, xid_size = 0, ABSENT, 0, ABSENT
    for _ in range(MOST_FIELDS):
        if at >= stop:
            break
        token, at, size = next_token(data, at, stop, little)
        if token == LOGCSN and csn_size == ABSENT:
            csn_at, csn_size = at, size
        elif token == TRANID and xid_size == ABSENT:
            xid_at, xid_size = at, size
        at += size
    if at != stop:
        csn_at, csn_size, xid_at, xid_size = 0, ABSENT, 0, ABSENT
    return csn_at, csn_size, xid_at, xid_size


def own_tokens(data: int, columns: int, rows: int, found: int) -> int:
    """Fill ``found``, int64[4, rows], with place and size of LOGCSN, place and size of TRANID; returns ``rows``.

    ``columns``: see :mod:`.arguments`; what is no record has no tokens.
    """
    kinds = i64(columns, 8 * T_KIND)
    for row in range(rows):
        own = 0, ABSENT, 0, ABSENT
        if u8(kinds, row) == KIND_RECORD:
            fetch(data, area_of(columns, min(row + AHEAD, rows - 1))[0])
            at, stop, little = area_of(columns, row)
            own = _own(data, at, stop, little)
        store64(found, 8 * row, own[0])
        store64(found, 8 * (rows + row), own[1])
        store64(found, 8 * (2 * rows + row), own[2])
        store64(found, 8 * (3 * rows + row), own[3])
    return rows


def gather(data: int, places: int, sizes: int, starts: int, count: int, out: int) -> int:
    """Copy the bytes at the places, of the sizes, to ``out`` from the starts on; sizes below 0 are passed over."""
    for number in range(count):
        at, start = i64(places, 8 * number), i64(starts, 8 * number)
        for place in range(i64(sizes, 8 * number)):
            store8(out, start + place, u8(data, at + place))
    return count

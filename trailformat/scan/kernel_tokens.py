"""Tokens in the payload of ``T``, in the kernels. ``data`` is an address; every load lies before ``stop``."""

from __future__ import annotations

from typing import Any

from numba import njit

from trailformat.layout import MOST
from trailformat.scan.kernel_loads import CACHE, u8, u16, u32
from trailformat.tokens import UNSET, WIDE


@njit(cache=CACHE, nogil=True, forceinline=True)
def next_token(data: int, at: int, stop: int, little: int) -> Any:
    """Id of the token at ``at``, place and size of its payload; -1 and a place behind ``stop`` where none fits."""
    if at + 4 <= stop:
        info = u8(data, at + 1)
        if info & WIDE == 0 or info == UNSET:
            return u8(data, at), at + 4, u16(data, at + 2, little)
        if at + 6 <= stop:
            return u8(data, at), at + 6, u32(data, at + 2, little)
    return -1, stop + 1, 0


@njit(cache=CACHE, nogil=True)
def mark_rows(data: int, orders: Any, rbas: Any, tokens: Any, token_id: int, marks: Any) -> None:
    """Set ``marks``, uint8, to 1 for the rows with such a token in an undamaged ``T``, else to 0."""
    offsets, sizes = tokens
    for row in range(len(rbas)):
        marks[row] = 0
        if sizes[row] == 0:
            continue
        at = int(rbas[row]) + int(offsets[row])
        stop = at + int(sizes[row])
        is_there = False
        for _ in range(MOST):
            if at >= stop:
                break
            token, at, size = next_token(data, at, stop, int(orders[row]))
            is_there |= token == token_id
            at += size
        marks[row] = is_there and at == stop

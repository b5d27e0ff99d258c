"""Integers of any alignment and byte order out of mapped bytes, for the kernels. Nothing here checks bounds.

``data`` is an address, int64, ``at`` an offset from it, int64, ``little`` is 0 or 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import config, njit, types
from numba.extending import intrinsic

CACHE = bool(config.CACHE_DIR)
"""Whether numba keeps what it compiles; see numba_cache."""


def _loader(bits: int) -> Any:
    @intrinsic
    def load(_context: Any, data: Any, at: Any) -> Any:  # noqa: ARG001 - numba matches them by name
        def generate(_context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            word = _context.get_value_type(signature.return_type)
            pointer = builder.inttoptr(builder.add(*arguments), word.as_pointer())
            return builder.load(pointer, align=1)

        return getattr(types, f"uint{bits}")(types.int64, types.int64), generate

    return load


load64 = _loader(64)
_load32 = _loader(32)
_load16 = _loader(16)
_load8 = _loader(8)
"""The little-endian integer at an offset, aligned or not."""


@njit(cache=CACHE, nogil=True)
def _swapped64(word: Any) -> Any:
    high = np.uint64(0x00FF00FF00FF00FF)
    word = ((word >> np.uint64(8)) & high) | ((word & high) << np.uint64(8))
    high = np.uint64(0x0000FFFF0000FFFF)
    word = ((word >> np.uint64(16)) & high) | ((word & high) << np.uint64(16))
    return (word >> np.uint64(32)) | (word << np.uint64(32))


@njit(cache=CACHE, nogil=True)
def u64(data: int, at: int, little: int) -> Any:
    """Eight bytes as an unsigned integer."""
    word = load64(data, at)
    return word if little else _swapped64(word)


@njit(cache=CACHE, nogil=True)
def u32(data: int, at: int, little: int) -> Any:
    """Four bytes as an unsigned integer."""
    word = np.int64(_load32(data, at))
    if little:
        return word
    return (word >> 24) | ((word >> 8) & 0xFF00) | ((word << 8) & 0xFF0000) | ((word << 24) & 0xFF000000)


@njit(cache=CACHE, nogil=True)
def u16(data: int, at: int, little: int) -> Any:
    """Two bytes as an unsigned integer."""
    word = np.int64(_load16(data, at))
    return word if little else (word >> 8) | ((word << 8) & 0xFF00)


@njit(cache=CACHE, nogil=True)
def u8(data: int, at: int) -> Any:
    """The byte at an offset."""
    return np.int64(_load8(data, at))

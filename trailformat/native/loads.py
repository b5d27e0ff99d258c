"""Integers of any alignment and byte order, loaded from bytes and stored into columns. No bounds are checked.

``data`` is an address, int64, ``at`` an offset from it, int64, ``little`` is 0 or 1. These functions serve interpreted
kernels; kernels are compiled with the functions of the same name in :mod:`.intrinsics`.

Numbers are Python's, which do not wrap around; a kernel that relies on 64 bits converts them to numpy's. The bytes of
texts are words in little-endian order (``load64``, ``put64``), a kernel's own numbers are in the machine's order.
"""

from __future__ import annotations

import ctypes
import struct
import sys
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

AHEAD = 6
"""Number of rows by which the bytes of scattered rows are prefetched."""
_MEMORY = memoryview((ctypes.c_ubyte * sys.maxsize).from_address(0)).cast("B")
"""The memory of this process, indexed by address."""
_WORD = (1 << 64) - 1
_BIG_16, _BIG_32, _BIG_64 = (struct.Struct(">" + code).unpack_from for code in "HIQ")
_LITTLE_16, _LITTLE_32, _LITTLE_64 = (struct.Struct("<" + code).unpack_from for code in "HIQ")
_OWN_I32, _OWN_U32, _OWN_I64, _OWN_U64 = (struct.Struct("=" + code).unpack_from for code in "iIqQ")
_PUT_16, _PUT_32, _PUT_64 = (struct.Struct("=" + code).pack_into for code in "HIQ")
_PUT_LITTLE_64 = struct.Struct("<Q").pack_into
Function = TypeVar("Function", bound=Callable[..., Any])


def inlined(function: Function) -> Function:
    """Return the function unchanged; when compiled, it is inlined into the kernels that call it."""
    return function


def fetch(data: Any, at: Any) -> None:
    """Prefetch the byte at an offset into the cache, when compiled; the address need not be valid."""


def u8(data: Any, at: Any) -> Any:
    """Return the byte at an offset."""
    return _MEMORY[data + at]


def u16(data: Any, at: Any, little: int) -> Any:
    """Return two bytes as an unsigned integer."""
    return (_LITTLE_16 if little else _BIG_16)(_MEMORY, data + at)[0]


def u32(data: Any, at: Any, little: int) -> Any:
    """Return four bytes as an unsigned integer."""
    return (_LITTLE_32 if little else _BIG_32)(_MEMORY, data + at)[0]


def u64(data: Any, at: Any, little: int) -> Any:
    """Return eight bytes as an unsigned integer."""
    return np.uint64((_LITTLE_64 if little else _BIG_64)(_MEMORY, data + at)[0])


def load64(data: Any, at: Any) -> Any:
    """Return eight bytes of a text as an unsigned word, the first byte lowest."""
    return np.uint64(_LITTLE_64(_MEMORY, data + at)[0])


def put64(data: Any, at: Any, word: Any) -> None:
    """Store a word at an offset, its lowest byte first."""
    _PUT_LITTLE_64(_MEMORY, data + at, int(word))


def i32(data: Any, at: Any) -> Any:
    """Return the signed 32-bit integer at an offset, in the machine's byte order."""
    return _OWN_I32(_MEMORY, data + at)[0]


def n32(data: Any, at: Any) -> Any:
    """Return the unsigned 32-bit integer at an offset, in the machine's byte order."""
    return _OWN_U32(_MEMORY, data + at)[0]


def i64(data: Any, at: Any) -> Any:
    """Return the signed 64-bit integer at an offset, in the machine's byte order."""
    return _OWN_I64(_MEMORY, data + at)[0]


def n64(data: Any, at: Any) -> Any:
    """Return the unsigned 64-bit integer at an offset, in the machine's byte order."""
    return np.uint64(_OWN_U64(_MEMORY, data + at)[0])


def store8(data: Any, at: Any, value: Any) -> None:
    """Store the low 8 bits of a number at an offset."""
    _MEMORY[data + at] = int(value) & 0xFF


def store16(data: Any, at: Any, value: Any) -> None:
    """Store the low 16 bits of a number at an offset, in the machine's byte order."""
    _PUT_16(_MEMORY, data + at, int(value) & 0xFFFF)


def store32(data: Any, at: Any, value: Any) -> None:
    """Store the low 32 bits of a number at an offset, in the machine's byte order."""
    _PUT_32(_MEMORY, data + at, int(value) & 0xFFFFFFFF)


def store64(data: Any, at: Any, value: Any) -> None:
    """Store the low 64 bits of a number at an offset, in the machine's byte order."""
    _PUT_64(_MEMORY, data + at, int(value) & _WORD)

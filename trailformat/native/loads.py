"""Integers of any alignment and byte order out of bytes, and into columns, for kernels. Nothing here checks bounds.

``data`` is an address, int64, ``at`` an offset from it, int64, ``little`` is 0 or 1. These functions serve kernels that
run interpreted; the build has kernels compiled with their twins in :mod:`.intrinsics`.

Numbers are Python's, which do not wrap around; where a kernel relies on 64 bits it makes them numpy's. The bytes of
texts are words in little-endian order (``load64``, ``put64``), a kernel's own numbers are in the order of the machine.
"""

from __future__ import annotations

import ctypes
import struct
import sys
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

AHEAD = 6
"""The bytes of rows that stand far from each other are fetched so many rows before they are read."""
_MEMORY = memoryview((ctypes.c_ubyte * sys.maxsize).from_address(0)).cast("B")
"""The memory of this process: the byte at each address."""
_WORD = (1 << 64) - 1
_BIG_16, _BIG_32, _BIG_64 = (struct.Struct(">" + code).unpack_from for code in "HIQ")
_LITTLE_16, _LITTLE_32, _LITTLE_64 = (struct.Struct("<" + code).unpack_from for code in "HIQ")
_OWN_I32, _OWN_U32, _OWN_I64, _OWN_U64 = (struct.Struct("=" + code).unpack_from for code in "iIqQ")
_PUT_16, _PUT_32, _PUT_64 = (struct.Struct("=" + code).pack_into for code in "HIQ")
_PUT_LITTLE_64 = struct.Struct("<Q").pack_into
Function = TypeVar("Function", bound=Callable[..., Any])


def inlined(function: Function) -> Function:
    """A function that kernels call, as a part of them where they are compiled."""
    return function


def fetch(data: Any, at: Any) -> None:
    """Have the byte at an offset brought into the cache, for one that is read soon; it need not be there."""


def u8(data: Any, at: Any) -> Any:
    """The byte at an offset."""
    return _MEMORY[data + at]


def u16(data: Any, at: Any, little: int) -> Any:
    """Two bytes as an unsigned integer."""
    return (_LITTLE_16 if little else _BIG_16)(_MEMORY, data + at)[0]


def u32(data: Any, at: Any, little: int) -> Any:
    """Four bytes as an unsigned integer."""
    return (_LITTLE_32 if little else _BIG_32)(_MEMORY, data + at)[0]


def u64(data: Any, at: Any, little: int) -> Any:
    """Eight bytes as an unsigned integer."""
    return np.uint64((_LITTLE_64 if little else _BIG_64)(_MEMORY, data + at)[0])


def load64(data: Any, at: Any) -> Any:
    """Eight bytes of a text as an unsigned word, the first byte lowest."""
    return np.uint64(_LITTLE_64(_MEMORY, data + at)[0])


def put64(data: Any, at: Any, word: Any) -> None:
    """Put a word at an offset, its lowest byte first."""
    _PUT_LITTLE_64(_MEMORY, data + at, int(word))


def i32(data: Any, at: Any) -> Any:
    """A number of a kernel's own, half a word, with its sign."""
    return _OWN_I32(_MEMORY, data + at)[0]


def n32(data: Any, at: Any) -> Any:
    """The same without a sign."""
    return _OWN_U32(_MEMORY, data + at)[0]


def i64(data: Any, at: Any) -> Any:
    """A number of a kernel's own, a word."""
    return _OWN_I64(_MEMORY, data + at)[0]


def n64(data: Any, at: Any) -> Any:
    """The same without a sign."""
    return np.uint64(_OWN_U64(_MEMORY, data + at)[0])


def store8(data: Any, at: Any, value: Any) -> None:
    """Put the low bits of a number of a kernel's own at an offset."""
    _MEMORY[data + at] = int(value) & 0xFF


def store16(data: Any, at: Any, value: Any) -> None:
    """See store8."""
    _PUT_16(_MEMORY, data + at, int(value) & 0xFFFF)


def store32(data: Any, at: Any, value: Any) -> None:
    """See store8."""
    _PUT_32(_MEMORY, data + at, int(value) & 0xFFFFFFFF)


def store64(data: Any, at: Any, value: Any) -> None:
    """See store8."""
    _PUT_64(_MEMORY, data + at, int(value) & _WORD)

"""The addresses of what kernels are given."""

from __future__ import annotations

import ctypes
from array import array


def address_of(numbers: array[int]) -> int:
    """The address of the numbers, valid until one is appended."""
    return numbers.buffer_info()[0]


def address_of_bytes(data: bytes) -> int:
    """The address of bytes, valid as long as they are referred to."""
    return ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p).value or 0

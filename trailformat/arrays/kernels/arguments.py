"""The arguments of the kernels of arrays: addresses and numbers, int64."""

from __future__ import annotations

C_DATA, C_STARTS, C_SIZES, C_LITTLE, C_ROWS, C_WIDE, C_PREFIXED, C_MOST, COLUMN_SIZE = range(9)
"""Places in the description of a column, int64[COLUMN_SIZE].

The values stand at STARTS from the address DATA and have SIZES, below 0: none; both are arrays of ROWS int64 where WIDE
is set, else of int32; LITTLE uint8[ROWS] is the byte order of each. With PREFIXED each value begins with its own length
in 2 bytes. None has more than MOST bytes besides.
"""
MISSING_SHIFT = 32
"""A kernel that takes values returns the number of rows without one, shifted by this, plus the number of those among
them that must be decoded one by one."""
SPARE = 8
"""Bytes of a word: so many more than it needs the result of ``gather_bytes`` has."""
ANY_BYTES, NUMBERS = range(2)
"""Forms of values: bytes; numbers as Python writes them, without exponent."""

"""Parts of an index as what JSON can hold, and back; what comes back is checked."""

from __future__ import annotations

import sys
from array import array
from base64 import b64decode, b64encode
from typing import Any

_MOST = 1 << 62


def pack_column(column: array[int]) -> str:
    """A column as base64 of its little-endian bytes."""
    if sys.byteorder == "big":
        column = array(column.typecode, column)
        column.byteswap()
    return b64encode(column.tobytes()).decode("ascii")


def unpack_column(text: Any, code: str) -> array[int]:
    """The column of an array type code. Raises ValueError or TypeError."""
    column = array(code)
    column.frombytes(b64decode(text, validate=True))
    if sys.byteorder == "big":
        column.byteswap()
    return column


def number(value: Any) -> int:
    """A whole number in either direction that fits a column. Raises ValueError."""
    if type(value) is not int or not -_MOST <= value <= _MOST:
        raise ValueError("not a number")
    return value


def count(value: Any) -> int:
    """A number that is not negative. Raises ValueError."""
    if number(value) < 0:
        raise ValueError("negative")
    return int(value)


def text(value: Any) -> str:
    """A text. Raises ValueError."""
    if type(value) is not str:
        raise ValueError("not a text")
    return value

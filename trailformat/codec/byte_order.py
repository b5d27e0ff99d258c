"""The two byte orders of a trail.

A trail of a big-endian writer and one of a little-endian writer differ only in the order of lengths, header integers
and column indexes; the file header is big-endian in both (Logdump transcripts of 11.1 to 21c).
"""

from __future__ import annotations

import enum
from typing import Literal

from trailformat.errors import CannotWrite


class ByteOrder(enum.Enum):
    """BIG or LITTLE; the value is the prefix for ``struct`` and for the layouts of ``spec``."""

    BIG = ">"
    LITTLE = "<"

    def __init__(self, prefix: str) -> None:
        self.word: Literal["big", "little"] = "big" if prefix == ">" else "little"
        """The name for ``int.from_bytes``."""

    __hash__ = object.__hash__  # members are dict keys in every walk over records; Enum's own hash is slow Python

    @property
    def other(self) -> ByteOrder:
        """The opposite byte order."""
        return ByteOrder.LITTLE if self is ByteOrder.BIG else ByteOrder.BIG

    def decode(self, data: bytes) -> int:
        """Return the unsigned integer in all bytes of ``data``."""
        return int.from_bytes(data, self.word)

    def encode(self, value: int, size: int) -> bytes:
        """Return ``value`` as ``size`` bytes.

        Raises:
            CannotWrite: it is negative or too large.
        """
        try:
            return value.to_bytes(size, self.word)
        except OverflowError as error:
            raise CannotWrite("number does not fit", expected=f"{size} bytes", found=str(value)) from error

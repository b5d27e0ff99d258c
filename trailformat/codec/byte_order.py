"""The two byte orders of a trail.

A trail from a big-endian writer and one from a little-endian writer are alike but for the order of lengths, header
integers and column indexes; the file header is big-endian in both (Logdump transcripts of 11.1 to 21c).
"""

from __future__ import annotations

import enum
from typing import Literal

from trailformat.errors import CannotWrite


class ByteOrder(enum.Enum):
    """BIG or LITTLE; the value is what ``struct`` and the layouts of ``spec`` take."""

    BIG = ">"
    LITTLE = "<"

    def __init__(self, prefix: str) -> None:
        self.word: Literal["big", "little"] = "big" if prefix == ">" else "little"
        """The name that ``int.from_bytes`` takes."""

    __hash__ = object.__hash__  # a member is a key in every walk over records; Enum's own hash is slow Python

    @property
    def other(self) -> ByteOrder:
        """The opposite byte order."""
        return ByteOrder.LITTLE if self is ByteOrder.BIG else ByteOrder.BIG

    def decode(self, data: bytes) -> int:
        """The unsigned integer that all of ``data`` spells."""
        return int.from_bytes(data, self.word)

    def encode(self, value: int, size: int) -> bytes:
        """``value`` as ``size`` bytes.

        Raises:
            CannotWrite: it is negative or too large.
        """
        try:
            return value.to_bytes(size, self.word)
        except OverflowError as error:
            raise CannotWrite("number does not fit", expected=f"{size} bytes", found=str(value)) from error

"""INT16, INT32, INT64: an integer of that width anywhere in the record data, at every byte offset.

Integers of columns are big-endian in every trail, so this order is always tried; lengths and indexes are in the order
of the file, so a little-endian file is searched in that order too. A negative number is its two's complement. (Ours;
the sources say only "16-bit integer".)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from logdump.filters.criterion import Criterion, Needs, Option
from logdump.filters.needle import Needle
from logdump.filters.words import whole_number
from logdump.notation.times import TimeOffset
from trailformat import ByteOrder

if TYPE_CHECKING:
    from logdump.filters.rows import FilterRows, Mask


@dataclass(frozen=True)
class Integer(Criterion):
    """An integer of ``size`` bytes in the record data."""

    value: int
    size: ClassVar[int]
    uses: ClassVar[Needs] = Needs.DATA

    def mask(self, rows: FilterRows) -> Mask:
        """Return the rows whose data contain the integer, big-endian or in the order of the file."""
        big, little = (
            rows.with_bytes(Needle(order.encode(self.value % (1 << 8 * self.size), self.size)))
            for order in (ByteOrder.BIG, ByteOrder.LITTLE)
        )
        return big | (little & rows.is_little)

    def describe(self) -> list[tuple[str, ...]]:
        """Return the number."""
        return [(str(self.value),)]


@dataclass(frozen=True)
class Int16(Integer):
    """FILTER INT16: a 2-byte integer in the record data."""

    keyword: ClassVar[str] = "INT16"
    label: ClassVar[str] = "INT16"
    size: ClassVar[int] = 2


@dataclass(frozen=True)
class Int32(Integer):
    """FILTER INT32: a 4-byte integer in the record data."""

    keyword: ClassVar[str] = "INT32"
    label: ClassVar[str] = "INT32"
    size: ClassVar[int] = 4


@dataclass(frozen=True)
class Int64(Integer):
    """FILTER INT64: an 8-byte integer in the record data."""

    keyword: ClassVar[str] = "INT64"
    label: ClassVar[str] = "INT64"
    size: ClassVar[int] = 8


def _parse(kind: type[Integer], text: str, _offset: TimeOffset) -> Criterion:
    bits = 8 * kind.size
    return kind(whole_number(text, -(1 << bits - 1), (1 << bits) - 1))


OPTIONS = tuple(
    Option(
        kind.keyword,
        f"{kind.keyword} <{8 * kind.size}-bit integer>",
        f"{8 * kind.size}-bit integer anywhere in the record data",
        f"{kind.keyword} 107",
        partial(_parse, kind),
        Needs.DATA,
    )
    for kind in (Int16, Int32, Int64)
)

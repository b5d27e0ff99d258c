"""Damage to the bytes of a file, with the bytes that it touches."""

from __future__ import annotations

from typing import NamedTuple

from tests.searching import Random

KINDS = ("flip", "zero", "drop", "insert", "cut", "overwrite")
_PAGE = 512


class Damage(NamedTuple):
    """Damaged bytes, and the range of the sound ones that it touches; an insertion touches what lies around it."""

    data: bytes
    start: int
    stop: int

    def touches(self, start: int, stop: int) -> bool:
        """Whether bytes from one place to before another are concerned."""
        if self.start == self.stop:
            return start < self.start < stop
        return start < self.stop and self.start < stop


def damaged(random: Random, data: bytes, kind: str, at: int) -> Damage:
    """Bytes with damage of a kind at a place."""
    size = random.choice((1, 1, 2, 7, 40, _PAGE))
    stop = min(at + size, len(data))
    if kind == "insert":
        return Damage(data[:at] + random.randbytes(size) + data[at:], at, at)
    if kind == "cut":
        return Damage(data[:at], at, len(data))
    if kind == "drop":
        return Damage(data[:at] + data[stop:], at, stop)
    if kind == "flip":
        return Damage(data[:at] + bytes([data[at] ^ 1 << random.randrange(8)]) + data[at + 1 :], at, at + 1)
    new = bytes(stop - at) if kind == "zero" else random.randbytes(stop - at)
    return Damage(data[:at] + new + data[stop:], at, stop)

"""Blocks of records, as a pump may send them.

Records in the order of the file are packed into blocks of at most ``size`` bytes; a larger record is a block of its
own. What Extract puts into a block is not documented: 30,000 bytes are the default of its buffer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from trailformat.scan import FILE_HEADER, RECORD, Batch

DEFAULT_SIZE = 30_000


class Block(NamedTuple):
    """A range of whole records: the RBA of the first one, and the bytes of all."""

    rba: int
    length: int


def blocks_of(batches: Iterable[Batch], size: int = DEFAULT_SIZE) -> Iterator[Block]:
    """The blocks of the records of a file; damage ends one, and is in none."""
    rba = length = 0
    for batch in batches:
        for at, more, kind in zip(_listed(batch.rba), _listed(batch.length), _listed(batch.kind), strict=True):
            is_record = kind in (RECORD, FILE_HEADER)
            if length and (not is_record or length + more > size):
                yield Block(rba, length)
                length = 0
            if is_record:
                rba = at if not length else rba
                length += more
    if length:
        yield Block(rba, length)


def packed(records: Iterable[bytes], size: int = DEFAULT_SIZE) -> Iterator[bytes]:
    """Records that do not follow each other in the file, packed into blocks in the same way."""
    parts: list[bytes] = []
    length = 0
    for record in records:
        if parts and length + len(record) > size:
            yield b"".join(parts)
            parts, length = [], 0
        parts.append(record)
        length += len(record)
    if parts:
        yield b"".join(parts)


def _listed(column: Iterable[int]) -> list[int]:
    values: list[int] = column.tolist()  # type: ignore[attr-defined]  # arrays and numpy columns both have it
    return values

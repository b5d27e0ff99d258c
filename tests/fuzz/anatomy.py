"""The regions and the fields of a record, found without the code under test: tokens in tokens, columns, definitions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from trailformat.records.record_header import METADATA, PLACES

Lengths = tuple[tuple[int, int], ...]
"""Offset and size of each field that counts the bytes of a region."""
_DEEPEST = 6
_MOST = 200
_WIDE, _UNSET = 0x40, 0xFF
_H = ord("H")


class Field(NamedTuple):
    """Some bytes that mean a number; ``name`` where they are one of the header."""

    start: int
    size: int
    name: str = ""


class Region(NamedTuple):
    """A token, a column or the like, head included; ``lengths`` count it, its own last, the trailer's not included."""

    start: int
    body: int
    end: int
    lengths: Lengths


class Anatomy(NamedTuple):
    """The parts of one record."""

    raw: bytes
    is_little: bool
    fields: tuple[Field, ...]
    regions: tuple[Region, ...]
    is_definition: bool
    """Whether it is a file header or a metadata record."""

    @property
    def word(self) -> str:
        """The byte order, as int.from_bytes calls it."""
        return "little" if self.is_little else "big"


class _Part(NamedTuple):
    start: int
    length_at: int
    size: int
    body: int
    end: int


def dissect(raw: bytes, *, is_little: bool) -> Anatomy:
    """The parts of a sound record."""
    is_header = raw[:1] == b"F"
    word = "little" if is_little and not is_header else "big"
    head = 6 if _is_wide(raw[1]) else 4
    own = (2, head - 2)
    fields = [Field(0, 1), Field(1, 1), Field(*own), *(Field(len(raw) - head + at, 1) for at in (0, 1))]
    fields.append(Field(len(raw) - head + 2, head - 2))
    regions: list[Region] = []
    _look_into(raw, head, len(raw) - head, (own,), word, fields, regions, 0)
    is_definition = is_header or any(field.name == "io_type" and raw[field.start] == METADATA for field in fields)
    return Anatomy(raw, is_little, tuple(fields[:_MOST]), tuple(regions[:_MOST]), is_definition)


def _is_wide(info: int) -> bool:
    return bool(info & _WIDE) and info != _UNSET


def _look_into(
    raw: bytes, start: int, end: int, lengths: Lengths, word: str, fields: list[Field], regions: list[Region], deep: int
) -> None:
    parts = _tokens(raw, start, end, word) or (deep and _columns(raw, start, end, word)) or []
    for part in parts:
        inner = (*lengths, (part.length_at, part.size))
        regions.append(Region(part.start, part.body, part.end, inner))
        fields += [Field(at, 1) for at in range(part.start, part.length_at)]
        fields.append(Field(part.length_at, part.size))
        if deep == 0 and raw[part.start] == _H and raw[0] == ord("G"):
            fields += [Field(part.body + at, stop - at, name) for name, (at, stop) in PLACES.items()]
            fields.append(Field(part.body + 34, 2))
        elif deep < _DEEPEST and part.end > part.body:
            fields += [Field(part.body, size) for size in (1, 2, 4, 8) if part.body + size <= part.end]
            _look_into(raw, part.body, part.end, inner, word, fields, regions, deep + 1)


def _tokens(raw: bytes, start: int, end: int, word: str) -> list[_Part]:
    found: list[_Part] = []
    at = start
    while at < end:
        size = 4 if at + 1 < end and _is_wide(raw[at + 1]) else 2
        body = at + 2 + size
        stop = body + int.from_bytes(raw[at + 2 : body], word)  # type: ignore[arg-type]
        if body > end or stop > end:
            return []
        found.append(_Part(at, at + 2, size, body, stop))
        at = stop
    return found


def _columns(raw: bytes, start: int, end: int, word: str) -> list[_Part]:
    """Numbered values with their lengths, behind a length or not, or blocks behind their number."""
    for skip, number in ((0, 2), (2, 2), (4, 2), (2, 0)):
        if found := list(_chain(raw, start + skip, end, word, number)):
            return found
    return []


def _chain(raw: bytes, at: int, end: int, word: str, number: int) -> Iterator[_Part]:
    places: list[_Part] = []
    while at < end:
        body = at + number + 2
        stop = body + int.from_bytes(raw[body - 2 : body], word)  # type: ignore[arg-type]
        if body > end or stop > end or stop == body:
            return
        places.append(_Part(at, body - 2, 2, body, stop))
        at = stop
    yield from places


def resized(anatomy: Anatomy, region: Region, start: int, stop: int, new: bytes, *, counts_itself: bool) -> bytes:
    """The record with ``new`` between two places of a region; all lengths around it count what there is then.

    Args:
        counts_itself: whether the region's own length is one of them; it is not where the region goes or is doubled.
    """
    raw, word = bytearray(anatomy.raw), "big" if anatomy.raw[:1] == b"F" else anatomy.word
    more = len(new) - (stop - start)
    head = 6 if _is_wide(raw[1]) else 4
    lengths = [*(region.lengths if counts_itself else region.lengths[:-1]), (len(raw) - head + 2, head - 2)]
    for at, size in lengths:
        value = int.from_bytes(raw[at : at + size], word) + more  # type: ignore[arg-type]
        raw[at : at + size] = (value % (1 << 8 * size)).to_bytes(size, word)  # type: ignore[arg-type]
    raw[start:stop] = new
    return bytes(raw)


def widened(anatomy: Anatomy, more: bytes) -> bytes:
    """The record with lengths of four bytes in its own token and its last one, which ``more`` is added to."""
    raw, word = anatomy.raw, "big" if anatomy.raw[:1] == b"F" else anatomy.word
    head = 6 if _is_wide(raw[1]) else 4
    outer = [region for region in anatomy.regions if len(region.lengths) == 2]
    if not outer:
        return raw
    last = outer[-1]
    body = raw[last.body : last.end] + more
    token = raw[last.start : last.start + 1] + bytes([raw[last.start + 1] | _WIDE]) + len(body).to_bytes(4, word)  # type: ignore[arg-type]
    inner = raw[head : last.start] + token + body
    length = (len(inner) + 12).to_bytes(4, word)  # type: ignore[arg-type]
    info = bytes([raw[1] | _WIDE])
    return raw[:1] + info + length + inner + b"Z" + info + length


def turned(anatomy: Anatomy) -> bytes:
    """The record in the other byte order: its lengths and its header; the numbers in its data stay as they are."""
    raw = bytearray(anatomy.raw)
    if raw[:1] == b"F":
        return anatomy.raw
    head = 6 if _is_wide(raw[1]) else 4
    numbers = {(2, head - 2), (len(raw) - head + 2, head - 2), *(region.lengths[-1] for region in anatomy.regions)}
    numbers |= {(field.start, field.size) for field in anatomy.fields if field.name}
    for at, size in numbers:
        raw[at : at + size] = raw[at : at + size][::-1]
    return bytes(raw)

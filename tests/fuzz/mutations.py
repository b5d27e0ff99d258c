"""What is done to records and to bytes.

A structural mutation takes one record apart or changes their order; damage is done to the bytes of a trail, and it is
known which records it leaves intact.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import NamedTuple

from tests.fuzz.anatomy import Anatomy, Field, Region, resized, turned, widened
from tests.fuzz.seeds import Seed
from trailformat import IO_TYPES

Parts = list[Anatomy | bytes]
"""Records as they are, and the bytes of those that are not any more."""
_IO_TYPES = tuple(IO_TYPES)
_MEANT = {
    "trans_ind": (0, 1, 2, 3, 4),
    "io_type": _IO_TYPES,
    "orig_node": (0, 1, 2, 3, 255),
    "before_after": (65, 66, 0),
    "partition": (0, 4, 8, 12, 0xFF),
    "io_time": (0, 1, -1, 1 << 62, -(1 << 63), 210_866_803_200_000_000, 212_000_000_000_000_000),
    "incomplete": (0, 1, 2, 3, 255),
    "continued": (0, 1, 2, 255),
    "rec_count": (0, 1, 2, 255),
}
"""Values that mean something, by the field of the header."""
_GARBAGE = (b"G\1\0\x40H\0\0\x24E", b"F\0\0\x200\0\0\x04", b"Z\1\0\x40", b"\0" * 64, b"\xff" * 16, b"\x1b[2J\x07")
_WIDE_EVERY = 500
_WIDE_BYTES = 0x10010


class Input(NamedTuple):
    """The bytes of a trail that is tried.

    Attributes:
        kinds: what was done.
        intact: place and bytes of each record that is known to be whole; None where that is not known.
    """

    data: bytes
    kinds: tuple[str, ...]
    intact: list[tuple[int, bytes]] | None


def draw(chance: Random, seeds: Sequence[Seed]) -> Input:
    """An input made of one seed, or of several."""
    seed = chance.choice(seeds)
    records = _stretch(chance, seed)
    if seed.is_plain and chance.random() < 0.25:
        return _damaged(chance, records)
    parts: Parts = list(records)
    kinds = []
    for _ in range(chance.choice((1, 1, 1, 2, 2, 4))):
        name = chance.choice(_NAMES)
        STRUCTURAL[name](chance, parts, seeds)
        kinds.append(name)
    data = b"".join(part if isinstance(part, bytes) else part.raw for part in parts)
    if chance.random() < 0.25 and data:
        name = chance.choice(_RAW_NAMES)
        data = RAW[name](chance, data)
        kinds.append(name)
    return Input(data, tuple(kinds), None)


def _stretch(chance: Random, seed: Seed) -> list[Anatomy]:
    """All records of a seed, or a few with the file header and the definitions before them."""
    records = seed.records
    if chance.random() < 0.1:
        return list(records)
    start = chance.randrange(len(records))
    chosen = list(records[start : start + chance.randint(1, 3)])
    keep = chance.random()
    if keep < 0.4:
        return chosen
    head = [record for record in records[:start] if record.is_definition]
    return head[-1:] + chosen if keep < 0.7 else head + chosen


def _whole(chance: Random, parts: Parts) -> tuple[int, Anatomy] | None:
    """One of the records that nothing was done to."""
    places = [at for at, part in enumerate(parts) if not isinstance(part, bytes)]
    if not places:
        return None
    at = chance.choice(places)
    part = parts[at]
    assert not isinstance(part, bytes)
    return at, part


def _field(chance: Random, parts: Parts, _: Sequence[Seed]) -> None:
    """A length, an id, an index, a field of the header: another number."""
    if (found := _whole(chance, parts)) is None:
        return
    at, record = found
    data = bytearray(record.raw)
    for _time in range(chance.choice((1, 1, 1, 2, 3))):
        field = chance.choice(record.fields)
        _set(chance, data, field, record.word)
    parts[at] = bytes(data)


def _header_field(chance: Random, parts: Parts, _: Sequence[Seed]) -> None:
    """The same of the header alone: TransInd, the type, the table, the time."""
    if (found := _whole(chance, parts)) is None:
        return
    at, record = found
    fields = [field for field in record.fields if field.name] or record.fields
    data = bytearray(record.raw)
    for _time in range(chance.choice((1, 1, 2))):
        _set(chance, data, chance.choice(fields), record.word)
    parts[at] = bytes(data)


def _set(chance: Random, data: bytearray, field: Field, word: str) -> None:
    start, size = field.start, field.size
    old = int.from_bytes(data[start : start + size], word)  # type: ignore[arg-type]
    data[start : start + size] = _number(chance, old, field, len(data)).to_bytes(size, word)  # type: ignore[arg-type]


def _number(chance: Random, old: int, field: Field, length: int) -> int:
    most = (1 << 8 * field.size) - 1
    meant = _MEANT.get(field.name)
    if meant is not None and chance.random() < 0.7:
        return chance.choice(meant) & most
    return chance.choice(_NUMBERS)(chance, old, field.size, length) & most


_NUMBERS: tuple[Callable[[Random, int, int, int], int], ...] = (
    lambda chance, _old, size, _length: chance.choice((0, 1, 2, -1, -2, (1 << 8 * size - 1), (1 << 8 * size - 1) - 1)),
    lambda chance, old, _size, _length: old + chance.choice((-1, 1)),
    lambda chance, old, _size, _length: old + chance.randint(-9, 9),
    lambda chance, old, size, _length: old ^ (1 << chance.randrange(8 * size)),
    lambda chance, _old, size, _length: chance.getrandbits(8 * size),
    lambda chance, _old, _size, length: length + chance.randint(-8, 8),
    lambda chance, _old, _size, _length: chance.randint(0, 9),
)
"""Other numbers in place of one, by the bytes that it has and the length of its record."""


def _region_of(chance: Random, record: Anatomy) -> Region | None:
    return chance.choice(record.regions) if record.regions else None


def _resize(chance: Random, parts: Parts, _: Sequence[Seed]) -> None:
    """Bytes put into a token or a column, taken out or replaced, all lengths being right."""
    if (found := _whole(chance, parts)) is None or (region := _region_of(chance, found[1])) is None:
        return
    at, record = found
    start = chance.randint(region.body, region.end)
    stop = min(region.end, start + chance.choice((0, 0, 1, 2, 4, 16, 1000)))
    parts[at] = resized(record, region, start, stop, _new_bytes(chance, record.raw), counts_itself=True)


def _new_bytes(chance: Random, raw: bytes) -> bytes:
    way = chance.randrange(4)
    if way == 0:
        return b""
    if way == 1:
        return chance.randbytes(chance.choice((1, 2, 4, 40)))
    if way == 2:
        return chance.choice(_GARBAGE)
    start = chance.randrange(len(raw))
    return raw[start : start + chance.choice((2, 8, 60))]


def _token(chance: Random, parts: Parts, seeds: Sequence[Seed]) -> None:
    """A token or a column that goes, stands twice, or comes from elsewhere."""
    if (found := _whole(chance, parts)) is None or (region := _region_of(chance, found[1])) is None:
        return
    at, record = found
    own = record.raw[region.start : region.end]
    way = chance.randrange(4)
    new = (b"", own + own, own, own)[way]
    if way >= 2:
        other = chance.choice(chance.choice(seeds).records)
        foreign = _region_of(chance, other)
        new = other.raw[foreign.start : foreign.end] if foreign else b""
        if way == 3:
            new += own
    parts[at] = resized(record, region, region.start, region.end, new, counts_itself=False)


def _embed(chance: Random, parts: Parts, seeds: Sequence[Seed]) -> None:
    """A whole record in the data of another."""
    if (found := _whole(chance, parts)) is None or (region := _region_of(chance, found[1])) is None:
        return
    at, record = found
    inner = chance.choice(chance.choice(seeds).records).raw
    parts[at] = resized(record, region, region.body, region.end, inner, counts_itself=True)


def _widen(chance: Random, parts: Parts, _: Sequence[Seed]) -> None:
    """Lengths of four bytes; now and then so many bytes that they are needed."""
    if (found := _whole(chance, parts)) is None:
        return
    at, record = found
    is_large = chance.randrange(_WIDE_EVERY) == 0
    parts[at] = widened(record, bytes(_WIDE_BYTES) if is_large else b"")


def _turn(chance: Random, parts: Parts, _: Sequence[Seed]) -> None:
    """A record, or all of them, in the other byte order."""
    if (found := _whole(chance, parts)) is None:
        return
    turned_ones = [found[0]] if chance.random() < 0.5 else range(len(parts))
    for at in turned_ones:
        part = parts[at]
        parts[at] = part if isinstance(part, bytes) else turned(part)


def _drop(chance: Random, parts: Parts, _: Sequence[Seed]) -> None:
    """A record is not there."""
    if len(parts) > 1:
        del parts[chance.randrange(len(parts))]


def _double(chance: Random, parts: Parts, _: Sequence[Seed]) -> None:
    """A record stands again, there or elsewhere."""
    parts.insert(chance.randint(0, len(parts)), chance.choice(parts))


def _swap(chance: Random, parts: Parts, _: Sequence[Seed]) -> None:
    """Two records change places."""
    index, other = chance.randrange(len(parts)), chance.randrange(len(parts))
    parts[index], parts[other] = parts[other], parts[index]


def _splice(chance: Random, parts: Parts, seeds: Sequence[Seed]) -> None:
    """Records of another trail among them."""
    other = chance.choice(seeds).records
    start, at = chance.randrange(len(other)), chance.randint(0, len(parts))
    parts[at:at] = other[start : start + chance.randint(1, 3)]


def _head_and_tail(chance: Random, parts: Parts, seeds: Sequence[Seed]) -> None:
    """The first bytes of a record, the last of another."""
    at = chance.randrange(len(parts))
    part = parts[at]
    raw = part if isinstance(part, bytes) else part.raw
    other = chance.choice(chance.choice(seeds).records).raw
    parts[at] = raw[: chance.randint(0, len(raw))] + other[chance.randrange(len(other)) :]


STRUCTURAL: dict[str, Callable[[Random, Parts, Sequence[Seed]], None]] = {
    "field": _field,
    "header field": _header_field,
    "resize": _resize,
    "token": _token,
    "embed": _embed,
    "widen": _widen,
    "turn": _turn,
    "drop": _drop,
    "double": _double,
    "swap": _swap,
    "splice": _splice,
    "head and tail": _head_and_tail,
}
_NAMES = ("field", "field", "header field", "header field", "resize", "resize", "token", *STRUCTURAL)


def _cut(chance: Random, data: bytes) -> bytes:
    return data[: chance.randint(1, len(data))]


def _flip(chance: Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.choice((1, 1, 1, 2, 8))):
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def _zeros(chance: Random, data: bytes) -> bytes:
    start = chance.randrange(len(data))
    size = chance.choice((4, 16, 64, 512, 4096))
    return data[:start] + bytes(min(size, len(data) - start)) + data[start + size :]


def _insert(chance: Random, data: bytes) -> bytes:
    at = chance.randint(0, len(data))
    return data[:at] + _new_bytes(chance, data) + data[at:]


def _copy(chance: Random, data: bytes) -> bytes:
    start, at = chance.randrange(len(data)), chance.randrange(len(data))
    piece = data[start : start + chance.choice((1, 4, 30, 200))]
    return data[:at] + piece + data[at + len(piece) :]


RAW: dict[str, Callable[[Random, bytes], bytes]] = {
    "cut": _cut,
    "flip": _flip,
    "zeros": _zeros,
    "insert": _insert,
    "copy": _copy,
}
_RAW_NAMES = tuple(RAW)


def _damaged(chance: Random, records: list[Anatomy]) -> Input:
    """Stretches of bytes that are replaced by others, by zeros or by nothing; what they leave alone is intact."""
    data = b"".join(record.raw for record in records)
    intact: list[tuple[int, bytes]] = []
    place = 0
    for record in records:
        intact.append((place, record.raw))
        place += len(record.raw)
    stop = len(data)
    for _ in range(chance.choice((1, 1, 2, 3))):
        # from the last to the first, so that what lies before is where it was
        start = chance.randint(0, stop)
        end = min(stop, start + chance.choice((0, 1, 4, 30, 300)))
        new = _damage(chance, end - start)
        more = len(new) - (end - start)
        data = data[:start] + new + data[end:]
        before = [piece for piece in intact if piece[0] + len(piece[1]) <= start]
        intact = before + [(at + more, raw) for at, raw in intact if at >= end and (at, raw) not in before]
        stop = start
    return Input(data, ("damage",), intact)


def _damage(chance: Random, size: int) -> bytes:
    way = chance.randrange(4)
    if way == 0:
        return bytes(size)
    if way == 1:
        return chance.randbytes(size)
    if way == 2:
        return chance.randbytes(chance.randint(1, 40))
    return b"" if size else b"\xff"

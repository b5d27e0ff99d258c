"""Letters beyond ASCII that may replace each other: those of one alphabet, in each character set that has them all.

So the substitute of a text is the same in UTF-8, in UTF-16 and in ISO 8859-1, if that has the letters.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import NamedTuple

from trailformat.codec import charsets
from trailformat.errors import TrailError


class Kind(NamedTuple):
    """Characters that replace each other: the name of the kind, which is that of small letters too, and all of it."""

    name: bytes
    members: str


def _range(*bounds: tuple[int, int]) -> str:
    return "".join(chr(code) for first, last in bounds for code in range(first, last + 1))


_ALPHABETS = (
    Kind(b"latin", _range((0xC0, 0xD6), (0xD8, 0xDE))),
    Kind(b"latin", _range((0xE0, 0xF6), (0xF8, 0xFE))),
    Kind(b"of latin", _range((0xAA, 0xAA), (0xB5, 0xB5), (0xBA, 0xBA), (0xDF, 0xDF), (0xFF, 0xFF))),
    Kind(b"signs", _range((0xA1, 0xA9), (0xAB, 0xB4), (0xB6, 0xB9), (0xBB, 0xBF), (0xD7, 0xD7), (0xF7, 0xF7))),
    Kind(b"cyrillic", _range((0x410, 0x42F))),
    Kind(b"cyrillic", _range((0x430, 0x44F))),
    Kind(b"of cyrillic", _range((0x401, 0x40C), (0x40E, 0x40F))),
    Kind(b"of cyrillic", _range((0x451, 0x45C), (0x45E, 0x45F))),
    Kind(b"greek", _range((0x391, 0x3A1), (0x3A3, 0x3A9))),
    Kind(b"greek", _range((0x3B1, 0x3C1), (0x3C3, 0x3C9))),
    Kind(b"hebrew", _range((0x5D0, 0x5EA))),
    Kind(b"arabic", _range((0x621, 0x63A), (0x641, 0x64A))),
    Kind(b"thai", _range((0xE01, 0xE2E))),
    Kind(b"hiragana", _range((0x3041, 0x3093))),
    Kind(b"katakana", _range((0x30A1, 0x30F6))),
    Kind(b"han", _range((0x4E00, 0x9FA5))),
    Kind(b"hangul", _range((0xAC00, 0xD7A3))),
)
"""Letters of one alphabet, all of one size in a character set; there are as many capitals as small ones."""
_OTHERS = ((0xA1, 0x250), (0x370, 0x600), (0xE01, 0xE2F), (0x3041, 0x30FB), (0x4E00, 0x9FA6), (0x20000, 0x20400))
_MOST = 2048
_MOST_KEPT = 1 << 16


@cache
def _alphabet_of() -> dict[str, Kind]:
    """Return the alphabet of each letter."""
    return {letter: alphabet for alphabet in _ALPHABETS for letter in alphabet.members}


@lru_cache(_MOST_KEPT)
def kind_of(character: str, codec: str) -> Kind:
    """Return the characters that may replace one in a character set, where they have as many bytes as it."""
    own = _alphabet_of().get(character)
    for kind in (own, _others("utf-8", len(character.encode("utf-8", "surrogatepass")))):
        if kind is not None and _size_in(codec, kind) == len(charsets.encode(character, codec)):
            return kind
    return _others(codec, len(charsets.encode(character, codec)))


@cache
def _size_in(codec: str, kind: Kind) -> int:
    """Return the number of bytes of each character of a kind; 0 if they differ, or a character set lacks one."""
    sizes = {len(data) if data is not None else 0 for data in (_encoded(member, codec) for member in kind.members)}
    return sizes.pop() if len(sizes) == 1 else 0


def _encoded(character: str, codec: str) -> bytes | None:
    try:
        encoded = charsets.encode(character, codec)
        return encoded if charsets.decode(encoded, codec) == character else None
    except TrailError:
        return None


@cache
def _others(codec: str, size: int) -> Kind:
    """Return characters that a character set encodes in ``size`` bytes, at least one, at most some thousand."""
    found: list[str] = []
    for first, stop in _OTHERS:
        found += [each for each in map(chr, range(first, stop)) if len(_encoded(each, codec) or b"") == size]
        if len(found) > _MOST:
            break
    return Kind(f"{codec} {size}".encode(), "".join(found) or "?" * 2)

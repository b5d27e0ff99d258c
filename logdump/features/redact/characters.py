"""Bytes and characters that may replace each other: letters letters, digits digits, signs signs.

Letters beyond ASCII are replaced by those of their alphabet, in each character set that has them all: so the substitute
of a text is the same in UTF-8, in UTF-16 and in ISO 8859-1, if that has the letters.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np

from trailformat.codec import charsets
from trailformat.errors import TrailError

_LETTERS = (bytes(range(ord("A"), ord("Z") + 1)), bytes(range(ord("a"), ord("z") + 1)))
_DIGITS = bytes(range(ord("0"), ord("9") + 1))
_LINES = b"\t\n\r"
_PRINTABLE = bytes(range(0x21, 0x7F))
MARKS = b"\\',=()"
"""Signs that replace each other alone: the layout of DDL consists of them."""
SIGNS = bytes(byte for byte in _PRINTABLE if byte not in b"".join((*_LETTERS, _DIGITS, MARKS)))
_CONTROLS = bytes(byte for byte in (*range(1, 0x20), 0x7F) if byte not in _LINES)
_HIGH = bytes(range(0x80, 0x100))


class ByteClasses:
    """Bytes in classes: each byte is replaced by one of its class.

    Args:
        classes: the bytes of each class; classes of one number have the same digits.

    Attributes:
        of: the number of the class of each byte, for ``translate``; 0: the byte stays.
        radix, first: the size of the class of each byte, 1 if it stays; and where it begins in ``members``.
        index: the number of each byte within its class.
        members: the bytes of all classes.
    """

    def __init__(self, classes: Iterable[tuple[int, bytes]]) -> None:
        number, self.members = bytearray(256), bytearray(range(256))
        self.radix, self.first, self.index = [1] * 256, list(range(256)), [0] * 256
        for name, members in classes:
            for index, byte in enumerate(members):
                number[byte], self.radix[byte], self.index[byte] = name, len(members), index
                self.first[byte] = len(self.members)
            self.members += members
        self.of = bytes(number)
        self._radix, self._first = np.array(self.radix, np.uint32), np.array(self.first, np.intp)
        self._members = np.frombuffer(bytes(self.members), np.uint8)

    def drawn(self, data: bytes, stream: bytes) -> bytes:
        """Return other bytes of the same classes, drawn by four bytes of a stream for each."""
        places, draws = np.frombuffer(data, np.uint8), np.frombuffer(stream, np.uint32)
        return self._members[self._first[places] + draws % self._radix[places]].tobytes()


_FOLDED = [(1, letters) for letters in _LETTERS]
_OF_WORDS = [*_FOLDED, (2, _DIGITS), (4, _CONTROLS), (6, _HIGH)]
IN_TEXT = ByteClasses([*_OF_WORDS, (3, SIGNS), (5, MARKS)])
"""The classes in texts."""
IN_WORDS = ByteClasses(_OF_WORDS)
"""The classes in names: signs stay."""
DIGITS_ALONE = ByteClasses([(2, _DIGITS)])
ALL_BYTES = ByteClasses([(1, bytes(range(256)))])
BUT_ZERO = ByteClasses([(1, bytes(range(1, 256)))])


class CharacterKind(NamedTuple):
    """Characters that replace each other: the name of the kind, which is that of small letters too, and all of it."""

    name: bytes
    members: str


def _range(*bounds: tuple[int, int]) -> str:
    return "".join(chr(code) for first, last in bounds for code in range(first, last + 1))


_ALPHABETS = (
    CharacterKind(b"latin", _range((0xC0, 0xD6), (0xD8, 0xDE))),
    CharacterKind(b"latin", _range((0xE0, 0xF6), (0xF8, 0xFE))),
    CharacterKind(b"of latin", _range((0xAA, 0xAA), (0xB5, 0xB5), (0xBA, 0xBA), (0xDF, 0xDF), (0xFF, 0xFF))),
    CharacterKind(b"signs", _range((0xA1, 0xA9), (0xAB, 0xB4), (0xB6, 0xB9), (0xBB, 0xBF), (0xD7, 0xD7), (0xF7, 0xF7))),
    CharacterKind(b"cyrillic", _range((0x410, 0x42F))),
    CharacterKind(b"cyrillic", _range((0x430, 0x44F))),
    CharacterKind(b"of cyrillic", _range((0x401, 0x40C), (0x40E, 0x40F))),
    CharacterKind(b"of cyrillic", _range((0x451, 0x45C), (0x45E, 0x45F))),
    CharacterKind(b"greek", _range((0x391, 0x3A1), (0x3A3, 0x3A9))),
    CharacterKind(b"greek", _range((0x3B1, 0x3C1), (0x3C3, 0x3C9))),
    CharacterKind(b"hebrew", _range((0x5D0, 0x5EA))),
    CharacterKind(b"arabic", _range((0x621, 0x63A), (0x641, 0x64A))),
    CharacterKind(b"thai", _range((0xE01, 0xE2E))),
    CharacterKind(b"hiragana", _range((0x3041, 0x3093))),
    CharacterKind(b"katakana", _range((0x30A1, 0x30F6))),
    CharacterKind(b"han", _range((0x4E00, 0x9FA5))),
    CharacterKind(b"hangul", _range((0xAC00, 0xD7A3))),
)
"""Letters of one alphabet, all of one size in a character set; there are as many capitals as small ones."""
_OTHERS = ((0xA1, 0x250), (0x370, 0x600), (0xE01, 0xE2F), (0x3041, 0x30FB), (0x4E00, 0x9FA6), (0x20000, 0x20400))
_MOST = 2048
_MOST_KEPT = 1 << 16


@cache
def _alphabet_of() -> dict[str, CharacterKind]:
    """Return the alphabet of each letter."""
    return {letter: alphabet for alphabet in _ALPHABETS for letter in alphabet.members}


def kind_of(character: str, codec: str, classes: ByteClasses) -> CharacterKind:
    """Return the characters that may replace one in a character set, where they have as many bytes as it."""
    if not character.isascii():
        return _letters_for(character, codec)
    byte = ord(character)
    first = classes.first[byte]
    members = classes.members[first : first + classes.radix[byte]].decode("latin-1")
    return CharacterKind(b"%d" % classes.of[byte], members)


@lru_cache(_MOST_KEPT)
def _letters_for(character: str, codec: str) -> CharacterKind:
    own = _alphabet_of().get(character)
    for kind in (own, _others("utf-8", len(character.encode("utf-8", "surrogatepass")))):
        if kind is not None and _size_in(codec, kind) == len(charsets.encode(character, codec)):
            return kind
    return _others(codec, len(charsets.encode(character, codec)))


@cache
def _size_in(codec: str, kind: CharacterKind) -> int:
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
def _others(codec: str, size: int) -> CharacterKind:
    """Return characters that a character set encodes in ``size`` bytes, at least one, at most some thousand."""
    found: list[str] = []
    for first, stop in _OTHERS:
        found += [each for each in map(chr, range(first, stop)) if len(_encoded(each, codec) or b"") == size]
        if len(found) > _MOST:
            break
    return CharacterKind(f"{codec} {size}".encode(), "".join(found) or "?" * 2)

"""Text in the character sets of source databases, through Python's codecs and two that Python lacks.

CESU-8 (Oracle's character set UTF8) is UTF-8 in which a character beyond U+FFFF is two surrogates of 3 bytes each.
EBCDIC 1047 is Latin-1 of z/OS: Python's code page 037 with six bytes of its own (compared with glibc's IBM1047): ``5f``
^, ``ad`` [, ``b0`` ¬, ``ba`` Ý, ``bb`` ¨, ``bd`` ].
"""

from __future__ import annotations

import codecs
from functools import cache

from trailformat.codec.charset_numbers import BY_NAME, CHARSETS, DATABASE
from trailformat.errors import BadData, CannotWrite, TrailError

UTF_8 = "utf-8"
CESU_8 = "cesu-8"
CODE_PAGE_1047 = "cp1047"
_UNSIGNED = 1 << 32
_ASCII = bytes(range(128))
_SHIFTING = frozenset({"utf-7", "hz"})
"""In these, ASCII determines the meaning of the bytes after it."""

_DIFFERENCES = {0x5F: "^", 0xAD: "[", 0xB0: "¬", 0xBA: "Ý", 0xBB: "¨", 0xBD: "]"}
_CODE_PAGE_037 = bytes(range(256)).decode("cp037")
EBCDIC_1047 = "".join(_DIFFERENCES.get(byte, character) for byte, character in enumerate(_CODE_PAGE_037))
"""The character of each byte in EBCDIC 1047."""


def codec_of(number: int, default: str = UTF_8) -> str:
    """The codec of a character-set number; ``default`` for -1, which is that of the database.

    A set that cannot be read has a codec too, whose name says so when :func:`decode` fails on it.
    """
    number = number - _UNSIGNED if number >= _UNSIGNED >> 1 else number
    if number == DATABASE:
        return default
    charset = CHARSETS.get(number)
    return (charset.codec or f"character set {charset.name}") if charset else f"character set {number}"


def charset_name(number: int) -> str:
    """The name of a character set as definitions print it; its number when it has none."""
    charset = CHARSETS.get(number)
    return charset.name if charset else str(number)


def codec_named(name: str) -> str | None:
    """The codec of a name such as ``windows-1252``, ``we8mswin1252`` or one that Python knows; None for any other."""
    number = BY_NAME.get(name.upper())
    if number is not None:
        return CHARSETS[number].codec
    try:
        return codecs.lookup(name).name if "".encode(name) == b"" else None
    except (LookupError, ValueError):
        return None


def decode(data: bytes, codec: str) -> str:
    """Bytes as text.

    Raises:
        BadData: a sequence that the character set does not have, half of a character beyond U+FFFF (which UTF-7 can
            write), or a set that cannot be read here.
    """
    try:
        if codec == UTF_8:
            return data.decode()
        if codec == CODE_PAGE_1047:
            return codecs.charmap_decode(data, "strict", EBCDIC_1047)[0]
        if codec == CESU_8:
            return data.decode(UTF_8, "surrogatepass").encode("utf-16-le", "surrogatepass").decode("utf-16-le")
        return _whole(data.decode(codec))
    except UnicodeEncodeError:
        raise BadData(f"not {codec}: half of a character") from None
    except UnicodeDecodeError as error:
        bad_bytes = data[error.start : error.start + 4].hex()
        raise BadData(f"not {codec} from byte {error.start} on", found=bad_bytes) from None
    except (LookupError, ValueError):
        raise BadData(f"{codec} cannot be read here") from None


@cache
def keeps_ascii(codec: str) -> bool:
    """Return True if bytes below 80 are ASCII in a character set, each on its own."""
    try:
        return codec not in _SHIFTING and decode(_ASCII, codec) == _ASCII.decode("ascii")
    except TrailError:
        return False


def _whole(text: str) -> str:
    """The text; UnicodeEncodeError for half of a character, which codecs other than UTF-8 may let through."""
    if not text.isascii():
        text.encode(UTF_8)
    return text


def encode(text: str, codec: str) -> bytes:
    """Text as bytes.

    Raises:
        CannotWrite: a character that the character set does not have, or a set that cannot be written here.
    """
    try:
        if codec == CODE_PAGE_1047:
            return bytes(EBCDIC_1047.index(character) for character in text)
        if codec == CESU_8:
            units = text.encode("utf-16-le")
            pairs = (units[at : at + 2].decode("utf-16-le", "surrogatepass") for at in range(0, len(units), 2))
            return "".join(pairs).encode(UTF_8, "surrogatepass")
        return text.encode(codec)
    except (LookupError, ValueError):
        raise CannotWrite(f"text does not fit into {codec}") from None

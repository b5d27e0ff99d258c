"""STRING and HEX: bytes in the record data, any of up to 32.

With BOTH, every text of the list matches in either case; with ``B,``, the text after it. (Our reading: the sources have
the words and do not explain them; the other reading is "ASCII and EBCDIC".) Only ASCII letters have case; text is
searched as UTF-8.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from logdump.filters.criterion import Criterion, Needs, Option
from logdump.filters.needle import Item, Needle, make_needle, split_items
from logdump.filters.words import FilterError, quoted
from logdump.notation.times import TimeOffset

if TYPE_CHECKING:
    from logdump.filters.rows import FilterRows, Mask

_BOTH = re.compile(r"BOTH(?=[\s\"'/,]|\Z)\s*", re.IGNORECASE)
_HEX_PREFIX = re.compile(r"(?:%H|0x)", re.IGNORECASE)
_BYTES_PER_LINE = 20


@dataclass(frozen=True)
class NeedleCriterion(Criterion):
    """A criterion that is satisfied by any of several byte strings."""

    needles: tuple[Needle, ...]
    uses: ClassVar[Needs] = Needs.DATA

    def mask(self, rows: FilterRows) -> Mask:
        """Return the rows whose data contain one of the byte strings."""
        mask = rows.none()
        for needle in self.needles:
            mask |= rows.with_bytes(needle)
        return mask


@dataclass(frozen=True)
class String(NeedleCriterion):
    """FILTER STRING: text in the record data."""

    keyword: ClassVar[str] = "STRING"
    label: ClassVar[str] = "STRING"

    def describe(self) -> list[tuple[str, ...]]:
        """Return a line for each text: its length in bytes, its column range, the text."""
        return [(_text_line(needle),) for needle in self.needles]


def _text_line(needle: Needle) -> str:
    text = needle.value.decode("utf-8", "surrogateescape").replace('"', '""')
    return f'({len(needle.value):2}){needle.place}, "{text}"{", any case" if needle.any_case else ""}'


@dataclass(frozen=True)
class Hex(NeedleCriterion):
    """FILTER HEX: bytes in the record data."""

    keyword: ClassVar[str] = "HEX"
    label: ClassVar[str] = "HEX"

    def describe(self) -> list[tuple[str, ...]]:
        """Return the length and the column range of each value, with its bytes below."""
        return [(f"({len(needle.value):2}){needle.place}", *_dump(needle.value)) for needle in self.needles]


def _dump(value: bytes) -> Iterator[str]:
    for offset in range(0, len(value), _BYTES_PER_LINE):
        yield value[offset : offset + _BYTES_PER_LINE].hex(" ", -2).upper()


def _parse_string(text: str, _offset: TimeOffset) -> Criterion:
    both = _BOTH.match(text)
    items = split_items((text[both.end() :] if both else text).removeprefix(","))
    return String(tuple(_text_needle(item, any_case=both is not None or item.is_marked) for item in items))


def _text_needle(item: Item, *, any_case: bool) -> Needle:
    try:
        value = item.text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise FilterError(f"{quoted(item.text)} is not text") from None
    return make_needle(value, item.columns, any_case=any_case)


def _parse_hex(text: str, _offset: TimeOffset) -> Criterion:
    return Hex(tuple(_hex_needle(item) for item in split_items(text)))


def _hex_needle(item: Item) -> Needle:
    digits = "".join(item.text.split())
    digits = digits[2:] if _HEX_PREFIX.match(digits) else digits
    if item.is_marked or not digits:
        raise FilterError("a hex string is missing")
    try:
        value = bytes.fromhex(digits)
    except ValueError:
        raise FilterError(f"{quoted(item.text)} is not a hex string; two digits make a byte") from None
    return make_needle(value, item.columns)


OPTIONS = (
    Option(
        "STRING",
        'STRING [BOTH] [B,]"<text>" [<column range>] [, ...] | STRING [BOTH] /<text>/ [<column range>]',
        "text in the record data, BOTH or B, regardless of case; up to 32",
        'STRING "Denver"',
        _parse_string,
        Needs.DATA,
    ),
    Option(
        "HEX",
        'HEX "<hex string>" [<column range>] [, ...]',
        "bytes in the record data; up to 32",
        'HEX "00004BF6" 0:3',
        _parse_hex,
        Needs.DATA,
    ),
)

"""Values in few cells: text in quotes, cut in the middle; long bytes with their number; NULL.

``short_value`` and ``key_value`` write one value; kernels write usual values in the forms of ``spelling_of``, with the
same results.
"""

from __future__ import annotations

from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from logdump.notation.text import cut_in_the_middle, display_width, escape
from logdump.notation.values import is_word
from trailformat import Value
from trailformat.arrays import DecodePath, ShortForm, TextForm, ValueSpelling

LONGEST_VALUE = 24
"""Maximum width of a value in terminal cells; a longer one is cut in the middle."""
_BYTES_SHOWN = 4
_LONGEST_TIME = 35
_QUOTES = 2
_CHARACTERS, _UNPRINTABLE = 1 << 16, 4
"""Characters of the table of cells, and the mark of those that do not print."""
_IS_CONTROL = np.array([number < ord(" ") or number == 0x7F for number in range(256)], np.uint8)


class Marks(NamedTuple):
    """The characters between an old and a new value, and in place of omitted text."""

    arrow: str
    cut: str


UNICODE_MARKS, ASCII_MARKS = Marks("→", "…"), Marks("->", "~")


def short_value(value: Value | None, marks: Marks = UNICODE_MARKS) -> str:
    """Return a value in about LONGEST_VALUE cells; an undecodable one as ``?`` and its bytes; empty if it is absent."""
    if value is None:
        return ""
    if value.problem is not None:
        return f"?{_bytes_text(value.data, marks)}"
    if isinstance(value.value, bytes):
        return f"X{_bytes_text(value.value, marks)}"
    if isinstance(value.value, str):
        text = cut_in_the_middle(escape(value.text), LONGEST_VALUE - _QUOTES, marks.cut)
        return "'" + text.replace("'", "''") + "'"
    return cut_in_the_middle(escape(_without_zeros(value.text)), _LONGEST_TIME, marks.cut)


def _bytes_text(data: bytes, marks: Marks) -> str:
    if 2 * len(data) <= LONGEST_VALUE:
        return f"'{data.hex()}'"
    return f"'{data[:_BYTES_SHOWN].hex()}{marks.cut}' {len(data):,} bytes"


def key_value(value: Value | None, marks: Marks = UNICODE_MARKS) -> str:
    """Return the value of a key; a word has no quotes if it cannot be taken for a number or NULL."""
    shown = short_value(value, marks)
    bare = shown[1:-1]
    return bare if shown.startswith("'") and is_word(bare) else shown


def _without_zeros(text: str) -> str:
    """Return a text; from a timestamp, a fraction that is all zeros is removed."""
    head, point, fraction = text.rpartition(".")
    return head if point and ":" in head and fraction and not fraction.strip("0") else text


@cache
def spelling_of(marks: Marks, *, is_key: bool, are_many: bool) -> ValueSpelling:
    """Return the spelling of the values of a column.

    If ``are_many``, a kernel writes texts beyond ASCII too: the table of all characters takes some time to make.
    """
    cut, cells = marks.cut.encode(), _cells() if are_many else None
    quotes = b"'", b"'"
    texts = TextForm(
        quotes,
        undecidable=_IS_CONTROL,
        doubles_quotes=True,
        short=ShortForm(LONGEST_VALUE - _QUOTES, cut, cells=cells, is_bare=is_key),
    )
    stored = ShortForm(LONGEST_VALUE // 2, b" bytes", head=_BYTES_SHOWN)
    forms = {
        DecodePath.TEXT: texts,
        DecodePath.ASCII: texts,
        DecodePath.BYTES: TextForm((b"X'", b"'"), (b"X'", cut + b"' "), short=stored),
        DecodePath.NUMBER: TextForm(most=_LONGEST_TIME),
    }
    return ValueSpelling(forms, partial(key_value if is_key else short_value, marks=marks))


@cache
def _cells() -> np.ndarray[Any, Any]:
    """Return the cells of each character, _UNPRINTABLE for those that do not print."""
    characters = map(chr, range(_CHARACTERS))
    return np.array(
        [display_width(character) if character.isprintable() else _UNPRINTABLE for character in characters], np.uint8
    )

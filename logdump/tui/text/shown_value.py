"""A value as the viewer shows it: its parts, window by window, and where a text is found in it.

A part is an image of a column, or a large object. What is searched is the value itself, so that a match is found
wherever lines end and windows begin.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from logdump.notation.text import escape
from logdump.tui.text.hex_text import HexLine, HexText, RecordField, line_pieces
from logdump.tui.text.styled import Line, Piece, line
from logdump.tui.text.value_breaks import Breaks, TextLine, breaks_of

MOST_SHOWN = 1 << 16
"""Characters, or bytes, of a window."""
LARGE_OBJECTS = "large objects"
"""The field of a line about the large objects of a row."""
_BYTES_PER_LINE = 16
_HEX = re.compile(r"(?:[0-9A-Fa-f]{2}\s*)+")


class ValuePart(NamedTuple):
    """An image of a column, or a large object.

    Attributes:
        name: the image, or the large object.
        title: what is said of it after its name.
        value: the text as it is read; the bytes of a binary value, and of one that is not decoded.
        data: the bytes as in the trail.
        notes: what is missing or not known of it.
        refusal: why it is neither saved nor copied; empty if it is.
    """

    name: str
    title: str
    value: str | bytes
    data: bytes
    notes: tuple[str, ...] = ()
    refusal: str = ""


class Hit(NamedTuple):
    """A match: the number of the part, and its first character (or byte) and the one after it."""

    part: int
    start: int
    end: int


class ShownValue:
    """The parts of a value as text, or as bytes.

    Args:
        parts: at least one.
        is_hex: True for the bytes as in the trail.
        is_indented: True if text that is JSON or XML is broken into indented lines.
    """

    def __init__(self, parts: Sequence[ValuePart], *, is_hex: bool, is_indented: bool) -> None:
        self._parts = parts
        self._contents = [part.data if is_hex else part.value for part in parts]
        self._breaks = [_breaks(content) if is_indented else None for content in self._contents]
        sizes = [len(content) for content in self._contents]
        self._begins = [0, *accumulate(sizes)][:-1]
        self.windows = max(1, -(-sum(sizes) // MOST_SHOWN))

    @property
    def is_text(self) -> bool:
        """True if a part is shown as text."""
        return any(isinstance(content, str) for content in self._contents)

    def window_of(self, part: int, at: int) -> int:
        """Return the number of the window with a character of a part."""
        return min((self._begins[part] + at) // MOST_SHOWN, self.windows - 1)

    def lines(self, window: int, hit: Hit | None) -> Iterator[tuple[Line, Hit]]:
        """Yield the lines of a window, the match in another style, each with the characters that it shows."""
        for number, start, end in self._stretches(window):
            for text, style in self._heading(number, start, end):
                yield line(text, style), Hit(number, start, start)
            own = hit if hit is not None and hit.part == number else None
            content = self._contents[number]
            if isinstance(content, bytes):
                yield from _byte_lines(content, number, start, end, own)
            else:
                yield from _text_lines(content, self._breaks[number], number, start, end, own)

    def _stretches(self, window: int) -> Iterator[tuple[int, int, int]]:
        """Yield the number of each part in a window, its first character there and the one after its last."""
        first, last = window * MOST_SHOWN, (window + 1) * MOST_SHOWN
        for number, (begin, content) in enumerate(zip(self._begins, self._contents, strict=True)):
            start, end = max(0, first - begin), min(len(content), last - begin)
            if start < end or (not content and self.window_of(number, 0) == window):
                yield number, start, end

    def _heading(self, number: int, start: int, end: int) -> Iterator[tuple[str, str]]:
        """Yield the title of a part, which of its characters follow if not all do, and what is missing of it."""
        part, content, breaks = self._parts[number], self._contents[number], self._breaks[number]
        noun = "byte" if isinstance(content, bytes) else "character"
        form = f", {breaks.form} indented" if breaks is not None else ""
        stretch = f", {noun}s {start + 1:,} to {end:,} of {len(content):,}" if end - start < len(content) else ""
        yield f"{part.name}{part.title}{form}{stretch}", "strong"
        for note in part.notes:
            yield note, "warn"

    def find(self, needle: str, part: int, at: int) -> tuple[Hit | None, bool]:
        """Return the first match from a character of a part on, else from the beginning, and True for the latter.

        Case does not matter. In bytes, pairs of hex digits are such bytes too.
        """
        text = re.compile(re.escape(needle), re.IGNORECASE)
        data = re.compile(_bytes_pattern(needle), re.DOTALL)
        for is_again in (False, True):
            for number, content in enumerate(self._contents):
                if number < part and not is_again:
                    continue
                start = at if number == part and not is_again else 0
                match = text.search(content, start) if isinstance(content, str) else data.search(content, start)
                if match is not None and match.end() > match.start():
                    return Hit(number, match.start(), match.end()), is_again
        return None, False


def _breaks(content: str | bytes) -> Breaks | None:
    return breaks_of(content) if isinstance(content, str) else None


def _bytes_pattern(needle: str) -> bytes:
    pattern = b"(?i:" + re.escape(needle.encode(errors="replace")) + b")"
    return pattern + (b"|" + re.escape(bytes.fromhex(needle)) if _HEX.fullmatch(needle) else b"")


def _text_lines(
    text: str, breaks: Breaks | None, number: int, start: int, end: int, hit: Hit | None
) -> Iterator[tuple[Line, Hit]]:
    for indent, first, last in breaks.lines(start, end) if breaks is not None else (TextLine(0, start, end),):
        begin = first
        while begin <= last:
            feed = text.find("\n", begin, last)
            stop = feed if feed >= 0 else last
            blank = " " * indent if begin == first else ""
            shown = Hit(number, begin, stop)
            yield Line((((blank, ""),) if blank else ()) + tuple(_pieces(text, shown, hit))), shown
            if feed < 0:
                break
            begin = feed + 1


def _pieces(text: str, shown: Hit, hit: Hit | None) -> Iterator[Piece]:
    """Yield the characters of a line, those of the match in its style."""
    if hit is None:
        yield escape(text[shown.start : shown.end]), ""
        return
    first, last = (max(shown.start, min(shown.end, place)) for place in (hit.start, hit.end))
    for begin, stop, style in ((shown.start, first, ""), (first, last, "match"), (last, shown.end, "")):
        if begin < stop:
            yield escape(text[begin:stop]), style


def _byte_lines(data: bytes, number: int, start: int, end: int, hit: Hit | None) -> Iterator[tuple[Line, Hit]]:
    """Yield lines as those of the hex page, each with its offset in the value."""
    field = RecordField("match", "match", hit.start, hit.end) if hit is not None else None
    page, digits = HexText(0, [], [], _BYTES_PER_LINE), len(str(len(data)))
    for begin in range(start, end, _BYTES_PER_LINE):
        stop = min(end, begin + _BYTES_PER_LINE)
        pieces = line_pieces(page, HexLine("", begin, data[begin:stop]), digits, field)
        yield Line(pieces, wraps=False), Hit(number, begin, stop)

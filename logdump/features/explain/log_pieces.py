"""The parts of a log in which something can be found: those around errors, and its end.

A log of a gigabyte is looked through as bytes, piece by piece. Only pieces near an error are read as lines, from a
minute before it to a minute after; and, for a log without errors, its last pieces and the last that has a warning or a
place.
"""

from __future__ import annotations

import codecs
import re
from collections import deque
from collections.abc import Iterator
from datetime import datetime
from typing import Protocol

from logdump.features.explain.json_text import expanded
from logdump.features.explain.messages import meanings

_PIECE = 1 << 14
"""Bytes of a piece, which ends with a line; a longer line is cut."""
_WHOLE = 1 << 22
"""Bytes of a text that is read whole."""
_MOST_JSON = 1 << 24
"""Bytes of a text of JSON that is read whole."""
_LONGEST = 1 << 12
"""Characters of a line that are kept."""
_MOST_PASSED = 128
"""Pieces before an error that are read, if its time is not known to be far from theirs."""
_LAST = 64
"""Pieces at the end that are read."""
_NEAR = 60.0
"""Seconds before and after an error in which messages may belong to it."""
_MOST_OF_STRETCH = 3
"""Pieces that are kept of a warning or a place: that before it, its own, and that after it."""
_MOST_AFTER = 2
"""Pieces after an error that are read if they have no time."""
_BEFORE_TIME = 48
"""Bytes at the beginning of a message that have its time."""
_ERRORS = (b"ERROR", b"FATAL")
_TRACES = (b"rba", b"RBA", b"Rba", b'"pos', b"Aborting transaction", b"Operation failed")
_TIME = re.compile(rb"\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d")
_WARNING = re.compile(rb"WARN\w*\W[^\n]{0,40}?(OGG-\d{5})")
_KEPT = re.compile(rb"^[^\n]*\bOGG-(02243|0099[1-6])\b(?:[^\n]*?([\w$#-]{1,64})\.prm\b)?[^\n]*$", re.MULTILINE)
"""A line that names the trail that a process reads, or says that it starts, has started or has stopped."""
_KEPT_WORDS = (b"OGG-02243", b"OGG-0099")
_MOST_KEPT = 1024
"""Such lines that are kept: the last one of each number and process."""
_ENDS = re.compile(r"\r\n|\n|\r")


class Readable(Protocol):
    """A source of bytes."""

    def read(self, size: int, /) -> bytes:
        """Return the next bytes, empty at the end."""


def lines_to_read(file: Readable) -> Iterator[str | None]:
    """Yield the lines of a text in UTF-8 or UTF-16 that matter, JSON as lines; None where others are passed over.

    Lines are cut at 4,096 characters.
    """
    data = file.read(_WHOLE + 1)
    encoding, is_whole = _encoding(data[:4]), len(data) <= _WHOLE
    if not is_whole and _decoded(data[:_PIECE], encoding).lstrip()[:1] in ("{", "["):
        data += file.read(_MOST_JSON - len(data))
        is_whole = len(data) < _MOST_JSON
    if is_whole:
        yield from _lines(expanded(_decoded(data, encoding)))
        return
    yield from _of_pieces(_pieces(_Ahead(data, file), encoding))


class _Ahead:
    """A file of which the first bytes have been read."""

    def __init__(self, data: bytes, file: Readable) -> None:
        self._data, self._at, self._file = data, 0, file

    def read(self, size: int, /) -> bytes:
        """Return the next bytes, empty at the end."""
        begin, self._at = self._at, self._at + size
        return self._data[begin : self._at] or self._file.read(size)


def _encoding(head: bytes) -> str:
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if len(head) == 4 and head[1] == head[3] == 0 != head[0]:
        return "utf-16-le"
    if len(head) == 4 and head[0] == head[2] == 0 != head[1]:
        return "utf-16-be"
    return "utf-8-sig"


def _decoded(data: bytes, encoding: str) -> str:
    return data.decode(encoding, "backslashreplace" if encoding == "utf-8-sig" else "replace")


def _lines(text: str) -> Iterator[str]:
    lines = _ENDS.split(text)
    if not lines[-1]:
        lines.pop()
    return (line[:_LONGEST] for line in lines)


def _pieces(file: Readable, encoding: str) -> Iterator[bytes]:
    """Yield a text in UTF-8 piece by piece, each of whole lines; of a line longer than a piece only the first bytes."""
    decoder = codecs.getincrementaldecoder(encoding)(errors="replace") if encoding != "utf-8-sig" else None
    rest, is_passing = b"", False
    while data := file.read(_PIECE):
        if decoder is not None:
            data = decoder.decode(data).encode("utf-8", "replace")
        if is_passing:
            begin = data.find(b"\n")
            if begin < 0:
                continue
            data, is_passing = data[begin:], False
        end = data.rfind(b"\n") + 1 or data.rfind(b"\r") + 1
        if end:
            yield rest + data[:end]
            rest = data[end:]
        elif len(rest) < _PIECE:
            rest += data
        else:
            is_passing = True
    if rest:
        yield rest


class _Passed:
    """Pieces that were passed over: the last ones, and the last that has a known warning or a trace of a place.

    Of those before the last ones each process keeps the line that names its trail, and that of its last start or stop.
    """

    def __init__(self) -> None:
        self.last: deque[bytes] = deque(maxlen=_MOST_PASSED)
        self.is_gap = False
        self._warning: tuple[bytes, ...] = ()
        self._trace: tuple[bytes, ...] = ()
        self._kept: dict[tuple[bytes, bytes | None], bytes] = {}

    def pass_over(self, piece: bytes) -> None:
        """Keep a piece for later."""
        before = tuple(self.last)[-1:]
        self._warning, self._trace = (_gone_on(stretch, before, piece) for stretch in (self._warning, self._trace))
        if _has_known_warning(piece):
            self._warning = (*before, piece)
        elif any(trace in piece for trace in _TRACES):
            self._trace = (*before, piece)
        if len(self.last) == _MOST_PASSED:
            self.is_gap = True
            self._drop(self.last[0])
        self.last.append(piece)

    def _drop(self, piece: bytes) -> None:
        """Take note of a piece that is not read."""
        for line in _KEPT.finditer(piece) if any(word in piece for word in _KEPT_WORDS) else ():
            self._kept.pop((line[1], line[2]), None)
            if len(self._kept) < _MOST_KEPT:
                self._kept[line[1], line[2]] = line[0]

    def kept(self) -> Iterator[str | None]:
        """Yield the lines that are kept of pieces that are not read, in their order, and forget them."""
        yield None
        for line in self._kept.values():
            yield from _lines(_decoded(line, "utf-8-sig"))
        if self._kept:
            yield None
        self._kept.clear()

    def forget(self, piece: bytes) -> None:
        """Take note of a piece that is read: what it has is later than what was kept."""
        if self._warning and _has_known_warning(piece):
            self._warning = ()
        if self._trace and any(trace in piece for trace in _TRACES):
            self._trace = ()

    def near(self, moment: float | None) -> list[bytes]:
        """Return the pieces that may have messages a minute before a moment, and forget all."""
        number = 0
        for piece in reversed(self.last):
            number += 1
            first = _moment(_TIME.search(piece))
            if moment is not None and first is not None and first < moment - _NEAR:
                break
        pieces, left_out = [*self.last], len(self.last) - number
        self.is_gap |= left_out > 0
        for piece in pieces[:left_out]:
            self._drop(piece)
        self.last.clear()
        return pieces[left_out:]

    def remaining(self) -> Iterator[tuple[bytes, ...]]:
        """Yield what is read at the end: each stretch of pieces without a gap."""
        last = tuple(self.last)[-_LAST:]
        for piece in tuple(self.last)[:-_LAST]:
            self._drop(piece)
        for stretch in (self._trace, self._warning):
            earlier = tuple(piece for piece in stretch if not any(piece is other for other in last))
            if len(earlier) < len(stretch):
                last = (*earlier, *last)
            elif stretch:
                yield stretch
        if last:
            yield last


def _gone_on(stretch: tuple[bytes, ...], before: tuple[bytes, ...], piece: bytes) -> tuple[bytes, ...]:
    """Return a stretch with the piece after it, in which its last message may end; ``before`` is that before it."""
    is_next = bool(before and stretch) and before[0] is stretch[-1] and len(stretch) < _MOST_OF_STRETCH
    return (*stretch, piece) if is_next else stretch


def _of_pieces(pieces: Iterator[bytes]) -> Iterator[str | None]:
    """Yield the lines of the pieces that matter."""
    passed, size = _Passed(), 0
    until, left = 0.0, 0
    for piece in pieces:
        error = _errors(piece) if size >= _WHOLE else None
        if size < _WHOLE:
            size += len(piece)
            until, left = _after(piece, _errors(piece), until, left)
        elif error is not None:
            before = passed.near(error[0])
            if passed.is_gap:
                yield from passed.kept()
            passed.is_gap = False
            for earlier in before:
                passed.forget(earlier)
                yield from _lines(_decoded(earlier, "utf-8-sig"))
            until, left = _after(piece, error, until, left)
        elif not passed.last and _is_near(piece, until, left):
            until, left = _after(piece, None, until, left)
        else:
            passed.pass_over(piece)
            continue
        passed.forget(piece)
        yield from _lines(_decoded(piece, "utf-8-sig"))
    for stretch in passed.remaining():
        yield from passed.kept()
        for piece in stretch:
            yield from _lines(_decoded(piece, "utf-8-sig"))


_Span = tuple[float | None, float | None]


def _errors(piece: bytes) -> _Span | None:
    """Return the times of the first and the last error of a piece; None without an error."""
    firsts = [first for word in _ERRORS if (first := piece.find(word)) >= 0]
    if not firsts:
        return None
    lasts = [piece.rfind(word) for word in _ERRORS]
    return _time_of_line(piece, min(firsts)), _time_of_line(piece, max(lasts))


def _after(piece: bytes, errors: _Span | None, until: float, left: int) -> tuple[float, int]:
    """Return up to when the pieces after this one are read, and how many without a time."""
    if errors is None:
        goes_on = _TIME.search(piece) is not None and _is_near(piece, until, left)
        return until, _MOST_AFTER if goes_on else left - 1
    last = errors[1] if errors[1] is not None else _moment(_TIME.search(piece))
    return (last + _NEAR if last is not None else 0.0), _MOST_AFTER


def _is_near(piece: bytes, until: float, left: int) -> bool:
    if _TIME.search(piece, 0, _BEFORE_TIME) is None:  # it goes on with the last message
        return left > 0
    first = _moment(_TIME.search(piece))
    return first is not None and until - 2 * _NEAR <= first <= until


def _time_of_line(piece: bytes, at: int) -> float | None:
    begin, end = piece.rfind(b"\n", 0, at) + 1, piece.find(b"\n", at)
    return _moment(_TIME.search(piece, begin, end if end >= 0 else len(piece)))


def _moment(match: re.Match[bytes] | None) -> float | None:
    """Return a time as it is written in seconds, as if the clock showed UTC; None if it is none."""
    if match is None:
        return None
    try:
        moment = datetime.fromisoformat(match[0].decode("ascii").replace("/", "-"))
    except ValueError:
        return None
    return (moment - datetime(1970, 1, 1)).total_seconds()  # noqa: DTZ001 - a clock without a zone


def _has_known_warning(piece: bytes) -> bool:
    """Return whether a piece has a warning about trails that says more than that something ended."""
    if b"WARN" not in piece:
        return False
    known = meanings()
    return any(
        (meaning := known.get(match[1].decode("ascii"))) is not None and not meaning.is_frame
        for match in _WARNING.finditer(piece)
    )

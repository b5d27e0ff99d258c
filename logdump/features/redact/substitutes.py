"""Substitutes: other numbers, texts, names and times of the same form, by a key that is drawn for each run.

    17520.50       83164.72          digits and sign stay
    LEAF_GREEN     QZTA<RMPEX        letters stay letters, digits digits, signs signs; blanks stay
    2024-03-14     1937-10-02        a date stays a date

Equal values have equal substitutes, wherever they are, and different values different ones: short values are
permuted by a Feistel network over all values of their form; of longer ones a hash of the whole draws each character.
Nobody knows the key, so that the substitutes cannot be reversed; it is forgotten at the end of the run.
"""

from __future__ import annotations

import re
import secrets
from bisect import bisect_right
from contextlib import suppress
from datetime import date
from decimal import Decimal
from functools import lru_cache
from hashlib import blake2b, shake_128
from math import isqrt, prod
from typing import TYPE_CHECKING

import numpy as np

from logdump.features.redact.characters import (
    ALL_BYTES,
    BUT_ZERO,
    DIGITS_ALONE,
    IN_TEXT,
    IN_WORDS,
    MARKS,
    SIGNS,
    ByteClasses,
    kind_of,
)
from trailformat.codec import charsets
from trailformat.errors import TrailError

if TYPE_CHECKING:
    from collections.abc import Sequence

_KEY_SIZE = 32
_ROUNDS = 10
_SMALL = 4096
"""Most values of a form whose permutation is a table."""
_MOST = 1 << 80
"""Number of values of a form above which a hash draws each character: no two are likely to get the same."""
_MOST_PERMUTED = 31
"""Number of bytes above which there are more values than that: a class has six members at least."""
_MOST_DIGITS = 60
"""Digits of a number above which it is treated as text."""
_KEPT_VALUES = 1 << 15
_KEPT_NETWORKS = 1 << 10
_LONG = 256
"""Bytes of a value above which its substitute is not kept."""

_BEGIN_NUMBERS = frozenset(b"%c" % byte for byte in b"0123456789+-. T:")
"""The first bytes of numbers and times."""
_NUMBER = re.compile(rb"([+-]?)([0-9]*)(?:\.([0-9]*))?", re.ASCII)
_MOMENT = re.compile(
    r"(?:(?P<date>\d{4}-\d\d-\d\d)(?P<era> AD| BC)?)?(?P<between>[: T])?"
    r"(?P<time>\d\d:\d\d(?::\d\d)?)?(?P<dot>\.)?(?P<fraction>\d{0,9})"
    r"(?P<zone> ?[+-]\d\d(?::?\d\d){0,2}| ?[A-Za-z][\w/+-]*)?",
    re.ASCII,
)
_MOST_HOURS, _MINUTES = 14, ("", "00", "15", "30", "45")
"""Of the offset of a zone."""
_UNIVERSAL = ("Z", "UTC", "GMT")
_DAY = 24 * 60 * 60
_DATES = (1, date(1900, 1, 1).toordinal(), date(2100, 1, 1).toordinal(), date.max.toordinal() + 1)
"""The first days of three eras: a date stays in its own."""
_BOUNDS = (
    sorted(
        [0, *(10**digits for digits in range(1, _MOST_DIGITS + 2)), *(1 << bits for bits in (15, 16, 31, 32, 63, 64))]
    ),
    sorted([1, *(10**digits for digits in range(1, _MOST_DIGITS + 2)), *((1 << bits) + 1 for bits in (15, 31, 63))]),
)
"""The least of the numbers that are permuted among themselves, positive and negative: alike in digits and storage."""
_WORDS = re.compile(rb"[A-Za-z0-9_$#\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\xff]+")
_PARTS = re.compile(rb"[A-Za-z0-9\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\xff]+")
_MOST_OF_VERSION = 2
"""Digits of a number in a version; longer ones are dates, builds, or worse."""
_RUN_OF_SIGNS = re.compile(rb"[%s]{4,}" % re.escape(SIGNS + MARKS))
"""Four signs or more are a text of their own, also between words: a password."""


class Substitutes:
    """The substitutes of one run.

    Args:
        key: the key; None: a new one is drawn.
    """

    def __init__(self, key: bytes | None = None) -> None:
        self._key = secrets.token_bytes(_KEY_SIZE) if key is None else key
        self._table = lru_cache(512)(self._new_table)
        self._network = lru_cache(_KEPT_NETWORKS)(self._new_network)
        self._kept_date, self._kept_time = (lru_cache(_KEPT_VALUES)(make) for make in (self._date, self._time))
        self._kept_text = lru_cache(_KEPT_VALUES)(self._text)
        self._kept_word = lru_cache(_KEPT_VALUES)(self._word)
        self._kept_number = lru_cache(_KEPT_VALUES)(self._number)

    # ---- permutations

    def _hash(self, what: bytes, size: int) -> int:
        return int.from_bytes(blake2b(what, digest_size=size, key=self._key).digest(), "big")

    def permuted(self, number: int, size: int, form: bytes) -> int:
        """Return the substitute of a number from 0 to before ``size``; ``form`` chooses the permutation."""
        if size <= _SMALL:
            return self._table(size, form)[number]
        half, width, rounds = self._network(size, form)
        while True:
            left, right = divmod(number, half)
            for begun in rounds:
                state = begun.copy()
                state.update(right.to_bytes(width, "big"))
                left, right = right, (left + int.from_bytes(state.digest(), "big")) % half
            number = left * half + right
            if number < size:
                return number

    def _new_network(self, size: int, form: bytes) -> tuple[int, int, list[blake2b]]:
        """Return the size of a half of a number, its bytes, and for each round a hash that lacks the other half."""
        half = isqrt(size - 1) + 1
        width = (half.bit_length() + 7) // 8
        begun = blake2b(digest_size=min(64, width + 8), key=self._key)
        rounds = []
        for turn in range(_ROUNDS):
            state = begun.copy()
            state.update(bytes((turn, len(form) & 0xFF)) + form)
            rounds.append(state)
        return half, width, rounds

    def _new_table(self, size: int, form: bytes) -> Sequence[int]:
        return sorted(range(size), key=lambda number: self._hash(b"table" + form + number.to_bytes(2, "big"), 16))

    # ---- characters

    def _in_classes(self, data: bytes, classes: ByteClasses, salt: bytes) -> bytes:
        """Return other bytes of the same classes, without regard to capitals; blanks and zeros at the end stay.

        Characters of UTF-8 are replaced by others of their kinds.
        """
        stripped = data.rstrip(b" \0")
        if not data.isascii():
            with suppress(UnicodeDecodeError):
                return self._in_letters(data.decode(), charsets.UTF_8, classes, salt).encode()
        return self._drawn(stripped, classes, salt, stripped.upper()) + data[len(stripped) :]

    def _drawn(self, data: bytes, classes: ByteClasses, salt: bytes, seed: bytes) -> bytes:
        """Return other bytes of the same classes: permuted, or drawn by ``seed`` if there are too many for that."""
        numbers = data.translate(classes.of)
        form = salt + numbers
        is_small = len(data) - numbers.count(0) <= _MOST_PERMUTED
        radices = [radix for byte in data if (radix := classes.radix[byte]) > 1] if is_small else []
        if not is_small or (size := prod(radices)) > _MOST:
            return classes.drawn(data, shake_128(self._key + form + b"\0" + seed).digest(4 * len(data)))
        number = 0
        for byte in data:
            number = number * classes.radix[byte] + classes.index[byte]
        number = self.permuted(number, size, form)
        out = bytearray(data)
        for place in range(len(data) - 1, -1, -1):
            byte = data[place]
            radix = classes.radix[byte]
            if radix > 1:
                number, index = divmod(number, radix)
                out[place] = classes.members[classes.first[byte] + index]
        return bytes(out)

    def characters(self, data: bytes, salt: bytes = b"") -> bytes:
        """Return text with each character replaced by one of its kind; another ``salt`` gives another result."""
        return self._in_classes(data, IN_TEXT, b"c" + salt)

    def prose(self, data: bytes) -> bytes:
        """Return text with other letters and digits, drawn for all of it at once; signs stay."""
        return self._in_classes(data, IN_WORDS, b"p")

    def digits(self, data: bytes) -> bytes:
        """Return text with other digits."""
        return self._in_classes(data, DIGITS_ALONE, b"d")

    def raw(self, data: bytes) -> bytes:
        """Return other bytes, as many."""
        return self._drawn(data, ALL_BYTES, b"raw", data)

    def opaque(self, data: bytes, salt: bytes = b"") -> bytes:
        """Return other bytes for bytes that are not understood; a zero stays zero, and nothing else becomes one."""
        return self._drawn(data, BUT_ZERO, b"opaque" + salt, data)

    # ---- texts

    def text(self, data: bytes) -> bytes:
        """Return the substitute of a text in ASCII, UTF-8 or an unknown character set.

        A number becomes a number, a date or a time another one, anything else other characters.
        """
        return self._kept_text(data) if len(data) <= _LONG else self._text(data)

    def _text(self, data: bytes) -> bytes:
        if data[:1] in _BEGIN_NUMBERS:
            for read in (self.number_text, self.moment_text):
                if (other := read(data)) is not None:
                    return other
        return self.characters(data)

    def text_in(self, data: bytes, codec: str) -> bytes:
        """Return the substitute of a text in a character set, with as many bytes, in it."""
        if data.isascii() and charsets.keeps_ascii(codec):
            return self.text(data)
        try:
            text = charsets.decode(data, codec)
        except TrailError:
            return self._undecodable(data, codec)
        if codec == charsets.UTF_8:
            return self.text(data)
        try:
            if text.isascii():
                made = self.text(text.encode("ascii")).decode("ascii")
            else:
                made = self._in_letters(text, codec, IN_TEXT, b"c")
            other = charsets.encode(made, codec)
            is_text = len(other) == len(data) and len(charsets.decode(other, codec)) == len(text)
        except TrailError:
            is_text = False
        return other if is_text else self._plain_letters(data, codec)

    def _plain_letters(self, data: bytes, codec: str) -> bytes:
        """Return letters of ASCII, as many bytes as a text in a character set, if that has them."""
        stream = shake_128(self._key + codec.encode() + b"\0" + data).digest(4 * len(data))
        letters = IN_TEXT.drawn(b"a" * len(data), stream).decode()
        try:
            size = len(charsets.encode("a", codec))
            other = charsets.encode(letters[: len(data) // size], codec)
        except TrailError:
            return self.characters(data)
        return other if len(other) == len(data) else self.characters(data)

    def _undecodable(self, data: bytes, codec: str) -> bytes:
        """Return other bytes for bytes that are no text in a character set, which they still are not."""
        for turn in range(_ROUNDS):
            other = self.opaque(data, bytes((turn,)))
            try:
                charsets.decode(other, codec)
            except TrailError:
                return other
        return self.opaque(data)

    def _in_letters(self, text: str, codec: str, classes: ByteClasses, salt: bytes) -> str:
        """Return other characters of the same kinds, and of as many bytes in a character set; as ``_in_classes``."""
        bare = text.rstrip(" \0")
        kinds = [kind_of(character, codec, classes) for character in bare]
        form = b"l" + salt + b" ".join(kind.name for kind in kinds)
        size = prod([len(kind.members) for kind in kinds]) if len(kinds) <= _LONG else _MOST + 1
        places = [kind.members.find(character) for character, kind in zip(bare, kinds, strict=True)]
        if size > _MOST or -1 in places:
            seed = bare.upper().encode("utf-8", "surrogatepass")
            stream = np.frombuffer(shake_128(self._key + form + b"\0" + seed).digest(4 * len(bare)), np.uint32)
            places = [draw % len(kind.members) for kind, draw in zip(kinds, stream.tolist(), strict=True)]
        else:
            number = 0
            for place, kind in zip(places, kinds, strict=True):
                number = number * len(kind.members) + place
            number = self.permuted(number, size, form)
            for at in range(len(kinds) - 1, -1, -1):
                number, places[at] = divmod(number, len(kinds[at].members))
        others = [kind.members[place] for kind, place in zip(kinds, places, strict=True)]
        return "".join(others) + text[len(bare) :]

    # ---- numbers

    def number(self, whole: int, fraction: str, *, is_negative: bool) -> tuple[int, str]:
        """Return the substitute of a number, given by its size: the digits before and after the point.

        ``fraction`` has no zeros at its end; nor has that of the result, which has as many digits.
        """
        return self._kept_number(whole, fraction, is_negative)

    def _number(self, whole: int, fraction: str, is_negative: bool) -> tuple[int, str]:  # noqa: FBT001 - as it is kept
        sign = b"-" if is_negative else b"+"
        if not fraction:
            bounds = _BOUNDS[is_negative and whole > 0]
            place = bisect_right(bounds, whole)
            least, above = bounds[place - 1], bounds[place]
            return least + self.permuted(whole - least, above - least, b"n" + sign + b"%d" % least), ""
        least = 10 ** (len(str(whole)) - 1) if whole else 0
        wholes = 9 * least if whole else 1
        tens = 10 ** (len(fraction) - 1)
        number = (whole - least) * 9 * tens + int(fraction) // 10 * 9 + int(fraction[-1]) - 1
        form = b"f" + sign + b"%d.%d" % (len(str(whole)) if whole else 0, len(fraction))
        number, rest = divmod(self.permuted(number, wholes * 9 * tens, form), 9 * tens)
        return least + number, f"{rest // 9 * 10 + rest % 9 + 1:0{len(fraction)}d}"

    def number_text(self, data: bytes) -> bytes | None:
        """Return the substitute of a number as text; None if it is none, or has too many digits."""
        stripped = data.rstrip(b" \0")
        inner = stripped.lstrip(b" ")
        match = _NUMBER.fullmatch(inner) if 0 < len(inner) <= _MOST_DIGITS else None
        if match is None or not (match[2] or match[3]):
            return None
        whole, fraction = match[2].decode(), (match[3] or b"").decode()
        bare = fraction.rstrip("0")
        if not whole and not bare:
            return data
        number, other = self.number(int(whole or 0), bare, is_negative=match[1] == b"-")
        text = f"{number:0{len(whole)}d}" if whole else ""
        text += f".{other}{fraction[len(bare) :]}" if match[3] is not None else ""
        blanks = stripped[: len(stripped) - len(inner)]
        return blanks + match[1] + text.encode() + data[len(stripped) :]

    def decimal(self, value: Decimal) -> Decimal:
        """Return the substitute of a finite number; of one with a great exponent the exponent stays."""
        sign, digits, exponent = value.as_tuple()
        if not isinstance(exponent, int):
            return value
        if not -_MOST_DIGITS < exponent <= 0 or len(digits) > _MOST_DIGITS:
            number = int("".join(map(str, digits[:_MOST_DIGITS])))
            whole, _ = self.number(number, "", is_negative=bool(sign))
            return Decimal((sign, tuple(map(int, str(whole))), int(exponent) + max(len(digits) - _MOST_DIGITS, 0)))
        text = f"{abs(value):f}"
        whole_text, _, fraction = text.partition(".")
        bare = fraction.rstrip("0")
        number, other = self.number(int(whole_text), bare, is_negative=bool(sign))
        return Decimal(f"{'-' if sign else ''}{number}.{other}{fraction[len(bare) :]}".rstrip("."))

    # ---- times

    def moment_text(self, data: bytes) -> bytes | None:
        """Return the substitute of a date, a time or both as text; None if it is neither."""
        try:
            stripped = data.rstrip(b" \0").decode("ascii")
        except UnicodeDecodeError:
            return None
        match = _MOMENT.fullmatch(stripped) if 5 <= len(stripped) <= 100 else None
        if (
            match is None
            or not (match["date"] or match["time"])
            or (match["date"] and match["time"] and not match["between"])
        ):
            return None
        text = self._kept_date(match["date"] or "") + (match["era"] or "") + (match["between"] or "")
        text += self._kept_time(match["time"] or "", (match["date"] or "").encode()) + (match["dot"] or "")
        text += self._fraction(match["fraction"]) + self._zone(match["zone"] or "")
        return text.encode() + data[len(stripped) :]

    def _date(self, text: str) -> str:
        if not text:
            return ""
        try:
            day = date.fromisoformat(text).toordinal()
        except ValueError:
            return self.digits(text.encode()).decode()
        era = bisect_right(_DATES, day) - 1
        first = _DATES[era]
        return date.fromordinal(first + self.permuted(day - first, _DATES[era + 1] - first, b"day")).isoformat()

    def _time(self, text: str, form: bytes) -> str:
        """Return another time of the day; midnight stays, as dates without a time have it."""
        if not text.replace(":", "").strip("0"):
            return text
        hour, minute, second = (int(part) for part in (text + ":00").split(":")[:3])
        if hour > 23 or minute > 59 or second > 59:
            return self.digits(text.encode()).decode()
        unit = 1 if len(text) > len("00:00") else 60
        clock = (hour * 3600 + minute * 60 + second) // unit - 1
        clock = (self.permuted(clock, _DAY // unit - 1, b"time" + form) + 1) * unit
        other = f"{clock // 3600:02d}:{clock // 60 % 60:02d}"
        return other + (f":{clock % 60:02d}" if unit == 1 else "")

    def _fraction(self, text: str) -> str:
        bare = text.rstrip("0")
        return self.number(0, bare, is_negative=False)[1] + text[len(bare) :] if bare else text

    def _zone(self, text: str) -> str:
        """Return another offset of full hours with the same sign; a zone by name gets other letters."""
        bare = text.lstrip(" ")
        if not bare or bare.upper() in _UNIVERSAL:
            return text
        if bare[0] not in "+-":
            return text[: len(text) - len(bare)] + self.name(bare.encode()).decode()
        hours = int(bare[1:3])
        if hours > _MOST_HOURS or bare[3:].lstrip(":") not in _MINUTES:
            return self.digits(text.encode()).decode()
        other = 1 + self.permuted(hours - 1, 11, b"zone") if 1 <= hours <= 11 else hours
        return f"{text[: len(text) - len(bare)]}{bare[0]}{other:02d}{bare[3:]}"

    # ---- names

    def name(self, data: bytes) -> bytes:
        """Return a name, or several with signs between them, with each word replaced.

        The substitute of a word is the same in small letters and in capitals.
        """
        other = _WORDS.sub(lambda match: self.word(match[0]), data)
        return _RUN_OF_SIGNS.sub(lambda match: self.characters(match[0]), other)

    def version(self, data: bytes, kept: frozenset[bytes]) -> bytes:
        """Return the text of a version: words of ``kept`` and short numbers stay, all else is replaced as in names."""

        def other(match: re.Match[bytes]) -> bytes:
            text = match[0]
            is_short = text.isdigit() and len(text) <= _MOST_OF_VERSION
            return text if is_short or text.upper() in kept else self.word(text)

        return _RUN_OF_SIGNS.sub(lambda match: self.characters(match[0]), _PARTS.sub(other, data))

    def word(self, data: bytes) -> bytes:
        """Return the substitute of one word of a name; ``_``, ``$`` and ``#`` stay."""
        return self._kept_word(data) if len(data) <= _LONG else self._word(data)

    def _word(self, data: bytes) -> bytes:
        if data.isdigit() and (number := self.number_text(data)) is not None:
            return number
        return self._in_classes(data, IN_WORDS, b"c")

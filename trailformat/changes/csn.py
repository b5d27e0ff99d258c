"""Commit sequence numbers: text that each database writes its own way, made comparable.

    7824137832, 0.2623161                      Oracle SCN, plain or wrap.base (wrap x 2^32 + base)
    000000000000000000004:000000000001095      MySQL log number and position; also binlog.000004:1095
    00000000/05002818                          PostgreSQL log sequence number, two hexadecimal halves
    00000d7e:0000036b:01bd                     SQL Server log sequence number, hexadecimal of 8:8:4 digits;
                                               0x in front allows fewer; 10:10:5 digits are decimal

The forms of Oracle, MySQL and PostgreSQL are from transcripts; wrap.base and those of SQL Server are documented in
prose only. A number after 0x is a plain number.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache, partial
from typing import NamedTuple

_LONGEST = 200


class CsnKey(NamedTuple):
    """A CSN as a sort key: keys of one kind compare by their parts."""

    kind: str
    parts: tuple[int, ...]


def _numbers(base: int, match: re.Match[str]) -> tuple[int, ...]:
    return tuple(int(part, base) for part in match.groups())


def _wrap_and_base(match: re.Match[str]) -> tuple[int, ...] | None:
    wrap, base = int(match[1]), int(match[2])
    return ((wrap << 32) + base,) if wrap <= 0xFFFF and base <= 0xFFFFFFFF else None


_DECIMAL, _HEXADECIMAL = partial(_numbers, 10), partial(_numbers, 16)
_FORMS: tuple[tuple[str, re.Pattern[str], Callable[[re.Match[str]], tuple[int, ...] | None]], ...] = (
    ("number", re.compile(r"(\d{1,40})"), _DECIMAL),
    ("number", re.compile(r"0[xX]([0-9A-Fa-f]{1,32})"), _HEXADECIMAL),
    ("number", re.compile(r"(\d{1,5})\.(\d{1,10})"), _wrap_and_base),
    ("MySQL position", re.compile(r"(?:[^:\s]*\.)?(\d{1,40}):(\d{1,40})"), _DECIMAL),
    ("PostgreSQL LSN", re.compile(r"([0-9A-Fa-f]{1,8})/([0-9A-Fa-f]{1,8})"), _HEXADECIMAL),
    ("SQL Server LSN", re.compile(r"([0-9A-Fa-f]{8}):([0-9A-Fa-f]{8}):([0-9A-Fa-f]{4})"), _HEXADECIMAL),
    ("SQL Server LSN", re.compile(r"0[xX]([0-9A-Fa-f]{1,8}):([0-9A-Fa-f]{1,8}):([0-9A-Fa-f]{1,4})"), _HEXADECIMAL),
    ("SQL Server LSN", re.compile(r"(\d{10}):(\d{10}):(\d{5})"), _DECIMAL),
)


@lru_cache(maxsize=1024)
def csn_key(text: str) -> CsnKey | None:
    """Return the key of a CSN, or None if it has none of the known forms."""
    text = text.strip(" \0")
    if len(text) > _LONGEST or not text.isascii():
        return None
    for kind, form, read in _FORMS:
        if (match := form.fullmatch(text)) and (parts := read(match)) is not None:
            return CsnKey(kind, parts)
    return None

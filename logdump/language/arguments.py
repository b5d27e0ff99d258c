"""Arguments of commands, checked and typed."""

from __future__ import annotations

import re
from typing import TypeVar

from logdump.language.command import ArgumentError
from logdump.language.words import is_keyword, plain, split_words
from logdump.notation.times import TimeOffset, parse_datetime

T = TypeVar("T")


def one_option(text: str, options: dict[str, T]) -> T | None:
    """The value of the keyword in ``text``; None when ``text`` is empty. Keywords may carry brackets."""
    words = split_words(text)
    if not words:
        return None
    for spelling, value in options.items():
        if len(words) == 1 and is_keyword(words[0], spelling):
            return value
    raise ArgumentError(f"{text!r} is not one of {', '.join(plain(spelling) for spelling in options)}.")


def no_arguments(text: str) -> None:
    """Check that there are none."""
    if text:
        raise ArgumentError(f"takes no arguments, but got {text!r}.")


def number(word: str, *, least: int = 0, most: int = 2**63 - 1, what: str = "a number") -> int:
    """A decimal number, or a hexadecimal one after ``0x``, within bounds."""
    if re.fullmatch("[0-9]{1,20}|0[xX][0-9a-fA-F]{1,16}", word) is None:
        raise ArgumentError(f"{word!r} is not {what}.")
    value = int(word, 16 if word[:2].lower() == "0x" else 10)
    if not least <= value <= most:
        raise ArgumentError(f"{word} is out of range: {least} to {most}.")
    return value


def count(text: str, default: int = 1) -> int:
    """A single number of at least 1, or the default when there is none."""
    words = split_words(text)
    if len(words) > 1:
        raise ArgumentError(f"takes one number, but got {text!r}.")
    return number(words[0], least=1) if words else default


def one_path(text: str) -> str | None:
    """A file name, which must be quoted when it holds blanks; None when there is none."""
    words = split_words(text)
    if len(words) > 1:
        raise ArgumentError(f"takes one file name; put one with blanks into double quotes: {text!r}.")
    return words[0] if words else None


_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):(?://([^/]*))?(/.*)?", re.DOTALL)


def local_path(text: str) -> str:
    """A path as the system takes it, without ``file:``; ``s3a://bucket/lt`` is no folder called ``s3a:``.

    Raises:
        ArgumentError: it has another scheme, or is a file of another machine.
    """
    found = _SCHEME.fullmatch(text)
    if not found or (found[2] is None and found[3] is None):
        return text
    scheme, machine, path = found[1].lower(), found[2] or "", found[3]
    if scheme != "file":
        raise ArgumentError(f"{text}: only files of this machine's own paths are read and written, not {found[1]}:")
    if path is None or machine.lower() not in ("", "localhost"):
        raise ArgumentError(f"{text}: a path of this machine is file:///path or /path, not one of {machine}")
    return "/" + path.lstrip("/")


def time_argument(text: str, offset: TimeOffset) -> int:
    """A date and time, in double quotes or without, in Julian microseconds."""
    try:
        return parse_datetime(" ".join(split_words(text)), offset)
    except ValueError as error:
        raise ArgumentError(f"{error}.") from error

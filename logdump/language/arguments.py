"""Arguments of commands, checked and typed."""

from __future__ import annotations

import re
from typing import TypeVar

from logdump.language.command import ArgumentError
from logdump.language.words import is_keyword, plain, split_words
from logdump.times import TimeOffset, parse_datetime

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


def time_argument(text: str, offset: TimeOffset) -> int:
    """A date and time as Logdump writes them, in Julian microseconds."""
    try:
        return parse_datetime(text, offset)
    except ValueError as error:
        raise ArgumentError(f"{error}.") from error

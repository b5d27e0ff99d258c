"""Parsing of the text after an option: quotes, lists, whole numbers.

Limits keep hostile input small: a statement of 16384 characters, a list of 32 values ([manual], for names, types, hex
and text), a number of 64 bits.
"""

from __future__ import annotations

import re

from logdump.notation.text import escape
from logdump.notation.text import whole_number as number_of
from logdump.notation.values import QUOTES, is_quoted, unquote


class FilterError(ValueError):
    """A FILTER statement that cannot be executed; the message gives the reason and the syntax."""


MAX_TEXT = 16_384
MAX_VALUES = 32
LARGEST = (1 << 64) - 1
_SHOWN = 40
_WORD = re.compile(r"\s*([A-Za-z][A-Za-z0-9]*)")


def quoted(text: str) -> str:
    """Return user input for a message: shortened, in quotes, control characters escaped."""
    shown = text if len(text) <= _SHOWN else text[:_SHOWN] + "..."
    return f"'{escape(shown)}'"


def first_word(text: str) -> tuple[str, str]:
    """Return the first word in capitals, and the text after it; the word is empty if the text starts otherwise."""
    match = _WORD.match(text)
    return (match[1].upper(), text[match.end() :].strip()) if match else ("", text.strip())


def split_list(text: str) -> list[str]:
    """Return the values between commas, as written; a comma in quotes belongs to its value.

    Raises:
        FilterError: no value, an empty one, more than 32, or a quote without its end.
    """
    values, start, quote = [], 0, ""
    for position, char in enumerate(text):
        if quote:
            quote = "" if char == quote else quote
        elif char in QUOTES:
            quote = char
        elif char == ",":
            values.append(text[start:position].strip())
            start = position + 1
    values.append(text[start:].strip())
    if quote:
        raise FilterError(f"the quote {quote} is not closed")
    if not all(values):
        raise FilterError("a value is missing")
    check_count(len(values))
    return values


def check_count(count: int) -> None:
    """Raise FilterError if a list has more than MAX_VALUES values."""
    if count > MAX_VALUES:
        raise FilterError(f"{count} values, at most {MAX_VALUES} are allowed")


def one_value(text: str) -> str:
    """Return the single value that is all of ``text``.

    Raises:
        FilterError: it is empty, or several words without quotes.
    """
    if not text:
        raise FilterError("a value is missing")
    if not is_quoted(text) and len(text.split()) > 1:
        raise FilterError(f"{quoted(text)} is more than one word; put a value with blanks in quotes")
    return unquote(text)


def whole_number(text: str, low: int = 0, high: int = LARGEST) -> int:
    """Return a whole number, parsed by ``notation.text``.

    Raises:
        FilterError: it is not a whole number, or is outside ``low`` to ``high``.
    """
    text = one_value(text)
    number = number_of(text)
    if number is None:
        raise FilterError(f"{quoted(text)} is not a whole number")
    if not low <= number <= high:
        raise FilterError(f"{text} is outside {low} to {high}")
    return number

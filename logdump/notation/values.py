"""The one notation of values: how they are entered, and how they are printed where a line may be entered again.

    'Denver'   'it''s'   "it's"   Denver     text; a quote inside is doubled; a word that is no number needs none
    31.50   -7   1e3                         a number
    '2024-03-14 09:30:00'   2024-03-14       a date, a time or both, with a blank, a colon or a T between
    X'00ff'                                  bytes; for a column of text, its bytes in UTF-8
    NULL                                     no value; the text of these letters is 'NULL'

A list of columns and values has blanks, commas or AND between: ``EMPLOYEE_ID = 107, "Mixed Case" = 'a b'``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from trailformat.values import Value
from trailformat.values.comparing import NULL, Operand, operand_of

QUOTES = "\"'"
_HEX = re.compile(r"X'((?:[0-9A-F]{2})*)'", re.IGNORECASE)
_NAME = r'(?:[\w$#]+\.)*(?:[\w$#]+|"(?:[^"]|"")+")'
_MOMENT = r"\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d(?:\.\d+)?)?(?: ?[+-]\d\d:?\d\d)?(?=[\s,]|\Z)"
_BARE = rf"""[^\s,"'<>=!](?:[^\s,]|,(?=\S)(?!{_NAME}\s*=))*"""
_VALUE = rf"""(?:X'[^']*'|'(?:[^']|'')*'|"(?:[^"]|"")*")(?=[\s,]|\Z)|{_MOMENT}|{_BARE}"""
_PAIR = re.compile(rf"\s*(?P<name>{_NAME})\s*=\s*(?P<value>{_VALUE})\s*(?:,|AND\b(?!\s*=))?\s*", re.IGNORECASE)
_LAST_PART = re.compile(r'"(?:[^"]|"")+"\Z|[^."]+\Z')
_BARE_TEXT = re.compile(r"[\w.:+-]+")


def is_quoted(text: str) -> bool:
    """Return True if all of ``text`` is one quoted value."""
    quote = text[:1]
    return len(text) > 1 and quote in QUOTES and text[-1] == quote and quote not in text[1:-1].replace(quote * 2, "")


def unquote(text: str) -> str:
    """Return a quoted value without its quotes, doubled quotes inside reduced to one; any other text unchanged."""
    return text[1:-1].replace(text[0] * 2, text[0]) if is_quoted(text) else text


def read_operand(text: str) -> Operand:
    """Return the value of a text as entered; a text that begins with a quote must be closed by it."""
    if text.upper() == "NULL":
        return NULL
    data = _HEX.fullmatch(text)
    return Operand(unquote(text)) if data is None else Operand(data=bytes.fromhex(data[1]))


class ColumnOperand(NamedTuple):
    """A column and the value that it should have; ``is_exact`` is True if the case of the name counts."""

    name: str
    is_exact: bool
    operand: Operand

    def is_of(self, name: str) -> bool:
        """Return True if a column has this name."""
        return name == self.name or (not self.is_exact and name.upper() == self.name.upper())


def read_pairs(text: str) -> tuple[ColumnOperand, ...]:
    """Return the columns and values of a list; of a name with its schema and table, the last part.

    Raises:
        ValueError: the text is not such a list; its argument is the part that cannot be read.
    """
    offset, pairs = 0, list[ColumnOperand]()
    while offset < len(text) or not pairs:
        match = _PAIR.match(text, offset)
        name = _LAST_PART.search(match["name"]) if match is not None else None
        if match is None or name is None:
            raise ValueError(text[offset:].strip())
        pairs.append(ColumnOperand(unquote(name[0]), is_quoted(name[0]), read_operand(match["value"])))
        offset = match.end()
    return tuple(pairs)


def operand_text(operand: Operand) -> str:
    """Return an operand as it may be entered in a line of commands; a text without quotes if it needs none."""
    if operand.text is None:
        return "NULL" if operand.data is None else f"X'{operand.data.hex()}'"
    is_bare = _BARE_TEXT.fullmatch(operand.text) is not None and operand.text.upper() != "NULL"
    return operand.text if is_bare else quoted_text(operand.text)


def quoted_text(text: str) -> str:
    """Return a text as it may be entered in a line of commands.

    A line is split at semicolons outside double quotes, so a text with either has these; one that does not print is
    X'…' in UTF-8.
    """
    if not text.isprintable():
        return f"X'{text.encode('utf-8', 'surrogatepass').hex()}'"
    quote = '"' if any(sign in text for sign in ';"') else "'"
    return quote + text.replace(quote, quote * 2) + quote


def value_notation(value: Value) -> str | None:
    """Return a value of a column as it may be entered in a line of commands; None if no operand equals it.

    A text has quotes, unless it is a word that cannot be taken for a number or NULL.
    """
    operand = operand_of(value)
    if operand is None:
        return None
    has_quotes = isinstance(value.value, str) and not is_word(value.value)
    return quoted_text(value.value) if has_quotes and isinstance(value.value, str) else operand_text(operand)


def is_word(text: str) -> bool:
    """Return True if a text is a word: letters, digits, ``_`` and ``-`` that cannot be taken for a number or NULL."""
    return text[:1].isalpha() and text.replace("_", "").replace("-", "").isalnum() and text.upper() != "NULL"


def name_notation(pair: ColumnOperand) -> str:
    """Return the name of a column as it may be entered."""
    return '"' + pair.name.replace('"', '""') + '"' if pair.is_exact else pair.name


def pairs_text(pairs: Iterable[ColumnOperand], separator: str = " ", sign: str = "=") -> str:
    """Return columns and values as the list that ``read_pairs`` reads."""
    return separator.join(f"{name_notation(pair)}{sign}{operand_text(pair.operand)}" for pair in pairs)

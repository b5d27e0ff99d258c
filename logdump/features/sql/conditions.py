"""The text of a condition in DuckDB's plan, taken apart: ``((a) AND (b) AND ((c) OR (d)))``."""

from __future__ import annotations

import re
from collections.abc import Iterator

_RANGE = re.compile(r"(\d+\.\w+) BETWEEN (\S.*)")


def conjuncts(expression: str) -> tuple[str, ...]:
    """The parts that have to be true together, without their own brackets."""
    text = expression.strip()
    if not _is_bracketed(text):
        return (text,) if text else ()
    inside = text[1:-1]
    parts = _split(inside, " AND ")
    if len(parts) == 1 or len(_split(inside, " OR ")) > 1:
        return (inside,)
    return tuple(one for part in _with_ranges(parts) for one in conjuncts(part))


def alternatives(condition: str) -> tuple[str, ...]:
    """The parts of a condition of which one has to be true, without their own brackets."""
    parts = _split(condition, " OR ")
    return tuple(part[1:-1] if _is_bracketed(part) else part for part in parts)


def _with_ranges(parts: list[str]) -> Iterator[str]:
    """The parts, of which a BETWEEN has been cut in two: as its two conditions."""
    remaining = iter(parts)
    for part in remaining:
        found = _RANGE.fullmatch(part)
        if found is None:
            yield part
        else:
            yield f"({found[1]} >= {found[2]})"
            yield f"({found[1]} <= {next(remaining, '')})"


def _split(text: str, word: str) -> list[str]:
    """The parts between a word that is in no brackets and no text."""
    parts, first = [], 0
    for at, depth in _outside_of_texts(text):
        if depth == 0 and text.startswith(word, at):
            parts.append(text[first:at])
            first = at + len(word)
    return [*parts, text[first:]]


def _is_bracketed(text: str) -> bool:
    closed = next((at for at, depth in _outside_of_texts(text) if depth == 0), None)
    return text.startswith("(") and closed == len(text) - 1


def _outside_of_texts(text: str) -> Iterator[tuple[int, int]]:
    """The places in a condition that are in no text, and the depth of brackets after each."""
    depth, is_text = 0, False
    for at, sign in enumerate(text):
        if sign == "'":
            is_text = not is_text
        elif not is_text:
            depth += (sign == "(") - (sign == ")")
            yield at, depth

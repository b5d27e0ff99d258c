"""Values of a state, which may be damaged: they are what they must be, or an error."""

from __future__ import annotations

from typing import Any


def numbers_of(values: Any) -> list[int]:
    """Return a list of numbers. Raises TypeError: it is none."""
    if not isinstance(values, list) or any(type(value) is not int for value in values):
        raise TypeError("numbers")
    return values


def texts_of(values: Any) -> list[str]:
    """Return a list of texts. Raises TypeError: it is none."""
    if not isinstance(values, list) or any(type(value) is not str for value in values):
        raise TypeError("texts")
    return values

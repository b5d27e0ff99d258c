"""Amounts of things in words."""

from __future__ import annotations


def amount(number: int, noun: str) -> str:
    """Return ``1 record``, ``2 records``."""
    return f"{number} {noun}{'' if number == 1 else 's'}"

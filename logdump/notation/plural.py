"""Amounts of things in words."""

from __future__ import annotations


def amount(number: int, noun: str) -> str:
    """Return ``1 record``, ``2 records``."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def size_text(size: int) -> str:
    """Bytes in three digits or so."""
    value, unit = float(size), "B"
    for unit in ("B", "KB", "MB", "GB"):
        if value < 1024 or unit == "GB":
            break
        value /= 1024
    return f"{value:.0f} {unit}" if unit == "B" or value >= 100 else f"{value:.1f} {unit}"

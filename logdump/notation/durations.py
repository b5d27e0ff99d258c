"""Durations in words: ``2 h 56 min``."""

from __future__ import annotations

_UNITS = ((86_400, "d"), (3600, "h"), (60, "min"))


def seconds_text(microseconds: int) -> str:
    """Return seconds with three decimals."""
    return f"{microseconds / 1_000_000:.3f}"


def duration_text(microseconds: int) -> str:
    """A duration in its two largest units, ``2 h 56 min``; below a minute in seconds."""
    seconds = abs(microseconds) // 1_000_000
    parts: list[str] = []
    for size, unit in _UNITS:
        if seconds >= size or parts:
            parts.append(f"{seconds // size} {unit}")
            seconds %= size
    return ("-" if microseconds < 0 else "") + (
        " ".join(parts[:2]) if parts else f"{seconds_text(abs(microseconds))} s"
    )


def span_text(microseconds: int) -> str:
    """A duration in its two largest units, the second only where it is not 0: ``4 h``."""
    first, _, second = duration_text(microseconds).partition(" 0 ")
    return first if second and not second.startswith("s") else duration_text(microseconds)

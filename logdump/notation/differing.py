"""The first difference of two texts, with the text around it."""

from __future__ import annotations

from typing import AnyStr


def first_difference(a: AnyStr, b: AnyStr) -> int:
    """The index of the first character or byte that differs, by halving: records may have a gigabyte."""
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def around_difference(a: str, b: str, most: int, cut: str) -> tuple[str, str]:
    """Return two texts shortened to ``most`` characters around their first difference; ``cut`` marks omissions."""
    if max(len(a), len(b)) <= most:
        return a, b
    start = max(0, first_difference(a, b) - most // 4)
    return _from(a, start, most, cut), _from(b, start, most, cut)


def _from(text: str, start: int, most: int, cut: str) -> str:
    shown = (cut if start else "") + text[start:]
    return shown if len(shown) <= most else shown[: most - 1] + cut

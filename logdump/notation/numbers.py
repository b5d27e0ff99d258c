"""Whole numbers as people type and copy them."""

from __future__ import annotations

import re

_NUMBER = re.compile(r"[+-]?(?:0[xX][0-9A-Fa-f]{1,16}|[0-9]{1,20}|[0-9]{1,3}(?:,[0-9]{3}){1,6})")


def whole_number(text: str) -> int | None:
    """The number that all of ``text`` is, hexadecimal after ``0x``; None where it is none.

    Commas may separate groups of three digits: GoldenGate's messages print RBAs so (``rba 483,188,832``).
    """
    if not _NUMBER.fullmatch(text):
        return None
    return int(text.replace(",", ""), 16 if "x" in text.lower() else 10)

"""What a title says of a reading that is partial."""

from __future__ import annotations

PARTIAL = "Not all was read: this is partial, without a verdict."
"""Goes before the findings on a page of the screen."""


def as_read(*, is_partial: bool) -> str:
    """Goes behind a title; nothing where all was read."""
    return ", as far as it was read" if is_partial else ""

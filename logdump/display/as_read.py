"""The remark of a title on a partial reading."""

from __future__ import annotations

PARTIAL = "Not all was read: this is partial, without a verdict."
"""Goes before the findings on a page of the screen."""


def as_read(*, is_partial: bool) -> str:
    """Return the text after a title, empty if all was read."""
    return ", as far as it was read" if is_partial else ""

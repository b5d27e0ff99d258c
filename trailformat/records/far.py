"""The search for records that is worth its start where many places only look like one."""

from __future__ import annotations

from collections.abc import Callable

from trailformat.codec.mapped_file import Source

Search = Callable[[Source, int, int, int], int | None]


def _no_search(_size: int) -> Search | None:
    return None


search_for: Callable[[int], Search | None] = _no_search
"""The search that pays for so many bytes, None for none; set by :mod:`trailformat`, as it is built on records.

It takes a buffer, the RBAs where it begins and stops, and the end of the buffer, and gives the first place where a
sound record starts in either byte order.
"""

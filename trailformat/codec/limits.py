"""Limits of disk space that an environment variable sets: ``4294967296``, ``500M``, ``4G``."""

from __future__ import annotations

import os
import re

from trailformat.errors import CannotRead

UNPACKED = "LOGDUMP_UNPACKED_LIMIT"
"""Limit of the unpacked copies of packed files."""
CACHED = "LOGDUMP_REMOTE_CACHE"
"""Limit of the kept bytes of files in stores."""
_SIZE = re.compile(r"(\d{1,18})\s*([kmgt]?)(?:i?b)?", re.ASCII | re.IGNORECASE)
_UNITS = {"": 0, "k": 10, "m": 20, "g": 30, "t": 40}


def size_limit(variable: str) -> int | None:
    """Return the bytes that an environment variable allows; None if it is not set or empty.

    Raises:
        CannotRead: its value is not a size.
    """
    text = os.environ.get(variable, "").strip()
    if not text:
        return None
    size = _SIZE.fullmatch(text)
    if size is None:
        raise CannotRead(f"{variable}={text!r} is not a size: write a number of bytes, or 500M, 64G")
    return int(size[1]) << _UNITS[size[2].lower()]

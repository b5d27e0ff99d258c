"""The distance that is read record by record before records are read as columns."""

from __future__ import annotations

NEARBY = 2000
"""Records that are read one by one before columns, which have to be loaded first, are worth it."""

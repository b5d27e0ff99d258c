"""The distance that is read record by record before records are read as columns."""

from __future__ import annotations

NEARBY = 2000
"""Records read one by one before columns are worth it: it takes 40 ms, to load numpy and scan a first batch 280 ms."""

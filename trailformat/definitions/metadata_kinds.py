"""The kinds of metadata records, by OrigNode (transcripts of 21c, the real 12.2 trail)."""

from __future__ import annotations

DATABASE = 1
"""A DDR."""
TABLE = 2
"""A TDR."""
REFERENCE = 3
"""A table with the same structure as the TDR whose index is in the header."""

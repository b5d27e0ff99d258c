"""Databases of SQLite in memory, for models and for running scripts."""

from __future__ import annotations

import sqlite3
from typing import Any


class _MemoryDatabase(sqlite3.Connection):
    """A connection that closes with its last use: from Python 3.13 on one that is not closed is a warning.

    It may be collected in another thread than that which made it.
    """

    def __del__(self) -> None:
        self.close()


def memory_database(**options: Any) -> sqlite3.Connection:
    """Return an empty database; ``options`` are those of ``sqlite3.connect``."""
    return sqlite3.connect(":memory:", factory=_MemoryDatabase, check_same_thread=False, **options)

"""How long the tests search: little by default, ten times as much under ``LOGDUMP_TESTS=long`` (``make test-long``)."""

from __future__ import annotations

import os

_CHOSEN = os.environ.get("LOGDUMP_TESTS", "")
if _CHOSEN not in {"", "long"}:
    raise RuntimeError(f"LOGDUMP_TESTS takes long or nothing, not {_CHOSEN}")
IS_LONG = _CHOSEN == "long"
_LONGER = 10


def examples(small: int) -> int:
    """The number of examples of a search that has ``small`` by default."""
    return small * _LONGER if IS_LONG else small


def stride(wide: int) -> int:
    """The step between places of a file that are tried where every ``wide``-th is by default."""
    return max(1, wide // _LONGER) if IS_LONG else wide

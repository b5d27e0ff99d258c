"""Logdump's wildcards in names: ``*`` matches any run of characters, also none, and ``?`` exactly one.

    fin.act*        FIN.ACCTN? ...        $QA01.QAESRC.ACCT*

Every other character matches itself, brackets and backslashes too. Both wildcards cross the dots between the parts of a
name. Source: manual FILTER (FILENAME).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache


def matches(pattern: str, name: str, *, case_sensitive: bool) -> bool:
    """Return True if ``pattern`` matches all of ``name``; steps grow at most with the product of the two lengths."""
    return _compile(pattern, case_sensitive=case_sensitive).fullmatch(name) is not None


def name_test(pattern: str | None) -> Callable[[str], bool] | None:
    """The test whether a name fits, in letters of either case; None where there is no pattern, and all names do."""
    return None if pattern is None else lambda name: matches(pattern, name, case_sensitive=False)


@lru_cache(maxsize=256)
def _compile(pattern: str, *, case_sensitive: bool) -> re.Pattern[str]:
    """Return a regular expression that never backtracks over an earlier ``*``: each takes the first match for good.

    No match is lost, since what matches after a later place also matches after the first one.
    """
    first, *others = (_literal(part) for part in re.sub(r"\*+", "*", pattern).split("*"))
    expression = first
    if others:
        *middle, last = others
        expression += "".join(f"(?>.*?{part})" for part in middle) + f".*{last}"
    return re.compile(expression, re.DOTALL if case_sensitive else re.DOTALL | re.IGNORECASE)


def _literal(part: str) -> str:
    return ".".join(re.escape(text) for text in part.split("?"))

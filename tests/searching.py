"""How long the tests search: a fixed small sample by default, much under ``LOGDUMP_TESTS=long``.

A test names a number; the long form (``make test-long``) draws ten times as many, anew in each run. The short form
draws a part of them, the same in each run: all where they are few, a sixth where they are many.
"""

from __future__ import annotations

import itertools
import os
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar

A = TypeVar("A")
B = TypeVar("B")
File = TypeVar("File", str, Path)
_CHOSEN = os.environ.get("LOGDUMP_TESTS", "")
if _CHOSEN not in {"", "long"}:
    raise RuntimeError(f"LOGDUMP_TESTS takes long or nothing, not {_CHOSEN}")
IS_LONG = _CHOSEN == "long"
_LONGER = 10
_APART = 5
"""How far apart the short form's places are, by the stride that a test names: odd, so that they meet each alignment."""


def examples(some: int, short: int | None = None) -> int:
    """The number of examples of a search: in the short form ``short``, or at most three and an eighth of ``some``."""
    if IS_LONG:
        return some * _LONGER
    return min(some, 3 + some // 8) if short is None else short


def stride(wide: int) -> int:
    """The step between places of a file that are tried."""
    return max(1, wide // _LONGER) if IS_LONG else wide * _APART


def some_trails(files: Iterable[File], module: str) -> list[File]:
    """Files of the fixtures, in order: in the short form each kind of trail in one byte order, each module others."""
    everything = sorted(files)
    turn = zlib.crc32(module.encode())
    return [one for one in everything if IS_LONG or _is_little(one) == bool((turn + ord(_name(one)[0])) % 2)]


def part_of(some: Iterable[A], case: int, parts: int = 3) -> list[A]:
    """What one of many cases that all go over the same tries: in the short form one of so many parts, by turns.

    Case 0 takes the first of each ``parts`` in order, case 1 the second.
    """
    everything = list(some)
    return everything if IS_LONG else everything[case % parts :: parts]


def _name(file: str | Path) -> str:
    return file if isinstance(file, str) else file.name


def _is_little(file: str | Path) -> bool:
    return _name(file)[1] == "l"


def in_turn(some: Iterable[A], others: Iterable[B]) -> list[tuple[A, B]]:
    """Pairs for a test of two parameters: in the short form each of both at least once, not each with each."""
    return [(one, other) for one, other in all_in_turn(some, others)]


def all_in_turn(*parameters: Iterable[Any]) -> list[tuple[Any, ...]]:
    """The same of any number of parameters."""
    values = [list(some) for some in parameters]
    if IS_LONG:
        return list(itertools.product(*values))
    return [
        tuple(some[(at + place * (at // len(some))) % len(some)] for place, some in enumerate(values))
        for at in range(max(map(len, values)))
    ]

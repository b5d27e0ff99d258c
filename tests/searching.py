"""What the tests draw, and how much: other draws in each run, a small sample of them unless ``LOGDUMP_TESTS=long``.

A test names a number; the long form (``make test-long``) draws ten times as many. The short form draws a part of them:
all where they are few, a sixth where they are many. ``SEED`` repeats the draws of a run.
"""

from __future__ import annotations

import itertools
import os
import random
import secrets
import subprocess
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


def _seed() -> int:
    """Return the seed of this run: the number in ``SEED``, that of the commit, or a new one; its processes inherit it.

    ``SEED=commit`` and continuous integration (``CI``) draw by the commit: what passed once for it passes again.
    """
    chosen = os.environ.get("SEED") or ("commit" if os.environ.get("CI") else "")
    if chosen == "commit":
        words = ["git", "-C", str(Path(__file__).parent), "rev-parse", "HEAD"]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        chosen = str(int(done.stdout[:8], 16)) if done.returncode == 0 else ""
    seed = int(chosen) if chosen else secrets.randbits(32)
    os.environ["SEED"] = str(seed)
    return seed


SEED = _seed()


class Random(random.Random):
    """Draws of a test: those of its own seed and of the run's, so that they are others in each run.

    ``is_fixed``: the same in each run, as of what a golden file shows.
    """

    def __init__(self, seed: int | str | None = None, *, is_fixed: bool = False) -> None:
        super().__init__(seed if is_fixed else f"{SEED} {seed}")


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
    turn = zlib.crc32(module.encode()) + SEED
    return [case for case in everything if IS_LONG or _is_little(case) == bool((turn + ord(_name(case)[0])) % 2)]


def part_of(some: Iterable[A], case: int, parts: int = 3) -> list[A]:
    """What one of many cases that all go over the same tries: in the short form one of so many parts, by turns.

    Each case takes another of each ``parts`` in order; which one is drawn.
    """
    everything = list(some)
    return everything if IS_LONG else everything[(case + SEED) % parts :: parts]


def _name(file: str | Path) -> str:
    return file if isinstance(file, str) else file.name


def _is_little(file: str | Path) -> bool:
    return _name(file)[1] == "l"


def in_turn(some: Iterable[A], others: Iterable[B]) -> list[tuple[A, B]]:
    """Pairs for a test of two parameters: in the short form each of both at least once, not each with each."""
    return [(first, other) for first, other in all_in_turn(some, others)]


def all_in_turn(*parameters: Iterable[Any]) -> list[tuple[Any, ...]]:
    """The same of any number of parameters."""
    values = [list(some) for some in parameters]
    if IS_LONG:
        return list(itertools.product(*values))
    return [
        tuple(some[(at + place * (at // len(some) + SEED)) % len(some)] for place, some in enumerate(values))
        for at in range(max(map(len, values)))
    ]

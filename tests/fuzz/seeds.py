"""What is mutated: the records of the fixtures, of the real trail where it is, of the corpus."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

from fixtures import TRAILS
from fixtures.catalogue import names
from tests.fuzz.anatomy import Anatomy, dissect
from trailformat import ByteOrder, TrailError, TrailFile

SHARED = Path(__file__).parents[3] / "shared"
_LARGEST = 1 << 14
"""Larger files are slow to try, and no input needs them."""


class Seed(NamedTuple):
    """A trail and its sound records; ``is_plain`` where none of them holds another."""

    name: str
    data: bytes
    records: tuple[Anatomy, ...]
    is_plain: bool


def seed_of(path: Path, *, is_plain: bool = False) -> Seed | None:
    """The seed that a file makes; None for one that is no trail, and for a large one."""
    if path.stat().st_size > _LARGEST:
        return None
    found = []
    try:
        with TrailFile(path) as trail:
            for rba in trail.sound_rbas(0, trail.size):
                record = trail.record_at(rba)
                if record is not None:
                    found.append(dissect(record.raw, is_little=record.order is ByteOrder.LITTLE))
    except TrailError:
        return None
    return Seed(path.name, path.read_bytes(), tuple(found), is_plain) if found else None


@cache
def first_seeds() -> tuple[Seed, ...]:
    """The fixtures, the real trail, and what once was hostile."""
    plain = [TRAILS / name for name in names()] + sorted((SHARED / "evidence").glob("tr*[0-9]"))
    hostile = sorted((SHARED / "hostile").glob("*"))
    seeds = [*(seed_of(path, is_plain=True) for path in plain), *(seed_of(path) for path in hostile)]
    return tuple(seed for seed in seeds if seed is not None)

"""A corpus that grows: a folder of the inputs that first brought something about."""

from __future__ import annotations

import hashlib
from pathlib import Path
from random import Random

from tests.fuzz.seeds import first_seeds, seed_of

_LARGEST = 6 << 10
_MOST = 400


class Corpus:
    """The seeds of a campaign.

    Args:
        folder: where inputs are kept from one run to the next; it may not exist yet.

    Attributes:
        seeds: the trails that are mutated.
        known: everything that inputs have brought about.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.seeds = list(first_seeds())
        self.known: set[str] = set()
        self._first = len(self.seeds)
        files = sorted(folder.glob("*.trail"))
        for path in Random(len(files)).sample(files, min(_MOST, len(files))):
            self._add(path)

    def _add(self, path: Path) -> None:
        seed = seed_of(path)
        if seed is not None:
            self.seeds.append(seed)

    def take(self, data: bytes, found: set[str], chance: Random) -> None:
        """Keep an input that has brought about something new; the seeds in memory are no more than some hundreds."""
        if found <= self.known:
            return
        self.known |= found
        if len(data) > _LARGEST:
            return
        path = self._folder / f"{hashlib.sha256(data).hexdigest()[:16]}.trail"
        path.write_bytes(data)
        if len(self.seeds) - self._first >= _MOST:
            del self.seeds[chance.randrange(self._first, len(self.seeds))]
        self._add(path)

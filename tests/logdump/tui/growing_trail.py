"""A trail that is being written while others read it."""

from __future__ import annotations

from pathlib import Path

from fixtures import TRAILS
from trailformat import TrailFile


class GrowingTrail:
    """The file of a fixture, written piece by piece: records, halves of records, and the next file."""

    def __init__(self, folder: Path, name: str, pieces: int, *, is_damaged: bool) -> None:
        self._content = (TRAILS / f"{name}000000000").read_bytes()
        self._pieces = [0]
        with TrailFile(TRAILS / f"{name}000000000") as trail:
            while (rba := self._pieces[-1]) < trail.size:
                end = trail.next_good_header(rba + 1) or trail.size
                self._pieces += [(rba + end) // 2, end]
        if is_damaged:
            damaged = bytearray(self._content)
            damaged[self._pieces[10] : self._pieces[10] + 8] = b"\xff" * 8
            self._content = bytes(damaged)
        self.folder, self.name, self._file = folder, name, 0
        self._at = pieces
        self._write()

    @property
    def path(self) -> Path:
        """The file that is written."""
        return self.folder / f"{self.name}{self._file:09}"

    def _write(self) -> None:
        self._at = min(self._at, len(self._pieces) - 1)
        with self.path.open("r+b" if self.path.exists() else "wb") as file:
            file.write(self._content[: self._pieces[self._at]])

    def grow(self, halves: int) -> None:
        """Write so many halves of records more."""
        self._at += halves
        self._write()

    def roll_over(self, halves: int) -> None:
        """End the file, and begin the next."""
        self.grow(len(self._pieces))
        self._file, self._at = self._file + 1, halves
        self._write()

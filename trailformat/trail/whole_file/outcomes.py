"""Results of writers, for reports: names that were given, and files that could not be removed."""

from __future__ import annotations

import os
import shutil
from pathlib import Path


class Outcomes:
    """The results of writers since the last ``forget``.

    Attributes:
        named: files and folders that have their names, complete.
        left: temporary files and folders, and former ones, that should have been removed and are still there.
        displaced: former files and folders that could not get their names back, each with its name.
    """

    def __init__(self) -> None:
        self.named: list[Path] = []
        self.left: list[Path] = []
        self.displaced: list[tuple[Path, Path]] = []

    def remove(self, path: Path) -> None:
        """Remove a file or a folder with all that is in it, if it is there; what resists is among those left."""
        for _ in range(2):
            try:
                if path.is_dir() and not path.is_symlink():
                    shutil.rmtree(path)
                else:
                    path.unlink(missing_ok=True)
            except OSError:
                continue
            return
        self.keep(path)

    def keep(self, path: Path) -> None:
        """Note that a file or a folder is still there, if it is."""
        if os.path.lexists(path):
            self.left.append(path)

    def displace(self, former: Path, path: Path) -> None:
        """Note that what was called ``path`` is called ``former`` now, if it is and has not both names."""
        if not os.path.lexists(former):
            return
        if not os.path.lexists(path) or not os.path.samestat(os.lstat(former), os.lstat(path)):
            self.displaced.append((former, path))
        else:
            self.keep(former)

    def forget(self) -> None:
        """Remove all results."""
        self.named.clear()
        self.left.clear()
        self.displaced.clear()


OUTCOMES = Outcomes()
"""Those of this process: a writer that fails has no other way to say what it has done already."""

"""The outcomes of writers of files: what has its name, what is left, what was displaced."""

from __future__ import annotations

import os
import shutil
from pathlib import Path


class Outcomes:
    """The results of writers since the last ``forget``.

    Attributes:
        named: complete files and folders that have their names.
        left: temporary and former files and folders that could not be removed.
        displaced: former files and folders that could not get their names back: present and original path.
    """

    def __init__(self) -> None:
        self.named: list[Path] = []
        self.left: list[Path] = []
        self.displaced: list[tuple[Path, Path]] = []

    def remove(self, path: Path) -> None:
        """Remove a file or a folder with its contents, if it exists; after two failures it is added to ``left``."""
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
        """Add a file or a folder to ``left`` if it still exists."""
        if os.path.lexists(path):
            self.left.append(path)

    def displace(self, former: Path, path: Path) -> None:
        """Note that the file of ``path`` is at ``former``: displaced, or only left if ``path`` is the same file."""
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
"""The outcomes of this process: a writer that fails has no other way to report what it has done."""

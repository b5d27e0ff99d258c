"""A session: the open trail, the position in it, the switches, the history."""

from __future__ import annotations

import os
from pathlib import Path

from logdump.cursor import Cursor
from logdump.settings import Settings
from trailformat import NotATrail, TrailFile, TrailSequence


class CommandError(Exception):
    """A command that cannot be carried out: what is wrong, in lines for the user."""

    def __init__(self, *lines: str) -> None:
        super().__init__("\n".join(lines))
        self.lines = lines


class Session:
    """The state that commands read and change; it prints nothing.

    Attributes:
        settings: the switches.
        history: the lines entered, oldest first.
        is_over: set by EXIT.
    """

    def __init__(self) -> None:
        self.settings = Settings()
        self.history: list[str] = []
        self.is_over = False
        self._cursor: Cursor | None = None

    @property
    def number(self) -> int:
        """The number in the prompt: that of the line to be entered next."""
        return len(self.history) + 1

    @property
    def has_trail(self) -> bool:
        """Whether a trail is open."""
        return self._cursor is not None

    @property
    def cursor(self) -> Cursor:
        """The position in the open trail.

        Raises:
            CommandError: none is open.
        """
        if self._cursor is None:
            raise CommandError("No LogTrail is open. OPEN <filename> opens one.")
        return self._cursor

    @property
    def trail(self) -> TrailFile:
        """The open trail. Raises like cursor."""
        return self.cursor.trail

    def open(self, path: str | os.PathLike[str]) -> TrailFile:
        """Open a trail file, or the first file of a trail when ``path`` is its two-character name.

        Raises:
            NotATrail: it cannot be opened; what was open stays open.
        """
        trail = TrailFile(_existing(Path(path).expanduser()))
        self.close()
        self._cursor = Cursor(trail)
        return trail

    def close(self) -> None:
        """Close the trail, if one is open."""
        if self._cursor is not None:
            self._cursor.trail.close()
            self._cursor = None


def _existing(path: Path) -> Path:
    """``path`` made absolute without its dots; for a name that is no file, the first file of the trail so called."""
    absolute = Path(os.path.abspath(path))  # noqa: PTH100 - resolve() would follow links that the user did not name
    if absolute.is_file() or absolute.is_dir() or len(absolute.name) != 2:
        return absolute
    try:
        return TrailSequence(absolute).paths[0]
    except NotATrail:
        return absolute

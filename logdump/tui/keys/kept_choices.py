"""What the user has chosen on the screen and is kept: the theme, the columns of the list that are hidden.

    theme = dark
    hidden = csn op

It is ``logdump/screen`` under XDG_CONFIG_HOME or ~/.config, unless LOGDUMP_SCREEN names another; LOGDUMP_THEME and
NO_COLOR go before it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from trailformat import CannotWrite
from trailformat.codec.user_folder import user_file

_MOST_BYTES = 1 << 12
HIDEABLE = ("clock", "csn", "operation", "table")
"""The columns of the list that can be hidden, by their names in it."""


class KeptChoices:
    """Choices by their names, and the file they are kept in; None keeps none."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self.theme = ""
        self.hidden: frozenset[str] = frozenset()
        values = dict(_lines(path))
        self.theme = values.get("theme", "")
        self.hidden = frozenset(values.get("hidden", "").split()) & frozenset(HIDEABLE)

    def save(self) -> str:
        """Write the file, whole or not at all; returns why that cannot be done, empty when it is."""
        from trailformat.trail.whole_file import WholeFile  # noqa: PLC0415 - where something is chosen

        if self._path is None:
            return ""
        text = f"theme = {self.theme}\nhidden = {' '.join(sorted(self.hidden))}\n"
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with WholeFile(self._path, replace=True, mode=0o600) as file:
                file.write(text.encode())
        except OSError as error:
            return error.strerror or str(error)
        except CannotWrite as error:
            return error.problem
        return ""


def kept_choices(environment: Mapping[str, str]) -> KeptChoices:
    """The choices of earlier sessions."""
    return KeptChoices(user_file("config", "screen", "LOGDUMP_SCREEN", environment))


def _lines(path: Path | None) -> list[tuple[str, str]]:
    """Names and values; none of a file that is no such file."""
    if path is None or not path.is_file():
        return []
    try:
        with path.open("rb") as file:
            text = file.read(_MOST_BYTES).decode()
    except (OSError, ValueError):
        return []
    parts = (line.partition("=") for line in text.splitlines())
    return [(name.strip(), value.strip()) for name, _, value in parts]

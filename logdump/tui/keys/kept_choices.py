"""The keymap of the user, and the choices on the screen that are saved: the theme and the columns of the list.

    theme = dark
    columns = clock -csn kind table+6 operation what

The columns are in their order from left to right; ``-`` hides a column, a number makes it wider or narrower than its
values need. The file is ``logdump/screen`` under XDG_CONFIG_HOME or ~/.config, unless LOGDUMP_SCREEN names another;
LOGDUMP_THEME and NO_COLOR take precedence over it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from logdump.notation.text import escape
from logdump.tui.keys.keys import KEYS
from trailformat import CannotWrite
from trailformat.codec.environment import user_file
from trailformat.codec.on_demand import on_demand

with on_demand:
    from trailformat.trail import whole_file

_MOST_BYTES_OF_KEYS = 1 << 16
CHARACTERS = {
    "]": "right_square_bracket",
    "[": "left_square_bracket",
    "\\": "backslash",
    ":": "colon",
    "/": "slash",
    "?": "question_mark",
    "+": "plus",
    "_": "underscore",
    "{": "left_curly_bracket",
    "}": "right_curly_bracket",
    "'": "apostrophe",
    "<": "less_than_sign",
    ">": "greater_than_sign",
    ".": "full_stop",
    ";": "semicolon",
    "-": "minus",
    "=": "equals_sign",
    "!": "exclamation_mark",
    "@": "at",
}
"""Textual's key names of the characters that may be written in a keymap."""


class Keymap(NamedTuple):
    """The keys of the keymap file by the ``id`` of their binding, and the problems of the file."""

    keys: dict[str, str]
    problems: tuple[str, ...] = ()


def keymap_path(environment: Mapping[str, str]) -> Path | None:
    """Return the path of the keymap file, whether or not it exists; None if there is no home directory."""
    return user_file("config", "keymap", "LOGDUMP_KEYMAP", environment)


def load_keymap(path: Path | None) -> Keymap:
    """Return the keymap in a file, an empty one if there is no file."""
    if path is None or not path.is_file():
        return Keymap({})
    try:
        with path.open("rb") as file:
            text = file.read(_MOST_BYTES_OF_KEYS).decode()
    except (OSError, ValueError) as error:
        return Keymap({}, (f"The keymap {path} cannot be read: {error}.",))
    return parse_keymap(text, str(path))


def parse_keymap(text: str, name: str) -> Keymap:
    """Return the keymap in a text; invalid lines are reported and ignored."""
    known = {key.id for key in KEYS}
    keys: dict[str, str] = {}
    problems = []
    for number, line in enumerate(text.splitlines(), 1):
        what, is_line, typed = line.partition("=")
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        names = [CHARACTERS.get(key.strip(), key.strip()) for key in typed.split(",") if key.strip()]
        if not is_line or not names or what.strip() not in known:
            problems.append(f"{name}, line {number}: {escape(line.strip())!r} is not a key of docs/tui.md.")
        else:
            keys[what.strip()] = ",".join(names)
    return Keymap(keys, tuple(problems))


_MOST_BYTES = 1 << 12
_WORD = re.compile(r"(-?)([a-z]+)([+-][0-9]{1,3})?")
_MOST_CELLS = 300


class ListColumn(NamedTuple):
    """A column of the list: its name, the number of cells beyond what its values need, and whether it is hidden."""

    name: str
    more: int = 0
    is_hidden: bool = False

    @property
    def text(self) -> str:
        """The column as it is written in the file."""
        return f"{'-' * self.is_hidden}{self.name}{f'{self.more:+}' if self.more else ''}"

    def widened(self, cells: int) -> ListColumn:
        """Return the column with more cells, or fewer."""
        return self._replace(more=max(-_MOST_CELLS, min(self.more + cells, _MOST_CELLS)))


COLUMNS = tuple(map(ListColumn, ("clock", "csn", "kind", "operation", "table", "what")))
"""The columns after the RBA, as they are by default."""


def parse_columns(text: str) -> tuple[ListColumn, ...]:
    """Return the columns of a line of the file; unknown words are ignored, and columns that are missing come last."""
    columns: dict[str, ListColumn] = {}
    known = {column.name: column for column in COLUMNS}
    for word in text.split():
        parts = _WORD.fullmatch(word)
        if parts is not None and parts[2] in known:
            columns[parts[2]] = ListColumn(parts[2], is_hidden=bool(parts[1])).widened(int(parts[3] or 0))
    return (*columns.values(), *(column for name, column in known.items() if name not in columns))


class KeptChoices:
    """The saved choices, and their file; without a path none are saved."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        values = dict(_lines(path))
        self.theme = values.get("theme", "")
        self.columns = parse_columns(values.get("columns", ""))

    def save(self) -> str:
        """Write the file atomically; return the reason if that fails, else an empty text."""
        if self._path is None:
            return ""
        text = f"theme = {self.theme}\ncolumns = {' '.join(column.text for column in self.columns)}\n"
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with whole_file.WholeFile(self._path, replace=True, mode=0o600) as file:
                file.write(text.encode())
        except OSError as error:
            return error.strerror or str(error)
        except CannotWrite as error:
            return error.problem
        return ""


def kept_choices(environment: Mapping[str, str]) -> KeptChoices:
    """Return the choices of earlier sessions."""
    return KeptChoices(user_file("config", "screen", "LOGDUMP_SCREEN", environment))


def _lines(path: Path | None) -> list[tuple[str, str]]:
    """Return the names and values in a file, none if it cannot be read."""
    if path is None or not path.is_file():
        return []
    try:
        with path.open("rb") as file:
            text = file.read(_MOST_BYTES).decode()
    except (OSError, ValueError):
        return []
    parts = (line.partition("=") for line in text.splitlines())
    return [(name.strip(), value.strip()) for name, _, value in parts]

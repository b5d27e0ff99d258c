"""The keymap file: other keys for what the table of keys lists.

    # one line for each; the names are those of docs/tui.md
    next = n, space
    end = G

It is ``logdump/keymap`` under XDG_CONFIG_HOME or ~/.config, unless LOGDUMP_KEYMAP names another.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from logdump.notation.text import escape
from logdump.tui.keys.keys import KEYS
from trailformat.codec.user_folder import user_file

_MOST_BYTES = 1 << 16
CHARACTERS = {
    "]": "right_square_bracket",
    "[": "left_square_bracket",
    "\\": "backslash",
    ":": "colon",
    "/": "slash",
    "?": "question_mark",
    "+": "plus",
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
}
"""Characters as they are typed, and what Textual calls their keys."""


class Keymap(NamedTuple):
    """Keys by the name of what they do, and what is wrong with the file."""

    keys: dict[str, str]
    problems: tuple[str, ...] = ()


def keymap_path(environment: Mapping[str, str]) -> Path | None:
    """The path of the file, whether or not it exists."""
    return user_file("config", "keymap", "LOGDUMP_KEYMAP", environment)


def load_keymap(path: Path | None) -> Keymap:
    """The keys of the file; none without one."""
    if path is None or not path.is_file():
        return Keymap({})
    try:
        with path.open("rb") as file:
            text = file.read(_MOST_BYTES).decode()
    except (OSError, ValueError) as error:
        return Keymap({}, (f"The keymap {path} cannot be read: {error}.",))
    return parse_keymap(text, str(path))


def parse_keymap(text: str, name: str) -> Keymap:
    """The lines of a keymap file; those that are wrong are reported and left out."""
    known = {key.id for key in KEYS}
    keys: dict[str, str] = {}
    problems = []
    for number, one in enumerate(text.splitlines(), 1):
        what, is_line, typed = one.partition("=")
        if not one.strip() or one.lstrip().startswith("#"):
            continue
        names = [CHARACTERS.get(key.strip(), key.strip()) for key in typed.split(",") if key.strip()]
        if not is_line or not names or what.strip() not in known:
            problems.append(f"{name}, line {number}: {escape(one.strip())!r} is not a key of docs/tui.md.")
        else:
            keys[what.strip()] = ",".join(names)
    return Keymap(keys, tuple(problems))

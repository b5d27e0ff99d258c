"""The line at the bottom: the keys that matter where the keyboard is."""

from __future__ import annotations

from collections.abc import Mapping

from logdump.tui.keys.keys import KEYS, Area, Key

_NAMES = {
    "right_square_bracket": "]",
    "left_square_bracket": "[",
    "backslash": "\\",
    "colon": ":",
    "slash": "/",
    "question_mark": "?",
    "plus": "+",
    "left_curly_bracket": "{",
    "right_curly_bracket": "}",
    "apostrophe": "'",
    "less_than_sign": "<",
    "greater_than_sign": ">",
    "comma": ",",
    "enter": "Enter",
    "escape": "Esc",
    "pagedown": "PgDn",
    "pageup": "PgUp",
}
GAP = "  "


def key_name(key: str) -> str:
    """A key as it stands on the keyboard: ``Ctrl+C`` for Textual's ``ctrl+c``."""
    if key.startswith("ctrl+"):
        return f"Ctrl+{key[5:].upper()}"
    return _NAMES.get(key, key.capitalize() if len(key) > 1 else key)


def keys_of(key: Key, keymap: Mapping[str, str]) -> list[str]:
    """The names of a binding's keys, those of the keymap in place of its own."""
    return [key_name(one) for one in keymap.get(key.id, key.keys).split(",")]


def footer_words(areas: frozenset[Area], keymap: Mapping[str, str], width: int) -> list[tuple[str, Key]]:
    """The words of these areas that fit, the weightiest first; they stand in the order of the table."""
    words = {key: f"{keys_of(key, keymap)[0]} {key.short}" for key in KEYS if key.short and key.area in areas}
    kept: set[Key] = set()
    room = width - 1
    for key in sorted(words, key=lambda one: one.weight):
        if len(words[key]) + len(GAP) <= room:
            kept.add(key)
            room -= len(words[key]) + len(GAP)
    return [(word, key) for key, word in words.items() if key in kept]

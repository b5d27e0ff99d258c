"""The line at the bottom: the keys that matter where the keyboard is."""

from __future__ import annotations

from collections.abc import Mapping

from logdump.tui.keys.keymap import CHARACTERS
from logdump.tui.keys.keys import KEYS, Area, Key
from logdump.tui.model.model import Model
from logdump.tui.panes.one_line import OneLine
from logdump.tui.text.styled import Piece

_NAMES = {key: character for character, key in CHARACTERS.items()} | {
    "comma": ",",
    "escape": "Esc",
    "pagedown": "PgDn",
    "pageup": "PgUp",
}
_GAP = "  "


class Footer(OneLine):
    """The keys of the place where the keyboard is, or what Tab offers."""

    def __init__(self, model: Model, keymap: Mapping[str, str]) -> None:
        super().__init__("footer", model, Model.place, Model.offers)
        self._keymap = keymap

    def draw(self) -> None:
        """Show what is current."""
        if self.model.offers:
            self.say((f" {self.model.offers}", "strong"))
            return
        pieces: list[Piece] = [(" ", "")]
        actions: dict[int, str] = {}
        areas = frozenset({Area.EVERYWHERE, self.model.place})
        for word, key in footer_words(areas, self._keymap, self.app.size.width):
            actions[len(pieces)] = key.action
            pieces += [(word, ""), (_GAP, "")]
        self.say(*pieces, actions=actions)


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
        if len(words[key]) + len(_GAP) <= room:
            kept.add(key)
            room -= len(words[key]) + len(_GAP)
    return [(word, key) for key, word in words.items() if key in kept]

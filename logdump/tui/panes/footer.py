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
_LEAVES = "leave_pane"
_WAYS_OUT = (_LEAVES, "prompt", "help")


class Footer(OneLine):
    """The keys of the place where the keyboard is, or what Tab offers."""

    def __init__(self, model: Model, keymap: Mapping[str, str]) -> None:
        super().__init__("footer", model, Model.place, Model.upper, Model.offers)
        self._keymap = keymap

    def draw(self) -> None:
        """Show what is current."""
        if self.model.offers:
            self.say((f" {self.model.offers}", "strong"))
            return
        pieces: list[Piece] = [(" ", "")]
        actions: dict[int, str] = {}
        place, pane = self.model.place, self.model.upper
        for word, key in footer_words(place, self._keymap, self.app.size.width, pane):
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


def footer_words(place: Area, keymap: Mapping[str, str], width: int, pane: str = "") -> list[tuple[str, Key]]:
    """The words of a place that fit, the weightiest first, in the order of the table; ``pane`` is above the pages.

    A place with keys of its own has these first, then the ways out of it.
    """
    shown = sorted((key for key in KEYS if _is_shown(key, place, pane)), key=lambda key: _is_way_out(key, place))
    words = {key: f"{keys_of(key, keymap)[0]} {key.short}" for key in shown}
    kept: set[Key] = set()
    room = width - 1
    for key in sorted(words, key=lambda one: one.weight):
        if len(words[key]) + len(_GAP) <= room:
            kept.add(key)
            room -= len(words[key]) + len(_GAP)
    return [(word, key) for key, word in words.items() if key in kept]


def _is_way_out(key: Key, place: Area) -> bool:
    return place is not Area.PANES and key.area is not place


def _is_shown(key: Key, place: Area, pane: str) -> bool:
    if not key.short or key.pane not in ("", pane) or (key.id == "choose" and pane == "columns"):
        return False
    if key.area is not Area.PANES or place is Area.PROMPT:
        return key.area in (place, Area.EVERYWHERE)
    if not _is_way_out(key, place):
        return key.id != _LEAVES
    return key.id in _WAYS_OUT and all(one.keys != key.keys for one in KEYS if one.area is place)

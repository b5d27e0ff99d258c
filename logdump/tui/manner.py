"""How the view shows itself to this user: characters, colours, keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from textual.theme import Theme

from logdump.tui.glyphs import UNICODE, Glyphs, glyphs_for
from logdump.tui.keymap import Keymap, keymap_path, load_keymap
from logdump.tui.themes import THEMES, theme_for


class Manner(NamedTuple):
    """Characters, colours and keys."""

    glyphs: Glyphs = UNICODE
    theme: Theme = THEMES["terminal"]
    keymap: Keymap = Keymap({})


def manner_for(environment: Mapping[str, str], encoding: str) -> Manner:
    """What the environment and the keymap file ask for."""
    return Manner(glyphs_for(environment, encoding), theme_for(environment), load_keymap(keymap_path(environment)))

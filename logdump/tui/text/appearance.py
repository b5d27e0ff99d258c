"""The appearance of the view for this user: characters, colours, keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from textual.theme import Theme

from logdump.tui.keys.kept_choices import KeptChoices, kept_choices
from logdump.tui.keys.keymap import Keymap, keymap_path, load_keymap
from logdump.tui.text.glyphs import UNICODE, Glyphs, glyphs_for
from logdump.tui.text.themes import THEMES, theme_for


class Appearance(NamedTuple):
    """Characters, colours and keys."""

    glyphs: Glyphs = UNICODE
    theme: Theme = THEMES["terminal"]
    keymap: Keymap = Keymap({})
    choices: KeptChoices = KeptChoices(None)


def appearance_for(environment: Mapping[str, str], encoding: str) -> Appearance:
    """The appearance that the environment and the keymap file name."""
    choices = kept_choices(environment)
    theme = theme_for(environment, choices.theme)
    return Appearance(glyphs_for(environment, encoding), theme, load_keymap(keymap_path(environment)), choices)

"""The line at the bottom: the keys that matter where the keyboard is."""

from __future__ import annotations

from logdump.tui.keys import KEYS, Area

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
    "space": "Space",
    "pagedown": "PgDn",
    "pageup": "PgUp",
    "home": "Home",
    "end": "End",
    "tab": "Tab",
}
_PROMPT = "Enter run  Up history  Esc records"


def key_name(key: str) -> str:
    """A key as it stands on the keyboard: ``Ctrl+C`` for Textual's ``ctrl+c``."""
    if key.startswith("ctrl+"):
        return f"Ctrl+{key[5:].upper()}"
    return _NAMES.get(key, key.capitalize() if len(key) > 1 else key)


def footer_text(*, in_prompt: bool) -> str:
    """The line for the prompt or for the panes."""
    areas = {Area.EVERYWHERE} if in_prompt else {Area.PANES, Area.EVERYWHERE}
    words = [f"{key_name(key.keys.split(',')[0])} {key.short}" for key in KEYS if key.short and key.area in areas]
    return " " + "  ".join([_PROMPT, *words] if in_prompt else words)

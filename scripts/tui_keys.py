"""docs/reference/keys.md, generated from the bindings of the screen."""

from __future__ import annotations

from logdump.tui.keys.keys import KEYS, Area, Key
from logdump.tui.panes.one_line import keys_of
from scripts.marked import page, table

INTRODUCTION = (
    "The keys of the full-screen view ([tui.md](../tui.md)), by the part of the screen that has the keyboard. "
    "The last column is the name of the key in the keymap file."
)


def pages() -> dict[str, str]:
    """Return the page by file name."""
    sections = [f"## {_heading(area)}\n\n{_table(area)}" for area in Area]
    return {"keys.md": page("Keys of the full-screen view", INTRODUCTION, *sections)}


def _heading(area: Area) -> str:
    return area.value.capitalize() if area is Area.EVERYWHERE else f"In {area.value}"


def _table(area: Area) -> str:
    keys = [key for key in KEYS if key.area is area]
    rows: list[tuple[str, ...]] = [(_keys(key), key.what, _entered(key), f"`{key.id}`") for key in keys]
    return table(("Key", "What it does", "Command", "Name in the keymap"), rows)


def _keys(key: Key) -> str:
    return " ".join(f"`{name}`" for name in keys_of(key, {}))


def _entered(key: Key) -> str:
    if key.sends:
        return f"`{key.sends}`"
    return f"`{key.types.strip()} …`" if key.types else ""

"""The table of keys in docs/tui.md, from the bindings."""

from __future__ import annotations

from logdump.tui.keys.keys import KEYS, Area, Key
from logdump.tui.panes.footer import keys_of
from scripts.marked import ROOT, table, with_content

PAGE = ROOT / "docs" / "tui.md"
MARKER = "keys"


def key_tables() -> str:
    """A heading and a table for each part of the screen."""
    return "\n\n".join(f"### {_heading(area)}\n\n{_table(area)}" for area in Area)


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


def updated(page: str) -> str:
    """The page with the keys of today."""
    return with_content(page, MARKER, key_tables())


def main() -> None:
    """Write the tables into the page."""
    PAGE.write_text(updated(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()

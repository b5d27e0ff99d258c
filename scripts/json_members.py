"""The lists of members in docs/json.md, from the tables that the JSON renderer uses."""

from __future__ import annotations

from logdump.render.json_objects import PARTS, SHAPES
from logdump.render.json_shape import Shape
from scripts.marked import ROOT, table, with_content

PAGE = ROOT / "docs" / "json.md"
_SECTIONS = {"objects": SHAPES, "parts": PARTS}


def section(shapes: tuple[Shape, ...]) -> str:
    """A heading and a table for each shape."""
    return "\n\n".join(f"### `{shape.name}`\n\n{shape.meaning}\n\n{_members(shape)}" for shape in shapes)


def _members(shape: Shape) -> str:
    rows: list[tuple[str, ...]] = [(f"`{one.name}`", one.type, one.meaning) for one in shape.members]
    return table(("Member", "JSON type", "Meaning"), rows)


def updated(page: str) -> str:
    """The page with the members of today's objects."""
    for name, shapes in _SECTIONS.items():
        page = with_content(page, name, section(shapes))
    return page


def main() -> None:
    """Write the lists into the page."""
    PAGE.write_text(updated(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()

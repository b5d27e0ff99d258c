"""Generated Markdown: tables, pages, and text between ``<!-- NAME -->`` and ``<!-- end of NAME -->``."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[1]
"""The folder of the repository."""
REFERENCE = ROOT / "docs" / "reference"
"""The folder of the pages that are generated as a whole."""


def with_content(text: str, name: str, content: str) -> str:
    """Return ``text`` with ``content`` between the markers of ``name``."""
    begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
    before, found, rest = text.partition(begin)
    _, also_found, after = rest.partition(end)
    if not found or not also_found:
        raise LookupError(f"no markers for {name}")
    return f"{before}{begin}\n{content.strip()}\n\n{end}{after}"


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """Return a Markdown table; bars in the cells are escaped."""
    lines = [head, ("---",) * len(head), *(tuple(cell.replace("|", "\\|") for cell in row) for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def page(title: str, *paragraphs: str) -> str:
    """Return the text of a page of the reference."""
    return "\n\n".join((f"# {title}", *(paragraph.strip() for paragraph in paragraphs))) + "\n"

"""The pages of docs/reference, generated from the tables of the program."""

from __future__ import annotations

from scripts import command_table, json_members, spark_tables, tui_keys
from scripts.marked import REFERENCE, page, table

INTRODUCTION = (
    "These pages are made from the program (`make docs`), and a test keeps them in step with it. "
    "[The other pages](../README.md) explain."
)


def pages() -> dict[str, str]:
    """Return all pages by file name."""
    texts = command_table.pages() | tui_keys.pages() | json_members.pages() | spark_tables.pages()
    rows: list[tuple[str, ...]] = [(f"[{name}]({name})", _title(text)) for name, text in texts.items()]
    return {"README.md": page("Reference", INTRODUCTION, table(("Page", "Lists"), rows)), **texts}


def _title(text: str) -> str:
    return text.partition("\n")[0].removeprefix("# ")


def main() -> None:
    """Write the pages."""
    REFERENCE.mkdir(exist_ok=True)
    for name, text in pages().items():
        (REFERENCE / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

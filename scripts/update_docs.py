"""Generates all generated parts of the documents: ``python -m scripts.update_docs``."""

from __future__ import annotations

from logdump.commands import REGISTRY
from logdump.commands.help import LIST, list_of_commands
from scripts import conversation, man_pages, reference, shown


def main() -> None:
    """Run all generators."""
    LIST.write_text("".join(f"{line}\n" for line in list_of_commands(REGISTRY.commands)), encoding="utf-8")
    shown.main()
    conversation.main()
    reference.main()
    man_pages.main()


if __name__ == "__main__":
    main()

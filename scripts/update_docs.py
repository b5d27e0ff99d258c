"""Generates all generated parts of the documents: ``python -m scripts.update_docs``."""

from __future__ import annotations

from scripts import conversation, man_pages, reference, shown


def main() -> None:
    """Run all generators."""
    shown.main()
    conversation.main()
    reference.main()
    man_pages.main()


if __name__ == "__main__":
    main()

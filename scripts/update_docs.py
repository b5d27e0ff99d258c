"""Generates all generated parts of the documents: ``python -m scripts.update_docs``."""

from __future__ import annotations

from scripts import man_pages, reference, shown


def main() -> None:
    """Run all generators."""
    shown.main()
    reference.main()
    man_pages.main()


if __name__ == "__main__":
    main()

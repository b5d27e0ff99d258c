"""Make every generated part of the documents again: ``python -m scripts.update_docs``."""

from __future__ import annotations

from scripts import command_table, json_members, readme_session, spark_tables, tui_keys


def main() -> None:
    """Run all generators."""
    readme_session.main()
    command_table.main()
    json_members.main()
    spark_tables.main()
    tui_keys.main()


if __name__ == "__main__":
    main()

"""The table of commands in docs/commands.md, from the registry."""

from __future__ import annotations

from logdump.commands import REGISTRY
from logdump.language.command import AnyCommand, Origin
from scripts.marked import ROOT, table, with_content

PAGE = ROOT / "docs" / "commands.md"
MARKER = "commands"


def command_table() -> str:
    """A row per command, in the order of their names; ours are marked."""
    return table(("Command", "What it does"), [_row(one) for one in sorted(REGISTRY.commands, key=_name)])


def _name(command: AnyCommand) -> str:
    return command.name


def _row(command: AnyCommand) -> tuple[str, str]:
    own = " *(not in Oracle's Logdump)*" if command.origin is Origin.OURS else ""
    return f"`{command.syntax}`", command.summary.replace("<", "\\<") + own


def updated(page: str) -> str:
    """The page with the table of today's commands."""
    return with_content(page, MARKER, command_table())


def main() -> None:
    """Write the table into the page."""
    PAGE.write_text(updated(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()

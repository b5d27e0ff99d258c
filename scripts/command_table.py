"""docs/reference/commands.md, generated from the registry."""

from __future__ import annotations

from logdump.commands import REGISTRY
from logdump.language.command import AnyCommand, Origin
from scripts.marked import page, table

INTRODUCTION = "All commands, in the order of their names. [commands.md](../commands.md) says how they are entered."


def pages() -> dict[str, str]:
    """Return the page by file name."""
    rows = [_row(command) for command in sorted(REGISTRY.commands, key=lambda command: command.name)]
    return {"commands.md": page("Commands", INTRODUCTION, table(("Command", "What it does"), rows))}


def _row(command: AnyCommand) -> tuple[str, ...]:
    own = " *(not in Oracle's Logdump)*" if command.origin is Origin.OURS else ""
    return f"`{command.syntax}`", command.summary.replace("<", "\\<") + own

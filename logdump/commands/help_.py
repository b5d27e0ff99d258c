"""HELP, made from the registry."""

from __future__ import annotations

from collections.abc import Iterator

from logdump.events import Event, say
from logdump.language.command import Command, Origin
from logdump.language.words import split_words
from logdump.session import Session

_WIDTH = 26


def run_help(_session: Session, arguments: str) -> Iterator[Event]:
    """List all commands, or explain some."""
    from logdump.commands import REGISTRY  # noqa: PLC0415 - HELP is itself in the registry

    words = split_words(arguments)
    if not words:
        yield say(*(line(command) for command in REGISTRY.commands))
    for word in words:
        yield say(*explanation(REGISTRY.find(word)))


def line(command: Command) -> str:
    """The line of a command in HELP: its syntax in 26 columns, a dash, its summary."""
    return f"{command.syntax:<{_WIDTH}} - {command.summary}"


def explanation(command: Command) -> Iterator[str]:
    """All that HELP <command> prints."""
    yield line(command)
    names = [alias for alias in command.aliases if alias not in command.syntax]
    if names:
        yield f"     also: {', '.join(names)}"
    for detail in command.details:
        yield f"     {detail}"
    if command.origin is Origin.OURS:
        yield "     Not a command of Oracle's Logdump."


COMMANDS = (Command("HELP", "HELP [<command>]", "List the commands, or explain one", run_help),)

"""HELP, made from the registry."""

from __future__ import annotations

from collections.abc import Iterator

from logdump.language.command import Command, Origin, Term
from logdump.language.words import split_words
from logdump.session.errors import CommandError
from logdump.session.events import Event, say
from logdump.session.session import Session

_WIDTH = 26


def run_help(_session: Session, arguments: str) -> Iterator[Event]:
    """List all commands, or explain some."""
    from logdump.commands import REGISTRY  # noqa: PLC0415 - HELP is itself in the registry

    words = split_words(arguments)
    if not words:
        yield say(*(line(command) for command in REGISTRY.commands))
    while words:
        command = REGISTRY.find(words.pop(0))
        terms = {spelling.upper(): one for one in command.terms() for spelling in one.words}
        if not words or not terms:
            yield say(*explanation(command))
        elif words[0].upper() not in terms:
            raise CommandError(f"{command.name} has no option {words[0]}.", f"HELP {command.name} lists them.")
        while words and words[0].upper() in terms:
            yield say(*_of_term(terms[words.pop(0).upper()]))


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
    width = max((len(one.keyword) for one in command.terms()), default=0)
    for term in command.terms():
        yield f"       {term.keyword:<{width}}  {term.summary}"
    if command.origin is Origin.OURS:
        yield "     Not a command of Oracle's Logdump."


def _of_term(term: Term) -> Iterator[str]:
    """All that HELP <command> <term> prints."""
    yield f"{term.syntax} - {term.summary}"
    others = [one for one in term.words if one != term.keyword]
    if others:
        yield f"     also: {', '.join(others)}"
    yield f"     Example: {term.example}"


COMMANDS = (Command("HELP", "HELP [<command> [<option>]]", "List the commands, or explain one", run_help),)

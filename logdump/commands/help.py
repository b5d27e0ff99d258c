"""The command HELP, generated from the registry."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from logdump.language.command import AnyCommand, Command, Origin, Term
from logdump.language.forms import Maybe
from logdump.language.parameters import beginning
from logdump.language.reader import Context, Parameter
from logdump.language.words import last_word, split_words
from logdump.session.errors import CommandError
from logdump.session.events import Event, say
from logdump.session.session import Session

_WIDTH = 26


class Topic(NamedTuple):
    """The topic of HELP: a command, or one of its terms."""

    command: AnyCommand
    term: Term | None = None


class Topics(Parameter[list[Topic]]):
    """Commands, each followed by some of its terms if it has any."""

    is_phrase = True

    def parse(self, text: str, context: Context) -> list[Topic]:  # noqa: ARG002
        """Return the topics in order."""
        from logdump.commands import REGISTRY  # noqa: PLC0415 - HELP is itself in the registry

        words, topics = split_words(text), list[Topic]()
        while words:
            command = REGISTRY.find(words.pop(0))
            terms = {spelling.upper(): term for term in command.terms() for spelling in term.words}
            if not words or not terms:
                topics.append(Topic(command))
            elif words[0].upper() not in terms:
                raise CommandError(f"{command.name} has no option {words[0]}.", f"HELP {command.name} lists them.")
            while words and words[0].upper() in terms:
                topics.append(Topic(command, terms[words.pop(0).upper()]))
        return topics

    def begins(self, typed: str, context: Context) -> bool:
        """Return True if further text could complete the last word."""
        return bool(self.offers(typed, context))

    def offers(self, typed: str, context: Context) -> list[str]:  # noqa: ARG002
        """The terms of the command before, or every command."""
        from logdump.commands import REGISTRY  # noqa: PLC0415 - HELP is itself in the registry

        start = last_word(typed)
        before = typed[:start].split()
        try:
            terms = REGISTRY.find(before[0]).terms() if before else ()
        except CommandError:
            terms = ()
        return beginning(typed[start:], [term.keyword for term in terms] or REGISTRY.words())


def run_help(_session: Session, topics: list[Topic] | None) -> Iterator[Event]:
    """List all commands, or explain some."""
    from logdump.commands import REGISTRY  # noqa: PLC0415 - HELP is itself in the registry

    if topics is None:
        yield say(*(line(command) for command in REGISTRY.commands))
    for command, term in topics or ():
        yield say(*(explanation(command) if term is None else _of_term(term)))


def line(command: AnyCommand) -> str:
    """The line of a command in HELP: its syntax in 26 columns, a dash, its summary."""
    return f"{command.syntax:<{_WIDTH}} - {command.summary}"


def explanation(command: AnyCommand) -> Iterator[str]:
    """Yield all lines of HELP <command>."""
    yield line(command)
    for detail in command.details:
        yield f"     {detail}"
    width = max((len(term.keyword) for term in command.terms()), default=0)
    for term in command.terms():
        yield f"       {term.keyword:<{width}}  {term.summary}"
    if command.origin is Origin.OURS:
        yield "     Not a command of Oracle's Logdump."


def _of_term(term: Term) -> Iterator[str]:
    """All that HELP <command> <term> prints."""
    yield f"{term.syntax} - {term.summary}"
    others = [word for word in term.words if word != term.keyword]
    if others:
        yield f"     also: {', '.join(others)}"
    yield f"     Example: {term.example}"


_TOPICS = Topics(syntax="<command> [<option>]")
COMMANDS = (Command("HELP", Maybe(_TOPICS), "List the commands, or explain one", run_help, is_one_shot=True),)

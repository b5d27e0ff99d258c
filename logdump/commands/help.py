"""The command HELP, generated from the registry."""

from __future__ import annotations

import re
from collections.abc import Iterator
from textwrap import wrap
from typing import NamedTuple

from logdump.language.command import AnyCommand, Command, Origin, Term
from logdump.language.forms import Maybe
from logdump.language.parameters import beginning
from logdump.language.reader import Context, Parameter
from logdump.language.words import last_word, split_words
from logdump.session.errors import CommandError
from logdump.session.events import Event, say
from logdump.session.session import Session

_WIDTH, _LONGEST = 26, 110


_SENTENCE = re.compile(r"(?<=\.)\s+(?=[A-Z])")


class Topic(NamedTuple):
    """The topic of HELP: a command, one of its terms, or a word with which a form of it begins."""

    command: AnyCommand
    term: Term | None = None
    word: str = ""


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
            if words and not terms and _forms(command, words[0]) and not _is_command(words[0]):
                topics.append(Topic(command, word=words.pop(0).upper()))
            elif not words or not terms:
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
    for command, term, word in topics or ():
        if word:
            yield say(*_of_word(command, word))
        else:
            yield say(*(explanation(command) if term is None else _of_term(term)))


def _is_command(word: str) -> bool:
    from logdump.commands import REGISTRY  # noqa: PLC0415 - HELP is itself in the registry

    try:
        REGISTRY.find(word)
    except CommandError:
        return False
    return True


def _forms(command: AnyCommand, word: str) -> list[str]:
    """The forms of a command that begin with a word."""
    text, forms, depth = command.syntax.partition(" ")[2], [""], 0
    if text.startswith("{") and text.endswith("}"):
        text = text[1:-1]
    for character in text:
        depth += (character in "[{") - (character in "]}")
        if character == "|" and depth == 0:
            forms.append("")
        else:
            forms[-1] += character
    return [form.strip() for form in forms if form.split()[:1] == [word.upper()]]


def _of_word(command: AnyCommand, word: str) -> Iterator[str]:
    """The forms that begin with a word, and the sentences that name it."""
    for form in _forms(command, word):
        yield f"{command.name} {form} - {command.summary}"
    sentences = [one for one in _SENTENCE.split(" ".join(command.details)) if re.search(rf"\b{word}\b", one)]
    yield from wrap(" ".join(sentences), _LONGEST, initial_indent="     ", subsequent_indent="     ")


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
COMMANDS = (
    Command("HELP", Maybe(_TOPICS), "List the commands, or explain one", run_help, is_one_shot=True, also=("?",)),
)

"""Validity of a line being typed, by the forms of its commands; nothing is run."""

from __future__ import annotations

from logdump.language.reader import Context, Validity, parse_partial
from logdump.language.registry import Registry
from logdump.language.words import split_calls
from logdump.session.errors import CommandError


def validity(registry: Registry, line: str, context: Context = Context()) -> Validity:  # noqa: B008 - it is a constant
    """The validity of the worst command of a line."""
    validities = {_of_command(registry, word, rest, context) for word, rest in split_calls(line)}
    return next((worst for worst in (Validity.ERROR, Validity.INCOMPLETE) if worst in validities), Validity.VALID)


def _of_command(registry: Registry, word: str, rest: str, context: Context) -> Validity:
    try:
        command = registry.find(word)
    except CommandError:
        begins = any(name.startswith(word.upper()) for name in registry.words())
        return Validity.INCOMPLETE if begins and not rest else Validity.ERROR
    return parse_partial(command.form, rest, context).validity

"""Commands that set one of the settings, or tell how it stands."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from logdump.language.arguments import number, one_option
from logdump.language.command import ArgumentError, Run
from logdump.language.words import plain, split_words
from logdump.session.events import Event, say
from logdump.session.session import Session

ON_OFF = {"ON": True, "OFF": False}
MOST = 2**31 - 1
"""The largest number that a setting takes unless it says otherwise."""


def switch(name: str, attribute: str, options: dict[str, Any]) -> Run:
    """What command ``name`` does: set the attribute of the settings to an option's value, or tell its option."""

    def run(session: Session, arguments: str) -> Iterator[Event]:
        value = one_option(arguments, options)
        if value is not None:
            setattr(session.settings, attribute, value)
            return
        state = getattr(session.settings, attribute)
        yield say(f"{name} is {next(plain(word) for word, meant in options.items() if meant == state)}")

    return run


def number_setting(label: str, attribute: str, *, least: int = 0, most: int = MOST, is_silent: bool = False) -> Run:
    """What a command does that sets a number among the settings and says so unless it is silent, or tells it."""

    def run(session: Session, arguments: str) -> Iterator[Event]:
        words = split_words(arguments)
        if len(words) > 1:
            raise ArgumentError(f"takes one number, but got {arguments!r}.")
        if words:
            setattr(session.settings, attribute, number(words[0], least=least, most=most))
            if is_silent:
                return
        yield say(f"{label} {'set to' if words else 'is'} {getattr(session.settings, attribute)}")

    return run

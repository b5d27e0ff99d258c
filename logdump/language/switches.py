"""Commands that set one of the settings, or show it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from logdump.language.command import Command, Origin
from logdump.language.forms import Maybe
from logdump.language.parameters import Number, OneOf
from logdump.language.words import plain
from logdump.session.events import Event, say
from logdump.session.session import Session

MOST = 2**31 - 1
"""The largest number that a setting takes unless it says otherwise."""


def switch(
    name: str,
    choice: OneOf[Any],
    summary: str,
    attribute: str,
    *,
    also: tuple[str, ...] = (),
    details: tuple[str, ...] = (),
    origin: Origin = Origin.LOGDUMP,
) -> Command[Any]:
    """A command that sets the attribute of the settings to a keyword's value, or shows its keyword."""

    def run(session: Session, value: Any) -> Iterator[Event]:
        if value is not None:
            setattr(session.settings, attribute, value)
            return
        state = getattr(session.settings, attribute)
        yield say(f"{name} is {next(plain(word) for word, meant in choice.values.items() if meant == state)}")

    return Command(name, Maybe(choice, is_shown=False), summary, run, details, origin=origin, also=also)


def number_setting(
    names: str,
    number: Number,
    summary: str,
    attribute: str,
    label: str,
    *,
    details: tuple[str, ...] = (),
    is_silent: bool = False,
) -> Command[int | None]:
    """Return a command that shows a number of the settings, or sets it and reports that unless it is silent."""

    def run(session: Session, value: int | None) -> Iterator[Event]:
        if value is not None:
            setattr(session.settings, attribute, value)
            if is_silent:
                return
        yield say(f"{label} {'is' if value is None else 'set to'} {getattr(session.settings, attribute)}")

    return Command(names, Maybe(number), summary, run, details)

"""Commands that set one of the settings, or tell how it stands."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from logdump.language.command import Aliases, Command, Origin
from logdump.language.forms import Maybe
from logdump.language.parameters import Choice, Number
from logdump.language.words import plain
from logdump.session.events import Event, say
from logdump.session.session import Session

MOST = 2**31 - 1
"""The largest number that a setting takes unless it says otherwise."""


def switch(
    name: str,
    choice: Choice[Any],
    summary: str,
    attribute: str,
    *,
    aliases: tuple[str, ...] = (),
    details: tuple[str, ...] = (),
    origin: Origin = Origin.LOGDUMP,
) -> Command[Any]:
    """A command that sets the attribute of the settings to a keyword's value, or tells its keyword."""

    def run(session: Session, value: Any) -> Iterator[Event]:
        if value is not None:
            setattr(session.settings, attribute, value)
            return
        state = getattr(session.settings, attribute)
        yield say(f"{name} is {next(plain(word) for word, meant in choice.values.items() if meant == state)}")

    form = Maybe(choice, is_shown=False)
    return Command(name, form, summary, run, aliases, Aliases.HIDDEN, details, origin=origin)


def number_setting(
    name: str,
    number: Number,
    summary: str,
    attribute: str,
    label: str,
    *,
    aliases: tuple[str, ...] = (),
    details: tuple[str, ...] = (),
    is_silent: bool = False,
) -> Command[int | None]:
    """A command that sets a number among the settings and says so unless it is silent, or tells it."""

    def run(session: Session, value: int | None) -> Iterator[Event]:
        if value is not None:
            setattr(session.settings, attribute, value)
            if is_silent:
                return
        yield say(f"{label} {'is' if value is None else 'set to'} {getattr(session.settings, attribute)}")

    return Command(name, Maybe(number), summary, run, aliases, Aliases.BESIDE if aliases else Aliases.HIDDEN, details)

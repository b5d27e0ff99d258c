"""METADATA and COLUMNDATA: in which forms definitions and column values are shown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from logdump.language.arguments import one_option
from logdump.language.command import ArgumentError, Command
from logdump.language.words import first_word, is_keyword
from logdump.session.events import Event, say
from logdump.session.session import Session
from logdump.session.settings import Detail

_ON_OFF = {"ON": True, "OFF": False}
_FORMATS: dict[str, tuple[str, dict[str, Any]]] = {
    "DDLFORMAT": ("metadata_ddl", _ON_OFF),
    "DEFGENFORMAT": ("metadata_defgen", _ON_OFF),
    "SQLFORMAT": ("metadata_sql", _ON_OFF),
    "DET[AIL]": ("metadata_detail", {"ON": Detail.ON, "OFF": Detail.OFF, "DATA": Detail.DATA}),
}


def run_metadata(session: Session, arguments: str) -> Iterator[Event]:
    """Switch a form of metadata records on or off, or tell how all of them stand."""
    settings = session.settings
    if not arguments:
        yield say(*(f"METADATA {name.replace('[AIL]', 'AIL')} is {_state(settings, name)}" for name in _FORMATS))
        return
    word, rest = first_word(arguments)
    name = next((one for one in _FORMATS if is_keyword(word, one)), None)
    if name is None:
        raise ArgumentError(f"{word!r} is not one of DDLFORMAT, DEFGENFORMAT, SQLFORMAT, DETAIL.")
    attribute, options = _FORMATS[name]
    value = one_option(rest, options)
    if value is None:
        yield say(f"METADATA {word.upper()} is {_state(settings, name)}")
    else:
        setattr(settings, attribute, value)


def _state(settings: object, name: str) -> str:
    value = getattr(settings, _FORMATS[name][0])
    return value.value.upper() if isinstance(value, Detail) else "ON" if value else "OFF"


def run_column_data(session: Session, arguments: str) -> Iterator[Event]:
    """Show the bytes under each column line, or the lines alone."""
    settings = session.settings
    value = one_option(arguments, _ON_OFF)
    if value is None:
        yield say(f"COLUMNDATA is {'ON' if settings.detail is Detail.DATA else 'OFF'}")
    elif value:
        settings.detail = Detail.DATA
    elif settings.detail is Detail.DATA:
        settings.detail = Detail.ON


COMMANDS = (
    Command(
        "METADATA",
        "METADATA {<format> | DETAIL} {ON | OFF | DATA}",
        "Show table definitions in another format; DETAIL their tokens",
        run_metadata,
        options=tuple(_FORMATS),
        details=(
            "<format> is DDLFORMAT (NonStop), DEFGENFORMAT (definitions file) or SQLFORMAT (CREATE TABLE).",
            "With a format on, it takes the place of the listing; DETAIL adds the tokens below.",
        ),
    ),
    Command(
        "COLUMNDATA",
        "COLUMNDATA {ON | OFF}",
        "Show the bytes of each column; the same as DETAIL DATA",
        run_column_data,
        options=("ON", "OFF"),
    ),
)

"""METADATA and COLUMNDATA: in which forms definitions and column values are shown."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

from logdump.language.command import Command
from logdump.language.forms import Alternatives, Keyword, Maybe, Sequence
from logdump.language.parameters import ON_OFF, OneOf
from logdump.language.words import plain
from logdump.session.events import Event, say
from logdump.session.session import Session
from logdump.session.settings import Detail

_DETAILS = OneOf({"ON": Detail.ON, "OFF": Detail.OFF, "DATA": Detail.DATA})
_FORMATS: dict[str, tuple[str, OneOf[Any]]] = {
    "DDLFORMAT": ("metadata_ddl", ON_OFF),
    "DEFGENFORMAT": ("metadata_defgen", ON_OFF),
    "SQLFORMAT": ("metadata_sql", ON_OFF),
    "DET[AIL]": ("metadata_detail", _DETAILS),
}


class MetadataForm(NamedTuple):
    """A form of metadata records, by its keyword, and what it is set to; None to tell."""

    keyword: str
    value: bool | Detail | None


def run_metadata(session: Session, form: MetadataForm | None) -> Iterator[Event]:
    """Switch a form of metadata records on or off, or tell how all of them stand."""
    settings = session.settings
    if form is None:
        yield say(*(f"METADATA {plain(name)} is {_state(settings, name)}" for name in _FORMATS))
    elif form.value is None:
        yield say(f"METADATA {plain(form.keyword)} is {_state(settings, form.keyword)}")
    else:
        setattr(settings, _FORMATS[form.keyword][0], form.value)


def _state(settings: object, name: str) -> str:
    value = getattr(settings, _FORMATS[name][0])
    return value.value.upper() if isinstance(value, Detail) else "ON" if value else "OFF"


def run_column_data(session: Session, value: bool | None) -> Iterator[Event]:  # noqa: FBT001 - the value of a keyword
    """Show the bytes under each column line, or the lines alone."""
    settings = session.settings
    if value is None:
        yield say(f"COLUMNDATA is {'ON' if settings.detail is Detail.DATA else 'OFF'}")
    elif value:
        settings.detail = Detail.DATA
    elif settings.detail is Detail.DATA:
        settings.detail = Detail.ON


COMMANDS = (
    Command(
        "METADATA",
        Maybe(
            Alternatives(
                *(
                    Keyword(name, Sequence(partial(MetadataForm, name), Maybe(choice)))
                    for name, (_, choice) in _FORMATS.items()
                ),
                syntax="{<format> | DETAIL} {ON | OFF | DATA}",
                wrong="{!r} is not one of DDLFORMAT, DEFGENFORMAT, SQLFORMAT, DETAIL.",
            ),
            is_shown=False,
        ),
        "Show table definitions in another format; DETAIL their tokens",
        run_metadata,
        details=(
            "<format> is DDLFORMAT (NonStop), DEFGENFORMAT (definitions file) or SQLFORMAT (CREATE TABLE).",
            "With a format on, it takes the place of the listing; DETAIL adds the tokens below.",
        ),
    ),
    Command(
        "COLUMNDATA",
        Maybe(ON_OFF, is_shown=False),
        "Show the bytes of each column; the same as DETAIL DATA",
        run_column_data,
    ),
)

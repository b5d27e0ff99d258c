"""FILTER."""

from __future__ import annotations

from collections.abc import Iterator

from logdump.language.command import Command, Term
from logdump.session.errors import CommandError
from logdump.session.events import Event, say
from logdump.session.session import Session


def run_filter(session: Session, arguments: str) -> Iterator[Event]:
    """Add, show, clear or switch filter criteria."""
    from logdump.filters import FilterError, apply  # noqa: PLC0415 - a session without FILTER starts faster

    try:
        lines = apply(session.filters, arguments, session.settings.time_offset)
    except FilterError as error:
        text = str(error)
        raise CommandError(text if text.startswith("FILTER") else f"FILTER {text}") from error
    if lines:
        yield say(*lines)


def _terms() -> tuple[Term, ...]:
    """The options, from the table that the filter itself is read by."""
    from logdump.filters import OPTIONS  # noqa: PLC0415 - a session without FILTER starts faster

    return tuple(Term(one.keyword, one.syntax, one.help, f"FILTER {one.example}", one.words) for one in OPTIONS)


COMMANDS = (
    Command(
        "FILTER",
        "FILTER [INCLUDE | EXCLUDE] <option> <value>",
        "Select records by table, type, time, text and more",
        run_filter,
        options=("INC[LUDE]", "EXC[LUDE]", "MATCH", "CLEAR", "ENABLE", "DISABLE", "ON", "OFF", "SHOW"),
        details=(
            "FILTER [SHOW] | FILTER {ENABLE | ON} | FILTER {DISABLE | OFF} | FILTER MATCH {ANY | ALL}",
            "FILTER CLEAR [<filterid> | <option> | ALL]",
            "Each criterion needs its own FILTER: FILTER INCLUDE FILENAME hr.*; FILTER RECTYPE 5; FILTER MATCH ALL",
            "HELP FILTER <option> explains one of these:",
        ),
        terms=_terms,
    ),
)

"""FILTER; DECRYPT and ENCRYPT, which stay off."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from logdump.language.command import Command, Term
from logdump.language.forms import Alternatives, Keyword, Maybe, Sequence
from logdump.language.parameters import OneOf, Word, beginning, tables_offered, types_offered
from logdump.language.reader import ArgumentReader, Context, Parameter
from logdump.language.words import last_word
from logdump.session.errors import CommandError
from logdump.session.events import Event, say
from logdump.session.session import Session
from trailformat.codec.on_demand import on_demand

with on_demand:
    from logdump import filters
    from logdump.notation import values

if TYPE_CHECKING:
    from logdump.filters import FilterError, Statement


def _encryption(name: str, summary: str, consequence: str) -> Command[bool | None]:
    """Return DECRYPT or ENCRYPT, which accepts OFF, refuses ON, and without an argument shows that it is off."""

    def run(_session: Session, is_on: bool | None) -> Iterator[Event]:  # noqa: FBT001 - the value of a keyword
        if is_on:
            raise CommandError(f"{name} ON: trail encryption is not supported; {consequence}.")
        if is_on is None:
            yield say(f"{name} is OFF")

    return Command(name, _OFF_OR_ON, summary, run)


_WRONG = "takes OFF or ON, not {!r}."


def _on(_keyword: None, _key_name: str | None) -> bool:
    return True


_OFF_OR_ON = Maybe(
    Alternatives(
        OneOf({"OFF": False}, wrong=_WRONG),
        Sequence(_on, OneOf({"ON": None}), Maybe(Keyword("KEYNAME", Word("<name>", missing=_WRONG)))),
    ),
    is_shown=False,
)


class Specification(Parameter["Statement"]):
    """One statement of FILTER, in the filter's own language."""

    is_phrase = is_compared = True

    def parse(self, text: str, context: Context) -> Statement:
        """Return the parsed statement; all of it may be in double quotes, which keep a semicolon in it."""
        try:
            return filters.parse_statement(values.unquote(text) if text.startswith('"') else text, context.offset)
        except filters.FilterError as error:
            raise _refusal(error) from error

    def read(self, reader: ArgumentReader) -> Statement:
        """Read the statement; an empty text is a statement too."""
        if reader.look(self) is None:
            return self.parse("", reader.context)
        return super().read(reader)

    def begins(self, typed: str, context: Context) -> bool:  # noqa: ARG002
        """Return True if the text begins like a statement of FILTER."""
        return filters.begins_statement(typed)

    def offers(self, typed: str, context: Context) -> list[str]:
        """Return options and statements; after an option, tables or record types."""
        start = last_word(typed)
        word, before = typed[start:], typed[:start].upper().split()
        option = filters.option_named(before[-1]) if before and "CLEAR" not in before else None
        if option is None or option.holds is filters.Holds.OTHER:
            return beginning(word, filters.words_after(before))
        return tables_offered(word, context) if option.holds is filters.Holds.TABLES else types_offered(word)


def run_filter(session: Session, statement: Statement) -> Iterator[Event]:
    """Add, show, clear or switch filter criteria."""
    try:
        lines = statement(session.filters)
    except filters.FilterError as error:
        raise _refusal(error) from error
    if filters.clears_all(statement):
        session.has_failed_filter = False
    if lines:
        yield say(*lines)


def _refusal(error: FilterError) -> CommandError:
    text = str(error)
    return CommandError(text if text.startswith("FILTER") else f"FILTER {text}")


def _terms() -> tuple[Term, ...]:
    """Return the options, from the table that FILTER is parsed with."""
    return tuple(
        Term(option.keyword, option.syntax, option.help, f"FILTER {option.example}", option.words)
        for option in filters.OPTIONS
    )


COMMANDS = (
    Command(
        "FILTER",
        Specification(syntax="[INCLUDE | EXCLUDE] <option> <value>"),
        "Select records by table, type, time, text and more",
        run_filter,
        details=(
            "FILTER [SHOW] | FILTER {ENABLE | ON} | FILTER {DISABLE | OFF} | FILTER MATCH {ANY | ALL}",
            "FILTER CLEAR [<filterid> | <option> | ALL]",
            "Each criterion needs its own FILTER: FILTER INCLUDE FILENAME hr.*; FILTER RECTYPE 5; FILTER MATCH ALL",
            "HELP FILTER <option> explains one of these:",
        ),
        terms=_terms,
        is_narrowing=True,
    ),
    _encryption(
        "DECRYPT",
        "Decrypt records for display: not supported, stays OFF",
        "encrypted data is shown as it is stored",
    ),
    _encryption(
        "ENCRYPT",
        "Encrypt records of SAVE: not supported, stays OFF",
        "SAVE writes records as they are",
    ),
)

"""REDO and UNDO: the SQL that repeats the changes of transactions, or takes them back."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from logdump.events import Event, StatementShown, say
from logdump.language.arguments import number
from logdump.language.command import ArgumentError, Command, Origin
from logdump.language.words import split_words
from logdump.session import Session

_DIALECTS = ("ORACLE", "MYSQL", "POSTGRESQL", "ANSI")


def run_script(session: Session, arguments: str, *, takes_back: bool) -> Iterator[Event]:
    """Print the statements for the transaction that is open at the position, or the next; with a number, so many."""
    from logdump.selection import Selection  # noqa: PLC0415 - what makes statements loads with the first REDO
    from logdump.statements import DIALECTS, Script, Statement, script_lines, transaction_begin  # noqa: PLC0415

    transactions, dialect = _parse(session, arguments)
    cursor, trail = session.cursor, session.trail
    selection = Selection(trail, [session.filters_in_use])
    script = Script(trail, DIALECTS[dialect], selection.accepts, session.row_definitions, takes_back=takes_back)
    for item in script.items(transaction_begin(trail, cursor.next), transactions):
        if isinstance(item, Statement):
            yield StatementShown(item, takes_back)
        elif lines := tuple(script_lines(item, DIALECTS[dialect], session.settings.time_offset)):
            yield say(*lines)
    if script.end:
        cursor.is_backwards = False
        cursor.move(script.end)


def _parse(session: Session, arguments: str) -> tuple[int, str]:
    """How many transactions, and the dialect: that of the source database unless it is named."""
    transactions, dialect = 1, ""
    for word in split_words(arguments):
        if word.upper() in _DIALECTS and not dialect:
            dialect = word.upper()
        elif word.isdigit():
            transactions = number(word, least=1)
        else:
            raise ArgumentError(f"{word!r} is no number of transactions and none of {', '.join(_DIALECTS)}.")
    if not dialect:
        from logdump.statements import dialect_of  # noqa: PLC0415 - loads with the first REDO

        header = session.trail.file_header
        dialect = dialect_of(header.vendor if header else "").name
    return transactions, dialect


def _command(name: str, summary: str, *details: str, takes_back: bool) -> Command:
    return Command(
        name,
        f"{name} [<count>] [{' | '.join(_DIALECTS)}]",
        summary,
        partial(run_script, takes_back=takes_back),
        options=_DIALECTS,
        details=(
            "Whole transactions, from the one that is open at the position; the filter applies. Nothing is executed.",
            *details,
        ),
        origin=Origin.OURS,
    )


COMMANDS = (
    _command(
        "REDO",
        "Print the SQL that repeats the changes of <count> transactions",
        "A change that no statement can express is a comment that says why.",
        takes_back=False,
    ),
    _command(
        "UNDO",
        "Print the SQL that takes back the changes of <count> transactions",
        "The last change comes first. What the trail does not tell is a comment that says so.",
        takes_back=True,
    ),
)

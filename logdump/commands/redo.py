"""REDO and UNDO: the SQL that repeats the changes of transactions, or takes them back."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from logdump.language.arguments import number
from logdump.language.command import ArgumentError, Command, Origin
from logdump.language.words import split_words
from logdump.session.events import Event, StatementShown, say
from logdump.session.session import Session

_DIALECTS = ("ORACLE", "MYSQL", "POSTGRESQL", "ANSI")


def run_script(session: Session, arguments: str, *, takes_back: bool) -> Iterator[Event]:
    """Print the statements for the transaction that is open at the position, or the next; with a number, so many."""
    from logdump.render.sql import DIALECTS, SqlScript, Statement, script_lines  # noqa: PLC0415 - slow

    transactions, dialect, includes_cut = _parse(session, arguments)
    cursor, trail = session.cursor, session.trail
    script = SqlScript(
        trail,
        DIALECTS[dialect],
        lambda file: session.selection(file).accepts,
        session.definitions_of,
        takes_back=takes_back,
        includes_cut=includes_cut,
    )
    for item in script.items(cursor.next, transactions):
        if isinstance(item, Statement):
            yield StatementShown(item, takes_back)
        elif lines := tuple(script_lines(item, DIALECTS[dialect], session.settings.time_offset)):
            yield say(*lines)
    if script.end:
        cursor.is_backwards = False
        cursor.move(script.end)


def _parse(session: Session, arguments: str) -> tuple[int, str, bool]:
    """How many transactions; the dialect, that of the source database unless it is named; whether INCLUDE CUT."""
    transactions, dialect = 1, ""
    words, includes_cut = without_include_cut(split_words(arguments))
    for word in words:
        if word.upper() in _DIALECTS and not dialect:
            dialect = word.upper()
        elif word.isdigit():
            transactions = number(word, least=1)
        else:
            raise ArgumentError(
                f"{word!r} is no number of transactions and none of {', '.join(_DIALECTS)}, INCLUDE CUT."
            )
    if not dialect:
        from logdump.render.sql import dialect_of  # noqa: PLC0415 - loads with the first REDO

        header = session.trail.file_header
        dialect = dialect_of(header.vendor if header else "").name
    return transactions, dialect, includes_cut


def without_include_cut(words: list[str]) -> tuple[list[str], bool]:
    """The words without INCLUDE CUT, and whether that was among them."""
    for at in range(len(words) - 1):
        if [word.upper() for word in words[at : at + 2]] == ["INCLUDE", "CUT"]:
            return words[:at] + words[at + 2 :], True
    return words, False


def _command(name: str, summary: str, *details: str, takes_back: bool) -> Command:
    return Command(
        name,
        f"{name} [<count>] [{' | '.join(_DIALECTS)}] [INCLUDE CUT]",
        summary,
        partial(run_script, takes_back=takes_back),
        options=(*_DIALECTS, "INCLUDE", "CUT"),
        details=(
            "Whole transactions, from the one that is open at the position; the filter applies. Nothing is executed.",
            "One that a Replicat drops or that is not all here is one comment; INCLUDE CUT adds its statements to it.",
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

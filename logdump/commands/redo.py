"""REDO and UNDO: the SQL that repeats the changes of transactions, or takes them back."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from logdump.language.command import Command, Origin
from logdump.language.forms import AnyOrder, Keyword
from logdump.language.parameters import Number, OneOf
from logdump.notation.plural import amount
from logdump.operations.export.options import DIALECTS
from logdump.session.across import move_to
from logdump.session.events import Event, Notice, Progress, say
from logdump.session.exit_status import ExitStatus
from logdump.session.session import Session
from logdump.session.statements import StatementShown
from trailformat.search.transaction_walk import Walked


class Wanted(NamedTuple):
    """The number of transactions, the dialect (empty: that of the source database), and whether cut ones count."""

    transactions: int = 1
    dialect: str = ""
    includes_cut: bool = False


def run_script(session: Session, wanted: Wanted, *, takes_back: bool) -> Iterator[Event]:
    """Print the statements for the transaction that is open at the position, or the next; with a number, that many."""
    from logdump.operations.script import script_of  # noqa: PLC0415 - slow
    from logdump.render import sql  # noqa: PLC0415 - slow

    header = session.trail.file_header
    dialect = sql.DIALECTS.get(wanted.dialect) or sql.dialect_of(header.vendor if header else "")
    script = script_of(session, dialect, takes_back=takes_back, includes_cut=wanted.includes_cut)
    done = inside = walked = 0
    try:
        for item in script.items(session.cursor.next, wanted.transactions):
            if isinstance(item, Walked):
                if item.records // session.settings.notify > walked // session.settings.notify:
                    yield Progress(item.records, item.spot.rba, item.time)
                walked = item.records
            elif isinstance(item, sql.Statement):
                inside += 1
                yield StatementShown(item, takes_back)
            elif lines := tuple(sql.script_lines(item, dialect, session.settings.time_offset)):
                yield say(*lines)
            if isinstance(item, sql.Closing):
                done, inside = done + 1, 0
    except KeyboardInterrupt:
        rest = f" and {amount(inside, 'statement')} of the next" if inside else ""
        yield Notice(
            (f"Stopped after {amount(done, 'transaction')}{rest}: the position stays.",), ExitStatus.INTERRUPTED
        )
        raise
    if script.end is not None:
        session.cursor.is_backwards = False
        yield from move_to(session, script.end)


_FORM = AnyOrder(
    Wanted,
    {
        "transactions": Number("<count>", least=1),
        "dialect": OneOf({name: name for name in DIALECTS}),
        "includes_cut": Keyword("INCLUDE", OneOf({"CUT": True}, wrong="INCLUDE takes CUT.")),
    },
    wrong=f"{{!r}} is no number of transactions and none of {', '.join(DIALECTS)}, INCLUDE CUT.",
)


def _command(name: str, summary: str, *details: str, takes_back: bool) -> Command[Wanted]:
    return Command(
        name,
        _FORM,
        summary,
        partial(run_script, takes_back=takes_back),
        details=(
            "Whole transactions, from the one that is open at the position; the filter applies. Nothing is executed.",
            "One that a Replicat drops or that is not all here is one comment; INCLUDE CUT adds its statements to it.",
            "So is a copy of one that stands in the trail before. With ACROSS they go on in the later files.",
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

"""REDO and UNDO: the SQL that repeats the changes of transactions, or takes them back."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from logdump.features.export.target import DIALECTS
from logdump.language.command import Command, Origin
from logdump.language.forms import AnyOrder, Keyword
from logdump.language.parameters import Number, OneOf
from logdump.notation.text import amount
from logdump.session.across import move_to
from logdump.session.errors import ExitStatus
from logdump.session.events import Event, Notice, Progress, ScriptPart, StatementShown, say
from logdump.session.session import Session
from logdump.session.settings import OutputFormat
from trailformat.codec.on_demand import on_demand
from trailformat.trail.sequence import FilePosition
from trailformat.transactions.extent import Walked

with on_demand:
    from logdump.display import sql

if TYPE_CHECKING:
    from logdump.display.sql import SqlScript


class RedoRequest(NamedTuple):
    """The number of transactions, the dialect (empty: that of the source database), and True for INCLUDE CUT."""

    transactions: int = 1
    dialect: str = ""
    includes_cut: bool = False


def run_script(session: Session, wanted: RedoRequest, *, takes_back: bool) -> Iterator[Event]:
    """Print the statements of transactions, from the one that is open at the position on, and move past them."""
    end = yield from script_events(session, wanted, takes_back=takes_back)
    if end is not None:
        session.cursor.is_backwards = False
        yield from move_to(session, end)


def script_events(
    session: Session, wanted: RedoRequest, *, takes_back: bool
) -> Generator[Event, None, FilePosition | None]:
    """Yield the statements of ``run_script`` without moving; returns the position after the last transaction."""
    script = requested_script(session, wanted, takes_back=takes_back)
    yield from events_of(session, script, wanted)
    return script.end


def requested_script(session: Session, wanted: RedoRequest, *, takes_back: bool) -> SqlScript:
    """Return the script from the position of a session on."""
    from logdump.features.redo.script import script_of  # noqa: PLC0415 - slow

    header = session.trail.file_header
    dialect = sql.DIALECTS.get(wanted.dialect) or sql.dialect_of(header.vendor if header else "")
    return script_of(session, dialect, takes_back=takes_back, includes_cut=wanted.includes_cut)


def script_line(session: Session, line: str) -> Event:
    """Return a line of a script, as ``events_of`` has its own."""
    return ScriptPart(f"{line}\n".encode()) if _is_in_parts(session) else say(line)


def _is_in_parts(session: Session) -> bool:
    return bool(session.takes_lines) and session.settings.format is OutputFormat.TEXT


def events_of(session: Session, script: SqlScript, wanted: RedoRequest) -> Iterator[Event]:
    """Yield the statements of a script, and the lines around them."""
    shown = _Shown(session.settings.notify)
    try:
        if _is_in_parts(session):
            yield from _texts(session, script, wanted, shown)
        else:
            yield from _items(session, script, wanted, shown)
    except KeyboardInterrupt:
        yield Notice((shown.text(),), ExitStatus.INTERRUPTED)
        raise


@dataclass
class _Shown:
    """Counts of the output: whole transactions, statements of the next one, records walked."""

    notify: int
    transactions: int = 0
    statements: int = 0
    records: int = 0

    def walked(self, walked: Walked) -> Iterator[Event]:
        """Yield the report of NOTIFY if one is due."""
        if walked.records // self.notify > self.records // self.notify:
            yield Progress(walked.records, walked.position.rba, walked.time)
        self.records = walked.records

    def text(self) -> str:
        """Return the message after Ctrl+C."""
        rest = f" and {amount(self.statements, 'statement')} of the next" if self.statements else ""
        return f"Stopped after {amount(self.transactions, 'transaction')}{rest}: the position stays."


def _texts(session: Session, script: SqlScript, wanted: RedoRequest, shown: _Shown) -> Iterator[Event]:
    from logdump.features.redo.script import script_texts  # noqa: PLC0415 - slow

    for item in script_texts(session, script, wanted.transactions, session.settings.time_offset):
        if isinstance(item, Walked):
            yield from shown.walked(item)
            continue
        shown.transactions += item.ended
        if item.lines:
            yield ScriptPart(item.lines)


def _items(session: Session, script: SqlScript, wanted: RedoRequest, shown: _Shown) -> Iterator[Event]:
    for item in script.items(session.cursor.next, wanted.transactions):
        if isinstance(item, Walked):
            yield from shown.walked(item)
        elif isinstance(item, sql.Statement):
            shown.statements += 1
            yield StatementShown(item, script.takes_back)
        elif lines := tuple(sql.script_lines(item, script.dialect, session.settings.time_offset)):
            yield say(*lines)
        if isinstance(item, sql.Closing):
            shown.transactions, shown.statements = shown.transactions + 1, 0


_FORM = AnyOrder(
    RedoRequest,
    {
        "transactions": Number("<count>", least=1),
        "dialect": OneOf({name: name for name in DIALECTS}),
        "includes_cut": Keyword("INCLUDE", OneOf({"CUT": True}, wrong="INCLUDE takes CUT.")),
    },
    wrong=f"{{!r}} is not a number of transactions and none of {', '.join(DIALECTS)}, INCLUDE CUT.",
)


def _command(name: str, summary: str, *details: str, takes_back: bool) -> Command[RedoRequest]:
    return Command(
        name,
        _FORM,
        summary,
        partial(run_script, takes_back=takes_back),
        details=(
            "Whole transactions, from the one that is open at the position; the filter applies. Nothing is executed.",
            "A transaction that is not whole, that a Replicat drops, or that is a copy of an earlier one is a comment;",
            "INCLUDE CUT adds its statements to the comment. With ACROSS they continue in the later files.",
            *details,
        ),
        origin=Origin.OURS,
        stops="Ctrl+C stops, the position stays",
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
        "The last change comes first. If the trail has too little information, a comment says so.",
        takes_back=True,
    ),
)

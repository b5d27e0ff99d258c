"""SAFE: whether a restart of Replicat at a position is safe, and where it is."""

from __future__ import annotations

from collections.abc import Iterator

from logdump.features.safe.model import SafePointShown
from logdump.language.command import Command, Origin
from logdump.language.forms import Maybe
from logdump.language.parameters import Number
from logdump.parameters.in_use import unused_parameters
from logdump.parameters.not_used import ParameterUse
from logdump.session.events import Bad, Event, Notice, Progress
from logdump.session.reading import Reading, answered
from logdump.session.session import Session
from trailformat.transactions.restart_places import CopySearch, RestartSearch


def run_safe(
    session: Session, given: int | None, *, is_brief: bool = False, is_extract: bool = False, group: str = ""
) -> Iterator[Event]:
    """Report begin and end of the transaction at the position or an RBA, and what a restart after it skips."""
    rba = session.cursor.current if given is None else given
    search = RestartSearch(session.trail, rba)
    copies: CopySearch | None = None

    def read() -> Iterator[Event]:
        nonlocal copies
        for walked in search.run():
            yield Progress(walked.records, walked.position.rba, walked.time)
        copies = CopySearch(session.trail, search.places())
        step, before = session.settings.notify, 0
        for walked in copies.run():
            if walked.records // step > before // step:
                yield Progress(walked.records, walked.position.rba, walked.time)
            before = walked.records

    def results(reading: Reading) -> Iterator[Event]:
        if not reading.is_partial and copies is not None:
            for error in {**search.unreadable, **copies.unreadable}.values():
                yield Notice((f"{error}: not read",), bad=Bad(error))
            yield SafePointShown(copies.places(), is_brief, is_extract, group)
            yield from unused_parameters(session, ParameterUse.RESTART)

    yield from answered(read(), Reading, results)


COMMANDS = (
    Command(
        "SAFE",
        Maybe(Number("<rba>", what="an RBA", surplus="takes one RBA, but got {!r}.")),
        "Show where Replicat can be restarted safely, and what it would skip",
        run_safe,
        details=(
            "Without an RBA: at the last record displayed, or where POSITION has set the position.",
            "The text for ALTER REPLICAT is printed for you to paste; nothing is changed.",
        ),
        origin=Origin.OURS,
    ),
)

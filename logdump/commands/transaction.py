"""TRANSACTION, SAMETABLE and SAFE: moving by transaction and by table, and where a restart is safe."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from logdump.commands.seeking import all_of, no_metadata, show_first, show_record
from logdump.language.arguments import number, one_option
from logdump.language.command import ArgumentError, Command, Origin
from logdump.language.words import split_words
from logdump.session.errors import CommandError
from logdump.session.events import Event, SafePointShown
from logdump.session.session import Session
from trailformat import TrailFile
from trailformat.changes.transactions import is_transactional
from trailformat.search.extent import begins_transaction, extent_at
from trailformat.search.transaction_walk import Extent
from trailformat.trail.sequence import Spot


def run_safe(session: Session, arguments: str) -> Iterator[Event]:
    """Tell where the transaction at the position, or at an RBA, begins and ends, and what a restart behind it skips."""
    words = split_words(arguments)
    if len(words) > 1:
        raise ArgumentError(f"takes one RBA, but got {arguments!r}.")
    rba = number(words[0], what="an RBA") if words else session.cursor.current
    yield SafePointShown(session.trail.path, rba, extent_at(session.trail, rba))


def run_transaction(session: Session, arguments: str) -> Iterator[Event]:
    """Display the first or last record of the transaction at the position, or the first of the next or previous one."""
    find = one_option(arguments, _STEPS)
    if find is None:
        raise ArgumentError("takes BEGIN, END, NEXT or PREVIOUS.")
    trail = session.trail
    spot = find(trail, session.cursor.current)
    if spot.path != trail.path:
        raise CommandError(f"It is at RBA {spot.rba} of {spot.path}: OPEN that file.")
    record = trail.record_at(spot.rba)
    if record is not None:
        session.cursor.stand_on(record)
        yield from show_record(session, record)


def _extent(trail: TrailFile, rba: int) -> Extent:
    extent = extent_at(trail, rba)
    if extent is None:
        raise CommandError(f"RBA {rba} is between two transactions.")
    return extent


def _begin(trail: TrailFile, rba: int) -> Spot:
    extent = _extent(trail, rba)
    if extent.begin is None:
        where = f": {extent.missing} is missing" if extent.missing else ""
        raise CommandError(f"The beginning of the transaction is not here{where}.")
    return extent.begin


def _end(trail: TrailFile, rba: int) -> Spot:
    extent = _extent(trail, rba)
    if extent.after is None or extent.last is None:
        raise CommandError("The end of the transaction is not here: it is open at the end of the trail.")
    return extent.last


def _next(trail: TrailFile, rba: int) -> Spot:
    extent = extent_at(trail, rba)
    start = rba
    if extent is not None:
        if extent.after is None or extent.after.path != trail.path:
            raise CommandError(f"No next transaction from RBA {rba} to the end.")
        start = extent.after.rba
    for at in trail.sound_rbas(start, trail.size):
        record = trail.record_at(at)
        if record is not None and begins_transaction(record):
            return Spot(trail.path, at)
    raise CommandError(f"No next transaction from RBA {rba} to the end.")


def _previous(trail: TrailFile, rba: int) -> Spot:
    extent = extent_at(trail, rba)
    end = rba
    if extent is not None and extent.begin is not None:
        end = extent.begin.rba if extent.begin.path == trail.path else 0
    while (good := trail.previous_good_header(end)) is not None:
        record = trail.record_at(good)
        if record is not None and is_transactional(record):
            return _begin(trail, good)
        end = good
    raise CommandError(f"No previous transaction from RBA {rba} to the beginning.")


_STEPS: dict[str, Callable[[TrailFile, int], Spot]] = {
    "BEG[IN]": _begin,
    "END": _end,
    "N[EXT]": _next,
    "P[REVIOUS]": _previous,
}


def run_same_table(session: Session, arguments: str) -> Iterator[Event]:
    """Display the next or previous record of the table that the record at the position is of."""
    from logdump.filters.name_criteria import AnsiName  # noqa: PLC0415 - only who scans needs filters

    backwards = one_option(arguments, {"N[EXT]": False, "P[REVIOUS]": True})
    cursor = session.cursor
    record = session.trail.record_at(cursor.current)
    if record is None or not (name := session.trail.name_of(record)):
        raise CommandError(f"No record of a table at RBA {cursor.current}.")
    start, was_backwards = cursor.next, cursor.is_backwards
    cursor.is_backwards = bool(backwards)
    cursor.move(record.rba if backwards else record.rba + record.length)
    filters = [*all_of(AnsiName((name,))), no_metadata()]
    try:
        yield from show_first(session, f"record of {name}", filtered=False, also=filters)
    except CommandError:
        cursor.move(start)
        cursor.current = record.rba
        raise
    finally:
        cursor.is_backwards = was_backwards
    found = session.trail.record_at(cursor.current)
    if found is not None:
        cursor.stand_on(found)


COMMANDS = (
    Command(
        "TRANSACTION",
        "TRANSACTION {BEGIN | END | NEXT | PREVIOUS}",
        "Display a record of this, the next or the previous transaction",
        run_transaction,
        options=("BEGIN", "END", "NEXT", "PREVIOUS"),
        details=(
            "BEGIN and END: the first and the last record of the transaction that holds the last record displayed.",
            "NEXT and PREVIOUS: the first record of another transaction. The filter does not matter.",
        ),
        origin=Origin.OURS,
    ),
    Command(
        "SAMETABLE",
        "SAMETABLE {NEXT | PREVIOUS}",
        "Display the next or previous record of the same table",
        run_same_table,
        options=("NEXT", "PREVIOUS"),
        details=("The table is that of the last record displayed. The filter does not matter.",),
        origin=Origin.OURS,
    ),
    Command(
        "SAFE",
        "SAFE [<rba>]",
        "Tell where Replicat can be restarted safely, and what it would skip",
        run_safe,
        details=(
            "Without an RBA: at the last record displayed, or where POSITION has set the position.",
            "The text for ALTER REPLICAT is printed for you to paste; nothing is changed.",
        ),
        origin=Origin.OURS,
    ),
)

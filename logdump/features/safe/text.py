"""SAFE as text: a verdict on a position, the text for ALTER REPLICAT, and the transaction there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from logdump.display.text import PlacedLine, Renderers, Severity, restart_text
from logdump.features.safe.model import SafePointShown
from logdump.notation.text import amount, escape
from logdump.session.settings import Settings
from trailformat import TrailName, io_type_name
from trailformat.trail.sequence import FilePosition
from trailformat.transactions.extent import Damage, Ended, Extent

if TYPE_CHECKING:
    from trailformat.transactions.restart_places import RestartPlaces

_LABEL_WIDTH = 10
_MOST_TABLES = 5
_GREATEST_OFFSET = 2_147_483_647
"""The greatest offset that the schema of the REST API allows."""
_Restart = Callable[[FilePosition], Iterator[str]]
_SKIPS_COPIES = "Replicat skips copies, unless it runs with NOFILTERDUPTRANSACTIONS."


def safe_lines(shown: SafePointShown, _settings: Settings) -> Iterator[str]:
    """Yield whether a restart at the position is safe, where it is, damage, and the facts of the transaction."""
    places = shown.places
    yield PlacedLine(_verdict(places), places.asked, _severity(places))
    if places.copy_of is not None:
        text = f"The trail has it whole before, at {_place(places, places.copy_of)}: this is a copy. {_SKIPS_COPIES}"
        yield PlacedLine(text, places.copy_of)
    restart = partial(_restart, shown)
    if places.extent is None:
        yield from _between(places, restart)
        return
    yield from _advice(places, places.extent, restart)
    yield from _damage_lines(places.extent.damage)
    if not shown.is_brief:
        yield from _transaction_lines(places, places.extent)


def _severity(places: RestartPlaces) -> Severity:
    if places.around is not None:
        return Severity.DAMAGE
    return Severity.NOTE if places.is_safe else Severity.WARNING


def _restart(shown: SafePointShown, position: FilePosition) -> Iterator[str]:
    """Yield the command of GGSCI and Admin Client, and in a brief text the call of the REST API that does the same."""
    command, group = restart_text(position), escape(shown.group) or "<group>"
    command = command.replace("REPLICAT", "EXTRACT", 1) if shown.is_extract else command
    yield PlacedLine(f"  {command.replace('<group>', group)}", position, is_advice=True)
    name = TrailName.parse(position.path)
    if shown.is_brief and not shown.is_extract and name is not None and position.rba <= _GREATEST_OFFSET:
        yield f'  PATCH /services/v2/replicats/{group} {{"begin":{{"sequence":{name.seqno},"offset":{position.rba}}}}}'


def _between(places: RestartPlaces, restart: _Restart) -> Iterator[str]:
    """Yield the place to start at between two transactions, and the damage there."""
    if places.damage is None:
        yield from (PlacedLine(line.strip(), places.asked, is_advice=True) for line in restart(places.asked))
        return
    if places.leave_out is not None:
        yield "To continue after it:"
        yield from restart(places.leave_out)
    yield from _damage_lines((places.damage,))


def _verdict(places: RestartPlaces) -> str:
    where = f"RBA {places.asked.rba} of {escape(places.asked.path.name)}"
    around = places.around
    if around is not None and (places.extent is not None or around.rba < places.asked.rba):
        span = f"({around.rba} to {around.rba + around.length})"
        return f"{where} is in damage {span}: a restart there is not safe, lost: {_all_in(around.length)}."
    if places.extent is None:
        safe = "a restart there loses nothing and repeats nothing"
        return f"{where} is between two transactions: {safe}{_abends(places)}."
    if places.is_begin:
        return f"{where} begins a transaction{_what_begins(places)}"
    if places.is_safe:
        return f"{where} is after the last record of a transaction that has no end: a restart there is safe."
    before = f"{places.extent.before} of {amount(places.extent.records, 'record')} before it"
    return f"{where} is inside a transaction, {before}: a restart there is not safe."


def _all_in(size: int) -> str:
    return f"all that stood in {size:,} bytes"


def _abends(places: RestartPlaces) -> str:
    """Return a warning of the damage after a position that is safe otherwise; empty without damage."""
    damage = places.damage
    if damage is None:
        return ""
    other = f" of {escape(str(damage.path))}" if damage.path != places.asked.path else ""
    return f", but the Replicat then abends at the damage at RBA {damage.rba}{other}"


def _what_begins(places: RestartPlaces) -> str:
    if places.damage is not None:
        return " with damage inside: a Replicat abends at it."
    extent = places.extent
    if extent is not None and extent.after is None:
        yet = " yet" if extent.missing is None else ""
        return f" whose end is not in the trail{yet}: a restart there applies it once its end is available."
    if not places.is_dropped:
        return ": a restart there applies it again, whole."
    known = "is cut here and has a whole copy" if places.whole is not None else "is never applied"
    return f" that {known}: a restart there is safe."


def _transaction_lines(places: RestartPlaces, extent: Extent) -> Iterator[str]:
    csn, xid = extent.transaction
    yield f"Transaction {escape(xid or 'without TRANID')}, CSN {escape(csn or 'not known')}"
    begins = _place(places, extent.begin) if extent.begin else _no_beginning(extent)
    yield PlacedLine(_line("Begins at", begins), extent.begin)
    last = _place(places, extent.last) if extent.last else "no record of it can be read"
    yield PlacedLine(_line("Last at", last), extent.last)
    yield PlacedLine(_line("Ends at", _end(places, extent)), extent.marker.position if extent.marker else extent.after)
    for table, types in sorted(extent.tables.items()):
        yield _line("", f"{escape(table) or '(no name)'}: {amount(sum(types.values()), 'record')}, {_types(types)}")


def _line(label: str, text: str) -> str:
    return f"  {label:<{_LABEL_WIDTH}} {text}"


def _place(places: RestartPlaces, position: FilePosition) -> str:
    return (
        f"RBA {position.rba}"
        if position.path == places.asked.path
        else f"RBA {position.rba} of {escape(str(position.path))}"
    )


def _no_beginning(extent: Extent) -> str:
    if extent.missing is not None:
        return f"not in the trail: {escape(str(extent.missing))} is missing"
    return "unknown: its first record is lost"


def _end(places: RestartPlaces, extent: Extent) -> str:
    if extent.marker is not None:
        marker = extent.marker
        name = io_type_name(marker.io_type)
        return f"no end record. Cut by {name} at {_place(places, marker.position)}: a Replicat drops it"
    if extent.after is None:
        missing = f": {escape(str(extent.missing))} is missing" if extent.begin and extent.missing else ""
        return f"not in the trail{missing or ' yet: the transaction is open at the end of the trail'}"
    if not extent.has_end:
        dropped = ": a Replicat drops it" if places.is_dropped else ""
        return f"no end record: the next transaction begins at {_place(places, extent.after)}{dropped}"
    return f"{_place(places, extent.after)}, the first RBA after it"


def _types(types: Counter[int]) -> str:
    return ", ".join(f"{number} {io_type_name(io_type)}" for io_type, number in sorted(types.items()))


def _damage_lines(damage: tuple[Damage, ...]) -> Iterator[str]:
    for span in damage:
        where = f"RBA {span.rba} of {escape(str(span.path))}, {span.length} bytes"
        position = FilePosition(span.path, span.rba)
        if span.is_partial:
            yield PlacedLine(f"A record that is not complete begins at {where}: more may follow.", position)
        else:
            text = f"Damage at {where}: the records after it may belong to another transaction."
            yield PlacedLine(text, position, Severity.DAMAGE)


def _advice(places: RestartPlaces, extent: Extent, restart: _Restart) -> Iterator[str]:
    if places.is_safe and not places.is_begin:
        yield from restart(places.asked)
    if extent.begin is not None:
        yield _to_restart_before(places, extent)
        yield from restart(extent.begin)
    for copy in places.copies:
        how = "complete" if copy.is_whole else "but not complete"
        late = f", after a later transaction. {_SKIPS_COPIES}" if copy.is_late else "."
        text = f"Extract wrote the transaction again, {how}, at {_place(places, copy.begin)}{late}"
        yield PlacedLine(text, copy.begin)
    if places.leave_out is not None:
        records = amount((places.whole or extent).records, "record")
        yield f"To skip it, {records} ({_skipped(places)}):"
        yield from restart(places.leave_out)
    if places.others:
        yield f"That also skips {amount(places.others, 'transaction')} that a Replicat would apply."


def _to_restart_before(places: RestartPlaces, extent: Extent) -> str:
    """Return what Replicat does when it is restarted at the beginning of a transaction."""
    if extent.ended is Ended.DAMAGE:
        return "To restart before it:"
    if extent.ended in (Ended.CUT, Ended.OVERTAKEN):
        if any(copy.is_whole and not copy.is_late for copy in places.copies):
            return "To apply it (Replicat drops the cut part and applies the copy):"
        return "To restart before it (Replicat drops the cut part):"
    if extent.after is None:
        return "To apply it once its end is available:"
    return "To apply the whole transaction again:"


def _skipped(places: RestartPlaces) -> str:
    """Return what a restart after the transaction leaves out: its changes, each once, and what is lost in damage."""
    tables = sorted(places.skipped.items())
    number = sum(types.total() for _, types in tables)
    listed = ", ".join(f"{escape(table) or '(no name)'} {_types(types)}" for table, types in tables[:_MOST_TABLES])
    more = f", and {amount(len(tables) - _MOST_TABLES, 'more table')}" if len(tables) > _MOST_TABLES else ""
    changes = f"{amount(number, 'change')}{': ' if listed else ''}{listed}{more}"
    return f"{changes}; lost: {_all_in(places.lost_bytes)}" if places.lost_bytes else changes


LINES: Renderers = {
    SafePointShown: safe_lines,
}

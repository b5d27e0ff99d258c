"""SAFE as text: a verdict on a position, the text for ALTER REPLICAT, and the transaction there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from logdump.display.text import Renderers, restart_text
from logdump.features.safe.model import SafePointShown
from logdump.notation.text import amount, escape
from logdump.session.settings import Settings
from trailformat import io_type_name
from trailformat.trail.sequence import FilePosition
from trailformat.transactions.extent import Damage, Ended, Extent

if TYPE_CHECKING:
    from trailformat.transactions.restart_places import RestartPlaces

_LABEL_WIDTH = 10
_BEFORE = {
    Ended.CUT: "To restart before the part that Replicat drops:",
    Ended.OVERTAKEN: "To restart before the part that Replicat drops:",
    Ended.DAMAGE: "To restart before it:",
}


def safe_lines(shown: SafePointShown, _settings: Settings) -> Iterator[str]:
    """Yield whether a restart at the position is safe, where it is, damage, and the facts of the transaction."""
    places = shown.places
    yield _verdict(places)
    if places.extent is None:
        yield from _damage_lines((places.damage,)) if places.damage is not None else (restart_text(places.asked),)
        return
    yield from _advice(places, places.extent)
    yield from _damage_lines(places.extent.damage)
    yield from _transaction_lines(places, places.extent)


def _verdict(places: RestartPlaces) -> str:
    where = f"RBA {places.asked.rba}"
    if places.extent is None:
        safe = "a restart there loses nothing and repeats nothing"
        return f"{where} is between two transactions: {safe}{_abends(places)}."
    if places.is_begin:
        return f"{where} begins a transaction{_what_begins(places)}"
    if places.is_safe:
        return f"{where} is after the last record of a transaction that has no end: a restart there is safe."
    before = f"{places.extent.before} of {amount(places.extent.records, 'record')} before it"
    return f"{where} is inside a transaction, {before}: a restart there is not safe."


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
    yield _line("Begins at", _place(places, extent.begin) if extent.begin else _no_beginning(extent))
    yield _line("Last at", _place(places, extent.last) if extent.last else "no record of it can be read")
    yield _line("Ends at", _end(places, extent))
    for table, types in sorted(extent.tables.items()):
        yield _line("", f"{escape(table) or '(no name)'}: {amount(sum(types.values()), 'record')}, {_types(types)}")


def _line(label: str, text: str) -> str:
    return f"  {label:<{_LABEL_WIDTH}} {text}"


def _place(places: RestartPlaces, spot: FilePosition) -> str:
    return f"RBA {spot.rba}" if spot.path == places.asked.path else f"RBA {spot.rba} of {escape(str(spot.path))}"


def _no_beginning(extent: Extent) -> str:
    if extent.missing is not None:
        return f"not in the trail: {escape(str(extent.missing))} is missing"
    return "unknown: its first record is lost"


def _end(places: RestartPlaces, extent: Extent) -> str:
    if extent.marker is not None:
        marker = extent.marker
        name = io_type_name(marker.io_type)
        return f"no end record. Cut by {name} at {_place(places, marker.spot)}: a Replicat drops it"
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
        if span.is_partial:
            yield f"A record that is not complete begins at {where}: more may follow."
        else:
            yield f"Damage at {where}: the records after it may belong to another transaction."


def _advice(places: RestartPlaces, extent: Extent) -> Iterator[str]:
    if places.is_safe and not places.is_begin:
        yield f"  {restart_text(places.asked)}"
    if extent.begin is not None:
        is_open = extent.after is None and extent.ended not in _BEFORE
        again = "To apply it once its end is available:" if is_open else "To apply the whole transaction again:"
        yield _BEFORE.get(extent.ended, again)
        yield f"  {restart_text(extent.begin)}"
    for copy in places.again:
        how = "whole" if copy.is_whole else "not whole"
        yield f"A copy follows at {_place(places, copy.first or places.asked)}: {how}."
    if places.leave_out is not None:
        records = extent.records + sum(copy.records for copy in places.again)
        yield f"To skip it, {amount(records, 'record')}:"
        yield f"  {restart_text(places.leave_out)}"
    if places.others:
        yield f"That also skips {amount(places.others, 'transaction')} that a Replicat would apply."


LINES: Renderers = {
    SafePointShown: safe_lines,
}

"""SAFE: the place of a transaction, the records that a restart after it leaves out, the text for ALTER REPLICAT."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from logdump.notation.escape import escape
from logdump.notation.plural import amount
from logdump.session.check_events import SafePointShown
from logdump.session.settings import Settings
from trailformat import TrailName, io_type_name
from trailformat.search.transaction_walk import Damage, Ended, Extent
from trailformat.trail.sequence import Spot

_LABEL_WIDTH = 10


def safe_lines(shown: SafePointShown, _settings: Settings) -> Iterator[str]:
    """The lines about a position: whether a restart there is safe, where one is, what may be wrong; then the rest."""
    extent = shown.extent
    if extent is None:
        yield f"RBA {shown.rba} is between two transactions: a restart there loses nothing and repeats nothing."
        yield restart_text(Spot(shown.path, shown.rba))
        return
    if shown.is_partial:
        yield _place_in(shown, extent)
    else:
        yield _verdict(shown, extent)
        yield from _advice(extent)
    yield from _damage_lines(extent.damage)
    yield from _transaction_lines(shown, extent)


def restart_text(spot: Spot) -> str:
    """The command for GGSCI that sets a Replicat to a place; it is printed, never run."""
    name = TrailName.parse(spot.path)
    return f"ALTER REPLICAT <group>, EXTSEQNO {name.seqno if name else '<n>'}, EXTRBA {spot.rba}"


def _verdict(shown: SafePointShown, extent: Extent) -> str:
    if extent.begin == Spot(shown.path, shown.rba) and _is_dropped(extent):
        return f"RBA {shown.rba} begins a transaction that is never applied: a restart there is safe."
    if extent.begin == Spot(shown.path, shown.rba):
        return f"RBA {shown.rba} begins a transaction: a restart there applies it once more, whole."
    return f"{_place_in(shown, extent)}: a restart there is not safe."


def _place_in(shown: SafePointShown, extent: Extent) -> str:
    if extent.begin == Spot(shown.path, shown.rba):
        return f"RBA {shown.rba} begins a transaction"
    return f"RBA {shown.rba} is inside a transaction, {extent.before} of {amount(extent.records, 'record')} before it"


def _transaction_lines(shown: SafePointShown, extent: Extent) -> Iterator[str]:
    csn, xid = extent.transaction
    yield f"Transaction {escape(xid or 'without TRANID')}, CSN {escape(csn or 'not known')}"
    yield _line("Begins at", _place(shown, extent.begin) if extent.begin else _no_beginning(extent))
    yield _line("Last at", _place(shown, extent.last) if extent.last else "no record of it can be read")
    yield _line("Ends at", _end(shown, extent))
    for table, types in sorted(extent.tables.items()):
        yield _line("", f"{escape(table) or '(no name)'}: {amount(sum(types.values()), 'record')}, {_types(types)}")


def _line(label: str, text: str) -> str:
    return f"  {label:<{_LABEL_WIDTH}} {text}"


def _place(shown: SafePointShown, spot: Spot) -> str:
    return f"RBA {spot.rba}" if spot.path == shown.path else f"RBA {spot.rba} of {escape(str(spot.path))}"


def _no_beginning(extent: Extent) -> str:
    if extent.missing is not None:
        return f"a place that is not here: {escape(str(extent.missing))} is missing"
    return "a place that is not here: its first record is lost"


def _is_dropped(extent: Extent) -> bool:
    """Whether a Replicat drops it, because it will never be completed where it stands."""
    return extent.ended in (Ended.CUT, Ended.OVERTAKEN)


def _end(shown: SafePointShown, extent: Extent) -> str:
    if extent.marker is not None:
        marker = extent.marker
        name = io_type_name(marker.io_type)
        return f"no end record. Cut by {name} at {_place(shown, marker.spot)}: a Replicat drops it"
    if extent.after is None:
        missing = f": {escape(str(extent.missing))} is missing" if extent.begin and extent.missing else ""
        return f"a place that is not here{missing or ' yet: the transaction is open at the end of the trail'}"
    if not extent.has_end:
        dropped = ": a Replicat drops it" if _is_dropped(extent) else ""
        return f"no end record: the next transaction begins at {_place(shown, extent.after)}{dropped}"
    return f"{_place(shown, extent.after)}, the first after it"


def _types(types: Counter[int]) -> str:
    return ", ".join(f"{number} {io_type_name(io_type)}" for io_type, number in sorted(types.items()))


def _damage_lines(damage: tuple[Damage, ...]) -> Iterator[str]:
    for span in damage:
        where = f"RBA {span.rba} of {escape(str(span.path))}, {span.length} bytes"
        if span.is_partial:
            yield f"A record that is not complete begins at {where}: it may be still being written."
        else:
            yield f"Damage at {where}: what follows may belong to another transaction."


def _advice(extent: Extent) -> Iterator[str]:
    if extent.begin is not None and _is_dropped(extent):
        yield "To go on before what is dropped:"
        yield f"  {restart_text(extent.begin)}"
    elif extent.begin is not None:
        yield "To apply the whole transaction again:"
        yield f"  {restart_text(extent.begin)}"
    if extent.after is not None:
        yield f"To leave it out, {amount(extent.records, 'record')}:"
        yield f"  {restart_text(extent.after)}"

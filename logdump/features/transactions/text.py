"""TRANSACTIONS as text: a line for each transaction, and a summary."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from logdump.display.text import PlacedLine, Renderers, Severity
from logdump.features.transactions.model import TransactionListed, TransactionsListed
from logdump.notation.text import amount, as_field
from logdump.notation.times import format_timestamp
from logdump.session.settings import Settings
from trailformat.transactions.extent import Ended

_MOST_TABLES = 4
_ENDED = {
    Ended.CUT: "cut by a restart",
    Ended.OVERTAKEN: "cut by the next transaction",
    Ended.FILE_END: "open at the end",
    Ended.DAMAGE: "damaged",
}


def transaction_lines(listed: TransactionListed, settings: Settings) -> Iterator[str]:
    """Yield one line, fields separated by blanks and the tables last; ``-`` is an unknown value."""
    extent = listed.extent
    place = extent.first
    rba = "-" if place is None else str(place.rba)
    where = f"{as_field(place.path.name)}:{rba}" if place is not None and listed.has_file else f"{rba:>10}"
    time = format_timestamp(extent.first_moment.time, settings.time_offset)
    name = f"{as_field(extent.transaction.csn)} {as_field(extent.transaction.xid)}"
    sizes = f"{amount(listed.records, 'record')} {amount(extent.data_size, 'byte')}"
    tables = ", ".join(f"{as_field(table)} {number:,}" for table, number in islice(listed.tables.items(), _MOST_TABLES))
    more = len(listed.tables) - _MOST_TABLES
    others = f", {amount(more, 'more table')}" if more > 0 else ""
    text = f"{where} {time} {name} {sizes}  {tables}{others}{not_applied_note(listed)}"
    yield PlacedLine(text, place, Severity.NOTE if listed.is_effective else Severity.WARNING)


def not_applied_note(listed: TransactionListed) -> str:
    """Return the reason why a Replicat does not apply a transaction; empty if it does."""
    if listed.is_effective:
        return ""
    extent = listed.extent
    lost = "its beginning is not in the trail"
    why = lost if extent.begin is None else _ENDED.get(extent.ended) or _of_whole(listed)
    return f"  (not applied: {why})"


def _of_whole(listed: TransactionListed) -> str:
    if (first := listed.copy_of) is None:
        return "after damage, where Replicat abends" if listed.is_after_damage else "a copy"
    return f"a copy of that at RBA {first.rba} of {as_field(first.path.name)}"


def summary_lines(shown: TransactionsListed, _settings: Settings) -> Iterator[str]:
    """Yield the number of transactions, of those that a Replicat applies, and of those listed."""
    chosen = " with a record that passes the filter" if shown.filtered else ""
    listed = f"; the {shown.listed:,} largest are listed" if shown.listed < shown.transactions else ""
    all_of_them = f"{amount(shown.transactions, 'transaction')}{chosen}, {shown.effective:,} of them effective"
    yield f"{shown.title}: {all_of_them}{listed}"


LINES: Renderers = {TransactionListed: transaction_lines, TransactionsListed: summary_lines}

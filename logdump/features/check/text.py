"""CHECK as text: a line for each gap, and a summary."""

from __future__ import annotations

from collections.abc import Iterator

from logdump.display.text import PlacedLine, Renderers, Severity, as_read, missing_lines
from logdump.features.check.model import BadRowShown, CheckShown, GapShown
from logdump.features.recovery.model import TrailState
from logdump.features.recovery.text import BEGIN_MISSING, LEFT_OPEN, mismatch_lines
from logdump.notation.text import amount, escape
from logdump.session.settings import Settings
from trailformat import PartialRecord
from trailformat.trail.sequence import FilePosition


def gap_lines(shown: GapShown, _settings: Settings) -> Iterator[str]:
    """Yield the position and length of a gap, the reason, and the next good record."""
    if isinstance(shown.error, PartialRecord):
        then = "more may follow"
    elif shown.next_good is None:
        then = "no good record after it"
    else:
        then = f"next good record at RBA {shown.next_good}"
    why = escape(shown.error.explained(", "))
    text = f"Gap in {escape(str(shown.path))} at RBA {shown.rba}, {shown.length} bytes: {why}; {then}"
    yield PlacedLine(text, FilePosition(shown.path, shown.rba), Severity.DAMAGE)


def bad_row_lines(shown: BadRowShown, _settings: Settings) -> Iterator[str]:
    """Yield the position of a bad row or definition, its table and column, and the reason."""
    column = f", column {shown.column}" if shown.column is not None else ""
    what = escape(shown.table or ("no table" if shown.noun == "row" else "")) + escape(column)
    why = escape(shown.error.explained(", "))
    text = f"Bad {shown.noun} in {escape(str(shown.path))} at RBA {shown.rba}{', ' if what else ''}{what}: {why}"
    yield PlacedLine(text, FilePosition(shown.path, shown.rba), Severity.DAMAGE)


def check_lines(shown: CheckShown, _settings: Settings) -> Iterator[str]:
    """Yield the number of records, and the gaps."""
    gaps = f", {amount(shown.gaps, 'gap')} of {shown.gap_bytes} bytes" if shown.gaps else ", no gap"
    gaps = "" if shown.is_partial and not shown.gaps else gaps
    counted = f"{shown.records} good records in {shown.transactions} transactions"
    counted += f", {amount(shown.bad_rows, 'bad row')}" if shown.bad_rows else ""
    counted += f", {amount(shown.bad_definitions, 'bad definition')}" if shown.bad_definitions else ""
    yield f"{escape(shown.title)}{as_read(is_partial=shown.is_partial)} has {counted}{gaps} in {shown.size} bytes"
    if shown.undefined:
        why = "tables that are not defined before them: their columns cannot be shown"
        yield f"{shown.undefined} records belong to {why}."
    for state in shown.states:
        yield from _state_lines(state, is_named=len(shown.states) > 1)
    for path in shown.encrypted:
        yield PlacedLine(f"{escape(str(path))}: record data looks encrypted", FilePosition(path, 0))


def _state_lines(state: TrailState, *, is_named: bool) -> Iterator[str]:
    """Yield the files that are missing or not as their headers say, and what RECOVERY shows in detail."""
    name = f"{escape(state.trail)}: " if is_named else ""
    yield from missing_lines(state.gaps)
    yield from mismatch_lines(state)
    if state.restarts:
        yield f"{name}Restarts: {state.restarts}, see RECOVERY"
    for number, noun, what in (
        (state.begins_missing, "transaction", f"not whole: {BEGIN_MISSING}"),
        (state.lost, "cut transaction", "without a whole copy"),
        (state.twice, "transaction", "in the trail twice"),
        (state.order_breaks, "place", "where CSNs go back"),
    ):
        if number:
            yield f"{name}{amount(number, noun)} {what}, see RECOVERY"
    for path in state.left_open:
        yield PlacedLine(f"{escape(str(path))}: {LEFT_OPEN}", FilePosition(path, 0))


LINES: Renderers = {
    GapShown: gap_lines,
    BadRowShown: bad_row_lines,
    CheckShown: check_lines,
}

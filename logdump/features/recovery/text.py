"""The results of RECOVERY as text: restarts, cut transactions, copies, and CSNs out of order."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from logdump.display.text import PlacedLine, Renderers, Severity, as_read, missing_lines
from logdump.features.recovery.model import (
    BeginMissingShown,
    CutShown,
    KeepShown,
    OrderBreakShown,
    OverwriteShown,
    ProducerChangeShown,
    RecoveryEnd,
    RecoveryShown,
    RestartShown,
    SecondCopy,
    SecondCopyShown,
    TrailFileShown,
    TrailState,
    TransactionRef,
)
from logdump.notation.text import amount, escape
from logdump.notation.times import format_timestamp
from logdump.session.settings import Settings
from trailformat.trail.sequence import FilePosition
from trailformat.transactions.extent import Ended

_LABEL_WIDTH = 14
_KINDS = {"abend": "RestartAbend", "ok": "RestartOK", "rollover": "a new file"}
_MODES = {0: "overwrite mode (RecoveryMode 0)", 1: "append mode (RecoveryMode 1)"}
_NO_MODE = "RecoveryMode unknown"
BEGIN_MISSING = "its beginning is not in the trail: overwritten, or a file was copied short"
LEFT_OPEN = "not closed by its writer, although a later file exists: a reader may wait at its end"
_MOST_NAMED = 5
"""Maximum number of files named in one line."""


def recovery_lines(shown: RecoveryShown, _settings: Settings) -> Iterator[str]:
    """Yield the summary, and the limits of the other findings."""
    modes = ", ".join(_MODES.get(mode, f"RecoveryMode {mode}") for mode in shown.modes) or _NO_MODE
    files = f", {shown.files} files" if shown.files > 1 else ""
    counted = f"{amount(shown.state.restarts, 'restart')}, {amount(shown.transactions, 'transaction')}"
    title = f"{escape(shown.title)}{files}{as_read(is_partial=shown.is_stopped)}"
    yield f"{title}: {modes}, {counted}, {shown.effective} of them effective"
    yield from missing_lines(shown.state.gaps)
    if shown.state.unreadable:
        yield f"No trail: {_named(shown.state.unreadable)}"
    yield from mismatch_lines(shown.state)
    yield from _loss_lines(shown)
    if shown.after_damage:
        verb = "is" if shown.after_damage == 1 else "are"
        yield (
            f"A Replicat abends at the first damage: {amount(shown.after_damage, 'whole transaction')} after it "
            f"{verb} not effective."
        )
    yield from _version_lines(shown)
    yield from _tail_lines(shown)


def mismatch_lines(state: TrailState) -> Iterator[str]:
    """Yield a line for each value of a file header that the file contradicts."""
    for mismatch in state.mismatches:
        text = f"{escape(str(mismatch.path))}: {escape(mismatch.text)}"
        yield PlacedLine(text, FilePosition(mismatch.path, 0), Severity.DAMAGE)


def _loss_lines(shown: RecoveryShown) -> Iterator[str]:
    """Yield the number of transactions that are not whole with all possible causes, and where damage is shown."""
    state = shown.state
    left_out = len(state.gaps) - len(state.missing)
    counts = {"damage": state.damaged, "missing files": state.missing, "files that were not asked for": left_out}
    counts["files that are not trail files"] = state.unreadable
    causes = [f"by {' or '.join(what for what, number in counts.items() if number)}"] if any(counts.values()) else []
    causes += ["begun before the first file"] if shown.has_earlier else []
    why = f", {' or '.join(causes)}" if causes else ""
    lost = f"{amount(shown.incomplete, 'transaction')} not whole{why}" if shown.incomplete else ""
    where = "CHECK shows the damage" if state.damaged else ""
    if where or lost:
        yield f"{'; '.join(part for part in (where, lost) if part)}."


def _version_lines(shown: RecoveryShown) -> Iterator[str]:
    if len(shown.versions) > 1:
        yield f"Versions (Compatibility) of the files: {', '.join(map(str, shown.versions))}"
    if shown.too_new:
        yield f"A process of release {escape(shown.reader or '')} abends on {_named(shown.too_new)}: a later version."
    elif shown.reader is not None and not shown.is_partial:
        yield f"A process of release {escape(shown.reader)} reads all files whose version is known."


def _tail_lines(shown: RecoveryShown) -> Iterator[str]:
    if shown.open is not None:
        inside = f"{_transaction(shown.open)}, {_records(shown.open)}"
        yield PlacedLine(f"The trail ends inside {inside}: more may follow.", shown.open.begin)
    if shown.half_record is not None:
        text = f"The trail ends inside a record, which begins at {_place(shown.half_record)}."
        yield PlacedLine(text, shown.half_record)


def restart_lines(shown: RestartShown, settings: Settings) -> Iterator[str]:
    """Yield position and time of a restart, its recovery point and the transaction that it cut."""
    time = f", {format_timestamp(shown.time, settings.time_offset)}" if shown.time is not None else ""
    yield PlacedLine(f"Restart at {_place(shown.position)}: {_KINDS[shown.kind]}{time}", shown.position)
    last = shown.last_complete
    if last is None:
        yield _line("Last complete", "none in these files")
    else:
        yield PlacedLine(_line("Last complete", f"{_transaction(last)}, {_extent(last)}"), last.begin or last.after)
    if shown.recovery_point is not None:
        text = _line("Recovery point", f"{_place(shown.recovery_point)}: readers continue there")
        yield PlacedLine(text, shown.recovery_point)
    if shown.cut is not None:
        yield from _cut_lines(shown.cut, shown.again, is_partial=shown.is_partial)


def begin_missing_lines(shown: BeginMissingShown, _settings: Settings) -> Iterator[str]:
    """Yield the position of the first record that is there, and the possible causes."""
    records = _records(shown.transaction)
    text = f"Begin missing before {_place(shown.position)}, {records}: {BEGIN_MISSING}"
    yield PlacedLine(text, shown.position, Severity.WARNING)


def cut_lines(shown: CutShown, _settings: Settings) -> Iterator[str]:
    """Yield the lines of a cut transaction."""
    where = _place(shown.cut.begin) if shown.cut.begin else "an unknown place"
    how = "by a restart" if shown.cut.ended is Ended.CUT else "the next transaction begins inside"
    severity = Severity.WARNING if shown.again is None else Severity.NOTE
    yield PlacedLine(f"Cut at {where}: {how}", shown.cut.begin, severity)
    yield from _cut_lines(shown.cut, shown.again, is_partial=shown.is_partial)


def _cut_lines(cut: TransactionRef, again: SecondCopy | None, *, is_partial: bool) -> Iterator[str]:
    tables = ", ".join(f"{escape(name) or '(no name)'} {number}" for name, number in sorted((cut.tables or {}).items()))
    where = f" from {_place(cut.begin)}" if cut.begin else ""
    listed = f" ({tables})" if tables else ""
    verb = "it" if cut.records == 1 else "them"
    text = _line("Cut", f"{_transaction(cut)}, {_records(cut)}{where}{listed}: a Replicat drops {verb}")
    yield PlacedLine(text, cut.begin)
    if again is None:
        if not is_partial:
            text = _line("Again at", "not found: rolled back, not yet written, or lost")
            yield PlacedLine(text, None, Severity.WARNING)
        return
    text = _line("Again at", f"{_extent(again.ref)}, {_records(again.ref)}, whole: {_likeness(cut, again)}")
    yield PlacedLine(text, again.ref.begin or again.ref.after)


def _likeness(cut: TransactionRef, again: SecondCopy) -> str:
    if again.difference is not None:
        first, second = again.difference
        other = f"that at {_place(second)}" if second is not None else "no record there"
        return f"the record at {_place(first) if first else 'its end'} and {other} differ"
    if again.likeness == "equal":
        return "the same records"
    which = "the cut record is its first" if cut.records == 1 else f"the {cut.records} cut records are its first"
    return which if cut.records == 1 else f"{which} {cut.records}"


def second_copy_lines(shown: SecondCopyShown, _settings: Settings) -> Iterator[str]:
    """Yield the positions of both copies."""
    where = f"{_place(shown.first)} and {_extent(shown.copy)}"
    text = f"Twice: {_transaction(shown.copy)}, at {where}: a Replicat skips {_records(shown.copy)}"
    yield PlacedLine(text, shown.copy.begin or shown.first, Severity.WARNING)


def order_break_lines(shown: OrderBreakShown, _settings: Settings) -> Iterator[str]:
    """Yield the position, and the greatest CSN before it."""
    below = f"; {amount(shown.transactions, 'transaction')} below it" if shown.transactions > 1 else ""
    csn = escape(shown.csn or "not known")
    text = f"Order: at {_place(shown.position)} CSN {csn} follows {escape(shown.greatest)}{below}"
    yield PlacedLine(text, shown.position, Severity.WARNING)


def producer_change_lines(shown: ProducerChangeShown, _settings: Settings) -> Iterator[str]:
    """Yield a difference between the header of a file and that of the file before it."""
    before, after = (escape(value) if value is not None else "not set" for value in (shown.before, shown.after))
    text = f"Writer of {escape(str(shown.path))}: {shown.member} {after}, in the file before {before}"
    yield PlacedLine(text, FilePosition(shown.path, 0))


def overwrite_lines(shown: OverwriteShown, _settings: Settings) -> Iterator[str]:
    """Yield the position of the damage, and the evidence."""
    csn = escape(shown.csn or "not known")
    after = f"damage of {shown.length} bytes at {_place(shown.position)}, after it CSN {csn}"
    if shown.was_passed:
        text = f"Overwritten: {after}, which the trail had passed before"
    else:
        text = f"Overwritten, possibly: {after}; the file is in overwrite mode, and the data after it may be older"
    yield PlacedLine(text, shown.position, Severity.DAMAGE)


def trail_file_lines(shown: TrailFileShown, settings: Settings) -> Iterator[str]:
    """Yield the line of one file."""
    if shown.is_unborn:
        yield f"{escape(str(shown.path))}: {shown.size} bytes, no records yet"
        return
    if shown.problem is not None:
        yield f"{escape(str(shown.path))}: no trail, {escape(shown.problem)}"
        return
    facts = [f"{shown.size} bytes"]
    facts += [f"version {shown.version}"] if shown.version is not None else ["version unknown"]
    facts += [f"RecoveryMode {shown.recovery_mode}"] if shown.recovery_mode is not None else []
    facts += [f"begun {format_timestamp(shown.created, settings.time_offset)}"] if shown.created is not None else []
    facts += [f"CSN {escape(shown.first_csn)}"] if shown.first_csn else []
    facts += [f"to {escape(shown.last_csn)}" if shown.last_csn else "not closed"] if shown.version is not None else []
    facts += ["not as its header says"] if shown.mismatches else []
    facts += [f"database {escape(shown.unique_name)}"] if shown.unique_name else []
    facts += ["too new for the reader"] if shown.is_too_new else []
    facts += ["record data looks encrypted"] if shown.looks_encrypted else []
    facts += ["no reader needs it"] if shown.keeps is False else []
    yield PlacedLine(f"{escape(str(shown.path))}: {', '.join(facts)}", FilePosition(shown.path, 0))


def keep_lines(shown: KeepShown, _settings: Settings) -> Iterator[str]:
    """Yield the first file that a reader needs, and the number of files before it."""
    free = (
        f"not needed: {amount(len(shown.free), 'earlier file')}, {shown.size} bytes"
        if shown.free
        else "there is no earlier file"
    )
    text = f"Keep: a reader at {_place(shown.position)} needs {escape(str(shown.first))} and all later files; {free}."
    yield PlacedLine(text, shown.position)


def end_lines(end: RecoveryEnd, _settings: Settings) -> Iterator[str]:
    """Yield whether CSNs are in order and transactions appear twice, then the remarks."""
    shown = end.shown
    state = shown.state
    back, records = amount(state.order_breaks, "place"), amount(shown.twice_records, "record")
    order = f"CSNs are out of order at {back}." if state.order_breaks else "CSNs are in order."
    twice = f"Second copies: {amount(state.twice, 'transaction')}, {records}."
    verdicts = ((order, state.order_breaks), (twice if state.twice else "No transaction appears twice.", state.twice))
    if stated := [text for text, number in verdicts if number or not shown.is_partial]:
        yield " ".join(stated)
    if state.lost and not shown.is_partial:
        yield f"{amount(state.lost, 'cut transaction')} without a whole copy."
    if state.begins_missing:
        yield f"{amount(state.begins_missing, 'transaction')} whose beginning is not in the trail."
    if shown.unnamed:
        yield f"{amount(shown.unnamed, 'whole transaction')} without a CSN or a TRANID: their copies are not detected."
    if shown.is_unsure:
        yield "Too many transactions are cut or out of order: some copies may have been missed."
    if not shown.is_listed:
        yield "Not all findings are listed."
    if shown.is_filtered:
        yield "Only findings with a record that passes the filter are listed; the numbers are those of all."


def _line(label: str, text: str) -> str:
    return f"  {label:<{_LABEL_WIDTH}} {text}"


def _records(ref: TransactionRef) -> str:
    return amount(ref.records, "record")


def _transaction(ref: TransactionRef) -> str:
    return f"CSN {escape(ref.csn or 'not known')}, {escape(ref.xid or 'without TRANID')}"


def _place(position: FilePosition) -> str:
    return f"RBA {position.rba} of {escape(position.path.name)}"


def _extent(ref: TransactionRef) -> str:
    if ref.begin is None or ref.after is None:
        return _place(ref.begin or ref.after) if ref.begin or ref.after else "an unknown place"  # type: ignore[arg-type]
    if ref.begin.path == ref.after.path:
        return f"RBA {ref.begin.rba} to {ref.after.rba} of {escape(ref.begin.path.name)}"
    return f"{_place(ref.begin)} to {_place(ref.after)}"


def _named(paths: tuple[Path, ...]) -> str:
    named = ", ".join(escape(path.name) for path in paths[:_MOST_NAMED])
    more = len(paths) - _MOST_NAMED
    return f"{named} and {more} more" if more > 0 else named


LINES: Renderers = {
    RecoveryShown: recovery_lines,
    RestartShown: restart_lines,
    BeginMissingShown: begin_missing_lines,
    CutShown: cut_lines,
    SecondCopyShown: second_copy_lines,
    OrderBreakShown: order_break_lines,
    ProducerChangeShown: producer_change_lines,
    OverwriteShown: overwrite_lines,
    TrailFileShown: trail_file_lines,
    KeepShown: keep_lines,
    RecoveryEnd: end_lines,
}

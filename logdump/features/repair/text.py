"""REPAIR as text: a line for each loss, then a summary of the copy."""

from __future__ import annotations

from collections.abc import Iterator

from logdump.display.text import Renderers, missing_lines, restart_text
from logdump.features.repair.model import CopiedHeader, HeaderOrigin, LossReason, RepairLoss, RepairShown
from logdump.notation.text import amount, escape
from logdump.session.settings import Settings
from trailformat.trail.sequence import FilePosition

_REASONS = {
    LossReason.DAMAGE: "damage",
    LossReason.OPEN: "open at the end of the trail",
    LossReason.MISSING_FILE: "a file is missing",
    LossReason.NO_DEFINITION: "a definition is lost",
    LossReason.OVERTAKEN: "rows without a beginning would follow it",
}


def loss_lines(loss: RepairLoss, _settings: Settings) -> Iterator[str]:
    """Yield the line of a transaction, or of damage without known contents."""
    where = f" at {_place(loss.position)}" if loss.position is not None else ""
    if loss.reason is LossReason.UNKNOWN:
        yield f"x Damage{where}: its contents are unknown"
        return
    if loss.reason is LossReason.HALF_RECORD:
        yield f"x Incomplete record{where}"
        return
    names: list[str] = [escape(loss.xid)] if loss.xid is not None else []
    names += [f"CSN {escape(loss.csn)}"] if loss.csn is not None else []
    begin = _place(loss.begin) if loss.begin is not None else "its beginning is lost"
    done = "copied in part" if loss.is_copied else "left out"
    what = " ".join(["Transaction", *names])
    yield f"- {what}, {begin}, {amount(loss.records, 'sound record')}: {done}, {_REASONS[loss.reason]}{where}"


def repair_lines(shown: RepairShown, _settings: Settings) -> Iterator[str]:
    """Yield the summary: the records copied, and those lost."""
    files = f", {shown.files} files" if shown.files > 1 else ""
    copied = amount(shown.copied, "record")
    yield f"{escape(shown.title)}{files}: {copied} {'would be ' if shown.is_dry else ''}copied to {_target(shown)}"
    if shown.places or shown.bytes_lost:
        yield f"Damage at {amount(shown.places, 'place')}: {amount(shown.bytes_lost, 'byte')} not copied."
    if shown.stopped_at is not None:
        yield f"The copy ends at the first damage, {_place(shown.stopped_at)}."
    if shown.embedded:
        yield f"{amount(shown.embedded, 'record')} inside damaged records are their data and not copied."
    yield from missing_lines(shown.gaps)
    for path in shown.unreadable:
        yield f"No trail: {escape(str(path))}"
    for header in shown.headers:
        yield from _header_lines(header)
    yield from _definition_lines(shown)
    yield from _loss_lines(shown)
    if shown.restart_at is not None:
        csn = f" The last CSN in the copy is {escape(shown.after_csn)}." if shown.after_csn is not None else ""
        yield f"After the copy a reader continues at {_place(shown.restart_at)}.{csn}"
        yield restart_text(shown.restart_at)
    if shown.listed < shown.losses:
        yield f"Listed: {shown.listed} of {shown.losses}."


def _target(shown: RepairShown) -> str:
    return escape(str(shown.target))


def _header_lines(header: CopiedHeader) -> Iterator[str]:
    if header.is_reopened:
        yield f"File header of {escape(header.path.name)}: FileSize, LastCSN and LastIOTime are not set in the copy"
    if header.origin is not HeaderOrigin.REBUILT:
        return
    source = f", with values of {escape(str(header.source))}" if header.source is not None else ""
    yield f"File header of {escape(header.path.name)}: rebuilt{source}"
    if header.dropped:
        yield f"  Left out, without a known name: {escape(', '.join(header.dropped))}"


def _definition_lines(shown: RepairShown) -> Iterator[str]:
    for definition in shown.definitions_copied:
        what = f"table index {definition.table_index}" if definition.table_index is not None else "the database"
        yield (
            f"Definition of {what} ({escape(definition.name)}) in {escape(definition.path.name)}: "
            f"taken from {_place(definition.source)}"
        )
    for lost in shown.definitions_lost:
        yield f"Definition of {escape(lost)}: lost; DEFINITIONS names a trail that has it"


def _loss_lines(shown: RepairShown) -> Iterator[str]:
    misses = amount(shown.left_out_transactions, "transaction")
    more = ", and the contents of damage between transactions" if shown.unknown else ""
    if shown.left_out_transactions:
        records = amount(shown.left_out_records, "sound record")
        yield f"A Replicat that reads the copy misses {misses} ({records}){more}."
    elif shown.partial_transactions:
        partial = amount(shown.partial_transactions, "transaction")
        yield f"A Replicat that reads the copy applies {partial} in part{more}."
    elif shown.unknown:
        yield "A Replicat that reads the copy misses the contents of damage between transactions."
    elif not shown.bytes_lost:
        yield "Nothing is lost."
    else:
        yield "No transaction is lost."


def _place(position: FilePosition) -> str:
    return f"RBA {position.rba} of {escape(position.path.name)}"


LINES: Renderers = {
    RepairLoss: loss_lines,
    RepairShown: repair_lines,
}

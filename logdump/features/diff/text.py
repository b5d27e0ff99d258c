"""DIFF as text: a line for each difference, marked by its kind, then the summary."""

from __future__ import annotations

from collections.abc import Iterator

from logdump.display.text import Renderers, missing_lines
from logdump.features.diff.model import DifferenceKind, DifferenceShown, DiffShown, PartDifference, SideShown
from logdump.notation.text import amount, escape
from logdump.session.settings import Settings
from trailformat.trail.sequence import FilePosition

MARKS = {
    DifferenceKind.MISSING: "-",
    DifferenceKind.EXTRA: "+",
    DifferenceKind.CHANGED: "!",
    DifferenceKind.ABSENT: "o",
    DifferenceKind.MOVED: ">",
    DifferenceKind.TWICE: "=",
    DifferenceKind.DAMAGE: "x",
}
_SIDES = {"a": "first", "b": "second"}
_WORDS = {
    DifferenceKind.MISSING: "only in the first",
    DifferenceKind.EXTRA: "only in the second",
    DifferenceKind.CHANGED: "changed",
    DifferenceKind.ABSENT: "with columns that one lacks",
    DifferenceKind.MOVED: "moved",
    DifferenceKind.TWICE: "twice",
}
_MOST_PARTS = 8
_LONGEST = 60


def difference_lines(shown: DifferenceShown, _settings: Settings) -> Iterator[str]:
    """Yield the line of a difference."""
    parts = [_part(part) for part in shown.parts[:_MOST_PARTS]]
    more = len(shown.parts) - _MOST_PARTS
    facts = ", ".join([*parts, *([f"and {more} more"] if more > 0 else [])])
    yield f"{MARKS[shown.kind]} {subject(shown)}: {facts or finding(shown)}"


def subject(shown: DifferenceShown) -> str:
    """Return the subject of a difference: its positions and its transaction or record."""
    places = places_text(shown.a, shown.b)
    if shown.kind is DifferenceKind.DAMAGE:
        return places
    if shown.table is not None:
        return f"{places}, {record_name(shown.table, shown.op)}"
    return f"{transaction_name(shown.csn, shown.xid)}, {places}, {amount(shown.records, 'record')}"


def finding(shown: DifferenceShown) -> str:
    """Return the kind of a difference in words, without the parts of a record."""
    if shown.kind is DifferenceKind.DAMAGE:
        return f"{amount(shown.records, 'byte')} of damage" if shown.records else "no trail"
    return _WORDS[shown.kind] if shown.table is not None else _of_transaction(shown)


def _part(part: PartDifference) -> str:
    a, b = (escape(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…") for text in part_texts(part))
    return f"{escape(part_name(part))} {a} | {b}"


def part_name(part: PartDifference) -> str:
    """Return the name of the column, or of the part of the record."""
    if part.column is None:
        return part.part.replace("_", " ")
    return part.column + (" before" if part.part == "before" else "")


def part_texts(part: PartDifference) -> tuple[str, str]:
    """Return the text of the part on both sides."""
    absent = "none" if part.column is None else "absent"
    a, b = (absent if text is None else text or "''" for text in (part.a, part.b))
    return a, b


def _of_transaction(shown: DifferenceShown) -> str:
    if shown.kind is DifferenceKind.TWICE:
        return f"twice in the {_SIDES[shown.side or 'b']}"
    if shown.later is not None:
        where = "later" if shown.later >= 0 else "earlier"
        return f"{abs(shown.later)} {where} in the second"
    return _WORDS[shown.kind]


def transaction_name(csn: str | None, xid: str | None) -> str:
    """Return the name of a transaction: its TRANID and LOGCSN."""
    names: list[str] = [escape(xid)] if xid is not None else []
    names += [f"CSN {escape(csn)}"] if csn is not None else []
    return " ".join(["Transaction", *names])


def record_name(table: str, op: str | None) -> str:
    """Return the name of a record: its table and operation."""
    return f"{escape(table) or '(no name)'} {escape(op or '')}"


def places_text(*positions: FilePosition | None) -> str:
    """Return the positions as text, omitting those that are None."""
    return " | ".join(
        f"RBA {position.rba} of {escape(position.path.name)}" for position in positions if position is not None
    )


def diff_lines(shown: DiffShown, _settings: Settings) -> Iterator[str]:
    """Yield the summary, and the limits of the answer."""
    facts = [f"{amount(shown.equal, 'transaction')} equal"]
    facts += [f"{shown.changed} changed"] if shown.changed else []
    facts += [f"{number} {_WORDS[kind]}" for kind in _WORDS if (number := shown.transactions.get(kind))]
    records = [f"{number} {_WORDS[kind]}" for kind in _WORDS if (number := shown.records.get(kind))]
    inside = f"; records in those: {', '.join(records)}" if records else ""
    files = "," if shown.a.files > 1 else ""
    yield f"LogTrail {_side(shown.a)}{files} and {_side(shown.b)}, by {shown.level.value}: {', '.join(facts)}{inside}"
    yield from missing_lines((*shown.a.gaps, *shown.b.gaps))
    if damaged := shown.transactions.get(DifferenceKind.DAMAGE):
        yield f"Damage at {amount(damaged, 'place')}, see CHECK."
    if shown.a.versions != shown.b.versions:
        yield f"Versions (Compatibility): {' and '.join(_versions(side) for side in (shown.a, shown.b))}"
    if shown.a.restarts != shown.b.restarts:
        yield f"Restart records, which are not compared: {shown.a.restarts} and {shown.b.restarts}"
    if shown.by_records:
        yield f"{amount(shown.by_records, 'row')} compared by records, without a definition or without columns."
    if shown.is_unaligned:
        yield "In places the trails are too different to be aligned: more differences may be listed than exist."
    if shown.is_unsure:
        yield "Too many transactions are out of order: some duplicates may be listed as missing or extra."
    if shown.listed < shown.differences:
        yield f"Listed: {shown.listed} of {shown.differences}."


def _side(side: SideShown) -> str:
    files = f", {side.files} files" if side.files > 1 else ""
    return f"{escape(side.title)}{files}"


def _versions(side: SideShown) -> str:
    return ", ".join(map(str, side.versions)) or "unknown"


LINES: Renderers = {
    DifferenceShown: difference_lines,
    DiffShown: diff_lines,
}

"""SCANFOR…: searching from the position on, in the read direction and through the filter."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from logdump.commands.seeking import all_of, no_metadata, show_first, show_record
from logdump.language.arguments import no_arguments, number, one_option, time_argument
from logdump.language.command import ArgumentError, Command
from logdump.language.words import first_word, is_keyword, split_words
from logdump.notation.times import TIME_FORMS
from logdump.session.errors import CommandError
from logdump.session.events import Event
from logdump.session.scan import Scan
from logdump.session.session import Session
from trailformat import Record, TrailName, io_type_number
from trailformat.changes.transactions import BEGINS, ENDS, is_transactional
from trailformat.definitions.metadata_kinds import DATABASE, REFERENCE, TABLE

if TYPE_CHECKING:
    from logdump.filters import Criterion

_ANY_METADATA = frozenset({DATABASE, TABLE, REFERENCE})
_KINDS = {"DDR": frozenset({DATABASE}), "TDR": frozenset({TABLE, REFERENCE})}


def _on_table(pattern: str | None) -> Criterion | None:
    """The criterion that the record's table fits a wildcard, if there is one."""
    from logdump.filters.name_criteria import FileName  # noqa: PLC0415 - only who scans needs filters

    return FileName((pattern,)) if pattern else None


def run_scan_for_header(session: Session, arguments: str) -> Iterator[Event]:
    """Go to the next sound record header, or the previous one, and display its record."""
    backwards = bool(one_option(arguments, {"PREV[IOUS]": True}))
    record = session.cursor.seek_good_header(backwards=backwards)
    if record is None:
        side = "before" if backwards else "at or after"
        raise CommandError(f"No good header {side} RBA {session.cursor.next}.")
    yield from show_record(session, record)


def run_scan_for_end_of_transaction(session: Session, arguments: str) -> Iterator[Event]:
    """Find the end of the current transaction and display the first record of the next one."""
    no_arguments(arguments)
    ends = yield from Scan(session, filtered=False).find(_has_trans_ind(ENDS))
    if ends is None:
        raise CommandError("No end of transaction found up to the end of the file.")
    yield from show_first(session, "next transaction", is_transactional, filtered=False)


def run_scan_for_next_transaction(session: Session, arguments: str) -> Iterator[Event]:
    """Display the first record of the next transaction."""
    no_arguments(arguments)
    yield from show_first(session, "start of a transaction", _has_trans_ind(BEGINS), filtered=False)


def _has_trans_ind(values: frozenset[int]) -> Callable[[Record], bool]:
    return lambda record: is_transactional(record) and record.header.trans_ind in values


def run_scan_for_type(session: Session, arguments: str) -> Iterator[Event]:
    """Display the next record of a type."""
    from logdump.filters.type_criteria import RecType  # noqa: PLC0415 - only who scans needs filters

    name, pattern = _split_template(arguments)
    io_type = io_type_number(name)
    if io_type is None:
        raise ArgumentError(f"{name!r} is no record type; SHOW RECTYPE lists them.")
    filters = all_of(RecType((io_type,)), _on_table(pattern))
    yield from show_first(session, f"record of type {name}", also=filters)


def run_scan_for_time(session: Session, arguments: str) -> Iterator[Event]:
    """Display the next record at or after a time."""
    from logdump.filters.time_criteria import StartTime  # noqa: PLC0415 - only who scans needs filters

    text, pattern = _split_template(arguments)
    moment = time_argument(text, session.settings.time_offset)
    yield from show_first(session, f"record at or after {text}", also=all_of(StartTime(moment), _on_table(pattern)))


def run_scan_for_rba(session: Session, arguments: str) -> Iterator[Event]:
    """Display the next record whose AuditRBA is the number given; -1 displays the next record."""
    from logdump.filters.comparison import Comparison  # noqa: PLC0415 - only who scans needs filters
    from logdump.filters.number_criteria import AuditRba  # noqa: PLC0415

    word, rest = first_word(arguments.replace(",", " ", 1))
    name = (split_words(rest) or [""])[0]
    comparison, value = Comparison.GREATER_OR_EQUAL, 0
    if word != "-1":
        comparison, value = Comparison.EQUAL, number(word, what="an AuditRBA, or -1 for the next record")
    pattern = _open_if_trail(session, name)
    filters = [*all_of(AuditRba(comparison, value), _on_table(pattern)), no_metadata()]
    yield from show_first(session, f"record with AuditRBA {word}", also=filters)


def _open_if_trail(session: Session, name: str) -> str | None:
    """Open the trail file that SCANFORRBA names, unless it is open; any other name is a table template (HELP)."""
    path = Path(name).expanduser().absolute() if name else None
    if path is None or not path.is_file() or TrailName.parse(path) is None:
        return name or None
    if not session.has_trail or not path.samefile(session.trail.path):
        session.open(path)
    return None


def run_scan_for_metadata(session: Session, arguments: str) -> Iterator[Event]:
    """Display the next metadata record, of a kind or with an index; a TDR with an index that is in force, at once."""
    kinds, index, label, is_next = _ANY_METADATA, None, "metadata", False
    for word in split_words(arguments):
        if word.upper() in _KINDS:
            kinds, label = _KINDS[word.upper()], word.upper()
        elif is_keyword(word, "NEXT"):
            is_next = True
        else:
            index = number(word, most=0xFFFF, what="DDR, TDR, an index or NEXT")
    if label == "TDR" and index is not None and not is_next and (record := _in_force(session, index)) is not None:
        session.cursor.stand_on(record)
        yield from show_record(session, record)
        return

    def wanted(record: Record) -> bool:
        if not record.is_metadata or record.header.orig_node not in kinds:
            return False
        ddr, tdr = record.metadata_indexes
        return index is None or index == (ddr if record.header.orig_node == DATABASE else tdr)

    yield from show_first(session, f"{label} record", wanted, filtered=False)


def _in_force(session: Session, index: int) -> Record | None:
    """The record that gives a table index its meaning at the position, which may be that of the record itself."""
    trail, cursor = session.trail, session.cursor
    entry = trail.tables.lookup(index, min(cursor.next, trail.size) + (not cursor.is_backwards))
    return trail.record_at(entry.rba) if entry is not None else None


def _split_template(arguments: str) -> tuple[str, str | None]:
    """The argument before a comma, and the table name or wildcard after it."""
    first, _, template = arguments.partition(",")
    words = split_words(template)
    if not first.strip() or len(words) > 1:
        raise ArgumentError(f"cannot read {arguments!r}.")
    return first.strip().strip('"'), words[0] if words else None


COMMANDS = (
    Command(
        "SCANFORHEADER",
        "SCANFORHEADER (SFH) [PREV]",
        "Find the next good record header, or the previous one",
        run_scan_for_header,
        aliases=("SFH",),
        options=("PREV[IOUS]",),
    ),
    Command(
        "SCANFORTYPE",
        "SCANFORTYPE (SFT) {<name> | <number>} [, <filename-template>]",
        "Find the next record of a type",
        run_scan_for_type,
        aliases=("SFT",),
        details=("Example: SFT Delete, HR.*",),
    ),
    Command(
        "SCANFORRBA",
        "SCANFORRBA (SFR) <auditrba> [, <filename>]",
        "Find the next record with an AuditRBA",
        run_scan_for_rba,
        aliases=("SFR",),
        details=("-1 finds the next record. <filename> is a trail file, or a table name or wildcard.",),
    ),
    Command(
        "SCANFORTIME",
        "SCANFORTIME (SFTS) <time> [, <filename-template>]",
        "Find the next record at or after a time",
        run_scan_for_time,
        aliases=("SFTS",),
        details=(f"<time> is {TIME_FORMS}.", "Example: SFTS 2024-03-01 09:00:00, HR.*"),
    ),
    Command(
        "SCANFORENDTRANS",
        "SCANFORENDTRANS (SFET)",
        "Find the end of the transaction, display the next one's first record",
        run_scan_for_end_of_transaction,
        aliases=("SFET",),
    ),
    Command(
        "SCANFORNEXTTRANS",
        "SCANFORNEXTTRANS (SFNT)",
        "Find the start of the next transaction",
        run_scan_for_next_transaction,
        aliases=("SFNT",),
    ),
    Command(
        "SCANFORMETADATA",
        "SCANFORMETADATA (SFMD) [DDR | TDR] [<index>] [NEXT]",
        "Find the next database or table definition",
        run_scan_for_metadata,
        aliases=("SFMD",),
        options=("DDR", "TDR", "NEXT"),
        details=(
            "TDR <index> displays the definition in force at the position, which stands before it, or else the next;",
            "TDR <index> NEXT the next one after the position.",
        ),
    ),
)

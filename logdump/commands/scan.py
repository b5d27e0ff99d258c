"""SCANFOR…: searching from the position on, in the read direction and through the filter."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from collections.abc import Sequence as Many
from contextlib import closing, nullcontext
from typing import TYPE_CHECKING, NamedTuple

from logdump.display.first_match import (
    POSITION_STAYS,
    all_of,
    first_events,
    looked_up,
    no_metadata,
    show_first,
    show_record,
)
from logdump.filters.comparison import Comparison
from logdump.language.command import Command
from logdump.language.forms import NOTHING, AnyOrder, Maybe, Sequence
from logdump.language.parameters import (
    EnteredTime,
    File,
    Number,
    OneOf,
    Table,
    Time,
    beginning,
    tables_offered,
    types_offered,
)
from logdump.language.reader import ArgumentReader, Context, Form, Parameter
from logdump.notation.times import TIME_FORMS
from logdump.session.across import cross_towards
from logdump.session.errors import ArgumentError, CommandError
from logdump.session.events import Event
from logdump.session.scan import FilteredReader
from logdump.session.searching import Searching
from logdump.session.session import Session
from trailformat import IO_TYPES, Record, TrailName, io_type_number
from trailformat.changes.transactions import is_transactional
from trailformat.codec.on_demand import on_demand
from trailformat.codec.remote.path import path_of
from trailformat.records.record_header import BEGINS, DATABASE, ENDS, REFERENCE, TABLE
from trailformat.trail import command_files
from trailformat.trail.packed import is_file
from trailformat.trail.sequence import FilePosition

with on_demand:
    from logdump.filters import name_criteria, number_criteria, time_criteria, type_criteria

if TYPE_CHECKING:
    from logdump.filters import Criterion

_ANY_METADATA = frozenset({DATABASE, TABLE, REFERENCE})
_KINDS = {"DDR": frozenset({DATABASE}), "TDR": frozenset({TABLE, REFERENCE})}
_UNREADABLE = "cannot read {!r}."
_METADATA_WORDS = "DDR, TDR, an index or NEXT"
_ANY = -1


class TypeSearch(NamedTuple):
    """A record type as entered, its number, and a wildcard for tables, if any."""

    name: str
    io_type: int
    pattern: str | None = None


class TimeSearch(NamedTuple):
    """A time, and a wildcard for tables, if any."""

    moment: EnteredTime
    pattern: str | None = None


class AuditRbaSearch(NamedTuple):
    """An AuditRBA (-1: any), and a trail file or a wildcard for tables, if any."""

    audit_rba: int
    name: str | None = None


class MetadataSearch(NamedTuple):
    """A kind of definition, its index, and whether to skip the definition in force at the position."""

    kind: str | None = None
    at_index: int | None = None
    is_next: bool = False


class RecordType(Parameter[tuple[str, int]]):
    """A record type by its name or number."""

    is_phrase = True

    def parse(self, text: str, context: Context) -> tuple[str, int]:  # noqa: ARG002
        """Return the type as written, and its number."""
        name = text.strip('"')
        io_type = io_type_number(name)
        if io_type is None:
            raise ArgumentError(f"{name!r} is not a record type; SHOW RECTYPE lists them.")
        return name, io_type

    def begins(self, typed: str, context: Context) -> bool:  # noqa: ARG002
        """Return True if further text could complete a type name or number."""
        name = typed.strip('"')
        return bool(beginning(name, IO_TYPES.values())) or io_type_number(f"{name}0") is not None

    def offers(self, typed: str, context: Context) -> list[str]:  # noqa: ARG002
        """Return the type names without blanks that begin with the typed text."""
        return types_offered(typed)


class AuditRbaOrAny(Number):
    """An AuditRBA, or -1 for any."""

    def parse(self, text: str, context: Context) -> int:
        """Return the AuditRBA."""
        return _ANY if text == str(_ANY) else super().parse(text, context)

    def begins(self, typed: str, context: Context) -> bool:
        """Return True if further text could complete an AuditRBA."""
        return typed == "-" or super().begins(typed, context)


class FileOrTable(File):
    """A trail file, or a table name or wildcard."""

    def offers(self, typed: str, context: Context) -> Iterator[str]:
        """Yield the tables of the open trail, then the files."""
        yield from tables_offered(typed, context)
        yield from super().offers(typed, context)


class AfterComma(Form[str | None]):
    """A word after a comma, or with ``may_be_blank`` after a blank: for a single word before it."""

    def __init__(self, word: Parameter[str], *, may_be_blank: bool = False) -> None:
        self.syntax = f", {word.syntax}"
        self._word = word
        self._may_be_blank = may_be_blank

    def fits(self, reader: ArgumentReader) -> bool:
        """Return True if a comma is next, or with ``may_be_blank`` the word."""
        return reader.rest.startswith(",") or (self._may_be_blank and self._word.fits(reader))

    def read(self, reader: ArgumentReader) -> str | None:
        """Return the word; None if none is after the comma."""
        reader.skip(",")
        return self._word.read(reader) if self._word.fits(reader) else None


def _type_sought(record_type: tuple[str, int], pattern: str | None) -> TypeSearch:
    return TypeSearch(*record_type, pattern)


def _on_table(pattern: str | None) -> Criterion | None:
    """Return the criterion that the table of a record matches the wildcard; None without one."""
    return name_criteria.FileName((pattern,)) if pattern else None


def run_scan_for_header(session: Session, backwards: bool | None) -> Iterator[Event]:  # noqa: FBT001 - the value of a keyword
    """Go to the next sound record header, or the previous one, and display its record."""
    searching = Searching(session, "good header")
    yield from (yield from searching.run(_good_header(session, searching, backwards=bool(backwards))))


def _good_header(session: Session, searching: Searching, *, backwards: bool) -> Generator[Event, None, Many[Event]]:
    since = f"before RBA {session.cursor.back_from}" if backwards else f"at or after RBA {session.cursor.next}"
    while (record := _sought_header(session, searching, backwards=backwards)) is None:
        if not (yield from cross_towards(session, backwards=backwards)):
            raise CommandError(f"No good header {since}.")
    return looked_up(session, record)


def _sought_header(session: Session, searching: Searching, *, backwards: bool) -> Record | None:
    """Return the record at the next good header of the open file; a long search forward reports its progress."""
    tell, path = command_files.search_observer(), session.trail.path

    def note(rba: int) -> None:
        searching.note(FilePosition(path, rba))
        tell(rba)

    with nullcontext() if backwards else command_files.search_observed(note):
        record = session.cursor.seek_good_header(backwards=backwards)
    if record is not None:
        searching.note(FilePosition(path, record.rba + record.length * backwards))
    return record


def run_scan_for_end_of_transaction(session: Session, _arguments: None) -> Iterator[Event]:
    """Display the first record after the end of the current transaction; without one, the position is unchanged."""
    searching = Searching(session, "end of transaction")
    yield from (yield from searching.run(_end_and_next(session, searching)))


def _end_and_next(session: Session, searching: Searching) -> Generator[Event, None, Many[Event]]:
    with closing(FilteredReader(session, filtered=False)) as reader:
        ends = yield from reader.find(_has_trans_ind(ENDS))
    if ends is None:
        raise CommandError("No end of transaction found up to the end of the file.")
    searching.look_on("next transaction")
    return (yield from first_events(session, searching, is_transactional, filtered=False))


def run_scan_for_next_transaction(session: Session, _arguments: None) -> Iterator[Event]:
    """Display the first record of the next transaction."""
    yield from show_first(session, "start of a transaction", _has_trans_ind(BEGINS), filtered=False)


def _has_trans_ind(values: frozenset[int]) -> Callable[[Record], bool]:
    return lambda record: is_transactional(record) and record.header.trans_ind in values


def run_scan_for_type(session: Session, search: TypeSearch) -> Iterator[Event]:
    """Display the next record of a type."""
    filters = all_of(type_criteria.RecType((search.io_type,)), _on_table(search.pattern))
    yield from show_first(session, f"record of type {search.name}", also=filters)


def run_scan_for_time(session: Session, search: TimeSearch) -> Iterator[Event]:
    """Display the next record at or after a time."""
    filters = all_of(time_criteria.StartTime(search.moment.julian), _on_table(search.pattern))
    yield from show_first(session, f"record at or after {search.moment.text}", also=filters)


def run_scan_for_rba(session: Session, search: AuditRbaSearch) -> Iterator[Event]:
    """Display the next record with this AuditRBA; -1 displays the next record."""
    comparison = Comparison.GREATER_OR_EQUAL if search.audit_rba == _ANY else Comparison.EQUAL
    pattern = _open_if_trail(session, search.name)
    audit_rba = number_criteria.AuditRba(comparison, max(search.audit_rba, 0))
    filters = [*all_of(audit_rba, _on_table(pattern)), no_metadata()]
    yield from show_first(session, f"record with AuditRBA {search.audit_rba}", also=filters)


def _open_if_trail(session: Session, name: str | None) -> str | None:
    """Open the trail file that SCANFORRBA names, unless it is open; any other name is a table template (HELP)."""
    path = path_of(name).absolute() if name else None
    if path is None or not is_file(path) or TrailName.parse(path) is None:
        return name
    if not session.has_trail or not path.samefile(session.trail.path):
        session.open(path)
    return None


def run_scan_for_metadata(session: Session, search: MetadataSearch) -> Iterator[Event]:
    """Display the next definition, of a kind or with an index; with TDR and an index, first the one in force."""
    index, label = search.at_index, search.kind or "metadata"
    kinds = _KINDS.get(label, _ANY_METADATA)
    is_in_force = label == "TDR" and index is not None and not search.is_next
    if is_in_force and index is not None and (record := _in_force(session, index)) is not None:
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
    """Return the TDR in force for a table index; read forward, one at the position counts. None if there is none."""
    trail, cursor = session.trail, session.cursor
    entry = trail.tables.lookup(index, min(cursor.next, trail.size) + (not cursor.is_backwards))
    return trail.record_at(entry.rba) if entry is not None else None


_TEMPLATE = Maybe(AfterComma(Table("<filename-template>")))

COMMANDS = (
    Command(
        "SCANFORHEADER (SFH)",
        Maybe(OneOf({"PREV[IOUS]": True}, syntax="PREV")),
        "Find the next good record header, or the previous one",
        run_scan_for_header,
        stops=POSITION_STAYS,
    ),
    Command(
        "SCANFORTYPE (SFT)",
        Sequence(
            _type_sought,
            RecordType("{<name> | <number>}", missing=_UNREADABLE),
            _TEMPLATE,
            ends=",",
        ),
        "Find the next record of a type",
        run_scan_for_type,
        details=("Example: SFT Delete, HR.*",),
        stops=POSITION_STAYS,
    ),
    Command(
        "SCANFORRBA (SFR)",
        Sequence(
            AuditRbaSearch,
            AuditRbaOrAny("<auditrba>", what="an AuditRBA, or -1 for the next record"),
            Maybe(AfterComma(FileOrTable("<filename>"), may_be_blank=True)),
            ends=",",
        ),
        "Find the next record with an AuditRBA",
        run_scan_for_rba,
        details=("-1 finds the next record. <filename> is a trail file, or a table name or wildcard.",),
        stops=POSITION_STAYS,
    ),
    Command(
        "SCANFORTIME (SFTS)",
        Sequence(TimeSearch, Time(missing=_UNREADABLE), _TEMPLATE, ends=","),
        "Find the next record at or after a time",
        run_scan_for_time,
        details=(f"<time> is {TIME_FORMS}.", "Example: SFTS 2024-03-01 09:00:00, HR.*"),
        stops=POSITION_STAYS,
    ),
    Command(
        "SCANFORENDTRANS (SFET)",
        NOTHING,
        "Find the end of the transaction, display the next one's first record",
        run_scan_for_end_of_transaction,
        stops=POSITION_STAYS,
    ),
    Command(
        "SCANFORNEXTTRANS (SFNT)",
        NOTHING,
        "Find the start of the next transaction",
        run_scan_for_next_transaction,
        stops=POSITION_STAYS,
    ),
    Command(
        "SCANFORMETADATA (SFMD)",
        AnyOrder(
            MetadataSearch,
            {
                "kind": OneOf({"DDR": "DDR", "TDR": "TDR"}),
                "at_index": Number("<index>", most=0xFFFF, what=_METADATA_WORDS),
                "is_next": OneOf({"NEXT": True}),
            },
            wrong=f"{{!r}} is not {_METADATA_WORDS}.",
        ),
        "Find the next database or table definition",
        run_scan_for_metadata,
        details=(
            "TDR <index> displays the definition in force at the position, which is before it, or else the next;",
            "TDR <index> NEXT the next one after the position.",
        ),
        stops=POSITION_STAYS,
    ),
)

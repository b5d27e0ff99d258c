"""A record with the facts about it from its trail, its definitions and its transaction."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import TYPE_CHECKING

from trailformat import Record, TrailError
from trailformat.codec.on_demand import Lazy, on_demand
from trailformat.records.record_header import PIECES

with on_demand:
    from trailformat.changes import encrypted, row_changes, segments

if TYPE_CHECKING:
    from logdump.session.session import Session
    from trailformat import Change, DatabaseDefinition, TableDefinition, TableEntry
    from trailformat.changes.segments import Segment
    from trailformat.records.record_header import Transaction
    from trailformat.trail.row_definitions import RowDefinition


class Facet(enum.Enum):
    """A part of the facts about a record, in the order in which problems are reported.

    ``SURROUNDINGS`` are the facts from other records: the change, its transaction, the fragments.
    """

    FILE_HEADER = enum.auto()
    DEFINITION = enum.auto()
    SURROUNDINGS = enum.auto()
    TABLE = enum.auto()
    NAME = enum.auto()
    COLUMNS = enum.auto()
    GGS_TOKENS = enum.auto()

    __hash__ = object.__hash__  # looked up for every record; Enum's own hash is slow Python


_OF_FILE_HEADER = (Facet.FILE_HEADER,)
_OF_ROWS = (Facet.SURROUNDINGS, Facet.TABLE, Facet.NAME, Facet.COLUMNS, Facet.GGS_TOKENS)
_OF_METADATA = (Facet.DEFINITION, *_OF_ROWS)


class KnownRecord:
    """A record with all facts about it; each fact is looked up when it is first read, and then kept.

    A missing or undecodable fact is None; ``problems`` gives the reasons. A file header has no facts except the
    record and its problems. No fact can be looked up after the trail is closed.

    Args:
        record: a record of the open trail.
        session: the source of the facts outside of the record.
    """

    def __init__(self, record: Record, session: Session) -> None:
        self.record = record
        self._session = session
        self._cursor = session.cursor

    @Lazy
    def table(self) -> TableEntry | None:
        """The definition in force, for a record that refers to its table by an index."""
        return self._cursor.trail.tables.of(self.record)

    @Lazy
    def definition(self) -> DatabaseDefinition | TableDefinition | None:
        """The DDR or TDR in a metadata record."""
        try:
            return self.record.metadata
        except TrailError:
            return None

    @Lazy
    def vendor(self) -> str:
        """For a DDR or TDR, the database that the file header names; else, or if it names none, empty."""
        header = self._cursor.trail.file_header if self.definition is not None else None
        return header.vendor if header else ""

    @Lazy
    def row_definition(self) -> RowDefinition:
        """The definition of the table of a row, from the trail or SOURCEDEFS, and the codec of its text."""
        return self._session.definitions_of(self._cursor.trail).of(self.record)

    @Lazy
    def transaction(self) -> Transaction:
        """LOGCSN and TRANID of its transaction."""
        return self._cursor.transactions.of(self.record)

    @Lazy
    def change(self) -> Change | None:
        """The change of which the record is all or one half."""
        trail = self._cursor.trail
        return row_changes.change_of(trail, self.record, self._session.definitions_of(trail), self._cursor.transactions)

    @property
    def looks_encrypted(self) -> bool:
        """True if the record data of its file looks encrypted."""
        return encrypted.looks_encrypted(self._cursor.trail)

    @Lazy
    def segment(self) -> Segment | None:
        """The place of the record as a part of another record; None if it is not a part."""
        return self._cursor.segments.of(self.record) if self._is_part else None

    @property
    def whole(self) -> Record | None:
        """The record and its fragments as one; None for a record without any."""
        return self._joined[0]

    @property
    def whole_problem(self) -> str | None:
        """The reason why fragments are incomplete; None if they are not."""
        return self._joined[1]

    @Lazy
    def problems(self) -> tuple[str, ...]:
        """All problems of the record."""
        return tuple(problem for part in self.parts if (problem := self.look_up(part)) is not None)

    @property
    def parts(self) -> tuple[Facet, ...]:
        """The parts that a record of its kind has."""
        if self.record.is_metadata:
            return _OF_METADATA
        return _OF_FILE_HEADER if self.record.is_file_header else _OF_ROWS

    def look_up(self, part: Facet) -> str | None:
        """Look up the facts of a part; return the problem with them, None if there is none."""
        for fact in _FACTS.get(part, ()):
            getattr(self, fact)
        return _PROBLEMS[part](self)

    @Lazy
    def _joined(self) -> tuple[Record | None, str | None]:
        """The whole record, or the reason why it is not available."""
        if not self._is_part:
            return None, None
        try:
            return segments.whole_record(self._cursor.trail, self.record), None
        except TrailError as error:
            return None, error.problem

    @property
    def _is_part(self) -> bool:
        """True if the record is a part of another record, or has such parts."""
        return self.record.header.io_type in PIECES or bool(self.record.header.continued)


def _definition_problem(known: KnownRecord) -> str | None:
    if known.definition is not None:
        return None
    return _decoding_problem("the definition does not decode", lambda: known.record.metadata)


def _table_problem(known: KnownRecord) -> str | None:
    if known.table is not None or (index := known.record.table_index) is None:
        return None
    return f"no table definition {index} before it: the name is not known"


def _name_problem(known: KnownRecord) -> str | None:
    header = known.record.header
    if header.name_is_index:
        return None
    try:
        header.name_field.split(b"\0", 1)[0].decode()
    except UnicodeDecodeError:
        return "the name is not UTF-8: shown with its bytes escaped"
    return None


def _columns_problem(known: KnownRecord) -> str | None:
    """Return the problem of the columns; None if they continue in the next record: they are cut, not wrong."""
    if known.record.header.continued:
        return None
    return _decoding_problem("the columns do not decode", lambda: known.record.images)


def _decoding_problem(what: str, decode: Callable[[], object]) -> str | None:
    try:
        decode()
    except TrailError as error:
        return f"{what}: {error.problem}"
    return None


_FACTS = {
    Facet.DEFINITION: ("definition", "vendor"),
    Facet.SURROUNDINGS: ("segment", "whole", "row_definition", "transaction", "change"),
    Facet.TABLE: ("table",),
}
"""The facts of each part that are not decoded from the record alone."""
_PROBLEMS: dict[Facet, Callable[[KnownRecord], str | None]] = {
    Facet.FILE_HEADER: lambda known: _decoding_problem("the groups do not decode", lambda: known.record.file_header),
    Facet.DEFINITION: _definition_problem,
    Facet.SURROUNDINGS: lambda known: known.whole_problem,
    Facet.TABLE: _table_problem,
    Facet.NAME: _name_problem,
    Facet.COLUMNS: _columns_problem,
    Facet.GGS_TOKENS: lambda known: _decoding_problem("the GGS tokens do not decode", lambda: known.record.gg_tokens),
}

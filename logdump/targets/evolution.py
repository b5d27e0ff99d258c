"""Tables that change in the trail: where their definitions change, and what a target has to get there.

    definition 1   rows   definition 2   rows        a column more, or a wider type
                        |
                        a part of the stream ends here: all before it is applied, then the target is altered

A definition is met where it is in the trail, never before: rows of a part are read by the definitions before its end.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import NamedTuple, Self

import numpy as np
import pyarrow as pa

from logdump.arrow.tables.layout import TableLayout
from logdump.notation.sql_tokens import SqlTokenKind, meaningful, tokenizer_of
from logdump.tables.change_columns import ChangedTable, changed_tables, columns_of
from logdump.tables.defined_tables import PlacedLayout
from logdump.tables.paths import TrailInput
from logdump.targets.beginning import Beginning
from logdump.targets.dialects.dialect import DIGITS
from logdump.targets.request import ApplyRequest
from logdump.targets.statements import stretches_between
from logdump.targets.target import SourceColumn, SourceTable, TableDifference, place_of, source_tables
from trailformat import TrailFile
from trailformat.records.record_header import METADATA
from trailformat.scan import RECORD, scan
from trailformat.scan.rows.definitions import metadata_rows
from trailformat.values.data_types import LARGEST_COLUMN, limit_of

_STOPPING = frozenset(
    (  # noqa: SIM905 - a list of that length would fill a page
        "DEFAULT NOT GENERATED IDENTITY AUTO_INCREMENT AS CONSTRAINT PRIMARY UNIQUE FOREIGN CHECK REFERENCES KEY INDEX "
        "FULLTEXT SPATIAL DROP RENAME SET USING PARTITION SUPPLEMENTAL LOG INVISIBLE PERIOD EXCLUDE SELECT"
    ).split()
)
"""Words of an ALTER TABLE that does more than a definition says: rows would change, or another thing than columns."""


class TableAlteration(NamedTuple):
    """A definition of a table that differs from the one before it.

    Attributes:
        place: its place in the trail.
        before: the definition before it; None if it is the first one.
        is_back: whether the table had this definition before, as in a file that was written again.
    """

    place: str
    where: PlacedLayout
    before: TableLayout | None
    is_back: bool

    @property
    def table(self) -> str:
        """The name of the table in the trail."""
        return self.where.layout.name


def alterations(layouts: Mapping[str, Sequence[PlacedLayout]]) -> list[TableAlteration]:
    """Return the definitions that differ from those before them, in the order of the trail."""
    found = []
    for placed_layouts in layouts.values():
        before: TableLayout | None = None
        seen: set[TableLayout] = set()
        for placed in placed_layouts:
            if placed.layout != before:
                place = place_of(placed.seqno, placed.rba)
                found.append(TableAlteration(place, placed, before, placed.layout in seen))
                before = placed.layout
                seen.add(before)
    return sorted(found, key=lambda alteration: alteration.place)


class TrailPart(NamedTuple):
    """A part of a trail in which no table changes.

    Attributes:
        end: the alteration at its end; None if there is none yet.
        layouts: the definition that each table has in it; those that are not defined yet are left out.
        former: names of the columns in the definitions up to that, in lower case, by table.
        options: options of the read that end it there.
    """

    end: TableAlteration | None
    layouts: Mapping[str, TableLayout | None]
    former: Mapping[str, Collection[str]]
    options: Mapping[str, int]

    @classmethod
    def of(
        cls,
        layouts: Mapping[str, Sequence[PlacedLayout]],
        begun: Beginning,
        files: Sequence[TrailInput],
        handled: Collection[str],
        is_new: Callable[[str], bool],
    ) -> TrailPart:
        """Return the part that begins at the positions in the target.

        Args:
            layouts: the definitions of each table in the trail, in order.
            begun: the positions.
            files: the files of the trail.
            handled: places of alterations that were made.
            is_new: returns whether a table is to be created where it is defined.
        """
        end = None
        for alteration in alterations(layouts):
            is_first = alteration.before is None
            if alteration.place in handled or alteration.place < begun.place_of(alteration.table):
                continue
            if (not is_first or is_new(alteration.table)) and begun.is_after_first(
                alteration.table, partial(_csn_at, files, alteration.where)
            ):
                end = alteration
                break
        own, former = dict[str, TableLayout | None](), dict[str, set[str]]()
        for name, placed_layouts in layouts.items():
            known = [
                placed for placed in placed_layouts if end is None or place_of(placed.seqno, placed.rba) < end.place
            ]
            if known or not placed_layouts:
                own[name] = known[-1].layout if known else None
                former[name] = {column.lower() for placed in known for column in placed.layout.column_names}
        return cls(end, own, former, {} if end is None else _before(end.where))

    def source(self, source: SourceTable, kept_columns: Callable[[SourceTable], Collection[str]]) -> SourceTable:
        """Return a table with the columns that it has in this part, or has had and are kept in the target.

        Changes lack the latter: a row that moves, or a new version of it, has the value of the row before.
        """
        layout = self.layouts[source.name]
        if layout is None:
            return source
        names, gone = {name.lower() for name in layout.column_names}, {*self.former[source.name]}
        kept = kept_columns(source) if gone - names else ()
        columns = {
            name: kind
            for name, kind in source.columns.items()
            if (low := source.column(name).lower()) in names or (low in gone and name in kept)
        }
        former = frozenset(name for name in columns if source.column(name).lower() not in names)
        return source._replace(columns=columns, numbers=source.numbers & columns.keys(), former=former)


def _before(where: PlacedLayout) -> dict[str, int]:
    """Return the options of a read of all records before a definition."""
    return {"endSeqno": where.seqno, "endRba": where.rba - 1} if where.rba else {"endSeqno": where.seqno - 1}


def _csn_at(files: Sequence[TrailInput], where: PlacedLayout) -> str | None:
    """Return the CSN of the record before a definition in its file, else of one after it; None if there is neither."""
    file = next((file for file in files if file.seqno == where.seqno), None)
    if file is None:
        return None
    with TrailFile(file.path) as trail:
        before: int | None = None
        for batch in scan(trail):
            is_row = (np.asarray(batch.kind) == RECORD) & (np.asarray(batch.io_type) != METADATA)
            rbas = np.asarray(batch.rba)[is_row]
            earlier, later = rbas[rbas < where.rba], rbas[rbas > where.rba]
            before = int(earlier[-1]) if len(earlier) else before
            if len(later):
                record = trail.record_at(int(later[0]) if before is None else before)
                return record.csn if record is not None else None
        record = trail.record_at(before) if before is not None else None
        return record.csn if record is not None else None


def definitions_between(files: Sequence[TrailInput], start: str, end: str) -> Iterator[PlacedLayout]:
    """Yield the definitions of tables between two places of a trail, in order; without the character set of values."""
    for file, first, stop in stretches_between(files, start, end):
        with TrailFile(file.path) as trail:
            for batch in scan(trail, first, stop):
                for rba in np.asarray(batch.rba)[metadata_rows(batch)].tolist():
                    entry = trail.tables.defined_at(rba)
                    table = trail.tables.columns(entry) if entry is not None and entry.name else None
                    if entry is not None and table is not None:
                        yield PlacedLayout(file.seqno or 0, rba, TableLayout(entry.name, table.columns, ""))


def source_columns_of(table: ChangedTable) -> list[SourceColumn]:
    """Return the columns of a table as its changes have them."""
    return [
        SourceColumn(column.name, column.kind.arrow(pa), column.column, column.is_key, column.is_number)
        for column in columns_of(table)
    ]


def source_of(layouts: Sequence[TableLayout], request: ApplyRequest) -> SourceTable:
    """Return a table of a request with the columns of some definitions. Raises BadTarget if it has no key."""
    [table] = changed_tables(layouts, request.parsed(request.read_options))
    own = {name: key for name, key in request.keys.items() if name.lower() == table.name.lower()}
    [source] = source_tables({table.name: source_columns_of(table)}, request.tables, own)
    return source


def difference_of(
    before: SourceTable, after: SourceTable, lengths: Sequence[Mapping[str, int | None]]
) -> TableDifference:
    """Return the difference of two definitions; ``lengths`` are those of texts by lower-case column of each."""
    own = {before.column(name).lower(): name for name in before.columns}
    then = {after.column(name).lower(): name for name in after.columns}
    wider, other = dict[str, int | None](), list[str]()
    if [before.column(key).lower() for key in before.keys] != [after.column(key).lower() for key in after.keys]:
        other.append(f"the key is {', '.join(map(after.column, after.keys))} now")
    for low, name in then.items():
        if low not in own or name in after.masks:
            continue
        was, now = _Type.of(before, own[low], lengths[0].get(low)), _Type.of(after, name, lengths[1].get(low))
        if now.is_wider(was):
            wider[name] = now.length
        elif now != was:
            other.append(f"column {after.column(name)} is {now}, and was {was}")
    added = [name for low, name in then.items() if low not in own]
    gone = [before.target(name).text for low, name in own.items() if low not in then]
    return TableDifference(after, added, wider, gone, other)


class _Type(NamedTuple):
    """A type of a column: in Arrow, whether it is text that is a number, and the most bytes of a text."""

    kind: pa.DataType
    is_number: bool
    length: int | None

    @classmethod
    def of(cls, table: SourceTable, name: str, length: int | None) -> Self:
        """Return the type of a column; a length counts for texts and bytes alone."""
        kind, is_number = table.columns[name], name in table.numbers
        is_long = not is_number and (pa.types.is_string(kind) or pa.types.is_binary(kind))
        return cls(kind, is_number, length if is_long else None)

    def __str__(self) -> str:
        if self.is_number:
            return "a number of any digits"
        return str(self.kind) if self.length is None else f"{self.kind} of {self.length} bytes"

    def is_wider(self, other: Self) -> bool:
        """Return whether it has room for all values of another one, and for more."""
        if self == other or other.is_number:
            return False
        if self.kind == other.kind and not self.is_number:
            return other.length is not None and (self.length is None or self.length > other.length)
        own, then = _whole_and_part(other.kind), _whole_and_part(self.kind)
        if self.is_number or own is None or then is None:
            is_later = pa.types.is_date(other.kind) and pa.types.is_timestamp(self.kind) and self.kind.tz is None
            return is_later or (self.is_number and own is not None)
        room = then[0] - pa.types.is_integer(self.kind)  # an integer does not hold all numbers of its most digits
        return room >= own[0] and then[1] >= own[1]


def lengths_of(layout: TableLayout) -> dict[str, int | None]:
    """Return the most bytes of the text and byte columns of a definition by lower-case name, None for a LOB."""
    return {
        name.lower(): None if limit_of(column).most == LARGEST_COLUMN else column.external_length
        for name, column in zip(layout.column_names, layout.columns or (), strict=True)
    }


def _whole_and_part(kind: pa.DataType) -> tuple[int, int] | None:
    """Return the digits before and after the point for which a type has room; None if it is no exact number."""
    if pa.types.is_integer(kind):
        return DIGITS[kind.bit_width], 0
    if pa.types.is_decimal(kind):
        return kind.precision - kind.scale, kind.scale
    return None


def ends_rows(text: str) -> bool:
    """Return whether a DDL statement on a table ends all its rows: what was noted of them before is of other rows."""
    words = _words(text)
    is_replaced = words[:4] == ["CREATE", "OR", "REPLACE", "TABLE"]
    return is_replaced or words[:2] == ["DROP", "TABLE"] or words[:1] == ["TRUNCATE"]  # TABLE may be left out


def _words(text: str) -> list[str]:
    """Return the tokens of a statement, in capitals; empty for one that is no word."""
    tokens = [*meaningful(tokenizer_of(text).tokens_of(text))]
    return [token.text.upper() if token.kind is SqlTokenKind.WORD else "" for token in tokens]


def says_no_more(text: str) -> bool:
    """Return whether a DDL statement on a table says no more than the definition after it.

    That is a new table without rows, or columns that are added without a value for the rows that are there, or changed.
    """
    words = _words(text)
    if words[:2] == ["CREATE", "TABLE"]:
        return not {"AS", "SELECT", "LIKE"} & {*words}
    if words[:2] != ["ALTER", "TABLE"] or _STOPPING & {*words}:
        return False
    return any(
        word in ("ADD", "MODIFY") or (word, after) == ("ALTER", "COLUMN") for word, after in pairwise([*words[2:], ""])
    )

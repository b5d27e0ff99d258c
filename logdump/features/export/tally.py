"""The tally of an export: rows by table, records left out, values that do not decode, bytes that are no record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from logdump.arrow.tables.layout import TableLayout
from logdump.notation.plural import amount
from logdump.session.events import Bad, Event, Notice, say
from trailformat import TrailError, io_type_name
from trailformat.trail.sequence import Spot

FILE_HEADER = "FileHeader"


class FileTally(NamedTuple):
    """One file written: its name, the layout of its rows, their number."""

    name: str
    layout: TableLayout
    rows: int


class ExportTally:
    """The counts of one export.

    Attributes:
        selected: records that passed the filter.
        left_out: selected records that are not rows, by type.
        problems: number of values and parts of records that cannot be decoded.
        split: rows beyond one for each record.
        end: the end of the last record examined.
    """

    def __init__(self) -> None:
        self.selected = self.problems = self.split = 0
        self.end: Spot | None = None
        self.left_out: Counter[str] = Counter()
        self.files: list[FileTally] = []
        self.damage: list[Notice] = []
        self._first_problem = ""

    def leave_out(self, io_type: int | None, records: int = 1) -> None:
        """Records of a type, None for the file header, are no rows."""
        self.left_out[FILE_HEADER if io_type is None else io_type_name(io_type)] += records

    def add_problem(self, rba: int, what: str, reason: str, count: int = 1) -> None:
        """Count a part of the record at ``rba`` that cannot be decoded."""
        if not self.problems:
            self._first_problem = f"RBA {rba}, {what}: {reason}" if what else f"RBA {rba}: {reason}"
        self.problems += count

    def add(self, other: ExportTally) -> None:
        """Add the tally of another export of the records after these; its files come after the own ones."""
        self._first_problem = self._first_problem or other._first_problem
        self.selected += other.selected
        self.problems += other.problems
        self.split += other.split
        self.left_out += other.left_out
        self.damage += other.damage
        self.files += other.files
        self.end = other.end

    def note_damage(self, error: TrailError, length: int) -> None:
        """Bytes that are no sound record."""
        self.damage.append(Notice((f"{error}: {length} bytes are not exported",), bad=Bad(error, length)))

    @property
    def rows(self) -> int:
        """Rows that were written."""
        return sum(file.rows for file in self.files)

    def report(self, target: str, *, by_table: bool, parts: int | None = None, kind: str = "record") -> Iterator[Event]:
        """Yield the records not exported, then the counts.

        Args:
            target: what was written, in words.
            by_table: whether it is a file for each table.
            parts: number of files that make up one.
            kind: what was written in a file of all tables.
        """
        yield from self.damage
        to = f"{amount(len(self.files), 'file')} in {target}" if by_table else target
        to = to if parts is None else f"{amount(parts, 'part')} in {target}"
        for file in self.files if by_table else ():
            yield say(f"{file.name}: {amount(file.rows, 'row')} of {file.layout.name or 'a table without a name'}")
        yield say(f"Exported {amount(self.rows, kind)} to {to}")
        if self.left_out:
            left_out = self.left_out.total()
            kinds = ", ".join(f"{name} {records}" for name, records in sorted(self.left_out.items()))
            noun = "row" if kind == "record" else kind
            are_none = f"is not a {noun}" if left_out == 1 else f"are not {noun}s"
            yield say(f"Left out {amount(left_out, 'record')} that {are_none}: {kinds}")
        if self.problems:
            yield Notice((f"{self.problems} values or parts do not decode; the first: {self._first_problem}",))

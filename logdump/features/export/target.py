"""The options of EXPORT, its target (a file or folder that appears when it is complete), and its counts."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from logdump.arrow.tables.layout import TableLayout
from logdump.notation.text import amount
from logdump.session.errors import CommandError
from logdump.session.events import Bad, Event, Notice, say
from trailformat import TrailError, io_type_name
from trailformat.codec.remote.path import RemotePath
from trailformat.trail.sequence import FilePosition
from trailformat.trail.whole_file import WholeFile, WholeFolder, cannot_write, sweep

if TYPE_CHECKING:
    from logdump.features.heartbeat.model import HeartbeatOptions


DIALECTS = ("ORACLE", "MYSQL", "POSTGRESQL", "ANSI")
FORMATS: dict[str, tuple[str, ...]] = {
    "JSONL": ("NONE", "GZIP", "ZSTD"),
    "CSV": ("NONE", "GZIP", "ZSTD"),
    "PARQUET": ("SNAPPY", "NONE", "ZSTD", "GZIP"),
    "ARROW": ("NONE", "LZ4", "ZSTD"),
    "SQL": ("NONE", "GZIP", "ZSTD"),
    "XLSX": ("NONE",),
}
"""The compressions of each format; the first is the default."""

STANDARD_OUTPUT = Path("-")
"""The target that is standard output; ``./-`` is a file."""


class ExportOptions(NamedTuple):
    """Options of EXPORT.

    Attributes:
        format: a key of FORMATS.
        target: the file, or with ``by_table`` the folder.
        by_table: True for one file per table.
        one_table: True for a file of the rows of the only table; ``has_bom``: True to begin it with a byte order mark.
        records: maximum number of records, None for all; ``transactions`` is that of transactions for SQL.
        replaces: True if an existing target is replaced.
        compression: a compression of the format.
        takes_back: True for SQL that takes the changes back.
        includes_cut: True to write the SQL of skipped transactions as comments.
        dialect: dialect of SQL, empty for that of the source database.
        messages: ``debezium`` or ``ogg`` for a message for each change in that form; empty for records or rows.
        truncates: True to write truncates as messages of Debezium.
        heartbeats: options of the beats that are written in place of records; None for records.
        effective: True to leave out the rows of transactions that a Replicat does not apply.
        stop: only records that begin before this RBA; None for the end of the file.
    """

    format: str
    target: Path
    by_table: bool = False
    records: int | None = None
    transactions: int | None = None
    replaces: bool = False
    compression: str = "NONE"
    takes_back: bool = False
    includes_cut: bool = False
    dialect: str = ""
    stop: int | None = None
    effective: bool = False
    messages: str = ""
    truncates: bool = False
    heartbeats: HeartbeatOptions | None = None
    one_table: bool = False
    has_bom: bool = False

    @property
    def is_of_rows(self) -> bool:
        """True if rows of tables are written, with their own columns, and not records."""
        return self.by_table or self.one_table or self.format == "XLSX"

    @property
    def to_standard_output(self) -> bool:
        """True if the target is ``-``; all others are absolute paths."""
        return self.target == STANDARD_OUTPUT

    @property
    def target_name(self) -> str:
        """The target for messages."""
        return "standard output" if self.to_standard_output else str(self.target)

    @property
    def is_binary(self) -> bool:
        """True if the output is binary."""
        return self.format in ("PARQUET", "ARROW", "XLSX") or self.compression != "NONE"

    @property
    def is_limited(self) -> bool:
        """True if the export ends after a number of records or transactions."""
        return self.records is not None or self.transactions is not None


FILE_HEADER = "FileHeader"


class FileTally(NamedTuple):
    """One file written: its name, the layout and the number of its rows."""

    name: str
    layout: TableLayout
    rows: int


class ExportTally:
    """The counts of one export.

    Attributes:
        selected: records that passed the filter.
        left_out: selected records that are not rows, by type.
        problems: number of values and parts of records that cannot be decoded.
        split: number of rows minus number of records that became rows.
        end: the end of the last record examined.
    """

    def __init__(self) -> None:
        self.selected = self.problems = self.split = 0
        self.end: FilePosition | None = None
        self.left_out: Counter[str] = Counter()
        self.files: list[FileTally] = []
        self.damage: list[Notice] = []
        self._first_problem = ""

    def leave_out(self, io_type: int | None, records: int = 1) -> None:
        """Count records of a type, None for the file header, that are not rows."""
        self.left_out[FILE_HEADER if io_type is None else io_type_name(io_type)] += records

    def add_problem(self, rba: int, what: str, reason: str, count: int = 1) -> None:
        """Count a part of the record at ``rba`` that cannot be decoded."""
        if not self.problems:
            self._first_problem = f"RBA {rba}, {what}: {reason}" if what else f"RBA {rba}: {reason}"
        self.problems += count

    def add(self, other: ExportTally) -> None:
        """Add the tally of an export of the records after these; its files come last."""
        self._first_problem = self._first_problem or other._first_problem
        self.selected += other.selected
        self.problems += other.problems
        self.split += other.split
        self.left_out += other.left_out
        self.damage += other.damage
        self.files += other.files
        self.end = other.end

    def note_damage(self, error: TrailError, length: int) -> None:
        """Note bytes that are not a sound record."""
        self.damage.append(Notice((f"{error}: {length} bytes are not exported",), bad=Bad(error, length)))

    @property
    def rows(self) -> int:
        """The number of rows written."""
        return sum(file.rows for file in self.files)

    def report(
        self, target: str, *, by_table: bool, parts: int | None = None, kind: str = "record", holder: str = "file"
    ) -> Iterator[Event]:
        """Yield the records not exported, then the counts.

        Args:
            target: name of the target.
            by_table: True if there is a file for each table.
            parts: number of part files; None without parts.
            kind: noun for one row.
            holder: noun for what holds the rows of a table.
        """
        yield from self.damage
        to = f"{amount(len(self.files), holder)} in {target}" if by_table else target
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


SUFFIXES = {"JSONL": ".jsonl", "CSV": ".csv", "PARQUET": ".parquet", "ARROW": ".arrow"}
PACKED = {"GZIP": ".gz", "ZSTD": ".zst"}
"""Suffixes of the files in a folder; those of compressed text follow them."""


def suffix_of(options: ExportOptions) -> str:
    """Return the suffix of the names of an export's files."""
    is_text = options.format in ("JSONL", "CSV")
    return SUFFIXES[options.format] + (PACKED.get(options.compression, "") if is_text else "")


def part_name(number: int, suffix: str) -> str:
    """Return the name of a part file."""
    return f"part-{number:05d}{suffix}"


def is_part(name: str) -> bool:
    """Return True if a file is named like a part."""
    return name.startswith("part-") and name.endswith(_OURS)


_OURS = tuple(f"{suffix}{end}" for suffix in SUFFIXES.values() for end in ("", *PACKED.values()))


@contextlib.contextmanager
def export_target(target: Path, *, is_folder: bool, replaces: bool, command: str = "EXPORT") -> Iterator[Path]:
    """Stage an export: an empty file or folder, which becomes ``target`` when the context exits normally.

    ``command`` is the name of the command in messages.

    Raises:
        CommandError: the target exists and may not be replaced.
        CannotWrite: nothing can be written there.
    """
    if not isinstance(target, RemotePath):
        sweep(target.parent)
    _check(target, command, is_folder=is_folder, replaces=replaces)
    with WholeFolder(target) if is_folder else WholeFile(target, replace=replaces) as whole:
        try:
            yield whole.staged
        except BrokenPipeError:
            raise
        except OSError as error:
            raise cannot_write(error, target) from error
        _check(target, command, is_folder=is_folder, replaces=replaces)


def _check(target: Path, command: str, *, is_folder: bool, replaces: bool) -> None:
    if not target.exists():
        return
    entries = sorted(target.iterdir()) if is_folder and target.is_dir() else [target]
    if entries and not replaces:
        raise CommandError(f"{target} exists already; {command} … TO {target.name} REPLACE replaces it.")
    for entry in entries if is_folder else ():
        if not _is_ours(entry):
            raise CommandError(f"{target} is not replaced: {entry.name} in it is not a file of an export.")


def _is_ours(entry: Path) -> bool:
    """Return True if this is a file of an export, or the folder of its parts."""
    if entry.is_symlink() or not entry.name.endswith(_OURS):
        return False
    return entry.is_file() or all(
        part.is_file() and not part.is_symlink() and is_part(part.name) for part in entry.iterdir()
    )

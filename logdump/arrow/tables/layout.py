"""The columns of a table's file, the names of the files, and the undecodable parts of a row.

    file, rba, op, csn, xid, time, trans_ind     of the change
    before_<COLUMN>, after_<COLUMN>              of the row, by the table's definition
    nulls                                        names of those that are NULL; the image lacks other null ones
    problems                                     undecodable parts: column, image, bytes, reason

Without a definition, ``data`` (the bytes of the record's data) is in place of the columns.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from typing import NamedTuple
from urllib.parse import quote

from trailformat import ColumnDefinition, Record, TrailError
from trailformat.changes.row_changes import (
    OPERATIONS,
    UNKNOWN_EFFECT,
    ColumnChange,
    is_change,
    operation_of,
    row_columns,
)
from trailformat.records import record_header
from trailformat.records.large_record import LargeRecord
from trailformat.trail.row_definitions import RowDefinition

CUT = "its columns continue in the records that follow"
NO_DEFINITION = "no definition of its columns"
NO_COLUMNS = "its data is not a list of columns"


class RowProblem(NamedTuple):
    """An undecodable part: a value, by its column and image, or all data of a record (both None)."""

    column: str | None
    image: str | None
    bytes: bytes
    reason: str


def time_problem(io_time: int) -> RowProblem:
    """Return the problem of an IO Time outside the calendar."""
    return RowProblem("time", None, (io_time & (1 << 64) - 1).to_bytes(8, "big"), "outside the years 1 to 9999")


def columns_of(record: Record, known: RowDefinition) -> tuple[tuple[ColumnChange, ...], RowProblem | None]:
    """Return the columns of a record's images, and the problem if it has data but no columns."""
    try:
        data = record.data if isinstance(record, LargeRecord) else data_of(record)
    except TrailError as error:
        return (), RowProblem(None, None, b"", error.problem)
    if record.header.io_type not in OPERATIONS:
        return (), RowProblem(None, None, data, f"{operation_of(record.header.io_type)}: {UNKNOWN_EFFECT}")
    if known.table is None:
        return (), RowProblem(None, None, b"", NO_DEFINITION) if data else None
    try:
        columns = row_columns(record, known)
        if columns or not data or record.images is not None:
            return columns, None
    except TrailError as error:
        return (), RowProblem(None, None, data, CUT if record.header.continued else error.problem)
    return (), RowProblem(None, None, data, NO_COLUMNS)


def data_of(record: Record) -> bytes:
    """Return the data of a record; if its tokens are damaged, all bytes from its first token to its trailer.

    Data that are too large are returned as empty.
    """
    try:
        return record.data
    except TrailError:
        return b"" if isinstance(record, LargeRecord) else record.body


FIXED = ("file", "rba", "op", "csn", "xid", "time", "trans_ind")
NUMBERS = frozenset({"rba", "trans_ind"})
"""The columns of FIXED that are numbers."""
NULLS, PROBLEMS, DATA = "nulls", "problems", "data"
SIDES = ("before", "after")
_APART = frozenset({record_header.LARGE_OBJECT, record_header.SEQUENCE_OP, record_header.DDL_OP})
ROW_OPERATIONS = {io_type: op for io_type, op in OPERATIONS.items() if io_type not in _APART}
"""IOType -> ``op``, for the records that are rows of a table's file."""
CHANGES_OF_TABLES = frozenset(filter(is_change, range(256))) - {record_header.LARGE_OBJECT, record_header.DDL_OP}
"""The IOTypes of changes of a table: those of ROW_OPERATIONS, and all others, whose effect on a table is not known.

A piece of a LOB belongs to its row; DDL has a view of its own.
"""
_LONGEST_NAME = 120
_MOST_BYTES = 200
"""Bytes of a file name in UTF-8 before its ending; file systems take 255."""
_PLAIN = frozenset("_.-~$#@ +,=!()[]{}")
"""Signs that file systems take, besides letters and digits."""


class TableLayout(NamedTuple):
    """The layout of one file: rows with equal layouts go to the same file.

    Attributes:
        name: name of the table.
        columns: definitions of the columns; None without a definition.
        codec: codec of the character set of the database.
    """

    name: str
    columns: tuple[ColumnDefinition, ...] | None
    codec: str

    @property
    def column_names(self) -> list[str]:
        """The names of the table's columns, made distinct regardless of case."""
        return list(_unlike(column.name for column in self.columns or ()))

    @property
    def keys(self) -> list[str]:
        """The names of the key columns."""
        columns = zip(self.column_names, self.columns or (), strict=True)
        return [name for name, column in columns if column.is_key]

    @property
    def image_names(self) -> list[str]:
        """The names of the columns of both images: all before, then all after."""
        return [f"{side}_{name}" for side in SIDES for name in self.column_names]


ALL = TableLayout("", None, "")
"""The layout of a single file for the records of all tables."""


class Layouts:
    """The layouts of definitions; equal definitions give one layout."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, int, str], tuple[object, TableLayout]] = {}

    def of(self, record: Record, known: RowDefinition) -> TableLayout:
        """Return the layout of the file that a row belongs to."""
        name = known.name or ("" if record.table_index is None else f"tdr_{record.table_index}")
        key = name, id(known.table), known.charset
        if key not in self._known:
            columns = known.table.columns if known.table is not None else None
            self._known[key] = known.table, TableLayout(name, columns, known.charset)
        return self._known[key][1]


class FileNames:
    """Distinct names for the files of tables: ``SCHEMA.TABLE.parquet``, ``SCHEMA.TABLE.2.parquet``."""

    def __init__(self, suffix: str) -> None:
        self._suffix = suffix
        self._names: set[str] = set()

    def new(self, layout: TableLayout) -> str:
        """Return a name for a layout that has none yet."""
        stem = _safe(layout.name) + (".undefined" if layout.columns is None else "")
        numbers = iter(range(2, 1 << 62))
        name = f"{stem}{self._suffix}"
        while _folded(name) in self._names:
            name = f"{stem}.{next(numbers)}{self._suffix}"
        self._names.add(_folded(name))
        return name


def _safe(name: str) -> str:
    """Return a table's name as a file name: in its own letters, signs that a file system may refuse as ``%XX``."""
    letters = (sign if sign.isalnum() or sign in _PLAIN else quote(sign, safe="", errors="replace") for sign in name)
    safe = "".join(letters)[:_LONGEST_NAME].encode()[:_MOST_BYTES].decode(errors="ignore")
    safe = safe.rstrip(". ") or "unnamed"
    return f"%2E{safe[1:]}" if safe.startswith(".") else safe


def _folded(name: str) -> str:
    """Return a name in the form that is the same for names which a file system may take for one."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFKD", name).casefold())


def _unlike(names: Iterable[str]) -> Iterator[str]:
    used_names: set[str] = set()
    for name in names:
        number, unlike = 1, name
        while unlike.lower() in used_names:
            number += 1
            unlike = f"{name}_{number}"
        used_names.add(unlike.lower())
        yield unlike

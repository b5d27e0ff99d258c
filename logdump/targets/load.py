"""The initial load: the rows of a table at a CSN, from the database of the source or a frame, before its changes.

    rows at CSN 100 -> target, with a position "after CSN 100" -> changes of transactions with a later CSN

The rows of a table and its position are one transaction of the target: what ends in the middle of them begins anew.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from decimal import Decimal
from typing import Any, NamedTuple

import pyarrow as pa

from logdump.notation.names import plain_parts
from logdump.tables.errors import BadOption, SourceError
from logdump.targets.dialects import DatabaseDialect, dialect_for, family_of, in_utc, is_of_driver
from logdump.targets.net_effect import LOAD
from logdump.targets.target import SourceTable, TargetColumn
from trailformat.codec.remote.url import without_password

_MOST_ROWS = 20_000
"""Rows that are read at once."""
_PASSWORD = "LOGDUMP_LOAD_PASSWORD"  # noqa: S105 - the name of a variable
_SNAPSHOT = re.compile(r"[0-9A-Za-z-]{1,64}")
Frames = Mapping[str, Any]
"""Frames by table: anything with ``__arrow_c_stream__``, or a DataFrame of Spark where that is the driver."""


class BadLoad(SourceError):
    """The rows of a table cannot be copied; none of them is in the target."""


class Loaded(NamedTuple):
    """The end of the load of a table: number of rows, and the CSN that they are of."""

    table: str
    rows: int
    csn: str


class LoadRequest(NamedTuple):
    """What a call of ``apply`` says about the load.

    Attributes:
        source: the URL of the database of the source, or frames by table.
        csn: the CSN that the rows are of; None: the database is asked, where it can tell.
        snapshot: the snapshot of PostgreSQL with the rows at that CSN.
    """

    source: str | Frames
    csn: str | None = None
    snapshot: str | None = None

    def checked(self) -> LoadRequest:
        """Return the same. Raises BadOption or BadTarget if it is not as it must be."""
        if not isinstance(self.source, str):
            if not isinstance(self.source, Mapping):
                raise BadOption("load takes the URL of a database, or a frame for each table by its name")
            if self.csn is None:
                raise BadOption("load_csn is missing: the CSN that the rows of the frames are of")
            if self.snapshot is not None:
                raise BadOption("load_snapshot goes with the URL of a PostgreSQL")
            return self
        dialect = self.dialect()
        if not dialect.has_flashback and not dialect.has_snapshots:
            raise BadOption(f"load: {dialect.url.scheme} cannot show its rows at a CSN: give frames, with load_csn")
        if dialect.has_snapshots and (self.snapshot is None or self.csn is None):
            raise BadOption(
                "load from PostgreSQL takes load_snapshot and load_csn: the snapshot that CREATE_REPLICATION_SLOT has "
                "exported, and its consistent point"
            )
        if not dialect.has_snapshots and self.snapshot is not None:
            raise BadOption("load_snapshot goes with the URL of a PostgreSQL")
        if self.snapshot is not None and not _SNAPSHOT.fullmatch(self.snapshot):
            raise BadOption(f"load_snapshot takes the name of a snapshot, not {self.snapshot[:80]!r}")
        return self

    def dialect(self) -> DatabaseDialect:
        """Return the dialect of the source. Raises BadOption if its URL is not of a database."""
        url = str(self.source)
        dialect = dialect_for(url, password_in=_PASSWORD)
        if dialect is None:
            raise BadOption(f"load: {without_password(url)} is no URL of a database")
        return dialect

    def opened(self, read_frame: Callable[[Any], Iterator[pa.Table]]) -> LoadSource:
        """Open the source. Raises BadLoad."""
        if isinstance(self.source, str):
            return DatabaseRows(self.dialect(), self.csn, self.snapshot)
        return FrameRows(self.source, str(self.csn), read_frame)


class LoadSource:
    """The rows of tables at a CSN."""

    csn: str

    def rows(self, table: SourceTable) -> Iterator[pa.Table]:
        """Yield the rows of a table in portions, in its columns. Raises BadLoad."""
        raise NotImplementedError

    def close(self) -> None:
        """Close it."""


class FrameRows(LoadSource):
    """Frames by table."""

    def __init__(self, frames: Frames, csn: str, read_frame: Callable[[Any], Iterator[pa.Table]]) -> None:
        self._frames = {name.lower(): frame for name, frame in frames.items()}
        self.csn, self._read = csn, read_frame

    def rows(self, table: SourceTable) -> Iterator[pa.Table]:
        if table.name.lower() not in self._frames:
            raise BadLoad(f"nothing of {table.name} was written: load has no frame for it")
        for portion in self._read(self._frames[table.name.lower()]):
            spelled = {name.lower(): name for name in portion.column_names}
            names = _columns_in(table, spelled)
            for begin in range(0, len(portion), _MOST_ROWS):
                part = portion.slice(begin, _MOST_ROWS)
                yield pa.table({name: _cast(table, name, part[found]) for name, found in names.items()})


class DatabaseRows(LoadSource):
    """A database at one moment: of Oracle as of an SCN, of PostgreSQL in a snapshot."""

    def __init__(self, dialect: DatabaseDialect, csn: str | None, snapshot: str | None) -> None:
        self._dialect = dialect
        with self._errors("nothing was written"):
            self._connection = dialect.connect()
        try:
            with self._errors("nothing was written"):
                dialect.enter_snapshot(self._connection, snapshot)
                self.csn = csn if csn is not None else dialect.present_csn(self._connection.cursor())
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        with suppress(Exception):
            self._connection.close()

    def rows(self, table: SourceTable) -> Iterator[pa.Table]:
        with self._errors(f"nothing of {table.name} was written"):
            cursor = self._dialect.reading_cursor(self._connection)
            cursor.execute(self._query(table))
            while rows := cursor.fetchmany(_MOST_ROWS):
                columns = zip(table.columns, zip(*rows, strict=True), strict=True)
                yield pa.table({name: _array(table, name, values) for name, values in columns})
            cursor.close()

    def _query(self, table: SourceTable) -> str:
        """Return the query of the rows of a table."""
        dialect = self._dialect
        matches = dialect.tables(self._connection.cursor(), [part.text for part in plain_parts(table.name)])
        exact = [match for match in matches if match[1] == plain_parts(table.name)[-1].text]
        matches = exact if len(exact) == 1 else matches
        if len(matches) != 1:
            what = "several tables with" if matches else "no table with"
            raise BadLoad(f"nothing of {table.name} was written: the database of load has {what} this name")
        columns = {column.name.lower(): column for column in dialect.columns(self._connection.cursor(), *matches[0])}
        names = _columns_in(table, {low: column.name for low, column in columns.items()})
        shown = [self._shown(columns[found.lower()], table.columns[name]) for name, found in names.items()]
        return dialect.query_at(shown, ".".join(map(dialect.quoted, matches[0])), self.csn)

    def _shown(self, column: TargetColumn, kind: pa.DataType) -> str:
        """Return a column as it is asked for: as text where the trail has text of a value that is none."""
        name = self._dialect.quoted(column.name)
        is_text = family_of(kind) == "text" and column.family != "text"
        return self._dialect.as_text(name) if is_text else name

    @contextmanager
    def _errors(self, what: str) -> Iterator[None]:
        """Context in which errors of the driver become BadLoad, without the password."""
        try:
            yield
        except Exception as error:
            if not is_of_driver(error):
                raise
            text = " ".join(str(error).split("\n", maxsplit=1)[0].split())
            raise BadLoad(f"{what}: load: {self._dialect.url.harmless(text)}") from None


def frame_tables(frame: Any) -> Iterator[pa.Table]:
    """Yield a frame of Arrow in portions. Raises BadOption if it is none."""
    if not hasattr(frame, "__arrow_c_stream__"):
        raise BadOption(f"load: a {type(frame).__name__} is no frame: it has no __arrow_c_stream__")
    for batch in pa.RecordBatchReader.from_stream(frame):
        yield pa.Table.from_batches([batch])


def as_changes(rows: pa.Table, csn: str) -> pa.Table:
    """Return rows of a load as changes, which have no place in the trail and no time."""
    count = len(rows)
    texts = {"_op": [LOAD] * count, "_csn": [csn] * count, "_xid": [None] * count, "_sequence": [None] * count}
    fixed = {name: pa.array(values, pa.string()) for name, values in texts.items()}
    fixed |= {"_time": pa.nulls(count, pa.timestamp("us", "UTC")), "_absent": pa.nulls(count, pa.list_(pa.string()))}
    return pa.table({**{name: rows[name] for name in rows.column_names}, **fixed})


def _columns_in(table: SourceTable, spelled: Mapping[str, str]) -> dict[str, str]:
    """Return the columns of the source by those of a table, given them by lower-case name. Raises BadLoad."""
    names = {name: spelled.get(table.column(name).lower()) for name in table.columns}
    if missing := [table.column(name) for name, found in names.items() if found is None]:
        raise BadLoad(f"nothing of {table.name} was written: load has no column {', '.join(missing)}")
    return {name: found for name, found in names.items() if found is not None}


def _cast(table: SourceTable, name: str, values: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column of a frame in its type. Raises BadLoad if a value is not of it."""
    with _conversion(table, name):
        return values.cast(table.columns[name])


def _array(table: SourceTable, name: str, values: Sequence[Any]) -> pa.Array:
    """Return the values of a column in its type. Raises BadLoad if one is not of it."""
    kind = table.columns[name]
    with _conversion(table, name):
        return pa.array([_value(value, kind) for value in values], kind)


@contextmanager
def _conversion(table: SourceTable, name: str) -> Iterator[None]:
    try:
        yield
    except (pa.ArrowException, ValueError, TypeError, OverflowError) as error:
        why = str(error).split("\n", maxsplit=1)[0]
        column = table.column(name)
        raise BadLoad(
            f"nothing of {table.name} was written: load: column {column} is not as in the trail: {why}"
        ) from None


def _value(value: Any, kind: pa.DataType) -> Any:
    """Return a value of a driver as one of an Arrow type."""
    convert = _CONVERSIONS.get(family_of(kind))
    return value if value is None or convert is None else convert(value)


def _text(value: Any) -> str:
    return format(value, "f") if isinstance(value, Decimal) else str(value)


_CONVERSIONS: Mapping[str, Callable[[Any], Any]] = {
    "text": _text,
    "binary": bytes,
    "integer": int,
    "decimal": lambda value: Decimal(str(value)),
    "date": lambda value: value.date() if isinstance(value, dt.datetime) else value,
    "timestamp": in_utc,
}
"""How a value of a driver becomes one of a family of types, where it may be of another."""

"""A trail as a table: Arrow batches of its records, of the rows of a table or of an analysis, made on demand."""

from __future__ import annotations

import os
import queue
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, nullcontext
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import pyarrow as pa

from logdump.arrow.records.schema import RowColumn, Selected, arrow_schema
from logdump.arrow.tables.layout import TableLayout
from logdump.features.sql.view_table import ANALYSES
from logdump.tables.checked_options import checked
from logdump.tables.errors import BadOption
from logdump.tables.options import Options, Paths, Use, parse_options, path_options
from logdump.tables.paths import find_files
from logdump.tables.planner import plan
from logdump.tables.reader import read as read_slices
from logdump.tables.schema import look_up, offered
from logdump.tables.slice import RbaRange, Slice, filters_of
from logdump.tables.slices import Request
from trailformat.codec.on_demand import on_demand
from trailformat.scan import Workers
from trailformat.scan.parallel import cores
from trailformat.trail import command_files
from trailformat.trail.command_files import one_reading, reading

with on_demand:
    from logdump.tables import defined_tables, table_columns

if TYPE_CHECKING:
    from logdump.tables.defined_tables import ForeseenTable


T = TypeVar("T")
_MOST_WAITING = 2
"""Maximum number of batches that an iterator makes in advance; each covers up to 8 MiB of trail."""
_PATIENCE = 0.1
"""Seconds after which a thread that waits for room checks whether it was stopped."""


class Ahead(Generic[T]):
    """Runs an iterator on a thread of its own, at most two items in advance."""

    def __init__(self, items: Iterator[T], observer: command_files.Observer | None = None) -> None:
        self._items = items
        self._observer, self._files = observer, reading()
        self._made: queue.Queue[tuple[T | None, BaseException | None, bool]] = queue.Queue(_MOST_WAITING)
        self._is_wanted = True
        self._thread = threading.Thread(target=self._work, name="logdump batches", daemon=True)
        self._thread.start()

    def _work(self) -> None:
        with (
            command_files.observed(self._observer) if self._observer is not None else nullcontext(),
            one_reading(self._files) if self._files is not None else nullcontext(),
        ):
            self._make()

    def _make(self) -> None:
        error: BaseException | None = None
        try:
            for item in self._items:
                if not self._put((item, None, False)):
                    return
        except BaseException as raised:  # noqa: BLE001 - it is raised where the items are used
            error = raised
        finally:
            close = getattr(self._items, "close", None)
            if close is not None:
                close()
        self._put((None, error, True))

    def _put(self, entry: tuple[T | None, BaseException | None, bool]) -> bool:
        while self._is_wanted:
            try:
                self._made.put(entry, timeout=_PATIENCE)
            except queue.Full:
                continue
            return True
        return False

    def items(self, every: float | None = None) -> Iterator[Any]:
        """Yield the items, and None after each ``every`` seconds without one; raise the errors of the iterator."""
        while True:
            try:
                item, error, is_last = self._made.get(timeout=every)
            except queue.Empty:
                yield None
                continue
            if error is not None:
                raise error
            if is_last:
                return
            yield item

    def stop(self, interrupt: Callable[[], object] = lambda: None) -> None:
        """End the thread and drop its items. ``interrupt`` ends the operation that it waits for, if that has begun."""
        self._is_wanted = False
        while self._thread.is_alive():  # between two operations an interruption would be lost
            interrupt()
            self._thread.join(_PATIENCE)


def ahead(iterators: Iterable[Iterator[T]], observer: command_files.Observer | None = None) -> Generator[T, None, None]:
    """Yield the items of all iterators in order; as many iterators run at a time as there are cores.

    The observer receives the progress of the threads.
    """
    source, running = iter(iterators), deque[Ahead[T]]()
    try:
        while True:
            while len(running) < cores() and (following := next(source, None)) is not None:
                running.append(Ahead(following, observer))
            if not running:
                return
            yield from running[0].items()
            running.popleft().stop()
    finally:
        for runner in running:
            runner.stop()


_WHOLE_FILES = {"maxPartitionBytes": "0"}


class Narrowed(NamedTuple):
    """The part of a table that a reader needs: the columns (None: all), RBAs, and options that select records."""

    columns: frozenset[str] | None = None
    rbas: RbaRange = RbaRange()
    options: Mapping[str, str] = {}


def _read_options(given: Mapping[str, str]) -> Options:
    return checked(parse_options(given, Use.READ, ANALYSES))


class TrailTable:
    """A trail as a table; reading begins with the first batch, and each core makes at most a few batches in advance.

    ``logdump.read`` returns one. DuckDB, Polars, pandas and pyarrow accept it directly, by ``__arrow_c_stream__``;
    each of them reads it from the beginning.

    Args:
        options: options of the data source, by their names in docs/spark.md.
        columns: the columns to have; None: all.
        is_proven: True if all definitions of a table are read now. Otherwise the first one is assumed for all rows, a
            read that finds another raises DefinedOtherwiseError, and ``prove`` checks the parts not read.

    Attributes:
        schema: the columns, a ``pyarrow.Schema``.

    Raises:
        SourceError: there is no such file, table, column or option.
    """

    def __init__(
        self, options: Mapping[str, str], columns: Sequence[str] | None = None, *, is_proven: bool = True
    ) -> None:
        self._made_of = dict(options), None if columns is None else tuple(columns)
        self._given = {**_WHOLE_FILES, **options}
        self._options = _read_options(self._given)
        if self._options.changes_of:
            raise BadOption("option changesOf is one of Spark: logdump.spark.changes reads it")
        filters_of(self._options)
        find_files(self._options)
        self._foreseen: tuple[TableLayout, ...] = ()
        self._unproven: ForeseenTable | None = None
        of_rows = self._options.rows_of is not None
        there = self._columns_of_table(is_proven=is_proven) if of_rows else _columns(self._options)
        chosen = there if columns is None else {name: look_up(there, name, "columns") for name in columns}
        self._selected = tuple(Selected(column.name, column) for column in chosen.values())
        self.schema: pa.Schema = arrow_schema(self._selected)
        self._is_of_rows = self._options.analysis is None and not self._options.summary

    def __repr__(self) -> str:
        path = self._options.path or ", ".join(self._options.paths)
        table = f", table {self._options.rows_of}" if self._options.rows_of is not None else ""
        return f"<TrailTable of {path}{table}: {', '.join(self.schema.names)}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return TrailTable, self._made_of

    def _columns_of_table(self, *, is_proven: bool) -> dict[str, RowColumn]:
        self._unproven = foreseen = None if is_proven else defined_tables.ForeseenTable.of(self._options)
        name, layouts = (
            (foreseen.name, [foreseen.layout]) if foreseen is not None else defined_tables.table_meant(self._options)
        )
        self._given["rowsOf"], self._foreseen = name, tuple(layouts)
        self._options = _read_options(self._given)
        return table_columns.table_columns(self._foreseen, self._options)

    def prove(self) -> None:
        """Verify that the columns are those of all definitions. Raises DefinedOtherwiseError if not."""
        if self._unproven is not None:
            self._unproven.prove()

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        """Yield the batches in trail order. Raises SourceError: damage, a file that changed."""
        return self._batches(Narrowed(), is_numbered=False)

    @property
    def numbered_schema(self) -> pa.Schema:
        """The schema of ``narrowed``: columns of repeated texts are dictionaries."""
        return arrow_schema(self._selected, is_numbered=self._is_of_rows)

    def narrowed(
        self, to: Narrowed, observer: command_files.Observer | None = None
    ) -> Generator[pa.RecordBatch, None, None]:
        """Yield batches of the rows that a reader may need, with nulls in columns that it does not need.

        Options of the table take precedence over those of ``to``. The observer receives the progress.
        """
        return self._batches(to, observer, is_numbered=self._is_of_rows)

    def _batches(
        self, to: Narrowed, observer: command_files.Observer | None = None, *, is_numbered: bool
    ) -> Generator[pa.RecordBatch, None, None]:
        if not self._is_of_rows:
            to = Narrowed(to.columns)  # each of its rows may depend on any record
        options = self._options if not to.options else _read_options({**to.options, **self._given})
        selected = tuple(
            chosen._replace(is_wanted=to.columns is None or chosen.alias in to.columns) for chosen in self._selected
        )
        request = Request(selected, options, self._foreseen, is_numbered, unproven=self._unproven)
        tasks = [within for slices in plan(options, request.wanted) if (within := tuple(_within(slices, to.rbas)))]
        with Workers() as workers:
            if len(tasks) == 1:
                request = request._replace(workers=workers)
            with closing(ahead((read_slices(slices, request) for slices in tasks), observer)) as batches:
                yield from batches

    def to_reader(self) -> pa.RecordBatchReader:
        """Return the batches as a ``pyarrow.RecordBatchReader``, which reads the trail once."""
        return pa.RecordBatchReader.from_batches(self.schema, iter(self))

    def to_arrow(self) -> pa.Table:
        """Return all rows as a ``pyarrow.Table`` in memory."""
        return self.to_reader().read_all()

    def __arrow_c_schema__(self) -> Any:
        return self.schema.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.to_reader().__arrow_c_stream__(requested_schema)


def _columns(options: Options) -> dict[str, RowColumn]:
    return {column.name: column for column in offered(options)}


def _within(slices: Sequence[Slice], rbas: RbaRange) -> Iterator[Slice]:
    """Yield the slices restricted to these RBAs; slices outside of them are omitted."""
    for part in slices:
        only = RbaRange(max(part.only.first, rbas.first), min(part.only.last, rbas.last))
        is_inside = part.start <= only.last and part.stop > only.first
        if only.first <= only.last and (is_inside or not part.size):
            yield part._replace(only=only)


def read(
    path: Paths,
    table: str | None = None,
    columns: Sequence[str] | None = None,
    where: str | None = None,
    **options: str | int | bool,
) -> TrailTable:
    """Return a trail as a table for DuckDB, Polars, pandas and pyarrow, without Spark.

        import duckdb, logdump

        teas = logdump.read("dirdat/lt*", table="TEAHOUSE.TEAS", columns=["op", "csn", "after_PRICE"])
        duckdb.sql("SELECT op, count(*) FROM teas GROUP BY op")

    Args:
        path: a file, directory, trail name or glob, or several.
        table: the rows of this table, before and after each change; None: every record.
        columns: the columns to have; None: all. Other columns are not decoded.
        where: FILTER statements separated by ``;``.
        options: further options of the data source (docs/spark.md): ``effective=True``, ``startCsn="123"``, ….

    Raises:
        SourceError: there is no such file, table, column or option.
    """
    given = {**path_options(_paths(path)), **{name: _text(value) for name, value in options.items()}}
    for name, argument, value in (("rowsOf", "table", table), ("where", "where", where)):
        if value is not None:
            given[name] = _name(argument, value)
    if columns is not None:
        columns = [] if isinstance(columns, str) or not isinstance(columns, Iterable) else [*columns]
        if not columns or not all(isinstance(name, str) for name in columns):
            raise BadOption("columns takes a list of names, at least one")
    try:
        return TrailTable(given, columns)
    except BadOption as error:
        if error.option != "rowsOf":
            raise
        raise BadOption(f"table: {error.problem}") from None


def _paths(path: Any) -> Paths:
    """Return a path or several as they are given. Raises BadOption if there is none, or one is no path."""
    paths = [path] if isinstance(path, (str, os.PathLike)) else [*path] if isinstance(path, Iterable) else []
    if not paths or not all(isinstance(part, (str, os.PathLike)) and str(part).strip() for part in paths):
        raise BadOption("path takes a file, a folder, a trail as dirdat/lt, a wildcard, or a list of these")
    return path if isinstance(path, (str, os.PathLike)) else paths


def _name(argument: str, value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise BadOption(f"{argument} takes a text")
    return value


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)

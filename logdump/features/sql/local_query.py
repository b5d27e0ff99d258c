"""SQL in this process: DuckDB over the batches of a trail. It reads nothing else, and writes only temporary files."""

from __future__ import annotations

import difflib
import os
import re
import shutil
import signal
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, nullcontext, suppress
from itertools import chain, islice
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from logdump.features.sql.plan import ParsedStatement, Relation, needs_of, parse, planned_scans, quoted_name
from logdump.features.sql.rows import no_rows
from logdump.features.sql.trail_table import Narrowed, TrailTable
from logdump.features.sql.view_table import VIEWS
from logdump.session.errors import CommandError, MissingFileError
from logdump.tables.errors import (
    BadOption,
    BadTrail,
    DefinedOtherwiseError,
    FileChanged,
    NoTrailFiles,
    SourceError,
    SplitMismatch,
)
from trailformat import BadRecord
from trailformat.trail import command_files
from trailformat.trail.command_files import OUTCOMES, one_reading, reading
from trailformat.trail.whole_file.leftovers import close, create_folder, make, remove_in_use, sweep, temporary_path

try:
    import resource
except ImportError:  # not on Windows
    resource = None  # type: ignore[assignment]


class ReadPlace:
    """Progress of the scans of a statement, reported by the threads that read, forwarded by the one that shows it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._files: list[Path] = []
        self._rbas: dict[Path, int] = {}

    def announce(self, paths: Any) -> None:
        """Note files that are to be read."""
        with self._lock:
            self._files += paths

    def report(self, path: Path, rba: int) -> None:
        """Note the RBA up to which a file is read."""
        with self._lock:
            self._rbas[path] = rba

    def tell(self) -> None:
        """Report progress since the last call to the observer of this thread."""
        with self._lock:
            files, self._files = self._files, []
            rbas, self._rbas = self._rbas, {}
        if files:
            command_files.announce(files)
        for path, rba in rbas.items():
            command_files.report(path, rba)


class ViewScan:
    """A table with column names unique in the statement, so that a plan shows which columns of which view it reads.

    Attributes:
        prefix: the prefix of its column names.
        narrowed: the part that the statement needs; set before the statement runs.
        error: the exception that ended a read, of which DuckDB keeps only the text.
    """

    def __init__(self, number: int, table: TrailTable, place: ReadPlace) -> None:
        self.prefix = f"{number}."
        self.narrowed = Narrowed()
        self.error: BaseException | None = None
        self._table = table
        self._place, self._files = place, reading()
        self._schema = pa.schema([field.with_name(self.prefix + field.name) for field in table.numbered_schema])

    @property
    def columns(self) -> list[str]:
        """The names of the columns in the view."""
        return list(self._table.schema.names)

    def prove(self) -> None:
        """Verify that the columns are those of all definitions. Raises DefinedOtherwiseError if not."""
        self._table.prove()

    def _batches(self) -> Iterator[pa.RecordBatch]:
        try:
            with closing(self._table.narrowed(self.narrowed, self._place)) as batches:
                while (batch := self._next(batches)) is not None:
                    yield pa.RecordBatch.from_arrays(batch.columns, schema=self._schema)
        except BaseException as error:
            self.error = error
            raise

    def _next(self, batches: Iterator[pa.RecordBatch]) -> pa.RecordBatch | None:
        """Return the next batch, read for the command of the statement: any thread of DuckDB may take it."""
        with one_reading(self._files) if self._files is not None else nullcontext():
            return next(batches, None)

    def __arrow_c_schema__(self) -> Any:
        return self._schema.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        reader = pa.RecordBatchReader.from_batches(self._schema, self._batches())
        return reader.__arrow_c_stream__(requested_schema)


_LEAST_ADDRESS_SPACE = 768 << 20
MEGABYTES = 2000
"""Memory limit of DuckDB, beyond which it writes to a private folder that is deleted after the statement."""
_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": False,
    "autoload_known_extensions": False,
    "autoinstall_known_extensions": False,
    "allow_community_extensions": False,
    "python_enable_replacements": False,
}
_OF_DUCKDB = frozenset({"information_schema", "pg_catalog"})
"""Schemas of DuckDB that describe the views themselves."""
_BATCH_ROWS = 10_000
_LONGEST_MESSAGE = 2000


_UNEXPECTED = re.compile(r'syntax error at or near "(\w+)"')
_LINE = re.compile(r"^LINE (\d+):", re.MULTILINE)


def _line_before(match: re.Match[str]) -> str:
    """Return a line number of a message less one, with the same width: the statement follows a line with EXPLAIN."""
    return f"LINE {int(match[1]) - 1:>{len(match[1])}}:"


_SHARE_OF_DISK = 2
"""A statement may fill the free room of the disk divided by this."""
_FOLDERS: set[Path] = set()
"""The private folders of the statements that run."""
_ENDING = (signal.SIGHUP, signal.SIGTERM)
_MAKING = threading.Event()
"""Set while a private folder is made, which is not known yet: a signal waits in ``_LATE`` until it is."""
_LATE: list[int] = []


@contextmanager
def private_folder() -> Iterator[Path]:
    """Context with a folder for temporary files, after removing those that killed processes have left."""
    top = Path(tempfile.gettempdir())
    sweep(top)
    name = top / "logdump-sql"
    _MAKING.set()
    try:
        writer, handle = make(name, create_folder)
        folder = temporary_path(name, writer)
        _FOLDERS.add(folder)
    finally:
        _MAKING.clear()
    while _LATE:
        os.kill(os.getpid(), _LATE.pop())
    try:
        yield folder
    finally:
        OUTCOMES.remove(folder)
        _FOLDERS.discard(folder)
        close(handle)


@contextmanager
def cleared_at_the_end() -> Iterator[None]:
    """Context in which a signal that ends the process removes the private folders first; in the main thread only."""

    def end(number: int, _frame: object) -> None:
        if _MAKING.is_set():
            _LATE.append(number)
            return
        for folder in [*_FOLDERS]:
            remove_in_use(folder)
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    is_main = threading.current_thread() is threading.main_thread()
    ours = [number for number in _ENDING if is_main and signal.getsignal(number) is signal.SIG_DFL]
    for number in ours:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)


def _check_address_space() -> None:
    """Raise CommandError if the process may not have the address space that DuckDB needs: it would abort."""
    if resource is None:
        return
    allowed = resource.getrlimit(resource.RLIMIT_AS)[0]
    if 0 <= allowed < _LEAST_ADDRESS_SPACE:
        raise CommandError(
            f"SQL needs {_LEAST_ADDRESS_SPACE >> 20} MB of address space, and ulimit -v allows {allowed >> 20} MB."
        )


class LocalQuery:
    """Runs statements over a trail.

    Args:
        options: options of the data source, including ``path`` or ``paths`` if a trail is open.
        by_view: further options of single views.
        is_effective: True if records and tables omit rows that a Replicat does not apply.
        megabytes: memory limit of DuckDB; None: MEGABYTES.

    Attributes:
        place: progress of the reading.
    """

    def __init__(
        self,
        options: Mapping[str, str],
        by_view: Mapping[str, Mapping[str, str]],
        *,
        is_effective: bool = False,
        megabytes: int | None = None,
    ) -> None:
        self._memory = f"{megabytes or MEGABYTES}MB"
        self._options = dict(options)
        self._effective = {"effective": "true"} if is_effective else {}
        self._by_view = by_view
        self._scans: list[ViewScan] = []
        self._statement: ParsedStatement | None = None
        self._looks_for_all = False
        self.place = ReadPlace()
        self._connection: duckdb.DuckDBPyConnection | None = None

    def interrupt(self) -> None:
        """End the running statement, if one runs; may be called from any thread."""
        connection = self._connection
        if connection is not None:
            with suppress(duckdb.ConnectionException):  # it has just been closed
                connection.interrupt()

    def batches(self, text: str, most: int | None) -> Iterator[pa.RecordBatch]:
        """Yield at most ``most`` rows of a statement in batches; the first batch has the columns and no rows.

        Raises:
            CommandError: it is not a query, or a table does not exist.
            SourceError: damage, a file that changed.
            duckdb.Error: any other error, with its position in the statement.
        """
        try:
            yield from self._answered(text, most)
        except DefinedOtherwiseError:  # no batch has been yielded yet
            self._scans, self._looks_for_all = [], True
            yield from self._answered(text, most)

    def _answered(self, text: str, most: int | None) -> Iterator[pa.RecordBatch]:
        """Do the same; raise DefinedOtherwiseError before the first batch if a table has other columns than assumed."""
        _check_address_space()
        with private_folder() as folder:
            room = shutil.disk_usage(folder).free // _SHARE_OF_DISK
            own = {
                "temp_directory": str(folder / "spill"),
                "max_temp_directory_size": f"{room}B",
                "memory_limit": self._memory,
            }
            connection = duckdb.connect(config=_CONFIG | own)
            self._connection = connection
            try:
                connection.execute("SET TimeZone = 'UTC'").fetchall()
                connection.execute("SET lock_configuration = true").fetchall()
                yield from self._run(connection, text, most)
            except (duckdb.Error, OSError) as error:
                for scan in self._scans:
                    if scan.error is not None:
                        raise scan.error from None
                if self._statement is None or not isinstance(error, duckdb.Error):
                    raise
                if not isinstance(error, duckdb.InterruptException):
                    self._prove()  # with other columns the statement may be right
                raise type(error)(self._statement.as_written(str(error))) from None
            finally:
                self._connection = None
                connection.close()

    def _run(self, connection: duckdb.DuckDBPyConnection, text: str, most: int | None) -> Iterator[pa.RecordBatch]:
        statement = self._statement = parse(connection, text)
        for relation in statement.relations:
            self._define(connection, relation, statement)
        if statement.is_explain:
            rows = connection.execute(statement.text).fetchall()
            lines = [line for row in rows for line in str(row[-1]).splitlines()]
            self._prove()
            yield pa.record_batch([pa.array(lines, pa.string())], names=["plan"])
            return
        self._narrow(connection, statement)
        result = connection.sql(statement.text)
        reader = (result if most is None else result.limit(most)).to_arrow_reader(_BATCH_ROWS)
        batches = iter(reader)
        first = [*islice(batches, 1)]
        self._prove()
        yield no_rows(reader.schema)
        yield from chain(first, batches)

    def _prove(self) -> None:
        """Verify that the tables have the columns of the views.

        This costs nothing if DuckDB read them to the end before its first rows, as it does for most results.
        """
        for scan in self._scans:
            scan.prove()

    def _define(self, connection: duckdb.DuckDBPyConnection, relation: Relation, statement: ParsedStatement) -> None:
        """Create the view of a relation."""
        table = self._table(relation, statement)
        if table is None:
            return
        scan = ViewScan(len(self._scans), table, self.place)
        self._scans.append(scan)
        source = f"scan {len(self._scans)}"
        connection.register(source, scan)
        if relation.schema:
            connection.execute(f"CREATE SCHEMA IF NOT EXISTS {quoted_name(relation.schema)}").fetchall()
        name = ".".join(quoted_name(part) for part in (relation.schema, relation.name) if part)
        columns = ", ".join(f"{quoted_name(scan.prefix + column)} AS {quoted_name(column)}" for column in scan.columns)
        connection.execute(f"CREATE VIEW {name} AS SELECT {columns} FROM {quoted_name(source)}").fetchall()

    def _table(self, relation: Relation, statement: ParsedStatement) -> TrailTable | None:
        """Return the table of a relation; None if no trail is given or the relation is left to DuckDB."""
        options = dict(self._options)
        if relation.path is not None:
            options = {name: text for name, text in options.items() if name != "paths"} | {"path": relation.path}
        if not options.keys() & {"path", "paths"}:
            return None
        view = VIEWS.get(relation.wanted.lower())
        if view is not None:
            effective = {} if "analysis" in view.options else self._effective
            return TrailTable({**options, **effective, **self._by_view.get(view.name, {}), **view.options})
        if relation.schema.lower() in _OF_DUCKDB:
            return None
        try:
            table = {**options, **self._effective, "rowsOf": relation.wanted}
            return TrailTable(table, is_proven=self._looks_for_all)
        except BadOption as error:
            near = difflib.get_close_matches(relation.wanted.lower(), VIEWS, n=1)
            hint = f"; there is a view {near[0]}" if near else ""
            text = f"{error.problem}{hint}"
            raise CommandError(text if text.endswith("?") else f"{text}.", *statement.place_of(relation)) from None

    def _narrow(self, connection: duckdb.DuckDBPyConnection, statement: ParsedStatement) -> None:
        """Restrict the scans to the part that the statement needs.

        Raises:
            duckdb.Error: the statement is wrong; with the position, which errors of ``connection.sql`` lack.
        """
        try:
            [(_, plan)] = connection.execute(f"EXPLAIN (FORMAT JSON)\n{statement.text}").fetchall()
        except duckdb.Error as error:
            raise type(error)(_LINE.sub(_line_before, str(error))) from None
        scans = planned_scans(plan)
        for scan in self._scans:
            scan.narrowed = needs_of(scan.prefix, scan.columns, scans)


@contextmanager
def as_ours() -> Iterator[None]:
    """Context that turns errors of DuckDB and of the data source into short errors of a command.

    Raises:
        CommandError: the statement is wrong, with the position; there is no such view, table or file.
        BadRecord: damage in a trail, or a file that changed.
    """
    try:
        yield
    except (BadTrail, FileChanged, SplitMismatch) as error:
        raise BadRecord(str(error)) from error
    except NoTrailFiles as error:
        raise MissingFileError(f"{error}.") from error
    except SourceError as error:
        raise CommandError(f"{error}.") from error
    except duckdb.InterruptException:
        raise KeyboardInterrupt from None
    except duckdb.Error as error:
        text = str(error)[:_LONGEST_MESSAGE].rstrip()
        raise CommandError(*text.splitlines(), *_quoted_columns(text)) from error


def _quoted_columns(error: str) -> Iterator[str]:
    """Yield a hint if a syntax error is at a column whose name is a word of SQL."""
    word = match[1] if (match := _UNEXPECTED.search(error)) else ""
    if word.lower() in {column.lower() for view in VIEWS.values() for column in view.columns}:
        yield f'{word} is a word of SQL: the column is written "{word}", in double quotes.'

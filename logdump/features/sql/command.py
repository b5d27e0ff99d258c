"""SQL: a query over a trail, in this process or as a job of Spark."""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from itertools import pairwise
from typing import Any, NamedTuple

from logdump.arrow.records.schema import COLUMNS
from logdump.arrow.without_pandas import leave_out_pandas
from logdump.features.sql.model import RowsShown
from logdump.features.sql.rows import LineFormat, Output, ResultRows, output_file, rows_shown, split_target
from logdump.features.sql.statement import QUERY_WORDS
from logdump.language.command import Command, Origin
from logdump.language.forms import Alternatives, Keyword, Maybe
from logdump.language.forms import Sequence as InOrder
from logdump.language.parameters import File, FreeText, Number, OneOf, beginning, tables_offered
from logdump.language.reader import ArgumentReader, Context, Form
from logdump.notation.sql_tokens import STANDARD
from logdump.session.across import files_from
from logdump.session.engines import Unsupported
from logdump.session.errors import CommandError, ExitStatus
from logdump.session.events import Event, Notice
from logdump.session.reading import Reading
from logdump.session.session import Session
from logdump.session.settings import OutputFormat
from logdump.tables.options import names_option, path_options
from logdump.tables.session_options import read_options
from trailformat.codec.on_demand import on_demand
from trailformat.codec.remote.path import path_of
from trailformat.trail.name_list import names_in
from trailformat.trail.packed import is_archive

with on_demand:
    from logdump.arrow.tables import layout
    from logdump.features.sql import local_query, output, trail_table, view_table
    from logdump.parameters import in_use
    from logdump.tables import heartbeat_tables
    from trailformat.transactions import whole_trail

MOST_ROWS = 1000
"""Maximum number of rows shown as a table."""
MISSING_EXTRA = "SQL is an extra: pip install 'logdump[sql]'"
_BEFORE_RELATIONS = frozenset({"FROM", "JOIN", "DESCRIBE", "SUMMARIZE"})
_WORDS = tuple(
    """
    FROM WHERE GROUP ORDER BY HAVING LIMIT JOIN LEFT USING UNION DISTINCT COUNT SUM MIN MAX BETWEEN LIKE TO REPLACE
    FORMAT CSV JSONL
    """.split()  # noqa: SIM905 - a list would fill a page
)
_PACKAGES = ("duckdb", "pyarrow")
_MODES = ("FAILFAST", "PERMISSIVE", "DROPMALFORMED")
_SEVERAL = 2
_LEAST_MEMORY, _MOST_MEMORY = 50, 10_000_000
_EVERY = 0.05
"""Seconds between two reports of the progress of a statement."""
_BY_PARAMETERS = ("ddl", "open_transactions")
"""Views that use the files of PARAMS."""
_HEARTBEATS = ("heartbeats", "gg_")
"""Prefixes of the views that read heartbeat tables, which PARAMS may name."""


class SqlStatement(FreeText):
    """A statement of SQL."""

    is_compared = True

    def offers(self, typed: str, context: Context) -> list[str]:
        """Return views and tables after FROM and JOIN, elsewhere words of SQL and columns."""
        words = typed.split()
        if not words or (len(words) == 1 and not typed.endswith(" ")):
            return beginning(typed.strip(), QUERY_WORDS)
        last = "" if typed.endswith(" ") else words.pop()
        begun = last[max(last.rfind("("), last.rfind(",")) + 1 :]
        if words[-1].upper() in _BEFORE_RELATIONS:
            offered = _names_beginning(begun, [*view_table.VIEWS, *tables_offered("", context)])
        elif begun:
            begun = begun.rpartition(".")[2]  # after the name of a relation
            columns = dict.fromkeys(
                column for relation in _relations(words) for column in _columns_of(relation, context)
            )
            names = columns or [column.name for column in COLUMNS]
            offered = [*_names_beginning(begun, names), *beginning(begun, _WORDS)]
        else:
            offered = []
        return [last[: len(last) - len(begun)] + name for name in offered]


_TARGET: Form[Output | LineFormat] = Alternatives(
    Keyword("TO", InOrder(output_file, File("<file>"), Maybe(OneOf({"REPLACE": True})))),
    Keyword("FORMAT", OneOf({format_.value: format_ for format_ in LineFormat})),
)


class StatementAndTarget(Form[tuple[str, Output | LineFormat | None]]):
    """A statement and its target: at the end of the text, or after a statement that is a value."""

    def __init__(self, statement: FreeText) -> None:
        self.syntax = statement.syntax
        self._statement = statement

    def fits(self, reader: ArgumentReader) -> bool:
        """Return True if there is a statement."""
        return self._statement.fits(reader)

    def read(self, reader: ArgumentReader) -> tuple[str, Output | LineFormat | None]:
        """Return the statement without its target, and that."""
        text = self._statement.read(reader)
        return (text, _TARGET.read(reader)) if reader.rest else split_target(text)


def _names_beginning(typed: str, names: Iterable[str]) -> list[str]:
    """Return the names that begin with the typed text, in double quotes if it begins with one."""
    if not typed.startswith('"'):
        return beginning(typed, names)
    return [f'"{name.replace(chr(34), chr(34) * 2)}"' for name in beginning(typed[1:], names)]


def _relations(words: Sequence[str]) -> list[str]:
    """Return the relations named so far in a statement, without quotes."""
    pairs = pairwise(words)
    return [name.strip('"(),;') for before, name in pairs if before.upper().lstrip("(") in _BEFORE_RELATIONS]


def _columns_of(relation: str, context: Context) -> list[str]:
    """Return the columns of a view, or those of a table before and after each change."""
    if relation.lower() in view_table.VIEWS:
        return list(view_table.VIEWS[relation.lower()].columns)
    names = [*context.columns_of(relation)]
    images = [f"{side}_{name}" for side in layout.SIDES for name in names]
    return [*layout.FIXED, *images, layout.NULLS, layout.PROBLEMS] if names else []


class Query(NamedTuple):
    """A statement, and the paths of the files that its views read; None: the open trail.

    ``effective`` leaves out rows that a Replicat does not apply; ``mode`` is the treatment of damage, as in Spark;
    ``megabytes`` is the memory limit of DuckDB; ``target`` is the file for the rows, or the form
    in which all are printed.
    """

    paths: tuple[str, ...] | None
    effective: bool | None
    mode: str | None
    megabytes: int | None
    statement: str
    target: Output | LineFormat | None = None


def _query(
    paths: tuple[str, ...] | None,
    effective: bool | None,  # noqa: FBT001 - a word of the form
    mode: str | None,
    megabytes: int | None,
    statement: tuple[str, Output | LineFormat | None],
) -> Query:
    return Query(paths, effective, mode, megabytes, *statement)


class QuerySource(NamedTuple):
    """The files of a query, and the options of the data source.

    ``paths`` is empty if no trail is open or named; ``by_view`` has the options of single views; ``is_effective``
    leaves rows that a Replicat does not apply out of records and tables; ``megabytes`` is that of the query.
    """

    paths: tuple[str, ...]
    options: Mapping[str, str]
    by_view: Mapping[str, Mapping[str, str]]
    is_effective: bool
    megabytes: int | None = None


def _absolute(names: str) -> tuple[str, ...]:
    """Return the absolute paths in a list of names."""
    return tuple(str(path_of(name).absolute()) for name in names_in(names))


def run_sql(session: Session, query: Query) -> Iterator[Event]:
    """Run a query in this process, or under ENGINE SPARK as a job; show its rows or write them to a file."""
    source = _source(session, query)
    if "where" in source.options:
        yield Notice(("The FILTER applies to the views.",), ExitStatus.OK)
    if source.paths and view_table.views_in(query.statement):
        yield from _missing(source.paths)
    statement, target = query.statement, query.target
    if isinstance(target, Output):
        session.check_target(target.path, "SQL", wanted="a file")
    is_text = session.settings.format is OutputFormat.TEXT
    most = MOST_ROWS + 1 if is_text and target is None else None
    results = _with_reason(_results(session, statement, source, most), view_table.views_in(statement))
    with contextlib.closing(results):
        if target is not None:
            if isinstance(target, Output):
                yield from output.write_result(target, results)
            else:
                yield from output.printed(target, results)
        elif is_text:
            yield from _as_table(results, session.width)
        else:
            yield from (rows_shown(result) if isinstance(result, ResultRows) else result for result in results)


def _with_reason(
    results: Generator[Event | ResultRows, None, None], views: Iterable[str]
) -> Generator[Event | ResultRows, None, None]:
    """Yield a result, and after one without rows why a view of Oracle's heartbeat tables may have none."""
    rows = 0
    with contextlib.closing(results):
        for result in results:
            rows += result.batch.num_rows if isinstance(result, ResultRows) else 0
            yield result
    if not rows and (of_target := [view for view in views if view.startswith("gg_")]):
        said = f"{of_target[0]} is made of the rows of GG_HEARTBEAT in a trail captured from a target."
        ask = "Of a trail that an Extract has captured from a source, HEARTBEAT and the view heartbeats have the lag."
        yield Notice((said, ask), ExitStatus.OK)


def _results(
    session: Session, statement: str, source: QuerySource, most: int | None
) -> Generator[Event | ResultRows, None, None]:
    """Yield the result in batches, the first with columns and without rows, and events between them."""
    if (engine := session.settings.engine) is None:
        yield from _local_results(statement, source, most)
        return
    if source.megabytes is not None:
        raise CommandError("MEMORY applies to DuckDB; under ENGINE SPARK the memory is set in Spark.")

    options = {**source.options, **({"effective": "true"} if source.is_effective else {})}
    for view in view_table.views_in(statement):
        options |= source.by_view.get(view, {})
    yield from engine.jobs["SQL"](statement, source.paths, options, most)


def _local_results(statement: str, source: QuerySource, most: int | None) -> Generator[Event | ResultRows, None, None]:
    """Yield the result of DuckDB, and report the progress of the reading.

    Raises:
        CommandError: an extra is not installed, or the statement is wrong.
        BadRecord: damage.
    """
    if missing := [name for name in _PACKAGES if find_spec(name) is None]:
        raise CommandError(f"{MISSING_EXTRA} ({', '.join(missing)} not installed).")
    leave_out_pandas()
    given = path_options(source.paths) if source.paths else {}
    options = {**source.options, **given}
    query = local_query.LocalQuery(
        options, source.by_view, is_effective=source.is_effective, megabytes=source.megabytes
    )
    work = trail_table.Ahead(query.batches(statement, most))
    try:
        with local_query.as_ours(), local_query.cleared_at_the_end():
            for batch in work.items(_EVERY):
                query.place.tell()
                if batch is not None:
                    yield ResultRows(batch)
    except KeyboardInterrupt:
        yield Notice(("The statement was stopped: the result shown is incomplete.",), ExitStatus.INTERRUPTED)
        raise
    finally:
        work.stop(query.interrupt)


def _as_table(results: Iterator[Event | ResultRows], width: int | None) -> Iterator[Event]:
    """Yield the rows as one table, and a notice if there are more."""
    columns: tuple[str, ...] = ()
    rows: list[tuple[Any, ...]] = []
    for result in results:
        if isinstance(result, ResultRows):
            shown = rows_shown(result)
            columns = shown.columns
            rows += shown.rows
        else:
            yield result
    if columns:
        yield RowsShown(columns, rows[:MOST_ROWS], width)
    if len(rows) > MOST_ROWS:
        hint = "LIMIT and WHERE choose others, FORMAT JSONL shows all, TO <file> writes all"
        yield Notice((f"Only the first {MOST_ROWS} rows are shown: {hint}.",), ExitStatus.OK)


def _source(session: Session, query: Query) -> QuerySource:
    """Return the files of OVER, or the open file and under ACROSS those after it; and the options of the session."""
    paths: tuple[str, ...] = ()
    if query.paths is not None:
        paths = tuple(_trail_files(query.paths))
    elif session.has_trail:
        paths = tuple(map(str, files_from(session)))
    elif view_table.views_in(STANDARD.outside_texts(query.statement)):  # trail('<path>', '<view>') needs none
        paths = (str(session.trail.path),)  # raises the error that no trail is open
    try:
        options = read_options(session)
    except Unsupported as why:
        raise CommandError(f"SQL cannot use {why}.") from why
    named = view_table.views_in(query.statement)
    parameters = _parameters(session) if set(_BY_PARAMETERS).intersection(named) else {}
    beats = _heartbeat_table(session) if any(view.startswith(_HEARTBEATS) for view in named) else {}
    by_view = dict.fromkeys(_BY_PARAMETERS, parameters) | {
        view: beats for view in named if view.startswith(_HEARTBEATS)
    }
    given = {"mode": query.mode} if query.mode is not None else {}
    return QuerySource(paths, {**options, **given}, by_view, bool(query.effective), query.megabytes)


def _trail_files(paths: Iterable[str]) -> Iterator[str]:
    """Yield the paths, for a folder or an archive the trail files in it. Raises MissingFileError if it has none."""
    from logdump.session.files import matching_files  # noqa: PLC0415 - a session without SQL starts faster

    for path in paths:
        holds_files = path_of(path).is_dir() or is_archive(path_of(path))
        yield from map(str, matching_files(path)) if holds_files else (path,)


def _heartbeat_table(session: Session) -> dict[str, str]:
    """Return the name of the heartbeat table as an option, if a file of PARAMS sets it."""
    table = heartbeat_tables.heartbeat_table(session)
    return {"heartbeatTable": table.name} if table.rule is not None else {}


def _missing(paths: tuple[str, ...]) -> Iterator[Event]:
    """Yield a notice if files are missing among those that the views read."""
    from logdump.session.files import matching_files  # noqa: PLC0415 - a session without SQL starts faster

    with contextlib.suppress(CommandError):  # the engine reports files that it does not find
        files = [file for path in paths for file in matching_files(path)]
        if len(files) < _SEVERAL:
            return
        reading = Reading(missing=len(whole_trail.missing_among(files)))
        if reading.is_partial:
            yield Notice((reading.text,), reading.status)


def _parameters(session: Session) -> dict[str, str]:
    """Return the files of PARAMS as an option."""
    files = [f"{file.path.absolute()} {file.side.name}" for file in in_use.parameters_in_use(session).files]
    return {"params": names_option(files)} if files else {}


_NO_STATEMENT = "takes a statement, as in SQL SELECT op, count(*) FROM records GROUP BY op."

COMMANDS = (
    Command(
        "SQL",
        InOrder(
            _query,
            Maybe(Keyword("OVER", InOrder(_absolute, File("<wildcard>", missing=_NO_STATEMENT)))),
            Maybe(OneOf({"EFFECTIVE": True})),
            Maybe(Keyword("MODE", OneOf({mode: mode for mode in _MODES}))),
            Maybe(Keyword("MEMORY", Number("<megabytes>", least=_LEAST_MEMORY, most=_MOST_MEMORY))),
            StatementAndTarget(SqlStatement("<statement>", missing=_NO_STATEMENT)),
        ),
        "Query the trail in SQL",
        run_sql,
        details=(
            "One query, SELECT or WITH, in DuckDB's SQL (extra logdump[sql]), under ENGINE SPARK in Spark's. Views:",
            "records (a row each), transactions, summary (counts by table and operation), restarts, ddl,",
            "heartbeats, gg_lag, and each table by its name, as TEAHOUSE.TEAS, with its columns before and after each",
            "change; of the open file, with ACROSS of those after it too, or of the files of <wildcard>, through the",
            "FILTER. EFFECTIVE leaves out rows that a Replicat does not apply; MODE: how damage is handled; MEMORY:",
            "the limit above which DuckDB writes to a private folder (2,000 megabytes by default). FROM",
            "trail('<wildcard>') or trail('<wildcard>', '<view>') reads another trail. TO <file>.parquet, .csv,",
            ".jsonl or .xlsx after the statement writes the rows, with REPLACE; FORMAT CSV or JSONL there prints",
            "all of them, values whole. DESCRIBE records lists columns; docs/sql.md has more. A semicolon outside of",
            "quotes ends the statement.",
            "Example: SQL OVER dirdat/lt* SELECT op, count(*) FROM records GROUP BY op",
        ),
        origin=Origin.OURS,
        is_one_shot=True,
    ),
)

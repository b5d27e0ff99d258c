"""SQL: statements of Spark SQL over a trail."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from logdump.language.command import Command, Origin
from logdump.language.forms import Keyword, Maybe, Sequence
from logdump.language.parameters import File, FreeText, beginning
from logdump.language.reader import Context
from logdump.session.errors import CommandError
from logdump.session.events import Event, Notice, RowsShown
from logdump.session.exit_status import ExitStatus
from logdump.session.reading import Reading
from logdump.session.session import Session
from logdump.session.settings import OutputFormat
from logdump.spark.jobs.engine import NotForSpark, read_options, run_job, started

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

MOST_ROWS = 1000
"""Rows that are shown as a table, at most."""
_BY_PARAMETERS = frozenset({"ddl", "open_transactions"})
"""The views that go by the files of PARAMS."""
_HEARTBEATS = ("heartbeats", "gg_")
"""The views, by how they begin, that look for heartbeats in the tables that PARAMS may name."""


class SparkStatement(FreeText):
    """A statement of Spark SQL."""

    def offers(self, typed: str, context: Context) -> list[str]:  # noqa: ARG002 - it is the same always
        """The word that most of them begin with."""
        return beginning(typed, ("SELECT",))


class Query(NamedTuple):
    """A statement, and the path of the files that its views are made over: the open one unless another is given."""

    path: str | None
    statement: str


def _absolute(wildcard: str) -> str:
    return str(Path(wildcard).expanduser().absolute())


def run_sql(session: Session, query: Query) -> Iterator[Event]:
    """Run a statement of Spark SQL, whatever the engine is, and show the rows it gives."""
    path, options = _source(session, query)
    if options:
        yield Notice(("The FILTER applies to the views.",), ExitStatus.OK)
    yield from _missing(query, path)
    spark = yield from started(session)
    is_text = session.settings.format is OutputFormat.TEXT
    try:
        columns, rows = yield from _result(spark, query.statement, path, options, MOST_ROWS + 1 if is_text else None)
    except KeyboardInterrupt:
        yield Notice(("The Spark job is cancelled.",), ExitStatus.INTERRUPTED)
        raise
    if columns:
        yield RowsShown(columns, rows[:MOST_ROWS] if is_text else rows)
    if is_text and len(rows) > MOST_ROWS:
        hint = "LIMIT and WHERE choose others, FORMAT JSONL shows all"
        yield Notice((f"Only the first {MOST_ROWS} rows are shown: {hint}.",), ExitStatus.OK)


def _source(session: Session, query: Query) -> tuple[str | None, dict[str, str]]:
    """The path of the views, None where the statement has none and no trail is open; and the options of the session."""
    from logdump.spark.view_table import views_in  # noqa: PLC0415 - a session without SQL starts faster

    views = views_in(query.statement)
    if not views and query.path is None and not session.has_trail:
        return None, {}
    path = query.path or str(session.trail.path)
    try:
        options = read_options(session)
    except NotForSpark as why:
        raise CommandError(f"SQL cannot use {why}.") from why
    if any(one.startswith(_HEARTBEATS) for one in views):
        options |= _heartbeat_table(session)
    return path, {**options, **(_parameters(session) if _BY_PARAMETERS.intersection(views) else {})}


def _heartbeat_table(session: Session) -> dict[str, str]:
    """The name of the heartbeat tables as an option, where a file of PARAMS tells it."""
    from logdump.operations.heartbeats.table_in_use import heartbeat_table  # noqa: PLC0415 - for a few views alone

    table = heartbeat_table(session)
    return {"heartbeatTable": table.name} if table.rule is not None else {}


def _missing(query: Query, path: str | None) -> Iterator[Event]:
    """That files are missing among those that the views are made over."""
    from logdump.spark.view_table import views_in  # noqa: PLC0415 - a session without SQL starts faster

    if path is None or not views_in(query.statement):
        return
    from logdump.operations.matching_files import matching_files  # noqa: PLC0415
    from trailformat.transactions.whole_trail import gaps_among  # noqa: PLC0415

    with suppress(CommandError):  # Spark says what it does not find
        reading = Reading(missing=len(gaps_among(matching_files(path))))
        if reading.is_partial:
            yield Notice((reading.text,), reading.status)


def _parameters(session: Session) -> dict[str, str]:
    """The files of PARAMS as an option."""
    from logdump.commands.params import parameters_in_use  # noqa: PLC0415 - for two views alone

    files = [f"{file.path.absolute()} {file.side.name}" for file in parameters_in_use(session).files]
    return {"params": ",".join(files)} if files else {}


def _result(
    spark: SparkSession, statement: str, path: str | None, options: dict[str, str], most: int | None
) -> Generator[Event, None, tuple[tuple[str, ...], list[tuple[Any, ...]]]]:
    frame = yield from run_job(spark, partial(_frame, spark, statement, path, options))
    if not frame.columns:
        return (), []
    table = yield from run_job(spark, (frame.limit(most) if most is not None else frame).toArrow)
    return tuple(frame.columns), [*zip(*map(_values, table.columns), strict=True)]


def _values(column: Any) -> list[Any]:
    """The values of an Arrow column; a map is a list of pairs there, and a dictionary here unless a key comes twice."""
    import pyarrow as pa  # noqa: PLC0415 - Spark is there by now

    values: list[Any] = column.to_pylist()
    if not pa.types.is_map(column.type):
        return values
    return [dict(pairs) if pairs is not None and len(dict(pairs)) == len(pairs) else pairs for pairs in values]


def _frame(spark: SparkSession, statement: str, path: str | None, options: dict[str, str]) -> DataFrame:
    from logdump.spark.views import Views, sql  # noqa: PLC0415 - Spark is there by now

    return sql(spark, statement) if path is None else Views(spark, path, options).query(statement)


_NO_STATEMENT = "takes a statement, as in SQL SELECT op, count(*) FROM records GROUP BY op."

COMMANDS = (
    Command(
        "SQL",
        Sequence(
            Query,
            Maybe(Keyword("OVER", Sequence(_absolute, File("<wildcard>", missing=_NO_STATEMENT)))),
            SparkStatement("<statement>", missing=_NO_STATEMENT),
        ),
        "Run a statement of Spark SQL over the trail",
        run_sql,
        details=(
            "Views: records (a row each), transactions, summary (counts by table and operation), restarts, ddl; all",
            "are in docs/spark.md, over the open file or the files of <wildcard>, through the FILTER. Spark is started",
            "whatever ENGINE says. Text in double quotes may hold a semicolon. FORMAT JSONL prints all rows and values",
            'whole. Example: SQL OVER dirdat/lt* SELECT op, count(*) FROM records WHERE table LIKE "HR.%" GROUP BY op',
        ),
        origin=Origin.OURS,
        is_one_shot=True,
    ),
)

"""The SQL views over the trails of one path, with only the columns that a statement needs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JError
from pyspark.errors import AnalysisException

from logdump.features.sql.view_table import VIEWS, View, views_in
from logdump.spark.jobs.local_session import is_remote

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType


_PASSING = frozenset(
    """
    Aggregate Expand Filter Generate GlobalLimit Join LocalLimit Offset Project Repartition RepartitionByExpression
    ReturnAnswer Sample Sort SubqueryAlias Window WindowGroupLimit
    """.split()  # noqa: SIM905 - a list would fill a page
)
"""Plan nodes that pass attributes on unchanged and reference each one they use; other nodes need all attributes."""


def needed_columns(frame: DataFrame, offered: frozenset[str]) -> frozenset[str]:
    """Return the columns that a query needs of relations with the columns ``offered``; all if there is no plan to read.

    Nothing is run.
    """
    try:
        plan: Any = frame._jdf.queryExecution().optimizedPlan()  # noqa: SLF001 - PySpark has no other way to the plan
        leaves, used = _gone_over(plan)
    except (AttributeError, TypeError, Py4JError):
        return offered
    needed = set()
    for leaf in leaves:
        names = {attribute.exprId().id(): str(attribute.name()) for attribute in _elements(leaf.output())}
        if set(names.values()) == offered:
            needed |= {name for number, name in names.items() if number in used}
    return frozenset(needed)


def _gone_over(plan: Any) -> tuple[list[Any], set[int]]:
    """Return the leaves of a plan and its subqueries, and the numbers of all attributes used."""
    leaves, used = [], _numbers(plan.output())
    todo = [plan]
    while todo:
        node = todo.pop()
        children = [*_elements(node.children())]
        subqueries = [*_elements(node.subqueries())]
        used |= _numbers(node.references().toSeq())
        if node.getClass().getSimpleName() not in _PASSING:
            used = used.union(*(_numbers(child.output()) for child in children))
        used = used.union(*(_numbers(subquery.output()) for subquery in subqueries))
        if not children:
            leaves.append(node)
        todo += [*children, *subqueries]
    return leaves, used


def _numbers(attributes: Any) -> set[int]:
    return {attribute.exprId().id() for attribute in _elements(attributes)}


def _elements(sequence: Any) -> Iterator[Any]:
    return (sequence.apply(index) for index in range(sequence.size()))


_FORMAT_AS_TABLE = re.compile(r"\btrail\s+WITH\b", re.IGNORECASE)
_PRUNED = ("records", "summary")
"""Views that are read with only the columns that a statement needs."""
Needed = Mapping[str, frozenset[str]]
"""Columns of the data source that a statement needs, by the name of the view."""


class Views:
    """The views over one path.

    Args:
        spark: session in which the views are created.
        path: one path or several, as for ``load``.
        options: options of the data source, including ``where``.
    """

    def __init__(self, spark: SparkSession, path: str | Sequence[str], options: Mapping[str, str]) -> None:
        self._spark = spark
        self._paths = [path] if isinstance(path, str) else [*path]
        self._options = dict(options)

    def query(self, statement: str) -> DataFrame:
        """Run a statement and return its frame; that of a query reads only the columns it needs.

        Existing views that the statement does not name are created again, since other views may depend on them.
        """
        named = views_in(statement)
        used = [name for name in VIEWS if name in named or self._spark.catalog.tableExists(name)]
        frames = {name: self._read(VIEWS[name]) for name in used}
        _register(frames)
        frame = sql(self._spark, statement)
        if is_remote(self._spark):
            return frame  # Spark Connect does not show its plans
        needed = {name: needed_columns(frame, frozenset(VIEWS[name].columns)) for name in frames if name in _PRUNED}
        is_whole = all(columns == frozenset(VIEWS[name].columns) for name, columns in needed.items())
        if not _is_query(frame) or (is_whole and "records" not in needed):
            return frame
        try:
            return self._pruned(statement, needed, {})
        except AnalysisException:
            return self._pruned(statement, needed, {name: frames[name].schema for name in needed})
        finally:
            _register(frames)

    def _pruned(self, statement: str, needed: Needed, schemas: Mapping[str, StructType]) -> DataFrame:
        """Return the query over the columns it needs; others in ``schemas``, which other views may need, are null."""
        for name, columns in needed.items():
            view = VIEWS[name]
            frame = self._read(view, _listed(view.columns, columns), schemas.get(name))
            frame.createOrReplaceTempView(name)
        return sql(self._spark, statement)

    def _read(self, view: View, columns: str | None = None, schema: StructType | None = None) -> DataFrame:
        reader = self._spark.read.format("trail").options(**self._options).options(**view.options)
        if view.name in _PRUNED:
            reader = reader.option("columns", columns or "all")
        if columns is not None and "problems" in columns.split(","):
            reader = reader.option("undecodable", "null")
        if schema is not None:
            reader = reader.schema(schema)
        return reader.load(self._paths)


def _listed(columns: Iterable[str], needed: frozenset[str]) -> str:
    """Return the needed columns as a value of the option ``columns``, which takes at least one."""
    return ",".join(column for column in columns if column in needed) or "file"


def sql(spark: SparkSession, statement: str) -> DataFrame:
    """Run a statement, after creating the table of ``FROM trail WITH (…)`` if it has one."""
    if _FORMAT_AS_TABLE.search(statement) and not spark.catalog.tableExists("trail"):
        spark.sql("CREATE TABLE trail USING trail")
    return spark.sql(statement)


def _is_query(frame: DataFrame) -> bool:
    """Return whether a frame is that of a query, which is not yet run: a command has run when it returns its frame."""
    plan = frame._jdf.queryExecution().commandExecuted()  # noqa: SLF001 - PySpark has no other way to the plan
    return str(plan.getClass().getSimpleName()) != "CommandResult"


def _register(frames: Mapping[str, DataFrame]) -> None:
    for name, frame in frames.items():
        frame.createOrReplaceTempView(name)

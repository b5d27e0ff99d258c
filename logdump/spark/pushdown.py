"""Option ``pushdown``: rows that Spark's own filter would drop are dropped before they are sent.

Spark 4.1 to 4.3 keep what was pushed in one place for every scan of a DataFrame, view or table: with two filters on one
of them rows are lost (see docs/spark.md). That is why this is asked for, and why ``where`` is there. Every filter is
given back to Spark, which holds it against the rows again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from pyspark.sql.datasource import DataSourceReader

from logdump.spark.errors import BadOption
from logdump.spark.options import Options
from logdump.spark.schema import Selected
from logdump.spark.source import TrailReader

if TYPE_CHECKING:
    from pyspark.sql.datasource import Filter

_COMPARISONS = {
    "EqualTo": "equal",
    "GreaterThan": "greater",
    "GreaterThanOrEqual": "greater_equal",
    "LessThan": "less",
    "LessThanOrEqual": "less_equal",
    "In": "is_in",
}
"""Spark's filter -> the function of pyarrow.compute; the other filters are left to Spark."""
_NESTED = ("array", "map", "binary")


class Pushed(NamedTuple):
    """A filter on one column: a function of pyarrow.compute, and what it compares with."""

    column: str
    function: str
    value: Any


class PushdownReader(TrailReader):
    """A batch query that takes Spark's filters."""

    def __init__(self, options: Options, selected: tuple[Selected, ...]) -> None:
        super().__init__(options, selected)
        if not hasattr(DataSourceReader, "pushFilters"):
            raise BadOption("option pushdown needs Spark 4.1 or later; where filters in every release")

    def pushFilters(self, filters: list[Filter]) -> Iterable[Filter]:  # noqa: N802 - Spark's name
        """Keep the filters that columns of ours can be held against; all of them go back to Spark."""
        self._pushed = tuple(self._kept(filters))
        return filters

    def _kept(self, filters: list[Filter]) -> Iterator[Pushed]:
        columns = {one.alias: one.column for one in self._selected}
        for one in filters:
            function = _COMPARISONS.get(type(one).__name__)
            path: tuple[str, ...] = getattr(one, "attribute", ())
            column = columns.get(path[0]) if len(path) == 1 else None
            if function and column and not column.type.ddl.startswith(_NESTED):
                yield Pushed(column.name, function, getattr(one, "value", None))

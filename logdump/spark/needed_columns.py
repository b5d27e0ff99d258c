"""The columns of the data source that a query needs.

Spark reads every column of the schema of a Python source, whatever the query selects. Its optimizer knows better:
what no node of the optimized plan refers to need not be read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_PASSING = frozenset(
    """
    Aggregate Expand Filter Generate GlobalLimit Join LocalLimit Offset Project Repartition RepartitionByExpression
    ReturnAnswer Sample Sort SubqueryAlias Window WindowGroupLimit
    """.split()  # noqa: SIM905 - a list would fill a page
)
"""Nodes that hand an attribute on as it is, and that refer to each one they use; of others everything is needed."""


def needed_columns(frame: DataFrame, offered: frozenset[str]) -> frozenset[str]:
    """The columns that a query needs of relations that have the columns ``offered``; all where that is not clear.

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
    """The leaves of a plan, those of its subqueries too, and the numbers of all attributes that are used."""
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
    return (sequence.apply(at) for at in range(sequence.size()))

"""The views of SQL over trails: one table, which commands, programs and docs/spark.md go by.

An analysis is a view by itself. A view may also be SQL over others: ``text``, and what it reads of each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from logdump.arrow.records.schema import COLUMNS
from logdump.spark.analyses.table import ANALYSES
from logdump.spark.source.summary_columns import SUMMARY_COLUMNS
from trailformat.changes.transactions import BEGINS, ENDS
from trailformat.records.io_types import NOT_TRANSACTIONAL


class View(NamedTuple):
    """A view over one path.

    Attributes:
        name: of it.
        meaning: what it has a row for.
        columns: those of the data source; of the text of a view those that it makes, as docs/spark.md tells them.
        options: of the data source, which make its rows, or those of the views that its text reads.
        text: SQL over other views, whose names stand in braces; empty where the rows are those of the data source.
        reads: of each of these views the columns that the text needs.
    """

    name: str
    meaning: str
    columns: tuple[str, ...]
    options: Mapping[str, str] = {}
    text: str = ""
    reads: Mapping[str, tuple[str, ...]] = {}


def _numbers(values: frozenset[int]) -> str:
    return ", ".join(str(value) for value in sorted(values))


_TRANSACTIONS = f"""
WITH marked AS (
    SELECT *,
        trans_ind IN ({_numbers(BEGINS)}) AS begins,
        trans_ind IN ({_numbers(ENDS)}) AS ends,
        regexp_replace(file, '[0-9]+$', '') AS trail
    FROM {{records}}
    WHERE op_code NOT IN ({_numbers(NOT_TRANSACTIONAL)})
), separated AS (
    SELECT *, begins OR coalesce(lag(ends) OVER in_order, true) AS is_first
    FROM marked
    WINDOW in_order AS (PARTITION BY trail, csn, xid ORDER BY file_order, rba)
), numbered AS (
    SELECT *, count_if(is_first) OVER in_order AS number
    FROM separated
    WINDOW in_order AS (PARTITION BY trail, csn, xid ORDER BY file_order, rba)
)
SELECT
    csn,
    xid,
    min(struct(file_order, rba, file)).file AS begin_file,
    min(struct(file_order, rba, file)).rba AS begin_rba,
    max(struct(file_order, rba, file)).file AS end_file,
    max(struct(file_order, rba, file)).rba AS end_rba,
    count(*) AS records,
    sum(record_length) AS bytes,
    sort_array(collect_set(table)) AS tables,
    min(time) AS first_time,
    max(time) AS last_time,
    bool_or(begins) AND bool_or(ends) AS is_whole,
    max(struct(file_order, rba, ended)).ended AS ended,
    bool_and(is_effective) AS is_effective
FROM numbered
GROUP BY trail, csn, xid, number
"""  # noqa: S608 - the numbers are those of the format
"""A transaction begins with the first row, with a row that says so, and after one that ends another; those without CSN
and XID are distinguished by that alone."""
_OF_RECORDS = """
file file_order rba op_code table time trans_ind csn xid record_length ended is_effective
"""
_OF_TRANSACTIONS = """
csn xid begin_file begin_rba end_file end_rba records bytes tables first_time last_time is_whole ended is_effective
"""

VIEWS: dict[str, View] = {
    view.name: view
    for view in (
        View("records", "each record, with the columns above", tuple(column.name for column in COLUMNS)),
        View(
            "summary",
            "each table and operation of a part of a file, with the columns of the summary (Counting)",
            tuple(column.name for column in SUMMARY_COLUMNS),
            {"summary": "true"},
        ),
        View(
            "transactions",
            "each transaction",
            tuple(_OF_TRANSACTIONS.split()),
            {"endings": "true"},
            text=_TRANSACTIONS,
            reads={"records": tuple(_OF_RECORDS.split())},
        ),
        *(
            View(one.name, one.meaning, tuple(column.name for column in one.columns), {"analysis": one.name})
            for one in ANALYSES.values()
        ),
    )
}
"""By name; a text reads only views that stand before it."""


_COLUMNS_TOO = VIEWS.keys() & {column.name for column in COLUMNS}
_BEFORE_TABLES = frozenset({"from", "join", "table", "view", "into", "using", "describe", "desc"})
_BEFORE_COLUMNS = frozenset({"select", "where", "on", "by", "having", "distinct"})


def views_in(statement: str) -> list[str]:
    """The names of views that stand in a statement as words; one that a column has too, where a table can stand."""
    words = {word.lower() for word in re.findall(r"\w+", statement)}
    found = words - (_COLUMNS_TOO - set(_tables_in(statement)) if words & _COLUMNS_TOO else frozenset())
    return [name for name in VIEWS if name in found]


def _tables_in(statement: str) -> Iterator[str]:
    """The words that stand behind FROM and its like, in the same parentheses, and before SELECT and its like."""
    clauses = ["from"]
    for word in re.findall(r"\w+|[()]", statement.lower()):
        if word == "(":
            clauses.append(clauses[-1])
        elif word == ")":
            clauses = clauses[:-1] or ["from"]
        elif word in _BEFORE_TABLES | _BEFORE_COLUMNS:
            clauses[-1] = word
        elif clauses[-1] in _BEFORE_TABLES:
            yield word

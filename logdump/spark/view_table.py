"""The table of the SQL views over trails, used by commands, programs and docs/spark.md.

Each analysis is a view.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import NamedTuple

from logdump.arrow.records.schema import COLUMNS
from logdump.spark.analyses.table import ANALYSES, LazyTable
from logdump.spark.source.schema import SUMMARY_COLUMNS


class View(NamedTuple):
    """A view over one path.

    Attributes:
        name: name of the view.
        meaning: the thing that each row describes.
        columns: names of the columns of the data source.
        options: options of the data source that produce the rows.
    """

    name: str
    meaning: str
    columns: tuple[str, ...]
    options: Mapping[str, str] = {}


def _records() -> View:
    return View("records", "each record, with the columns above", tuple(column.name for column in COLUMNS))


def _summary() -> View:
    return View(
        "summary",
        "each table and operation of a part of a file, with the columns of the summary (Counting)",
        tuple(column.name for column in SUMMARY_COLUMNS),
        {"summary": "true"},
    )


def _of_analysis(name: str) -> View:
    analysis = ANALYSES[name]
    return View(
        analysis.name, analysis.meaning, tuple(column.name for column in analysis.columns), {"analysis": analysis.name}
    )


VIEWS: Mapping[str, View] = LazyTable(
    {"records": _records, "summary": _summary, **{name: partial(_of_analysis, name) for name in ANALYSES}}
)
"""Views by name."""


_COLUMNS_TOO = VIEWS.keys() & {column.name for column in (*COLUMNS, *SUMMARY_COLUMNS)}
_BEFORE_TABLES = frozenset({"from", "join", "table", "view", "into", "using", "describe", "desc"})
_BEFORE_COLUMNS = frozenset({"select", "where", "on", "by", "having", "distinct"})


def views_in(statement: str) -> list[str]:
    """Return the views named by words of a statement; one that is also a column counts only where a table can be."""
    words = {word.lower() for word in re.findall(r"\w+", statement)}
    candidates = words - (_COLUMNS_TOO - set(_tables_in(statement)) if words & _COLUMNS_TOO else frozenset())
    return [name for name in VIEWS if name in candidates]


def _tables_in(statement: str) -> Iterator[str]:
    """Yield the words in clauses that name tables (FROM, JOIN, …); a parenthesis begins in the clause around it."""
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

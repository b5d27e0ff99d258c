"""The SQL views over trails, used by commands, programs and docs/spark.md: records, summary, those of features."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib import import_module
from typing import NamedTuple, TypeVar

from logdump.arrow.records.schema import COLUMNS
from logdump.tables.analysis import Analysis
from logdump.tables.schema import SUMMARY_COLUMNS

T = TypeVar("T")


class LazyTable(Mapping[str, T]):
    """Entries by name, in order, each made when it is first used.

    Args:
        makers: functions that make the entries, each called at most once.
    """

    def __init__(self, makers: Mapping[str, Callable[[], T]]) -> None:
        self._makers = makers
        self._made: dict[str, T] = {}

    def __getitem__(self, name: str) -> T:
        if name not in self._made:
            self._made[name] = self._makers[name]()
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in self._makers

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)


_FEATURES = {
    "restarts": "recovery",
    "transactions": "transactions",
    "open_transactions": "bounded_recovery",
    "ddl": "ddl",
    **dict.fromkeys(("heartbeats", "gg_heartbeat", "gg_heartbeat_history", "gg_lag", "gg_lag_history"), "heartbeat"),
}
"""The feature that brings each analysis in its module ``views``, in the order of docs/spark.md."""


def _analysis(name: str) -> Analysis:
    views: tuple[Analysis, ...] = import_module(f"logdump.features.{_FEATURES[name]}.views").VIEWS
    return next(view for view in views if view.name == name)


ANALYSES: Mapping[str, Analysis] = LazyTable({name: partial(_analysis, name) for name in _FEATURES})
"""Analyses of whole trails by name; names are needed more often than rows."""


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

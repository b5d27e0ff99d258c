"""The analyses of the data source, by name; a new analysis needs a module of its own and a function here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TypeVar

from logdump.tables.analyses.analysis import Analysis

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


def _restarts() -> Analysis:
    from logdump.tables.analyses.transactions import RESTARTS  # noqa: PLC0415 - names are needed more often than rows

    return RESTARTS


def _transactions() -> Analysis:
    from logdump.tables.analyses.transactions import TRANSACTIONS  # noqa: PLC0415 - as above

    return TRANSACTIONS


def _open_transactions() -> Analysis:
    from logdump.tables.analyses.transactions import OPEN_TRANSACTIONS  # noqa: PLC0415 - as above

    return OPEN_TRANSACTIONS


def _ddl() -> Analysis:
    from logdump.tables.analyses.ddl import DDL  # noqa: PLC0415 - as above

    return DDL


def _of_heartbeats(name: str) -> Analysis:
    from logdump.tables.analyses.heartbeats import HEARTBEATS  # noqa: PLC0415 - as above

    return HEARTBEATS[name]


_OF_HEARTBEATS = ("heartbeats", "gg_heartbeat", "gg_heartbeat_history", "gg_lag", "gg_lag_history")

ANALYSES: Mapping[str, Analysis] = LazyTable(
    {
        "restarts": _restarts,
        "transactions": _transactions,
        "open_transactions": _open_transactions,
        "ddl": _ddl,
        **{name: partial(_of_heartbeats, name) for name in _OF_HEARTBEATS},
    }
)
"""Analyses by name, in the order of docs/spark.md."""

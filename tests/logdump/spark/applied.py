"""Changes applied to copies of a table: to a model, and to tables of deltalake and pyiceberg."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

Row = Mapping[str, Any]


def values_of(change: Row) -> dict[str, Any]:
    """The columns of the table that a change has."""
    absent = set(change["_absent"] or ())
    return {name: value for name, value in change.items() if not name.startswith("_") and name not in absent}


class Model:
    """A table as a dictionary: each change is applied as it comes."""

    def __init__(self, key: str) -> None:
        self._key = key
        self.rows: dict[Any, dict[str, Any]] = {}

    def apply(self, changes: Iterable[Row]) -> None:
        for change in changes:
            own = values_of(change)
            if change["_op"] == "truncate":
                self.rows.clear()
            elif change["_op"] == "delete":
                self.rows.pop(own[self._key], None)
            else:
                self.rows[own[self._key]] = {**self.rows.get(own[self._key], {}), **own}


def latest(changes: Iterable[Row], key: str) -> tuple[bool, dict[Any, dict[str, Any] | None]]:
    """What a batch comes to: whether the table was truncated, and by key the values that are set, None for a delete."""
    is_truncated, rows = False, dict[Any, dict[str, Any] | None]()
    for change in sorted(changes, key=lambda row: str(row["_sequence"])):
        own = values_of(change)
        if change["_op"] == "truncate":
            is_truncated, rows = True, {}
        elif change["_op"] == "delete":
            rows[own[key]] = None
        else:
            rows[own[key]] = {**(rows.get(own[key]) or {}), **own}
    return is_truncated, rows

"""Drawn transactions of one table, and what each way of writing makes of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from tests.logdump.spark.targets.places import Place
from tests.logdump.spark.targets.rows import Trail
from tests.searching import Random
from trailformat.records.record_header import FIRST, LAST, MIDDLE, ONLY

TABLE, COLUMNS = "S.T", {"ID": "INT64", "NAME": "VARCHAR", "N": "INT32"}
Row = tuple[Any, ...]
Step = tuple[str, int | None, int | None, Row]
"""Operation, key before, key after, and the other columns; ``...`` is absent."""
WAYS: dict[str, dict[str, Any]] = {
    "mirror": {},
    "history": {"write": "history"},
    "soft": {"deletes": "soft"},
    "append": {"write": "append"},
}


class Version(NamedTuple):
    """A version of a row, with the CSN of its begin and end."""

    key: int
    values: Row
    begin: str
    end: str | None = None


class Model:
    """What each way of writing makes of transactions."""

    def __init__(self) -> None:
        self.now: dict[int, Row] = {}
        self.versions: list[Version] = []
        self.changes: list[Row] = []

    def transaction(self, csn: str, steps: list[Step]) -> None:
        """The next transaction."""
        touched = dict[int, None]()
        for op, before, after, values in steps:
            if op == "truncate":
                touched |= dict.fromkeys(self.now)
                self.now.clear()
                self.changes.append((op, None, None, None, csn, None))
                continue
            touched |= {key: None for key in (before, after) if key is not None}
            nothing = (None,) * len(values)
            old = self.now.pop(before, nothing) if before is not None else nothing
            if op in ("delete", "move"):
                self.changes.append(("delete", before, None, None, csn, '["NAME", "N"]'))
            if op == "delete":
                continue
            assert after is not None
            self.now[after] = tuple(was if value is ... else value for was, value in zip(old, values, strict=True))
            absent = [name for name, value in zip(("NAME", "N"), values, strict=False) if value is ...]
            own = [None if value is ... else value for value in values[:2]]
            name = "insert" if op == "move" else op
            self.changes.append((name, after, *own, csn, json.dumps(absent) if absent else None))
        for key in [version.key for version in self.versions if version.end is None and version.key in touched]:
            at = next(at for at, version in enumerate(self.versions) if version.key == key and version.end is None)
            self.versions[at] = self.versions[at]._replace(end=csn)
        self.versions += [Version(key, self.now[key], csn) for key in touched if key in self.now]

    def load(self, csn: str, rows: Mapping[int, Row]) -> None:
        """The rows as they are at a CSN, before the first transaction."""
        self.now = dict(rows)
        self.versions = [Version(key, values, csn) for key, values in rows.items()]
        self.changes = [("load", key, *values, csn, None) for key, values in rows.items()]

    def edit(self, edited: Callable[[int, Row], Row]) -> None:
        """The values of rows that are there become others, by somebody else."""
        self.now = {key: edited(key, values) for key, values in self.now.items()}
        self.versions = [
            version._replace(values=edited(version.key, version.values)) if version.end is None else version
            for version in self.versions
        ]

    @property
    def soft(self) -> list[Row]:
        """Rows with the CSN with which they were deleted."""
        last = {version.key: version for version in self.versions}
        return [(version.key, *version.values, version.end) for version in last.values()]


def _step(random: Random, rows: dict[int, Row], truncates: float) -> Step:
    """A change that rows can have, which they then have had."""
    there, free = sorted(rows), [key for key in range(1, 7) if key not in rows]
    ops = ["insert"] * 3 * bool(free) + ["update", "update", "delete"] * bool(there) + ["upsert"]
    ops += ["move"] * 2 * bool(there and free) + ["truncate"] * (random.random() < truncates)
    op = random.choice(ops)
    values = random.choice((..., None, "x", "y")), random.choice((..., 1, 2))
    if op == "truncate":
        rows.clear()
        return op, None, None, ()
    if op == "insert":
        values = tuple(None if value is ... else value for value in values)  # type: ignore[assignment]
    key = random.choice(free if op == "insert" else range(1, 7) if op == "upsert" else there)
    before = key if key in rows else None
    after = None if op == "delete" else random.choice(free) if op == "move" else key
    rows.pop(key, None)
    if after is not None:
        rows[after] = ()
    return op, before, after, values


def transaction(random: Random, rows: dict[int, Row], *, truncates: float = 0.15) -> list[Step]:
    """The changes of a transaction, in which rows may change places; ``truncates``: how often one is drawn."""
    steps = [_step(random, rows, truncates) for _ in range(random.choice((1, 1, 2, 3, 5)))]
    if len(rows) > 1 and random.random() < 0.2:
        key, other, free = *random.sample(sorted(rows), 2), 9
        steps += [("move", key, free, (..., ...)), ("move", other, key, (..., ...)), ("move", free, other, (..., ...))]
    return steps


def write(trail: Trail, steps: list[Step]) -> None:
    """Write a transaction."""
    for at, (op, before, after, values) in enumerate(steps):
        trail.role = ONLY if len(steps) == 1 else FIRST if at == 0 else LAST if at == len(steps) - 1 else MIDDLE
        if op == "truncate":
            trail.truncate(TABLE)
        elif op == "delete":
            trail.delete(TABLE, before)
        elif op == "move":
            trail.move(TABLE, (before,), (after, *values))
        else:
            getattr(trail, op)(TABLE, after, *values)


def _mirror(place: Place) -> list[Row]:
    return place.query("SELECT id, name, n FROM t")


def _history(place: Place) -> list[Row]:
    return place.query("SELECT id, name, n, _valid_from_csn, _valid_to_csn FROM t")


def _soft(place: Place) -> list[Row]:
    return place.query("SELECT id, name, n, _deleted_csn FROM t")


def _appended(place: Place) -> list[Row]:
    return place.query("SELECT _op, id, name, n, _csn, _absent FROM t ORDER BY _sequence IS NOT NULL, _sequence, id")


_READ: dict[str, Callable[[Place], list[Row]]] = {
    "mirror": _mirror,
    "history": _history,
    "soft": _soft,
    "append": _appended,
}


def expected(model: Model, way: str) -> list[Row]:
    """The rows that the target has then."""
    if way == "append":
        loads = [change for change in model.changes if change[0] == "load"]
        return sorted(loads) + model.changes[len(loads) :]
    versions = [(version.key, *version.values, version.begin, version.end) for version in model.versions]
    rows = {"mirror": [(key, *values) for key, values in model.now.items()], "soft": model.soft, "history": versions}
    return sorted(rows[way], key=repr)


def found(place: Place, way: str) -> list[Row]:
    """The rows that it has."""
    rows = _READ[way](place)
    return rows if way == "append" else sorted(rows, key=repr)

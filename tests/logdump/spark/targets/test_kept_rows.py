"""Ways of writing: histories, soft deletes and rows for each change, held against a model of a few lines."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import logdump
from logdump.tables.errors import BadOption
from logdump.targets.target import BadTarget, Refused
from tests.logdump.spark.targets.direct import Apply
from tests.logdump.spark.targets.places import Place
from tests.logdump.spark.targets.rows import Trail
from tests.searching import IS_LONG, Random
from trailformat.records.record_header import FIRST, LAST, MIDDLE, ONLY

TABLE, COLUMNS = "S.T", {"ID": "INT64", "NAME": "VARCHAR", "N": "INT32"}
Row = tuple[Any, ...]
Step = tuple[str, int | None, int | None, Row]
"""Operation, key before, key after, and the other columns; ``...`` is absent."""
WAYS: dict[str, dict[str, str]] = {
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
            old = self.now.pop(before, (None, None)) if before is not None else (None, None)
            if op in ("delete", "move"):
                self.changes.append(("delete", before, None, None, csn, '["NAME", "N"]'))
            if op == "delete":
                continue
            assert after is not None
            self.now[after] = tuple(was if value is ... else value for was, value in zip(old, values, strict=True))
            absent = [name for name, value in zip(("NAME", "N"), values, strict=True) if value is ...]
            own = [None if value is ... else value for value in values]
            name = "insert" if op == "move" else op
            self.changes.append((name, after, *own, csn, json.dumps(absent) if absent else None))
        for key in [version.key for version in self.versions if version.end is None and version.key in touched]:
            at = next(at for at, one in enumerate(self.versions) if one.key == key and one.end is None)
            self.versions[at] = self.versions[at]._replace(end=csn)
        self.versions += [Version(key, self.now[key], csn) for key in touched if key in self.now]

    @property
    def soft(self) -> list[Row]:
        """Rows with the CSN with which they were deleted."""
        last = {version.key: version for version in self.versions}
        return [(one.key, *one.values, one.end) for one in last.values()]


def _step(random: Random, rows: dict[int, Row]) -> Step:
    """A change that rows can have, which they then have had."""
    there, free = sorted(rows), [key for key in range(1, 7) if key not in rows]
    ops = ["insert"] * 3 * bool(free) + ["update", "update", "delete"] * bool(there) + ["upsert"]
    ops += ["move"] * 2 * bool(there and free) + ["truncate"] * (random.random() < 0.15)
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


def _transaction(random: Random, rows: dict[int, Row]) -> list[Step]:
    steps = [_step(random, rows) for _ in range(random.choice((1, 1, 2, 3, 5)))]
    if len(rows) > 1 and random.random() < 0.2:
        one, other, free = *random.sample(sorted(rows), 2), 9
        steps += [("move", one, free, (..., ...)), ("move", other, one, (..., ...)), ("move", free, other, (..., ...))]
    return steps


def _write(trail: Trail, steps: list[Step]) -> None:
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


def _history(place: Place) -> list[Row]:
    return place.query("SELECT id, name, n, _valid_from_csn, _valid_to_csn FROM t")


def _soft(place: Place) -> list[Row]:
    return place.query("SELECT id, name, n, _deleted_csn FROM t")


def _appended(place: Place) -> list[Row]:
    return place.query("SELECT _op, id, name, n, _csn, _absent FROM t ORDER BY _sequence")


READ: dict[str, Callable[[Place], list[Row]]] = {"history": _history, "soft": _soft, "append": _appended}


def expected(model: Model, way: str) -> list[Row]:
    """The rows that the target has then."""
    if way == "append":
        return model.changes
    rows = [(one.key, *one.values, one.begin, one.end) for one in model.versions] if way == "history" else model.soft
    return sorted(rows, key=repr)


def found(place: Place, way: str) -> list[Row]:
    """The rows that it has."""
    rows = READ[way](place)
    return rows if way == "append" else sorted(rows, key=repr)


@pytest.mark.parametrize("way", WAYS)
def test_a_target_has_what_drawn_transactions_make_of_a_table(
    way: str, place: Place, tmp_path: Path, apply: Apply, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the batches, the steps of a transaction and the runs in which they come."""
    for number in range(30 if IS_LONG else 2):
        random = Random(f"{way} {number}")
        trail, model, rows = Trail({TABLE: COLUMNS}), Model(), dict[int, Row]()
        place.run(*(f"DROP TABLE IF EXISTS {name}" for name in ("t", "logdump_position")))
        told, csn = [], 100
        for _ in range(3):
            monkeypatch.setattr("logdump.targets.applier._MOST_ROWS", random.choice((1, 2, 3, 200_000)))
            for _ in range(random.randint(1, 8)):
                csn, steps = csn + 1, _transaction(random, rows)
                told.append(steps)
                _write(trail, steps)
                model.transaction(str(csn), steps)
            batch = random.choice(({"maxTransactionsPerTrigger": 1}, {"batch": "700b"}, {}))
            apply(trail.write(tmp_path / "a"), place, create=True, **WAYS[way], **batch)
            assert found(place, way) == expected(model, way), told


def _two_versions(folder: Path) -> Path:
    trail = Trail({TABLE: COLUMNS})
    trail.insert(TABLE, 1, "one", 1)
    trail.insert(TABLE, 2, "two", 2)
    trail.update(TABLE, 1, ..., 10)
    trail.delete(TABLE, 2)
    return trail.write(folder / "a")


def test_a_version_ends_at_the_moment_when_the_next_one_begins(tmp_path: Path, place: Place, apply: Apply) -> None:
    apply(_two_versions(tmp_path), place, create=True, write="history")
    columns = "id, n, _valid_from_csn, _valid_from_xid, _valid_to_csn, _valid_from, _valid_to"
    rows = sorted(place.query(f"SELECT {columns} FROM t"), key=repr)
    assert [row[:5] for row in rows] == [
        (1, 1, "101", "1.2.1", "103"),
        (1, 10, "103", "1.2.3", None),
        (2, 2, "102", "1.2.2", "104"),
    ]
    times = [[time and datetime.fromisoformat(str(time)).replace(tzinfo=None) for time in row[5:]] for row in rows]
    first = times[0][0]
    assert first is not None
    second = timedelta(seconds=1)
    assert times == [[first, first + 2 * second], [first + 2 * second, None], [first + second, first + 3 * second]]


def test_soft_deletes_have_the_moment_and_end_when_the_row_comes_back(
    tmp_path: Path, place: Place, apply: Apply
) -> None:
    trail = Trail({TABLE: COLUMNS})
    for key in (1, 2, 3):
        trail.insert(TABLE, key, "there", key)
    trail.delete(TABLE, 1)
    trail.move(TABLE, (2,), (4,))
    path = trail.write(tmp_path / "a")
    apply(path, place, create=True, deletes="soft")
    rows = [(1, "there", 1, "104"), (2, "there", 2, "105"), (3, "there", 3, None), (4, "there", 2, None)]
    assert sorted(_soft(place)) == rows
    assert [bool(row[0]) for row in place.query("SELECT _deleted FROM t ORDER BY id")] == [True, True, False, False]
    trail.insert(TABLE, 1, "back", 7)
    trail.truncate(TABLE)
    trail.insert(TABLE, 2, "back", 8)
    apply(trail.write(tmp_path / "a"), place, deletes="soft")
    rows = [(1, "back", 7, "107"), (2, "back", 8, None), (3, "there", 3, "107"), (4, "there", 2, "107")]
    assert sorted(_soft(place)) == rows


@pytest.mark.parametrize("way", ["history", "soft"])
@pytest.mark.parametrize("op", ["update", "delete", "move", "insert"])
def test_a_change_of_a_row_that_has_ended_or_an_insert_of_one_that_has_not_is_refused(
    op: str, way: str, tmp_path: Path, place: Place, apply: Apply
) -> None:
    trail = Trail({TABLE: COLUMNS})
    trail.insert(TABLE, 1, "one", 1)
    trail.insert(TABLE, 2, "two", 2)
    trail.delete(TABLE, 2)
    apply(trail.write(tmp_path / "a"), place, create=True, **WAYS[way])
    before = found(place, way)
    trail.insert(TABLE, 5, "five", 5)
    steps: Mapping[str, Step] = {
        "update": ("update", 2, 2, ("x", 1)),
        "delete": ("delete", 2, None, ()),
        "move": ("move", 2, 3, (..., ...)),
        "insert": ("insert", None, 1, ("x", 1)),
    }
    _write(trail, [steps[op]])
    path = trail.write(tmp_path / "a")
    with pytest.raises(Refused, match=r"CSN 105: \w+ of S\.T: .* (does not have|has) the row"):
        apply(path, place, **WAYS[way])
    assert len(found(place, way)) == len(before) + 1


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("other", ["mirror", *WAYS])
def test_a_table_that_was_written_in_one_way_is_not_gone_on_with_in_another(
    other: str, way: str, tmp_path: Path, place: Place, apply: Apply
) -> None:
    path = _two_versions(tmp_path)
    apply(path, place, create=True, **WAYS[way])
    if other == way:
        assert apply(path, place, **WAYS[way]).rows == 0
        return
    with pytest.raises(BadTarget, match=r"^nothing was written: S\.T: the t"):
        apply(path, place, **WAYS.get(other, {}))


@pytest.mark.parametrize("way", WAYS)
def test_a_table_with_a_column_of_the_name_of_one_that_is_added_is_refused(
    way: str, tmp_path: Path, place: Place, apply: Apply
) -> None:
    names = {"history": "_VALID_TO", "soft": "_Deleted", "append": "_op"}
    trail = Trail({TABLE: {"ID": "INT64", names[way]: "VARCHAR"}})
    trail.insert(TABLE, 1, "x")
    path = trail.write(tmp_path / "a")
    with pytest.raises(BadTarget, match=r"of its own, and (write|deletes)='\w+' adds one of this name"):
        apply(path, place, create=True, **WAYS[way])
    assert apply(path, place, create=True).rows == 1


@pytest.mark.parametrize(
    "given",
    [
        {"write": "history", "deletes": "soft"},
        {"write": "append", "deletes": "soft"},
        {"write": "history", "collisions": "overwrite"},
        {"write": "append", "collisions": "overwrite"},
        {"deletes": "soft", "collisions": "overwrite"},
        {"write": "scd2"},
        {"deletes": "no"},
    ],
)
def test_arguments_that_do_not_go_together_are_refused(
    given: dict[str, str], tmp_path: Path, place: Place, apply: Apply
) -> None:
    with pytest.raises(BadOption):
        apply(_two_versions(tmp_path), place, create=True, **given)


def test_append_needs_no_key(tmp_path: Path, place: Place, apply: Apply) -> None:
    trail = Trail({TABLE: COLUMNS}, keyless=True)
    trail.insert(TABLE, 1, "x", 1)
    trail.insert(TABLE, 1, "x", 1)
    path = trail.write(tmp_path / "a")
    with pytest.raises(BadTarget, match="has no key"):
        apply(path, place, create=True, write="history")
    with pytest.raises(BadTarget, match="has no key"):
        apply(path, place, create=True, write="append", errors="table")
    assert apply(path, place, create=True, write="append").rows == 2
    assert [row[:4] for row in _appended(place)] == [("insert", 1, "x", 1)] * 2


NO_BAD = {
    "sqlite": (
        "CREATE TRIGGER bad BEFORE INSERT ON t WHEN NEW.name = 'bad' BEGIN SELECT RAISE(ABORT, 'bad name'); END",
        "DROP TRIGGER bad",
    ),
    "postgresql": ("ALTER TABLE t ADD CONSTRAINT bad CHECK (name <> 'bad')", "ALTER TABLE t DROP CONSTRAINT bad"),
    "mariadb": ("ALTER TABLE t ADD CONSTRAINT bad CHECK (name <> 'bad')", "ALTER TABLE t DROP CONSTRAINT bad"),
}


@pytest.mark.parametrize("way", WAYS)
def test_what_is_refused_is_noted_and_retried(way: str, tmp_path: Path, place: Place, apply: Apply) -> None:
    """The later changes of its row wait for it; others of its transaction do not."""
    begin, end = NO_BAD[place.url.partition(":")[0]]
    trail, model, csn = Trail({TABLE: COLUMNS}), Model(), 100

    def add(*steps: Step) -> None:
        nonlocal csn
        csn += 1
        _write(trail, [*steps])
        model.transaction(str(csn), [*steps])

    add(("insert", None, 1, ("one", 1)))
    apply(trail.write(tmp_path / "a"), place, create=True, **WAYS[way])
    place.run(begin)
    add(("insert", None, 2, ("two", 2)), ("update", 1, 1, ("bad", ...)), ("insert", None, 3, ("three", 3)))
    add(("update", 1, 1, (..., 5)))
    add(("update", 3, 3, ("bad", ...)), ("update", 3, 3, ("good", ...)))
    add(("delete", 1, None, ()))
    path = trail.write(tmp_path / "a")
    done = apply(path, place, errors="table", maxTransactionsPerTrigger=1, **WAYS[way])
    assert (done.rows, done.refused) == ((2, 5) if way == "append" else (4, 3))
    place.run(end)
    assert logdump.retry(path, place.url, **WAYS[way]).refused == 0
    assert sorted(found(place, way), key=repr) == sorted(expected(model, way), key=repr)

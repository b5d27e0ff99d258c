"""Changes that a target refuses: noted in ``logdump_errors`` with the later ones of their row, and retried."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import logdump
from logdump.targets import applier as room
from logdump.targets.applier import Applier, ApplyRules
from logdump.targets.refused import waiting_of
from logdump.targets.target import BadTarget, Refused, SourceTable, place_of
from tests.logdump.spark.targets.bank import parts
from tests.logdump.spark.targets.direct import Apply
from tests.logdump.spark.targets.places import Place, postgresql_place, sqlite_place
from tests.logdump.spark.targets.rows import Trail
from tests.searching import IS_LONG, Random
from trailformat.records.record_header import FIRST, LAST, MIDDLE

TABLE, OTHER, COLUMNS = "S.T", "S.U", {"ID": "INT64", "NAME": "VARCHAR", "N": "INT32"}
CREATED = tuple(f"CREATE TABLE {name} (id bigint PRIMARY KEY, name text, n integer)" for name in ("t", "u"))
RULES = {
    "sqlite": (
        *(
            f"CREATE TRIGGER no_{when.lower()} BEFORE {when} ON t WHEN NEW.name LIKE 'bad%' "
            "BEGIN SELECT RAISE(ABORT, 'no such name'); END"
            for when in ("INSERT", "UPDATE")
        ),
    ),
    "postgresql": ("ALTER TABLE t ADD CONSTRAINT no_bad CHECK (name NOT LIKE 'bad%')",),
}
LIFTED = {
    "sqlite": ("DROP TRIGGER no_insert", "DROP TRIGGER no_update"),
    "postgresql": ("ALTER TABLE t DROP CONSTRAINT no_bad",),
}
Row = tuple[Any, ...]


@pytest.fixture(params=["sqlite", "postgresql"])
def base(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """Two of the databases, with a table that refuses some names."""
    place = sqlite_place(tmp_path)
    if request.param == "postgresql":
        place = postgresql_place(request.getfixturevalue("postgresql"))
    place.run(*CREATED, *RULES[request.param])
    return place


def kind(place: Place) -> str:
    return place.url.partition(":")[0]


class Drawn:
    """Changes of a few rows, some of them refused, and the rows as they are at the source."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.trail = Trail({TABLE: COLUMNS, OTHER: COLUMNS})
        self.rows: dict[int, Row] = {}
        self.count = 0

    def change(self, number: int) -> None:
        """One change, of a transaction of its own."""
        random = self.random
        self.count += 1
        name = f"{random.choice(('bad', 'good', 'good'))}{number}"
        key = random.randrange(9)
        if key not in self.rows:
            self.rows[key] = (key, name, number)
            self.trail.insert(TABLE, *self.rows[key])
            return
        match random.randrange(5):
            case 0:
                del self.rows[key]
                self.trail.delete(TABLE, key)
            case 1 if free := [other for other in range(12) if other not in self.rows]:
                self.count += 1
                other = random.choice(free)
                self.rows[other] = (other, name, self.rows.pop(key)[2])
                self.trail.move(TABLE, (key,), (other, name))
            case 2:
                self.rows[key] = (key, self.rows[key][1], number)
                self.trail.update(TABLE, key, ..., number)
            case _:
                self.rows[key] = (key, name, self.rows[key][2])
                self.trail.update(TABLE, key, name)

    def end_badly(self) -> None:
        """A row whose insert is refused, and changes that have to wait for it; a change of another table."""
        self.rows[100] = (100, "good", 7)
        self.trail.insert(TABLE, 100, "bad at last", 1)
        self.trail.update(TABLE, 100, ..., 7)
        self.trail.update(TABLE, 100, "good")
        self.trail.insert(OTHER, 1, "bad", 1)
        self.count += 4


def noted(place: Place) -> list[tuple[Any, ...]]:
    """Place, keys and reason of what is noted, in order."""
    return sorted(place.query("SELECT place, row_keys, reason FROM logdump_errors"))


def waiting(place: Place) -> set[int]:
    """The keys of the rows that wait."""
    return {int(json.loads(key)["ID"]) for _, keys, _ in noted(place) for key in json.loads(keys)}


@pytest.mark.parametrize("batch", [{"maxTransactionsPerTrigger": 1}, {"batch": "900b"}, {}])
@pytest.mark.parametrize("seed", range(12 if IS_LONG else 3))
def test_what_is_refused_is_noted_and_comes_later(
    seed: int, batch: dict[str, Any], base: Place, tmp_path: Path, apply: Apply
) -> None:
    """Whatever the batches and however often it is begun again: a row that waits for nothing is that of the source."""
    drawn, applied, refused = Drawn(Random(f"{seed} {batch}")), 0, 0
    for part in range(3):
        for number in range(drawn.random.randrange(12)):
            drawn.change(100 * part + number)
        if part == 2:
            drawn.end_badly()
        path = drawn.trail.write(tmp_path / "a")
        done = apply(path, base, errors="table", **batch)
        applied, refused = applied + done.rows, refused + done.refused
    waits = waiting(base)
    rows = {row[0]: row for row in base.rows(TABLE)}
    assert {key: row for key, row in rows.items() if key not in waits} == {
        key: row for key, row in drawn.rows.items() if key not in waits
    }
    assert base.rows(OTHER) == [(1, "bad", 1)]
    is_one_by_one = "maxTransactionsPerTrigger" in batch
    assert 100 in waits or not is_one_by_one
    assert refused == len(noted(base))
    moves = sum(json.loads(keys)[1:] != [] for _, keys, _ in noted(base))
    assert applied + refused + moves == drawn.count
    again = logdump.retry(path, base.url)
    assert (again.rows, again.refused) == (0, refused) or not is_one_by_one
    base.run(*LIFTED[kind(base)])
    logdump.retry(path, base.url)
    assert noted(base) == []
    assert sorted(base.rows(TABLE)) == sorted(drawn.rows.values())
    assert logdump.retry(path, base.url) == logdump.ApplyProgress()


def _refusing(tmp_path: Path, *, more: int = 0) -> Path:
    trail = Trail({TABLE: COLUMNS, OTHER: COLUMNS})
    for number in range(3):
        trail.insert(TABLE, number, "good", number)
    trail.insert(TABLE, 7, "bad", 1)
    trail.insert(TABLE, 8, "good", 1)
    for number in range(more):
        trail.insert(TABLE, 1000 + number, "bad", 1)
    return trail.write(tmp_path / "a")


def test_the_place_the_image_and_the_reason_are_noted(tmp_path: Path, base: Place, apply: Apply) -> None:
    path = _refusing(tmp_path)
    done = apply(path, base, TABLE, errors="table")
    assert (done.rows, done.refused) == (4, 1)
    columns = "table_name, csn, xid, trail_file, op, row_keys, image"
    [row] = base.query(f"SELECT {columns} FROM logdump_errors")
    image = '{"ID": "7", "NAME": "bad", "N": "1"}'
    assert row == (TABLE, "104", "1.2.4", str(path), "insert", '["{\\"ID\\": \\"7\\"}"]', image)
    [(rba, reason)] = base.query("SELECT rba, reason FROM logdump_errors")
    assert "no such name" in reason or "no_bad" in reason
    base.run("DELETE FROM logdump_errors", "DELETE FROM logdump_position", "DELETE FROM t")
    with pytest.raises(Refused, match=rf"RBA {rba}, CSN 104: insert of S\.T"):
        apply(path, base, TABLE)


def test_each_operation_is_noted_with_the_keys_of_its_row_before_and_after_it(
    tmp_path: Path, base: Place, apply: Apply
) -> None:
    """None of these rows is there but the one that takes a bad name."""
    trail = Trail({TABLE: COLUMNS})
    trail.insert(TABLE, 1, "good", 1)
    trail.update(TABLE, 1, "bad", 1)
    trail.update(TABLE, 2, "good", 1)
    trail.move(TABLE, (3, "good", 1), (4, "good", 1))
    trail.delete(TABLE, 5, "good", 1)
    apply(trail.write(tmp_path / "a"), base, TABLE, errors="table")
    rows = base.query("SELECT op, row_keys FROM logdump_errors ORDER BY place")
    noted_keys = [(op, [json.loads(key)["ID"] for key in json.loads(keys)]) for op, keys in rows]
    assert noted_keys == [("update", ["1"]), ("update", ["2"]), ("key update", ["3", "4"]), ("delete", ["5"])]


@pytest.mark.parametrize("changed", [1, 2])
def test_later_changes_of_either_key_of_a_refused_key_update_wait(
    changed: int, tmp_path: Path, base: Place, apply: Apply
) -> None:
    """The target has a row with that key, which another one has written."""
    base.run(f"INSERT INTO t (id, name, n) VALUES ({changed}, 'of others', 0)")
    trail = Trail({TABLE: COLUMNS})
    trail.move(TABLE, (1, "good", 1), (2, "bad", 1))
    trail.update(TABLE, changed, "good", 7)
    apply(trail.write(tmp_path / "a"), base, TABLE, errors="table")
    assert [row[0] for row in base.query("SELECT op FROM logdump_errors ORDER BY place")] == ["key update", "update"]
    assert base.query("SELECT id, name, n FROM t") == [(changed, "of others", 0)]


def test_a_run_without_the_table_does_not_overtake_what_is_noted(tmp_path: Path, base: Place, apply: Apply) -> None:
    path = _refusing(tmp_path)
    apply(path, base, TABLE, errors="table")
    with pytest.raises(BadTarget, match=r"^nothing was written: logdump_errors has 1 changes? of S\.T"):
        apply(path, base, TABLE)
    base.run("DELETE FROM logdump_errors")
    assert apply(path, base, TABLE).rows == 0


def test_a_key_of_other_columns_than_what_is_noted_is_refused(tmp_path: Path, base: Place, apply: Apply) -> None:
    path = _refusing(tmp_path)
    apply(path, base, TABLE, errors="table")
    with pytest.raises(BadTarget, match=r"^nothing was written: logdump_errors has changes of S\.T with a key"):
        apply(path, base, TABLE, errors="table", keys={TABLE: ["NAME"]})


def test_many_refused_changes_stop_it(
    tmp_path: Path, base: Place, apply: Apply, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("logdump.targets.applier._MOST_REFUSED", 5)
    path = _refusing(tmp_path, more=4)
    assert apply(path, base, TABLE, errors="table").refused == 5
    base.run("DELETE FROM logdump_errors", "DELETE FROM logdump_position", "DELETE FROM t")
    with pytest.raises(Refused):
        apply(_refusing(tmp_path, more=5), base, TABLE, errors="table")


def test_a_row_that_is_in_the_way_waits_until_it_is_gone(tmp_path: Path, base: Place, apply: Apply) -> None:
    trail = Trail({TABLE: COLUMNS})
    base.run("INSERT INTO t VALUES (1, 'in the way', 0)")
    trail.insert(TABLE, 1, "own", 1)
    trail.insert(TABLE, 2, "other", 1)
    trail.move(TABLE, (1,), (3, "moved"))
    trail.update(TABLE, 3, ..., 9)
    path = trail.write(tmp_path / "a")
    assert apply(path, base, TABLE, errors="table", maxTransactionsPerTrigger=1).refused == 3
    assert sorted(base.rows(TABLE)) == [(1, "in the way", 0), (2, "other", 1)]
    assert waiting(base) == {1, 3}
    assert logdump.retry(path, base.url).refused == 3
    base.run("DELETE FROM t WHERE id = 1")
    assert logdump.retry(path, base.url).rows == 3
    assert sorted(base.rows(TABLE)) == [(2, "other", 1), (3, "moved", 9)]


def test_rows_that_swap_their_keys_are_retried_together(tmp_path: Path, base: Place, apply: Apply) -> None:
    trail = Trail({TABLE: COLUMNS})
    trail.insert(TABLE, 1, "bad one", 1)
    trail.insert(TABLE, 2, "bad two", 2)
    trail.role = FIRST
    trail.move(TABLE, (1,), (2, "was one"))
    trail.role = LAST
    trail.move(TABLE, (2,), (1, "was two"))
    path = trail.write(tmp_path / "a")
    assert apply(path, base, TABLE, errors="table", maxTransactionsPerTrigger=1).refused == 4
    base.run(*LIFTED[kind(base)])
    assert logdump.retry(path, base.url).rows == 4
    assert sorted(base.rows(TABLE)) == [(1, "was two", 2), (2, "was one", 1)]


PARENT = "ALTER TABLE u ADD CONSTRAINT of_t FOREIGN KEY (n) REFERENCES t DEFERRABLE INITIALLY DEFERRED"


@pytest.fixture
def parents(request: pytest.FixtureRequest) -> Place:
    """Rows of U have a parent in T, which is looked for at the commit."""
    place = postgresql_place(request.getfixturevalue("postgresql"))
    place.run(*CREATED, PARENT)
    return place


def _with_orphans(folder: Path) -> Path:
    """The second and the fourth transaction have a row without a parent; in the third it comes after its child."""
    trail = Trail({TABLE: COLUMNS, OTHER: COLUMNS})
    trail.insert(TABLE, 1, "parent", 0)
    for key, parent in ((1, 50), (2, 8), (3, 70)):
        trail.role = FIRST
        trail.insert(OTHER, key, "child", parent)
        trail.role = MIDDLE
        trail.insert(TABLE, 10 + key, "other", 0)
        trail.role = LAST
        trail.insert(TABLE, *((8, "parent", 0) if parent == 8 else (20 + key, "other", 0)))
    return trail.write(folder / "a")


@pytest.mark.parametrize("batch", [{"maxTransactionsPerTrigger": 1}, {}])
def test_a_change_that_a_constraint_refuses_at_the_commit_is_noted(
    batch: dict[str, Any], parents: Place, tmp_path: Path, apply: Apply
) -> None:
    path = _with_orphans(tmp_path)
    assert apply(path, parents, errors="table", **batch).refused == 2
    assert [keys for _, keys, _ in noted(parents)] == ['["{\\"ID\\": \\"1\\"}"]', '["{\\"ID\\": \\"3\\"}"]']
    assert sorted(row[0] for row in parents.rows(TABLE)) == [1, 8, 11, 12, 13, 21, 23]
    assert [row[0] for row in parents.rows(OTHER)] == [2]
    assert logdump.retry(path, parents.url).refused == 2
    parents.run("INSERT INTO t VALUES (50, 'parent', 0)")
    assert logdump.retry(path, parents.url).refused == 1
    assert sorted(row[0] for row in parents.rows(OTHER)) == [1, 2]


def test_what_a_constraint_refuses_at_the_commit_is_named(parents: Place, tmp_path: Path, apply: Apply) -> None:
    with pytest.raises(Refused, match=r"CSN 102: insert of S\.U: .*of_t"):
        apply(_with_orphans(tmp_path), parents)
    assert [row[0] for row in parents.rows(TABLE)] == [1]


def _rows(*changes: tuple[int, str, int, str]) -> pa.Table:
    """Changes by number, operation, key and name, each a transaction."""
    numbers, ops, keys, names = zip(*changes, strict=True)
    count = len(changes)
    texts = {
        "_table": [TABLE] * count,
        "_op": ops,
        "_sequence": [f"{place_of(0, number)}0" for number in numbers],
        "_csn": [*map(str, numbers)],
        "_xid": [*map(str, numbers)],
        "_file": ["tt000000000"] * count,
    }
    own = {"ID": pa.array(keys, pa.int64()), "NAME": pa.array(names), "N": pa.nulls(count, pa.int32())}
    nulls = {"_absent": pa.nulls(count, pa.list_(pa.string())), "_time": pa.nulls(count, pa.timestamp("us", tz="UTC"))}
    return pa.table({**own, **{name: pa.array(values) for name, values in texts.items()}, **nulls, "_rba": [*numbers]})


BEFORE = [(1, "insert", 1, "bad"), (2, "insert", 2, "good"), (3, "update", 1, "good"), (4, "insert", 3, "bad")]
AFTER = [(5, "truncate", None, None), (6, "insert", 1, "good"), (7, "insert", 3, "bad"), (8, "insert", 4, "good")]


@pytest.mark.parametrize("cut", [2, 4, 5, 6, 8])
def test_a_truncate_ends_what_waits_before_it(cut: int, base: Place) -> None:
    """In the batch of the refused change or in a later one; a key that is refused after it waits again."""
    columns = {"ID": pa.int64(), "NAME": pa.string(), "N": pa.int32()}
    source = SourceTable(TABLE, None, columns, ("ID",))
    changes: Any = [*BEFORE, *AFTER]
    for part in (changes[:cut], changes[cut:]):
        with closing(base.target()) as target:
            target.open({TABLE: ""})
            changes_noted = target.refused(create=True)
            positions = target.positions()
            target.prepare([source], create=False)
            rules = ApplyRules(notes_refused=True)
            applier = Applier(target, [source], positions, rules=rules, waiting=waiting_of(changes_noted, [source]))
            for number in range(len(part)):
                rows = _rows(part[number])
                applier.apply(parts(rows), f"{place_of(0, part[number][0])}9")
    assert sorted(row[:2] for row in base.rows(TABLE)) == [(1, "good"), (4, "good")]
    assert [place for place, _, _ in noted(base)] == [f"{place_of(0, 7)}0"]


def test_a_transaction_with_an_idle_position_in_it_is_counted_once(
    base: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A statement may stand in it, before which what comes first is applied."""
    monkeypatch.setattr(room, "IDLE", 0.0)
    columns = {"ID": pa.int64(), "NAME": pa.string(), "N": pa.int32()}
    source = SourceTable(TABLE, None, columns, ("ID",))
    rows = _rows(*((number, "insert", number, "good") for number in range(1, 4)))
    rows = rows.set_column(rows.column_names.index("_csn"), "_csn", pa.array(["7"] * 3))
    rows = rows.set_column(rows.column_names.index("_xid"), "_xid", pa.array(["7"] * 3))
    with closing(base.target()) as target:
        target.open({TABLE: ""})
        positions = target.positions()
        target.prepare([source], create=False)
        applier = Applier(target, [source], positions)
        for first, stop in ((0, 1), (1, 1), (1, 3)):
            applier.apply(parts(rows.slice(first, stop - first)), f"{place_of(0, stop + 1)}0")
    assert (applier.progress.transactions, applier.progress.rows) == (1, 3)

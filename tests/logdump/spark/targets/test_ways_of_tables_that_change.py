"""Ways of writing of tables that change, have other names for columns, and masks: each with each, by hand."""

from __future__ import annotations

from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any

import pytest

import logdump
from logdump.tables.errors import BadOption
from logdump.targets.in_process import InProcess
from logdump.targets.run import DdlFound
from tests.logdump.spark.targets.direct import Apply, applied
from tests.logdump.spark.targets.places import Place, sqlite_place
from tests.logdump.spark.targets.rows import Trail
from tests.logdump.spark.targets.ways import Model, expected
from tests.searching import Random

T, FIRST = "S.T", {"ID": "INT64", "A": "INT32", "B": "VARCHAR"}
COPIED: dict[str, Any] = {
    "evolve": "add",
    "rename": {T: {"A": "amount"}},
    "mask": {T: {"B": {"fixed": "-"}}},
}
READ = {
    "history": "SELECT id, amount, b, c, _valid_from_csn, _valid_to_csn FROM t ORDER BY _valid_from_csn, id",
    "append": "SELECT id, amount, b, c, _op, _csn, _absent FROM t ORDER BY _sequence",
    "soft": "SELECT id, amount, b, c, _deleted_csn FROM t ORDER BY id",
}
WAYS: dict[str, dict[str, Any]] = {
    "history": {"write": "history"},
    "append": {"write": "append"},
    "soft": {"deletes": "soft"},
}
EXPECTED: dict[str, list[tuple[Any, ...]]] = {
    "history": [
        (1, 10, "-", None, "101", "103"),
        (2, 20, "-", None, "102", "105"),
        (1, 11, "-", 7, "103", None),
        (3, 30, "-", 8, "104", None),
    ],
    "append": [
        (1, 10, "-", None, "insert", "101", None),
        (2, 20, "-", None, "insert", "102", None),
        (1, 11, "-", 7, "update", "103", '["B"]'),
        (3, 30, "-", 8, "insert", "104", None),
        (2, None, "-", None, "delete", "105", '["amount", "B", "C"]'),
    ],
    "soft": [(1, 11, "-", 7, None), (2, 20, "-", None, "105"), (3, 30, "-", 8, None)],
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("is_one_run", [True, False])
def test_a_table_that_gets_a_column_keeps_its_way_names_and_masks(
    way: str, is_one_run: bool, tmp_path: Path, place: Place, apply: Apply
) -> None:
    trail = Trail({T: FIRST})
    trail.insert(T, 1, 10, "one")
    trail.insert(T, 2, 20, "two")
    if not is_one_run:
        apply(trail.write(tmp_path / "a"), place, T, create=True, **COPIED, **WAYS[way])
    trail.alter(T, {**FIRST, "C": "INT32"})
    trail.update(T, 1, 11, ..., 7)
    trail.insert(T, 3, 30, "three", 8)
    trail.delete(T, 2)
    for _ in range(2):
        apply(trail.write(tmp_path / "a"), place, T, create=True, **COPIED, **WAYS[way])
    assert place.query(READ[way]) == EXPECTED[way]


@pytest.mark.parametrize("given", [{"mask": {T: {"B": "null"}}}, {"evolve": "add"}, {"from_csn": "101"}])
def test_a_load_goes_with_neither_masks_nor_tables_that_change(
    given: dict[str, Any], tmp_path: Path, place: Place, apply: Apply
) -> None:
    trail = Trail({T: FIRST})
    trail.insert(T, 1, 10, "one")
    load: dict[str, Any] = {"load": "oracle://joe@db/shop", "load_csn": "100"}
    with pytest.raises(BadOption, match=f"^{next(iter(given))} does not go with load: "):
        apply(trail.write(tmp_path / "a"), place, T, create=True, **load, **given)


class Drawn:
    """Changes of a table whose definition has its third and fourth column at times, and what each way makes of them.

    What a definition lacks stays as it is in the target; ``ways`` are models by hand.
    """

    def __init__(self, random: Random) -> None:
        self._random, self.trail = random, Trail({T: FULL})
        self.model, self._has = Model(), FULL
        self._csn = 101

    def change(self) -> None:
        """A change, or another definition."""
        random, rows = self._random, self.model.now
        if random.random() < 0.3:
            self._has = random.choice(DEFINITIONS)
            self.trail.alter(T, self._has)
        there, free = sorted(rows), [key for key in range(1, 6) if key not in rows]
        ops = ["insert"] * bool(free) + ["update", "update", "delete"] * bool(there) + ["move"] * bool(there and free)
        op = random.choice(ops)
        key = random.choice(free if op == "insert" else there)
        new = random.choice(free) if op == "move" else key
        is_new, values = op == "insert", dict[str, Any]()
        for name in "NM":
            is_given = name in self._has and (is_new or random.random() < 0.7)
            values[name] = random.choice((1, 2, None)) if is_given else None if is_new else ...
        own = [values[name] for name in self._has if name != "ID"]
        match op:
            case "delete":
                self.trail.delete(T, key)
            case "move":
                self.trail.move(T, (key,), (new, *own))
            case _:
                getattr(self.trail, op)(T, key, *own)
        before = None if op == "insert" else key
        after = None if op == "delete" else new
        self.model.transaction(str(self._csn), [(op, before, after, tuple(values.values()))])
        self._csn += 1


FULL = {"ID": "INT64", "N": "INT32", "M": "INT32"}
DEFINITIONS = [FULL, {"ID": "INT64", "N": "INT32"}, {"ID": "INT64", "M": "INT32"}, {"ID": "INT64"}]
READ_BY = {
    "mirror": "SELECT id, n, m FROM t",
    "history": "SELECT id, n, m, _valid_from_csn, _valid_to_csn FROM t",
    "soft": "SELECT id, n, m, _deleted_csn FROM t",
}


@pytest.mark.parametrize("way", [*READ_BY, "delta"])
@pytest.mark.parametrize("seed", range(4))
def test_what_a_definition_has_lost_and_the_target_keeps_stays_as_it_is(seed: int, way: str, tmp_path: Path) -> None:
    """A row that moves, and a new version of it, has what the row before had there."""
    drawn, place = Drawn(Random(f"{seed} {way}")), sqlite_place(tmp_path)
    url = f"delta:{tmp_path / 'lake'}" if way == "delta" else place.url
    given: dict[str, Any] = {**WAYS.get(way, {}), "create": True, "evolve": "add"}
    for _ in range(3):
        for _ in range((drawn.model.now and 6) or 8):
            drawn.change()
        path, size = drawn.trail.write(tmp_path / "a"), 1 if seed % 2 else 1000
        for _ in range(40):  # a definition that loses a column stops it, once
            with suppress(DdlFound):
                applied(InProcess(once=True), path, url, T, maxTransactionsPerTrigger=size, **given)
                break
        else:
            pytest.fail("it does not go on")
    if way == "delta":
        table = pytest.importorskip("deltalake").DeltaTable(str(tmp_path / "lake" / T)).to_pyarrow_table()
        assert sorted(map(str, (tuple(row.values()) for row in table.to_pylist()))) == sorted(
            map(str, expected(drawn.model, "mirror"))
        )
    else:
        assert sorted(place.query(READ_BY[way]), key=repr) == expected(drawn.model, way)


@pytest.mark.parametrize("way", READ_BY)
@pytest.mark.parametrize("lost", ["back", "kept", "renamed"])
def test_what_is_noted_has_its_values_when_its_definition_is_another(lost: str, way: str, tmp_path: Path) -> None:
    """A column that the definition has lost gets them as long as the target has it."""
    place, trail = sqlite_place(tmp_path), Trail({T: {"ID": "INT64", "N": "INT32"}})
    trail.insert(T, 1, 1)
    given: dict[str, Any] = {**WAYS.get(way, {}), "create": True, "evolve": "add", "errors": "table"}
    applied(InProcess(once=True), trail.write(tmp_path / "a"), place.url, T, **given)
    place.run("CREATE TRIGGER no BEFORE INSERT ON t WHEN NEW.n = 5 BEGIN SELECT RAISE(ABORT, 'no'); END")
    trail.alter(T, FULL)
    trail.insert(T, 2, 5, 7)
    trail.alter(T, {"ID": "INT64", "N": "INT32"} if lost == "back" else {"ID": "INT64", "N": "INT32", "L": "INT32"})
    trail.insert(T, 3, 1)
    path = trail.write(tmp_path / "a")
    with nullcontext() if lost == "back" else pytest.raises(DdlFound):
        applied(InProcess(once=True), path, place.url, T, **given)
    if lost != "back":
        place.run("ALTER TABLE t ADD l INTEGER")
        applied(InProcess(once=True), path, place.url, T, **given)
    place.run("DROP TRIGGER no")
    if lost == "renamed":
        place.run("ALTER TABLE t RENAME COLUMN m TO other")
    done = logdump.retry(path, place.url, T, evolve="add", **WAYS.get(way, {}))
    assert done.refused == (lost == "renamed")
    if lost == "renamed":  # the values may be those of a column that has another name now
        assert sorted(row[0] for row in place.query("SELECT id FROM t")) == [1, 3]
        place.run("ALTER TABLE t RENAME COLUMN other TO m")
        assert logdump.retry(path, place.url, T, evolve="add", **WAYS.get(way, {})).refused == 0
    assert sorted(place.query("SELECT id, n, m FROM t")) == [(1, 1, None), (2, 5, 7), (3, 1, None)]


@pytest.mark.parametrize("kind", ["INT16", "VARCHAR", "DATETIME"])
@pytest.mark.parametrize("seed", range(3))
def test_what_is_noted_stays_where_a_column_has_a_type_that_does_not_hold_it(
    seed: int, kind: str, tmp_path: Path
) -> None:
    """What is noted after it is applied again all the same."""
    random, place = Random(f"{seed} {kind}"), sqlite_place(tmp_path)
    place.run("CREATE TABLE t (id BIGINT PRIMARY KEY, n)")
    place.run("CREATE TRIGGER no BEFORE INSERT ON t BEGIN SELECT RAISE(ABORT, 'no'); END")
    trail = Trail({T: {"ID": "INT64", "N": "INT64"}})
    values = [random.choice((7, None, 1 << 40)) for _ in range(random.randrange(1, 6))]
    for key, value in enumerate(values):
        trail.insert(T, key, value)
    trail.alter(T, {"ID": "INT64", "N": kind})
    given: dict[str, Any] = {"evolve": "add", "errors": "table", "ddl": "ignore"}
    applied(InProcess(once=True), trail.write(tmp_path / "a"), place.url, T, **given)
    place.run("DROP TRIGGER no")
    held = [
        key for key, value in enumerate(values) if value is None or kind == "VARCHAR" or (kind, value) == ("INT16", 7)
    ]
    done = logdump.retry(tmp_path / "a", place.url, T, evolve="add", ddl="ignore")
    assert (done.rows, done.refused) == (len(held), len(values) - len(held))
    assert [row[0] for row in place.query("SELECT id FROM t ORDER BY id")] == held


def test_what_is_noted_of_a_table_that_is_defined_later_waits(tmp_path: Path) -> None:
    """Another table begins before the place at which that one is defined."""
    place, trail = sqlite_place(tmp_path), Trail({T: {"ID": "INT64"}})
    trail.insert(T, 1)
    trail.alter(T, FULL)
    trail.insert(T, 2, 2, 2)
    trail.create("S.U", {"ID": "INT64"})
    for _ in range(2):
        trail.insert("S.U", 1)
    given: dict[str, Any] = {"create": True, "evolve": "add", "errors": "table"}
    path = trail.write(tmp_path / "a")
    assert applied(InProcess(once=True), path, place.url, "S.U", **given).refused == 1
    trail.insert("S.U", 1)
    trail.insert("S.U", 2)
    trail.write(tmp_path / "a")
    assert applied(InProcess(once=True), path, place.url, "S.*", **given).refused == 1
    assert place.query("SELECT id, n FROM t") == [(1, None), (2, 2)]
    assert place.query("SELECT id FROM u") == [(1,), (2,)]
    assert place.query("SELECT count(*) FROM logdump_errors") == [(2,)]


@pytest.mark.parametrize("lake", ["delta", "iceberg"])
@pytest.mark.parametrize("seed", range(4))
def test_a_lake_stops_once_where_a_database_does(seed: int, lake: str, tmp_path: Path) -> None:
    """Whether there are rows of the table before the place or not: its position moves past the stop."""
    random, trail, stops = Random(f"{seed} {lake}"), Trail({T: FULL, "S.U": FULL}), 0
    number = 0
    for columns in random.sample(DEFINITIONS[1:3], random.randrange(1, 3)):
        for name in random.choice(((), (T,), ("S.U",))):
            number += 1
            trail.insert(name, number)
        if random.random() < 0.5:
            trail.state(T, "ALTER TABLE s.t DROP COLUMN x")
            stops += 1
        trail.alter(T, columns)
        stops += 1
    if lake == "iceberg":
        sql = pytest.importorskip("pyiceberg.catalog.sql")
        where = {"uri": f"sqlite:///{tmp_path}/catalog.db", "warehouse": f"file://{tmp_path}/warehouse"}
        target: Any = sql.SqlCatalog("local", **where)
    else:
        pytest.importorskip("deltalake")
        target = f"delta:{tmp_path / 'lake'}"
    path = trail.write(tmp_path / "a")
    counts = list[int]()
    for place in (target, sqlite_place(tmp_path).url):
        counts.append(0)
        for _ in range(stops + 2):
            try:
                applied(InProcess(once=True), path, place, "S.*", create=True, evolve="add")
            except DdlFound:
                counts[-1] += 1
            else:
                break
    assert counts == [stops, stops]

"""Ways of writing of tables that change, have other names for columns, and masks: each with each, by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from logdump.tables.errors import BadOption
from logdump.targets.in_process import InProcess
from logdump.targets.run import DdlFound
from tests.logdump.spark.targets.direct import Apply, applied
from tests.logdump.spark.targets.places import Place, sqlite_place
from tests.logdump.spark.targets.rows import Trail
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


FULL = {"ID": "INT64", "N": "INT32", "M": "INT32"}
DEFINITIONS = [FULL, {"ID": "INT64", "N": "INT32"}, {"ID": "INT64", "M": "INT32"}, {"ID": "INT64"}]


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

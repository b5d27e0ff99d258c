"""Ways of writing of tables that change, have other names for columns, and masks: each with each, by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from logdump.tables.errors import BadOption
from tests.logdump.spark.targets.direct import Apply
from tests.logdump.spark.targets.places import Place
from tests.logdump.spark.targets.rows import Trail

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

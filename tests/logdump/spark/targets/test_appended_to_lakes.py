"""Rows for each change in Delta and Iceberg, each once whatever ends a run; other ways of writing are refused there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from logdump.targets import lakes
from logdump.targets.target import BadTarget, TargetLost
from tests.logdump.spark.targets.direct import DRIVERS, applied
from tests.logdump.spark.targets.rows import Trail
from tests.logdump.spark.targets.ways import COLUMNS, TABLE, Model, Row, expected, transaction, write
from tests.searching import IS_LONG, Random

NAMES = ["_op", "ID", "NAME", "N", "_csn", "_absent"]


def _delta(folder: Path) -> tuple[Any, Any]:
    deltalake = pytest.importorskip("deltalake")
    return f"delta:{folder}/lake", lambda: deltalake.DeltaTable(f"{folder}/lake/{TABLE}").to_pyarrow_table()


def _iceberg(folder: Path) -> tuple[Any, Any]:
    sql = pytest.importorskip("pyiceberg.catalog.sql")
    catalog = sql.SqlCatalog("local", uri=f"sqlite:///{folder}/catalog.db", warehouse=f"file://{folder}/warehouse")
    return catalog, lambda: catalog.load_table(TABLE).scan().to_arrow()


class _Killed(Exception):
    pass


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("lake", [_delta, _iceberg])
def test_a_lake_has_a_row_for_each_change(
    lake: Any, driver: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Runs die after a commit; some commits are made, and the answer is lost."""
    target, read = lake(tmp_path)
    random = Random(f"{lake.__name__} {driver}")
    trail, model, rows = Trail({TABLE: COLUMNS}), Model(), dict[int, Row]()
    for of in (lakes.DeltaTarget, lakes.IcebergTarget):
        made = of.append

        def losing(self: Any, *given: Any, _made: Any = made) -> None:
            _made(self, *given)
            if random.random() < 0.2:
                raise TargetLost("the answer is lost")

        monkeypatch.setattr(of, "append", losing)

    def die(_progress: object) -> None:
        if random.random() < 0.2:
            raise _Killed

    for csn in range(101, 101 + (60 if IS_LONG else 12)):
        steps = transaction(random, rows)
        write(trail, steps)
        model.transaction(str(csn), steps)
    path = trail.write(tmp_path / "a")
    given: dict[str, Any] = {"create": True, "write": "append", "maxTransactionsPerTrigger": 2, "progress": die}
    while True:
        try:
            applied(DRIVERS[driver](random), path, target, **given)
        except _Killed:
            continue
        break
    found = read().sort_by("_sequence").select(NAMES).to_pylist()
    assert [tuple(row.values()) for row in found] == expected(model, "append")
    assert set(read()["_time"].to_pylist()) != {None}


@pytest.mark.parametrize("given", [{"write": "history"}, {"deletes": "soft"}])
@pytest.mark.parametrize("lake", [_delta, _iceberg])
def test_ways_that_keep_rows_are_refused(lake: Any, given: dict[str, Any], tmp_path: Path) -> None:
    trail = Trail({TABLE: COLUMNS})
    trail.insert(TABLE, 1, "x", 1)
    path = trail.write(tmp_path / "a")
    target, _ = lake(tmp_path)
    with pytest.raises(BadTarget, match=r"^nothing was written: S\.T: \S+ goes with databases, not with lakes"):
        applied(DRIVERS["in process"](Random(1)), path, target, create=True, **given)


@pytest.mark.parametrize("lake", [_delta, _iceberg])
def test_a_lake_of_changes_is_no_mirror(lake: Any, tmp_path: Path) -> None:
    trail = Trail({TABLE: COLUMNS})
    trail.insert(TABLE, 1, "x", 1)
    path = trail.write(tmp_path / "a")
    target, _ = lake(tmp_path)
    applied(DRIVERS["in process"](Random(1)), path, target, create=True, write="append")
    with pytest.raises(BadTarget, match="has the columns of write='append'"):
        applied(DRIVERS["in process"](Random(1)), path, target)

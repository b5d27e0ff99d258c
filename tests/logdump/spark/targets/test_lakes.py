"""The bank's trail in Delta and Iceberg: equal to the model, gone on with from the position in each table."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from logdump.spark.targets.stream import target_for
from tests.logdump.spark.targets.bank import NAMES, batches_of, changes_of, differences, end_of, opened, parts
from tests.simulated.five_tables import bank_trail


def _delta(folder: Path) -> tuple[Any, Any]:
    deltalake = pytest.importorskip("deltalake")
    return f"delta:{folder}/lake", lambda name: deltalake.DeltaTable(f"{folder}/lake/{name}").to_pyarrow_table()


def _iceberg(folder: Path) -> tuple[Any, Any]:
    sql = pytest.importorskip("pyiceberg.catalog.sql")
    catalog = sql.SqlCatalog("local", uri=f"sqlite:///{folder}/catalog.db", warehouse=f"file://{folder}/warehouse")
    return catalog, lambda name: catalog.load_table(name).scan().to_arrow()


@pytest.mark.parametrize("lake", [_delta, _iceberg])
def test_the_tables_equal_those_of_the_source(lake: Any, tmp_path: Path) -> None:
    trail = tmp_path / "trail"
    trail.mkdir()
    bank, _ = bank_trail(trail, 60, seed=5)
    rows, sources = changes_of(trail)
    given, read = lake(tmp_path)
    for batch in batches_of(rows, Random(3), 40):
        target = target_for(given)
        applier = opened(target, sources)
        applier.apply(parts(batch), end_of(batch))
        target.close()
    found = {name: [tuple(row.values()) for row in read(name).to_pylist()] for name in NAMES}
    assert differences(bank, found) == []

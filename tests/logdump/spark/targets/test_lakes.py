"""The bank's trail in Delta and Iceberg: equal to the model, gone on with from the position in each table."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest

from logdump.spark.targets.stream import target_for
from logdump.spark.targets.target import BadTarget, SourceTable
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


@pytest.mark.parametrize("lake", [_delta, _iceberg])
def test_a_table_of_the_user_has_columns_of_its_own_and_names_in_small_letters(lake: Any, tmp_path: Path) -> None:
    trail = tmp_path / "trail"
    trail.mkdir()
    bank, _ = bank_trail(trail, 60, seed=5)
    rows, sources = changes_of(trail, "BANK.ACCOUNTS")
    given, read = lake(tmp_path)
    own = {name.lower(): kind for name, kind in sources[0].columns.items()}
    _made(given, sources[0]._replace(columns={**own, "more": pa.string()}, keys=("id",)))
    for batch in batches_of(rows, Random(3), 40):
        target = target_for(given)
        opened(target, sources, create=False).apply(parts(batch), end_of(batch))
        target.close()
    found = {tuple(row.values()) for row in read("BANK.ACCOUNTS").to_pylist()}
    assert found == {(*row, None) for row in bank.rows["BANK.ACCOUNTS"].values()}


@pytest.mark.parametrize("lake", [_delta, _iceberg])
def test_a_table_with_other_columns_is_named_before_anything_is_written(lake: Any, tmp_path: Path) -> None:
    trail = tmp_path / "trail"
    trail.mkdir()
    bank_trail(trail, 9, cut_chance=0.0)
    _, sources = changes_of(trail, "BANK.ACCOUNTS")
    given, _ = lake(tmp_path)
    other = {name: kind for name, kind in sources[0].columns.items() if name != "NOTE"} | {"OWNER": pa.date32()}
    _made(given, sources[0]._replace(columns=other))
    with (
        closing(target_for(given)) as target,
        pytest.raises(BadTarget, match=r"^nothing was written: .*OWNER is string, and date32.*no column NOTE"),
    ):
        opened(target, sources, create=False)


def _made(given: Any, table: SourceTable) -> None:
    """An empty table of a lake."""
    with closing(target_for(given)) as target:
        opened(target, [table])

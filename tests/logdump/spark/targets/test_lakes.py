"""The bank's trail in Delta and Iceberg: equal to the model, gone on with from the position in each table."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from io import BytesIO
from pathlib import Path
from threading import Barrier
from typing import Any

import pyarrow as pa
import pytest

from logdump.targets import lakes
from logdump.targets.run import target_for
from logdump.targets.target import BadTarget, SourceTable, TargetLost
from tests.logdump.spark.targets.bank import (
    NAMES,
    bank_changes,
    batch_size,
    batches_of,
    changes_of,
    differences,
    end_of,
    opened,
    parts,
    streamed,
)
from tests.searching import IS_LONG, Random
from tests.simulated.five_tables import Bank, bank_trail


def _delta(folder: Path) -> tuple[Any, Any]:
    deltalake = pytest.importorskip("deltalake")
    return f"delta:{folder}/lake", lambda name: deltalake.DeltaTable(f"{folder}/lake/{name}").to_pyarrow_table()


def _iceberg(folder: Path) -> tuple[Any, Any]:
    sql = pytest.importorskip("pyiceberg.catalog.sql")
    catalog = sql.SqlCatalog("local", uri=f"sqlite:///{folder}/catalog.db", warehouse=f"file://{folder}/warehouse")
    return catalog, lambda name: catalog.load_table(name).scan().to_arrow()


def _trails_with_cuts(folder: Path) -> Iterator[tuple[Path, Bank, list[SourceTable]]]:
    """Trails, each of which has changes of transactions that were cut."""
    for seed in itertools.count(5):
        trail = folder / f"trail{seed}"
        trail.mkdir()
        bank, _ = bank_trail(trail, 300 if IS_LONG else 20, seed, cut_chance=0.1)
        rows, sources = changes_of(trail)
        if len(rows) < len(changes_of(trail, effective="false", undecodable="null")[0]):
            yield trail, bank, sources


@pytest.mark.parametrize("lake", [_delta, _iceberg])
def test_the_tables_equal_those_of_the_source_after_a_stream_with_kills(lake: Any, tmp_path: Path) -> None:
    """Drivers die between batches, and between the tables of one; transactions that were cut are not applied."""
    random, kills = Random(8), 0
    trail, bank, sources = next(_trails_with_cuts(tmp_path))
    given, read = lake(tmp_path)
    most = batch_size(trail, 40 if IS_LONG else 5)
    for number, batch in enumerate(streamed(trail, random, maxBytesPerTrigger=most)):
        kills += _died(given, sources, batch, dies_at=number % len(batch["_table"].unique()) + 1)
        assert _died(given, sources, batch) == 0
    assert kills >= 2
    found = {name: [tuple(row.values()) for row in read(name).to_pylist()] for name in NAMES}
    assert differences(bank, found) == []


class _Killed(Exception):
    """Stands for the end of a process."""


def _died(given: Any, sources: list[SourceTable], batch: pa.Table, dies_at: int = 0) -> int:
    """Apply a batch as a driver does that goes on; it may die after so many commits. How often it died."""
    with closing(target_for(given)) as target, pytest.MonkeyPatch.context() as patch:
        applier = opened(target, sources)
        write: Any = type(target).write  # type: ignore[attr-defined]  # of a lake
        left = iter(range(dies_at - 1, -1, -1))

        def written(*some: Any, **more: Any) -> None:
            write(*some, **more)
            if next(left, None) == 0:
                raise _Killed

        patch.setattr(type(target), "write", written)
        try:
            applier.apply(parts(batch), end_of(batch))
        except _Killed:
            return 1
    return 0


@pytest.mark.parametrize("lake", [_delta, _iceberg])
def test_a_table_of_the_user_has_columns_of_its_own_and_names_in_small_letters(lake: Any, tmp_path: Path) -> None:
    bank, rows, sources = bank_changes(30, seed=5, names=("BANK.ACCOUNTS",))
    given, read = lake(tmp_path)
    own = {name.lower(): kind for name, kind in sources[0].columns.items()}
    _made(given, sources[0]._replace(columns={**own, "more": pa.string()}, keys=("id",)))
    for batch in batches_of(rows, Random(3), 20):
        target = target_for(given)
        opened(target, sources, create=False).apply(parts(batch), end_of(batch))
        target.close()
    found = {tuple(row.values()) for row in read("BANK.ACCOUNTS").to_pylist()}
    assert found == {(*row, None) for row in bank.rows["BANK.ACCOUNTS"].values()}


@pytest.mark.parametrize("lake", [_delta, _iceberg])
def test_a_table_with_other_columns_is_named_before_anything_is_written(lake: Any, tmp_path: Path) -> None:
    sources = bank_changes(9, names=("BANK.ACCOUNTS",), cut_chance=0.0).sources
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


def _unlocked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streams on several machines: a lock on the one is none on the other."""
    monkeypatch.setattr(lakes, "_locked", lambda *_: BytesIO())


@pytest.mark.parametrize("lake", [_delta, _iceberg])
def test_a_second_stream_is_refused_before_it_writes(
    lake: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bank, rows, sources = bank_changes(40 if IS_LONG else 14, seed=5)
    given, read = lake(tmp_path)
    _unlocked(monkeypatch)
    first, second = target_for(given), target_for(given)
    appliers = [opened(first, sources), opened(second, sources)]
    batches = [*batches_of(rows, Random(3), 20)]
    for number, batch in enumerate(batches):
        appliers[0].apply(parts(batch), end_of(batch))
        if number == 0:
            with pytest.raises(BadTarget, match=r"another stream applies changes to BANK\.\w+: one table, one stream"):
                appliers[1].apply(parts(batch), end_of(batch))
    first.close()
    second.close()
    found = {name: [tuple(row.values()) for row in read(name).to_pylist()] for name in NAMES}
    assert differences(bank, found) == []


@pytest.mark.parametrize("lake", [_delta, _iceberg])
def test_streams_at_the_same_time_apply_each_change_once(
    lake: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bank, rows, sources = bank_changes(40 if IS_LONG else 14, seed=5)
    given, read = lake(tmp_path)
    _unlocked(monkeypatch)
    with closing(target_for(given)) as target:
        opened(target, sources)
    together = Barrier(3)

    def follow(seed: int) -> str:
        together.wait()
        try:
            for batch in batches_of(rows, Random(seed), 9):
                _applied(given, sources, batch)
        except BadTarget as error:
            return str(error)
        return ""

    with ThreadPoolExecutor(3) as pool:
        ended = [*pool.map(follow, range(3))]
    assert all(text == "" or "another stream" in text for text in ended)
    _applied(given, sources, rows)
    found = {name: [tuple(row.values()) for row in read(name).to_pylist()] for name in NAMES}
    assert differences(bank, found) == []
    with closing(target_for(given)) as target:
        target.open(NAMES)
        assert sum(position.changes for position in target.positions().values()) == len(rows)


def _applied(given: Any, sources: list[SourceTable], batch: pa.Table) -> None:
    """A batch applied by a stream that goes on from the positions, also where another has committed meanwhile."""
    while True:
        with closing(target_for(given)) as target, suppress(TargetLost):
            opened(target, sources).apply(parts(batch), end_of(batch))
            return


ODD = ('S."A.X"', 'S."B.X"', 'S."My Table"', "S.A", "S.a/b", 'S.".."')


def _first(table: str) -> SourceTable:
    """A table of the source, with columns whose names need quotes."""
    columns = {'I"D': pa.int64(), "N`1": pa.string(), "_gone": pa.string()}
    return SourceTable(table, None, columns, ('I"D',))


def _batch(table: SourceTable, number: int, op: str, text: str) -> pa.Table:
    """A change of the row 1 of a table."""
    fixed = {"_op": op, "_sequence": f"{number:04}.0", "_csn": f"{number}", "_xid": "x", "_table": table.name}
    own = {'I"D': pa.array([1]), "N`1": pa.array([text]), "_gone": pa.array(["g"])}
    absent = {"_absent": pa.nulls(1, pa.list_(pa.string())), "_time": pa.nulls(1, pa.timestamp("us", tz="UTC"))}
    return pa.table({**own, **{name: pa.array([value]) for name, value in fixed.items()}, **absent})


@pytest.mark.parametrize("lake", [_delta, _iceberg])
@pytest.mark.parametrize("name", ODD)
def test_tables_and_columns_of_any_name_are_made_and_gone_on_with(lake: Any, name: str, tmp_path: Path) -> None:
    given, _ = lake(tmp_path)
    table = _first(name)
    for number, op in enumerate(("insert", "update", "delete", "insert")):
        with closing(target_for(given)) as target:
            rows = _batch(table, number, op, op)
            opened(target, [table]).apply(parts(rows), f"{number:04}.9")
    with closing(target_for(given)) as target:
        opened(target, [table], create=False)
        assert target.read(table, [(1,)]).to_pylist() == [{'I"D': 1, "N`1": "insert", "_gone": "g"}]  # type: ignore[attr-defined]  # of a lake
    assert {path.name for path in tmp_path.iterdir()} <= {"lake", "catalog.db", "warehouse"}


@pytest.mark.parametrize("lake", [_delta, _iceberg])
def test_a_table_of_a_lake_has_the_changes_of_one_table(lake: Any, tmp_path: Path) -> None:
    given, _ = lake(tmp_path)
    first, second = (_first(name)._replace(wanted="S.X") for name in ("S.A", "S.B"))
    with (
        closing(target_for(given)) as target,
        pytest.raises(BadTarget, match=r"S\.A and S\.B would share the table S\.X"),
    ):
        opened(target, [first, second])
    with closing(target_for(given)) as target:
        opened(target, [first]).apply(parts(_batch(first, 1, "insert", "x")), "0001.9")
    with (
        closing(target_for(given)) as target,
        pytest.raises(BadTarget, match=r"S\.X has the changes of S\.A, not of S\.B"),
    ):
        opened(target, [second])
    for copy in ("S.Y", "S.A"):
        with closing(target_for(given)) as target:
            applier = opened(target, [first._replace(wanted=copy)])
            assert applier.place == "", "a second copy has a position of its own"

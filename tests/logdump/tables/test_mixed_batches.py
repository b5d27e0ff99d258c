"""Batches with the columns of some tables become few batches with those of all, with the same rows in their order."""

from __future__ import annotations

import pyarrow as pa
import pytest

from logdump.tables import change_rows
from tests.searching import Random, examples

_TABLES = ("A", "B", "C", "D")
_OWN = pa.struct([("ID", pa.int64()), ("NAME", pa.string())])
_SCHEMA = pa.schema([*((name, _OWN) for name in _TABLES), ("_table", pa.string()), ("_rba", pa.int64())])


def _batch(random: Random, first: int) -> pa.RecordBatch:
    """A batch of one table, or one that has the columns of all, as a row about a file has."""
    count = random.choice([0, 1, 2, random.randrange(60)])
    rbas = pa.array(range(first, first + count), pa.int64())
    fixed = {"_table": pa.array([random.choice([None, "x"]) for _ in range(count)], pa.string()), "_rba": rbas}
    name = random.choice([*_TABLES, None])
    own = [{"ID": rba, "NAME": random.choice([None, "n" * rba])} for rba in range(first, first + count)]
    columns = {name: pa.array(own, _OWN)} if name else {name: pa.nulls(count, _OWN) for name in _TABLES}
    fields = [field for field in _SCHEMA if field.name in fixed | columns]
    return pa.RecordBatch.from_arrays([(fixed | columns)[field.name] for field in fields], schema=pa.schema(fields))


@pytest.mark.parametrize("case", range(examples(60)))
def test_all_rows_come_once_and_what_they_do_not_have_is_null(case: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(f"mixed {case}")
    monkeypatch.setattr(change_rows, "_LARGE", random.choice([1, 200, 700, 5_000, 1 << 23]))
    batches: list[pa.RecordBatch] = []
    for _ in range(random.randrange(12)):
        batches.append(_batch(random, sum(map(len, batches))))
    rows = [dict.fromkeys(_SCHEMA.names) | row for batch in batches for row in batch.to_pylist()]
    mixed = [*change_rows.mixed(batches, _SCHEMA)]
    assert [row for batch in mixed for row in batch.to_pylist()] == rows
    assert all(batch.schema == _SCHEMA and len(batch) for batch in mixed)
    for batch in mixed:
        batch.validate(full=True)


@pytest.mark.parametrize("case", range(examples(9)))
def test_a_batch_has_rows_of_many_tables_and_no_more_than_its_bytes(case: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(f"many {case}")
    most = random.randrange(50, 400)
    monkeypatch.setattr(change_rows, "_LARGE", most * pa.nulls(800, _OWN).nbytes * len(_TABLES) // 800)
    one_each = [
        pa.RecordBatch.from_pylist([{random.choice(_TABLES): {"ID": rba}, "_rba": rba}]) for rba in range(4_000)
    ]
    one_each = [batch.cast(pa.schema([_SCHEMA.field(name) for name in batch.schema.names])) for batch in one_each]
    mixed = [*change_rows.mixed(one_each, _SCHEMA)]
    assert sum(map(len, mixed)) == len(one_each)
    assert all(batch.nbytes <= 2 * change_rows._LARGE for batch in mixed)
    assert max(map(len, mixed)) > most // 4

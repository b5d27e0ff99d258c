"""The bank's trail applied batch after batch without Spark, and its tables in a target held against the model."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pyarrow as pa

from logdump.spark.source.data_source import TrailSource
from logdump.spark.stream.apply import source_tables
from logdump.targets.applier import Applier
from logdump.targets.target import ApplyTarget, SourceTable
from tests.searching import Random
from tests.simulated.five_tables import TABLES, Bank, BankStates, bank_trail, key_size
from trailformat.values import plain_text

NAMES = {table.name: "" for table in TABLES}


def changes_of(path: Path, *names: str, **options: str) -> tuple[pa.Table, list[SourceTable]]:
    """The changes that a Replicat applies, in order, and the tables."""
    given = {"path": str(path), "changesOf": ",".join(names or NAMES), "effective": "true", **options}
    source: Any = TrailSource(given)
    schema = source.schema()
    reader = source.reader(schema)
    batches = [batch for part in reader.partitions() for batch in reader.read(part)]
    return pa.Table.from_batches(batches).sort_by("_sequence"), [
        *source_tables(schema, dict.fromkeys(names or NAMES, ""), {})
    ]


class BankChanges(NamedTuple):
    """The source as a trail leaves it, the changes of the trail, and its tables."""

    bank: Bank
    rows: pa.Table
    sources: list[SourceTable]


@cache
def bank_changes(transactions: int, seed: int = 1, names: tuple[str, ...] = (), **given: Any) -> BankChanges:
    """The changes of a trail, which is written and read once."""
    with TemporaryDirectory() as folder:
        bank, _ = bank_trail(Path(folder), transactions, seed, **given)
        return BankChanges(bank, *changes_of(Path(folder), *names))


def streamed(path: Path, random: Random, **options: str) -> Iterator[pa.Table]:
    """The micro-batches of a stream of changes under ``effective``, whose driver is killed between some of them."""
    given = {"path": str(path), "changesOf": ",".join(NAMES), "effective": "true", **options}
    source: Any = TrailSource(given)
    schema = source.schema()
    reader = source.streamReader(schema)
    at = reader.initialOffset()
    while (end := reader.latestOffset(at, ReadMaxBytes())) != at:
        if random.random() < 0.4:
            end = json.loads(json.dumps(end))
            reader = source.streamReader(schema)
        found = [batch for part in reader.partitions(at, end) for batch in reader.read(part)]
        at = end
        if found:
            yield pa.Table.from_batches(found)


class ReadMaxBytes:
    """As Spark's class of this name: the limits of the options hold."""


def transactions_in(rows: pa.Table) -> list[pa.Table]:
    """The changes of each transaction."""
    csns = rows["_csn"].to_pylist()
    starts = [at for at, csn in enumerate(csns) if at == 0 or csn != csns[at - 1]]
    return [rows.slice(start, stop - start) for start, stop in zip(starts, [*starts[1:], len(rows)], strict=True)]


def batches_of(rows: pa.Table, random: Random, most: int) -> Iterator[pa.Table]:
    """Batches of some transactions each."""
    left = transactions_in(rows)
    while left:
        count = random.randint(1, most)
        yield pa.concat_tables(left[:count])
        left = left[count:]


def opened(target: ApplyTarget, sources: list[SourceTable], *, create: bool = True, overwrite: bool = False) -> Applier:
    """An applier that goes on where the target is."""
    target.open({source.name: source.wanted or "" for source in sources})
    positions = target.positions()
    target.prepare(sources, create=create)
    return Applier(target, sources, positions, overwrite=overwrite)


def batch_size(trail: Path, batches: int = 5) -> str:
    """The bytes of a batch with which a trail is read in about so many, whatever is drawn."""
    return str(sum(file.stat().st_size for file in trail.iterdir()) // batches)


def end_of(batch: pa.Table) -> str:
    """A place right after a batch."""
    return f"{batch['_sequence'][-1].as_py()[:-1]}9"


def parts(table: pa.Table, size: int = 1000) -> Any:
    """A batch as it is given to an applier, some rows at a time."""
    return lambda: (table.slice(at, size) for at in range(0, len(table), size))


def differences(bank: Bank | BankStates, rows: Mapping[str, list[tuple[Any, ...]]]) -> list[str]:
    """How tables of a target differ from the model."""
    found = []
    for table in TABLES:
        expected = bank.rows[table.name]
        own = {tuple(map(_plain, row[: key_size(table)])): row for row in rows[table.name]}
        if len(own) != len(rows[table.name]):
            found.append(f"{table.name}: rows that have one key")
        keys = {tuple(map(_plain, key)): row for key, row in expected.items()}
        found += [f"{table.name}: {key} is missing" for key in keys.keys() - own.keys()]
        found += [f"{table.name}: {key} is too many" for key in own.keys() - keys.keys()]
        for key in keys.keys() & own.keys():
            differing = [
                f"{column.name} {value!r} not {is_!r}"
                for column, value, is_ in zip(table.columns, keys[key], own[key], strict=True)
                if not _is_same(value, is_)
            ]
            found += [f"{table.name} {key}: {', '.join(differing)}"] if differing else []
    return found


def _is_same(expected: Any, found: Any) -> bool:
    if isinstance(expected, datetime) and isinstance(found, str):
        found = datetime.fromisoformat(found)
    if isinstance(expected, (int, Decimal)) and isinstance(found, (str, int, float)):
        found = Decimal(str(found)) if not isinstance(found, float) else found
        expected = float(expected) if isinstance(found, float) else expected
    return bool(_plain(expected) == _plain(found))


def _plain(value: Any) -> Any:
    """A value as text that does not depend on who has read it."""
    if isinstance(value, (int, Decimal)):
        return str(Decimal(value).normalize())
    if isinstance(value, memoryview):
        return bytes(value)
    if isinstance(value, datetime):
        return value.astimezone(UTC).replace(tzinfo=None).isoformat(" ") if value.tzinfo else value.isoformat(" ")
    if isinstance(value, (time, timedelta)):
        return plain_text(value)
    return value.isoformat() if isinstance(value, date) else value

"""The versions that drawn transactions make of a table, without a database: many draws, held against a model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

import pyarrow as pa
import pytest

from logdump.targets.net_effect import LOAD, Changes
from logdump.targets.versions import Versions
from tests.logdump.spark.targets.ways import Model, Row, Step, Version, transaction
from tests.searching import Random, examples

_TIME = pa.timestamp("us", "UTC")
_SCHEMA = pa.schema(
    [
        *({"ID": pa.int64(), "NAME": pa.string(), "N": pa.int64(), "_op": pa.string()}).items(),
        *({"_sequence": pa.string(), "_csn": pa.string(), "_xid": pa.string(), "_time": _TIME}).items(),
        ("_absent", pa.list_(pa.string())),
    ]
)
_NONE = "-"
"""In place of the CSN of a change without one."""


class Told(NamedTuple):
    """A step and its transaction."""

    step: Step
    csn: str | None
    xid: str


def _changes(told: Sequence[Told]) -> Changes:
    rows: list[dict[str, Any]] = []
    for number, ((op, before, after, values), csn, xid) in enumerate(told):
        absent = [name for name, value in zip(("NAME", "N"), values, strict=False) if value is ...]
        own = {name: None if value is ... else value for name, value in zip(("NAME", "N"), values, strict=False)}
        row = {"_csn": csn, "_xid": xid, "_time": datetime.fromtimestamp(number, UTC)}
        if op in ("delete", "move"):
            rows.append({**row, "ID": before, "_op": "delete", "_sequence": f"{number:04}0", "_absent": ["NAME", "N"]})
        if op != "delete":
            name, last = ("insert", "1") if op == "move" else (op, "0")
            place = f"{number:04}{last}"
            rows.append({**row, **own, "ID": after, "_op": name, "_sequence": place, "_absent": absent or None})
    changes = Changes(["ID", "NAME", "N"], ["ID"])
    changes.add(pa.Table.from_pylist(rows, _SCHEMA))
    return changes


class Stored(NamedTuple):
    """A version in the table, and the transaction that has begun it."""

    version: Version
    begun_by: tuple[str | None, str | None]


class Table:
    """A table that takes versions, by the description of their fields."""

    def __init__(self) -> None:
        self.ended: list[Version] = []
        self.open: dict[int, Stored] = {}

    def _end(self, key: int, csn: str | None, xid: str | None) -> None:
        stored = self.open.pop(key)
        if csn is None or stored.begun_by != (csn, xid):
            self.ended.append(stored.version._replace(end=csn or _NONE))

    def take(self, told: Sequence[Told]) -> None:
        """Apply the versions that some changes make."""
        changes = _changes(told)
        present = {key for key in changes.sought() if key[0] in self.open}
        versions, table = Versions.of(changes, present), changes.all()
        transactions = [*zip(table["_csn"].to_pylist(), table["_xid"].to_pylist(), strict=True)]
        assert versions.conflicts == []
        before = {key: stored.version.values for key, stored in self.open.items()}
        for (key,), number in versions.ended.items():
            self._end(key, *transactions[number])
        if versions.truncated_by is not None:
            for key in list(self.open):
                self._end(key, *transactions[versions.truncated_by])
        rows = versions.rows.to_pylist()
        columns = (rows, versions.origins, versions.absent, versions.begins, versions.ends, versions.are_new)
        begun: dict[int, Stored] = {}
        for row, origin, absent, begin, end, is_new in zip(*columns, strict=True):
            key, csn = row["ID"], transactions[begin][0] or _NONE
            was = before[origin[0]] if origin is not None and absent else (None, None)
            values = tuple(old if name in absent else row[name] for name, old in zip(("NAME", "N"), was, strict=True))
            assert not is_new or (versions.truncated_by is not None or key not in before)
            version = Version(key, values, csn)
            if end is not None:
                self.ended.append(version._replace(end=transactions[end][0] or _NONE))
                continue
            assert key not in self.open
            assert key not in begun
            begun[key] = Stored(version, transactions[begin])
        self.open |= begun
        self._soft(versions, before)

    def _soft(self, versions: Versions, before: dict[int, Row]) -> None:
        """Check that of the versions of a key the newest is left, and whether the first of them was new."""
        newest, keys = versions.newest(), [key for (key,) in versions.keys]
        last = {key: number for number, key in enumerate(keys)}
        assert [key for (key,) in newest.keys] == [keys[number] for number in sorted(last.values())]
        for at, number in enumerate(sorted(last.values())):
            assert newest.rows.slice(at, 1).to_pylist() == versions.rows.slice(number, 1).to_pylist()
            taken = (newest.origins[at], newest.absent[at], newest.begins[at], newest.ends[at])
            assert taken == tuple(
                column[number] for column in (versions.origins, versions.absent, versions.begins, versions.ends)
            )
            own = [is_new for key, is_new in zip(keys, versions.are_new, strict=True) if key == keys[number]]
            assert newest.are_new[at] == any(own)
            assert not newest.are_new[at] or versions.truncated_by is not None or keys[number] not in before


def _parts(random: Random, told: Sequence[Told], most: int) -> Iterator[Sequence[Told]]:
    while told:
        size = random.randint(1, most)
        yield told[:size]
        told = told[size:]


@pytest.mark.parametrize("case", range(examples(240, short=60)))
def test_a_table_has_the_versions_that_its_transactions_make(case: int) -> None:
    """Whatever the parts in which they come; changes without a CSN are transactions of their own."""
    random = Random(case)
    model, rows, told = Model(), dict[int, Row](), list[Told]()
    csn = 100
    for number in range(random.randint(1, 8)):
        csn += random.random() < 0.8
        steps = transaction(random, rows, truncates=0.3)
        if random.random() < 0.1:
            for step in steps:
                model.transaction(_NONE, [step])
            told += [Told(step, None, str(number)) for step in steps]
        else:
            model.transaction(str(csn), steps)
            told += [Told(step, str(csn), str(number)) for step in steps]
    table = Table()
    for part in _parts(random, told, random.choice((1, 2, 4, 100))):
        table.take(part)
    found = [*table.ended, *(stored.version for stored in table.open.values())]
    assert sorted(found, key=repr) == sorted(model.versions, key=repr), told


@pytest.mark.parametrize("cut", [1, 2, 3])
def test_the_first_of_several_truncates_ends_the_rows_before_it(cut: int) -> None:
    """Whether they come together, or each by itself."""
    steps: list[Step] = [("insert", None, 1, ("a", 1)), *[("truncate", None, None, ())] * 2]
    told = [Told(step, str(101 + number), f"x{number}") for number, step in enumerate(steps)]
    table = Table()
    for part in (told[:1], *(told[at : at + cut] for at in range(1, 3, cut))):
        table.take(part)
    assert (table.open, [version.end for version in table.ended]) == ({}, ["102"])


def test_a_change_without_a_time_ends_no_version_and_a_row_of_a_load_needs_none() -> None:
    insert: Step = ("insert", None, 1, ("a", 1))
    for op, problems in ((LOAD, []), ("insert", [(0, "it has no time")])):
        rows = _changes([Told(insert, "100", "1")]).all().drop_columns("_time")
        rows = rows.set_column(rows.schema.get_field_index("_op"), "_op", pa.array([op]))
        changes = Changes(["ID", "NAME", "N"], ["ID"])
        changes.add(rows.append_column("_time", pa.nulls(1, _TIME)))
        assert [(conflict.number, conflict.problem) for conflict in Versions.of(changes).conflicts] == problems

"""The bank's trail in databases: equal to the model, whatever the batches, however often it is begun again."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, cast

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from logdump.targets import database
from logdump.targets.applier import Applier
from logdump.targets.parts import ends_of, first_failing
from logdump.targets.target import BadTarget, Refused, SourceTable, TargetLost
from tests.logdump.spark.targets.bank import (
    NAMES,
    bank_changes,
    batches_of,
    differences,
    end_of,
    opened,
    parts,
    transactions_in,
)
from tests.logdump.spark.targets.places import Place, sqlite_place
from tests.searching import IS_LONG, Random


@pytest.mark.parametrize(("most", "held"), [(1, 200_000), (15, 200_000), (15, 5)])
def test_the_tables_equal_those_of_the_source(
    place: Place, most: int, held: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("logdump.targets.applier._MOST_ROWS", held)
    random = Random(most)
    bank, rows, sources = bank_changes(150, seed=3) if IS_LONG else bank_changes(30, seed=3)
    applier = None
    with closing(place.target()) as target:
        for batch in batches_of(rows, random, most):
            if applier is None or random.random() < 0.1:
                target.close()
                applier = opened(target, sources)
            applier.apply(parts(batch, random.choice((7, 1000))), end_of(batch))
    assert differences(bank, {name: place.rows(name) for name in NAMES}) == []


@pytest.fixture
def opened_bank(place: Place) -> tuple[Place, Any, Any]:
    """A target with the tables of a short trail, its changes and the tables of the source."""
    _, rows, sources = bank_changes(12, seed=3, cut_chance=0.0)
    target = place.target()
    opened(target, sources)
    target.close()
    return place, rows, sources


@pytest.mark.parametrize(
    ("statement", "problem"),
    [
        ("DROP TABLE accounts", "there is no table BANK.ACCOUNTS"),
        ("ALTER TABLE accounts DROP COLUMN balance", "the target has no column BALANCE (decimal128(20, 2))"),
        ("ALTER TABLE accounts RENAME COLUMN owner TO holder", "the target has no column OWNER (string)"),
        ("ALTER TABLE papers ADD COLUMN more {binary} NOT NULL DEFAULT 1", ""),
        ("ALTER TABLE events ADD COLUMN more INTEGER NOT NULL{no_default}", "column more of the target needs a value"),
    ],
)
def test_a_target_with_other_tables_is_named_before_anything_is_written(
    opened_bank: tuple[Place, Any, Any], statement: str, problem: str
) -> None:
    place, _, sources = opened_bank
    if "no_default" in statement and place.url.startswith("sqlite"):
        pytest.skip("SQLite adds no such column")
    place.run(statement.format(binary="INTEGER", no_default=""))
    target = place.target()
    try:
        if problem:
            with pytest.raises(BadTarget, match=re.escape(problem)) as refused:
                opened(target, sources, create=False)
            assert str(refused.value).startswith("nothing was written")
        else:
            opened(target, sources, create=False)
    finally:
        target.close()


def test_a_column_of_another_type_is_named(place: Place) -> None:
    sources = bank_changes(40, names=("BANK.EVENTS",), cut_chance=0.0).sources
    place.run("CREATE TABLE events (id DATE PRIMARY KEY, what VARCHAR(99), at INTEGER)")
    target = place.target()
    with pytest.raises(BadTarget, match=r"column ID is int64, and (?i:date) in the target; .*column AT is timestamp"):
        opened(target, sources, create=False)
    target.close()


def test_a_second_stream_is_refused(opened_bank: tuple[Place, Any, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    place, _, sources = opened_bank
    monkeypatch.setattr(database, "_PATIENCE", 0.1)
    first, second = place.target(), place.target()
    opened(first, sources)
    with pytest.raises(BadTarget, match=r"another stream applies changes to BANK\.ACCOUNTS"):
        opened(second, sources)
    first.close()
    opened(second, sources)
    second.close()


def test_a_connection_that_the_server_ends_late_keeps_no_lock(
    opened_bank: tuple[Place, Any, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    place, _, sources = opened_bank
    if not place.url.startswith("postgresql"):
        pytest.skip("others give up their locks when the connection ends")
    monkeypatch.setattr(database, "_PATIENCE", 0.1)
    first, second = place.target(), place.target()
    opened(first, sources)
    with monkeypatch.context() as late:
        connection = cast("database.DatabaseTarget", first)._connection
        late.setattr(type(connection), "close", lambda _: None)
        first.close()
    opened(second, sources)
    second.close()
    connection.close()


def _ending_with(name: str) -> Iterator[tuple[pa.Table, list[SourceTable], list[pa.Table]]]:
    """Trails with transactions whose last change is one of a table, and these."""
    for seed in itertools.count(3):
        _, rows, sources = bank_changes(300, seed) if IS_LONG else bank_changes(30, seed)
        if ends := [transaction for transaction in transactions_in(rows) if transaction["_table"][-1].as_py() == name]:
            yield rows, sources, ends


@pytest.mark.parametrize("first", NAMES)
def test_the_position_is_that_of_the_last_change_whichever_table_comes_last(first: str, tmp_path: Path) -> None:
    rows, sources, ends = next(_ending_with(first))
    last = next((end for end in reversed(ends) if end["_op"][-1].as_py() == "delete"), ends[-1])
    batch = rows.filter(pc.less_equal(rows["_sequence"], last["_sequence"][-1]))
    target = sqlite_place(tmp_path).target()
    applier = opened(target, sources)
    ordered = [first, *(name for name in NAMES if name != first)]
    applier.apply(lambda: (batch.filter(pc.equal(batch["_table"], name)) for name in ordered), end_of(batch))
    assert applier.progress.csn == batch["_csn"][-1].as_py()
    assert {position.csn for position in target.positions().values()} == {batch["_csn"][-1].as_py()}
    assert (applier.progress.rows, applier.progress.transactions) == (len(batch), len({*batch["_csn"].to_pylist()}))
    target.close()


IN_THE_WAY = ("INSERT INTO events (id, what) VALUES ({}, 'in the way')", "DELETE FROM events WHERE what = 'in the way'")
RULE = (
    "ALTER TABLE events ADD CONSTRAINT no_such_id CHECK (id <> {})",
    "ALTER TABLE events DROP CONSTRAINT no_such_id",
)
RULE_OF_SQLITE = (
    "CREATE TRIGGER no_such_id BEFORE INSERT ON events WHEN NEW.id = {} BEGIN SELECT RAISE(ABORT, 'no such id'); END",
    "DROP TRIGGER no_such_id",
)


@pytest.mark.parametrize("by", ["a row in the way", "a rule of the table"])
def test_a_value_that_is_refused_is_named_with_its_record(by: str, opened_bank: tuple[Place, Any, Any]) -> None:
    place, rows, sources = opened_bank
    rule = RULE_OF_SQLITE if place.url.startswith("sqlite") else RULE
    begin, end = IN_THE_WAY if by == "a row in the way" else rule
    events = [(at, row) for at, row in enumerate(rows.to_pylist()) if row["_table"] == "BANK.EVENTS"]
    at, refused = events[len(events) // 2]
    place.run(begin.format(refused["BANK.EVENTS"]["ID"]))
    target = place.target()
    applier = opened(target, sources)
    where = re.escape(f"{refused['_file']}, RBA {refused['_rba']}, CSN {refused['_csn']}: insert of BANK.EVENTS: ")
    with pytest.raises(Refused, match=where):
        applier.apply(parts(rows), end_of(rows))
    before = [row for row in rows.slice(0, at).to_pylist() if row["_csn"] != refused["_csn"]]
    inserted = {row["BANK.EVENTS"]["ID"] for row in before if row["_table"] == "BANK.EVENTS"}
    assert {row[0] for row in target_rows(target, place)} == inserted
    place.run(end)
    target = place.target()
    opened(target, sources).apply(parts(rows), end_of(rows))
    target.close()
    assert len(place.rows("BANK.EVENTS")) == len(events)


def target_rows(target: Any, place: Place) -> list[tuple[Any, ...]]:
    """The events that are there when the target is closed, without the one in the way."""
    target.close()
    return [row for row in place.rows("BANK.EVENTS") if row[1] != "in the way"]


def test_a_connection_that_is_lost_leaves_whole_transactions(place: Place) -> None:
    if place.url.startswith("sqlite"):
        pytest.skip("SQLite has no connections")
    bank, rows, sources = bank_changes(30, seed=3)
    half = pa.concat_tables(transactions_in(rows)[:15])
    target = place.target()
    applier = opened(target, sources)
    applier.apply(parts(half), end_of(half))
    place.lose_connections()
    with pytest.raises(TargetLost):
        applier.apply(parts(rows), end_of(rows))
    target.close()
    assert {place_ for (place_,) in place.query("SELECT place FROM logdump_position")} == {end_of(half)}
    opened(target, sources).apply(parts(rows), end_of(rows))
    target.close()
    assert differences(bank, {name: place.rows(name) for name in NAMES}) == []


def test_rows_that_are_there_are_replaced_if_asked_for(place: Place) -> None:
    bank, rows, sources = bank_changes(30, seed=8, swaps_at_once=False)
    for start in ("", "9"):
        target = place.target()
        applier = opened(target, sources, overwrite=bool(start))
        if start:
            place.run("DELETE FROM logdump_position")
            applier = Applier(target, sources, {}, overwrite=True)
        applier.apply(parts(rows), end_of(rows))
        target.close()
    assert differences(bank, {name: place.rows(name) for name in NAMES}) == []


def test_a_batch_that_comes_again_changes_nothing(opened_bank: tuple[Place, Any, Any]) -> None:
    place, rows, sources = opened_bank
    for _ in range(2):
        target = place.target()
        opened(target, sources).apply(parts(rows), end_of(rows))
        target.close()
    changes = dict(place.query("SELECT table_name, changes FROM logdump_position"))
    assert sum(changes.values()) == len(rows)


def test_the_first_place_that_fails_is_found_wherever_it_is() -> None:
    for first in range(5):

        def fails(number: int, first: int = first) -> bool:
            return number >= first

        for count in range(first, 5):
            assert first_failing(count, fails) == first


def test_transactions_end_with_their_last_change_in_whichever_part_it_comes() -> None:
    """Tables of a batch come one after the other, and each in portions."""
    _, rows, _ = bank_changes(30, seed=3)
    random = Random("places")
    ends = sorted(transaction["_sequence"][-1].as_py() for transaction in transactions_in(rows))
    for _ in range(5):
        names = random.sample([*NAMES], len(NAMES))
        own = [rows.filter(pc.equal(rows["_table"], name)) for name in names]
        size = random.choice((1, 3, 1000))
        portions = [table.slice(at, size) for table in own for at in range(0, len(table), size)]
        assert ends_of(lambda portions=portions: iter(portions)) == ends  # type: ignore[misc]

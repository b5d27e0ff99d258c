"""What ``apply`` does not take, and what stops it: options that lose changes, damage, values that do not decode."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from logdump.tables.errors import BadOption, BadTrail
from logdump.tables.options import NAMES, OPTIONS, TEXT
from logdump.targets.target import Refused
from tests.logdump.spark.targets.direct import Apply
from tests.logdump.spark.targets.places import Place, sqlite_place
from tests.logdump.spark.targets.rows import Trail
from tests.searching import Random

TABLE, COLUMNS = "S.T", {"ID": "INT64", "NAME": "VARCHAR", "N": "INT32"}


@pytest.fixture
def target(tmp_path: Path) -> Place:
    """A file of SQLite."""
    return sqlite_place(tmp_path)


def rows(number: int) -> Trail:
    """So many rows."""
    trail = Trail({TABLE: COLUMNS})
    for at in range(1, number + 1):
        trail.insert(TABLE, at, f"r{at}", at)
    return trail


LOSING = {
    "mode": ("PERMISSIVE", "DROPMALFORMED"),
    "MODE": ("permissive",),
    "effective": (False,),
    "Effective": ("false",),
    "ignoreCorruptFiles": (True,),
    "where": ("RBA > 9",),
    "table": ("S.*",),
    "startCsn": ("103",),
    "endCsn": ("103",),
    "startSeqno": (0,),
    "startRba": (9,),
    "startTimestamp": ("2024-01-01",),
    "endTimestamp": ("2024-01-01",),
    "rowsOf": ("S.T",),
    "changesOf": ("S.T",),
    "keyUpdate": ("whole",),
    "beforeImages": (True,),
    "schemaEvolutionMode": ("rescue",),
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in LOSING.items() for value in values])
def test_options_that_lose_changes_are_refused(
    name: str, value: Any, tmp_path: Path, target: Place, apply: Apply
) -> None:
    path = rows(3).write(tmp_path / "a")
    with pytest.raises(BadOption, match=f"(?i)^apply takes no option {name}"):
        apply(path, target, TABLE, create=True, **{name: value})
    assert not target.query("SELECT name FROM sqlite_master")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("collisions", "overwrit"),
        ("collisions", ""),
        ("ddl", "ignor"),
        ("ddl", None),
        ("batch", "many"),
        *((option.name, "no-such") for option in OPTIONS.values() if option.kind not in (TEXT, NAMES)),
        ("maxBytesPerTriger", "1m"),
        ("creat", True),
        ("summary", True),
    ],
)
def test_values_and_options_that_do_not_exist_are_refused(
    name: str, value: Any, tmp_path: Path, target: Place, apply: Apply
) -> None:
    with pytest.raises(BadOption, match=r"takes|no option|not for a stream"):
        apply(rows(3).write(tmp_path / "a"), target, TABLE, create=True, **{name: value})
    assert not target.query("SELECT name FROM sqlite_master")


@pytest.mark.parametrize("at", range(1, 6))
def test_damage_stops_it_with_its_place_whatever_is_before_it(
    at: int, tmp_path: Path, target: Place, apply: Apply
) -> None:
    """Bytes of nothing after each of five rows: nothing of their batch is applied, and each call says so again."""
    end = rows(at).write(tmp_path / "a").stat().st_size
    whole = rows(5).write(tmp_path / "a")
    data = whole.read_bytes()
    whole.write_bytes(data[:end] + bytes(60) + data[end:])
    for _ in range(2):
        with pytest.raises(BadTrail, match=rf"RBA {end}\b"):
            apply(whole, target, TABLE, create=True)
    assert target.rows(TABLE) == []


ODD = b"\x01"
"""A byte that is no INT32."""


def test_a_value_that_does_not_decode_stops_with_its_place_and_what_is_before_it(
    tmp_path: Path, target: Place, apply: Apply
) -> None:
    trail = rows(3)
    trail.update(TABLE, 2, ..., ODD)
    trail.update(TABLE, 1, "later")
    path = trail.write(tmp_path / "a")
    for _ in range(2):
        where = (
            re.escape(f"{path}, RBA ") + r"\d+, CSN 104: update of S\.T: column N does not decode: INT32: wrong size"
        )
        with pytest.raises(BadTrail, match=f"^{where}"):
            apply(path, target, TABLE, create=True)
        assert sorted(target.rows(TABLE)) == [(1, "r1", 1), (2, "r2", 2), (3, "r3", 3)]


def test_the_first_change_that_cannot_be_is_named_whichever_it_is(tmp_path: Path, target: Place, apply: Apply) -> None:
    """Of a value that does not decode and a row that is there already the one that comes first is told."""
    trail = rows(2)
    trail.insert(TABLE, 1, "again", 1)
    trail.update(TABLE, 2, ..., ODD)
    with pytest.raises(Refused, match=r"CSN 103: insert of S\.T: (?!column N)"):
        apply(trail.write(tmp_path / "a"), target, TABLE, create=True)
    trail = rows(2)
    trail.update(TABLE, 2, ..., ODD)
    trail.insert(TABLE, 1, "again", 1)
    with pytest.raises(BadTrail, match=r"CSN 103: update of S\.T: column N does not decode"):
        apply(trail.write(tmp_path / "b"), sqlite_place(tmp_path / "b"), TABLE, create=True)


CHANGES: dict[str, tuple[Any, list[tuple[Any, ...]]]] = {
    "update": (lambda trail: trail.update(TABLE, 2, "new", ODD), [(1, "r1", 1), (2, "new", 2)]),
    "update of it alone": (lambda trail: trail.update(TABLE, 2, ..., ODD), [(1, "r1", 1), (2, "r2", 2)]),
    "update to NULL beside it": (lambda trail: trail.update(TABLE, 2, None, ODD), [(1, "r1", 1), (2, None, 2)]),
    "move": (lambda trail: trail.move(TABLE, (2,), (7, "new", ODD)), [(1, "r1", 1), (7, "new", 2)]),
    "insert": (lambda trail: trail.insert(TABLE, 7, "new", ODD), [(1, "r1", 1), (2, "r2", 2), (7, "new", None)]),
    "delete": (lambda trail: trail.delete(TABLE, 2, "r2", ODD), [(1, "r1", 1)]),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("is_one_batch", [True, False])
def test_a_value_that_does_not_decode_never_overwrites_one(
    change: str, is_one_batch: bool, tmp_path: Path, target: Place, apply: Apply, caplog: pytest.LogCaptureFixture
) -> None:
    trail = rows(2)
    if not is_one_batch:
        apply(trail.write(tmp_path / "a"), target, TABLE, create=True)
    make, expected = CHANGES[change]
    make(trail)
    apply(trail.write(tmp_path / "a"), target, TABLE, create=True, undecodable="null")
    assert sorted(target.rows(TABLE)) == expected
    told = [message for message in caplog.messages if "column N does not decode: INT32" in message]
    assert len(told) == (change != "delete")


@pytest.mark.parametrize("undecodable", ["null", "fail"])
@pytest.mark.parametrize("change", ["update", "delete", "insert", "move from", "move to"])
def test_a_key_that_does_not_decode_always_stops(
    change: str, undecodable: str, tmp_path: Path, target: Place, apply: Apply
) -> None:
    trail = rows(2)
    if change.startswith("move"):
        trail.move(TABLE, (ODD if change == "move from" else 2,), (ODD if change == "move to" else 7, "new", 1))
    else:
        getattr(trail, change)(TABLE, ODD, "new", 1)
    with pytest.raises(BadTrail, match=r"CSN 103: .* of S\.T: column ID does not decode: INT64"):
        apply(trail.write(tmp_path / "a"), target, TABLE, create=True, undecodable=undecodable)
    assert sorted(target.rows(TABLE)) == [(1, "r1", 1), (2, "r2", 2)]


def test_null_for_what_does_not_decode_does_not_go_with_replacing_rows(
    tmp_path: Path, target: Place, apply: Apply
) -> None:
    with pytest.raises(BadOption, match="does not go with collisions overwrite"):
        apply(rows(2).write(tmp_path / "a"), target, TABLE, undecodable="null", collisions="overwrite")


@pytest.mark.parametrize("tables", ["*", "S.OTHER"])
@pytest.mark.parametrize("more", [{}, {"undecodable": "null"}, {"errors": "table"}])
def test_a_change_of_a_table_that_is_not_defined_stops_it_each_time(
    tables: str, more: dict[str, Any], tmp_path: Path, target: Place, apply: Apply
) -> None:
    """It may be one of those that are applied: nothing after it is, whatever may be passed over."""
    random = Random(f"not defined {tables} {more}")
    trail = Trail({"S.OTHER": {"ID": "INT64"}, TABLE: COLUMNS})
    number = random.randint(0, 4)
    for at in range(number):
        trail.insert("S.OTHER", at)
    trail.insert(TABLE, 1, "a", 1)
    for at in range(number, number + random.randint(1, 3)):
        trail.insert("S.OTHER", at)
    trail.undefine(TABLE)
    path = trail.write(tmp_path / "a")
    with pytest.raises(BadTrail, match=rf"{path}.*RBA \d+: a change of a table that is not defined before it"):
        apply(path, target, tables, create=True, **more)
    with pytest.raises(BadTrail, match="a change of a table that is not defined before it"):
        apply(path, target, tables, create=True, **more)
    there = target.query("SELECT count(*) FROM other") if target.query("SELECT name FROM sqlite_master") else [(0,)]
    assert there[0][0] <= number


def test_a_first_csn_of_another_kind_than_those_of_the_trail_stops_it(
    tmp_path: Path, target: Place, apply: Apply
) -> None:
    path = rows(3).write(tmp_path / "a")
    for _ in range(2):
        with pytest.raises(BadTrail, match=r"the CSN 4:1095 cannot be compared with 10[1-3], which the trail has"):
            apply(path, target, TABLE, create=True, from_csn="4:1095")

"""Tables that change, refused rows and histories at once, applied to PostgreSQL by processes that are killed.

Columns are added and get wider, a table is new, rows are refused and noted, each version of a row is kept. Processes
are killed with the rule in force, then while what is noted is retried; a kill may be before or after any statement.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import logdump
from tests.logdump.spark.targets.direct import DRIVERS
from tests.logdump.spark.targets.killed_at import JAVA
from tests.logdump.spark.targets.places import Place, postgresql_place
from tests.logdump.spark.targets.rows import Trail
from tests.searching import SEED, Random, part_of
from trailformat.records.record_header import FIRST, LAST, MIDDLE, ONLY

GIVEN: dict[str, Any] = {"create": True, "evolve": "add", "errors": "table", "write": "history"}
RULE = "ALTER TABLE a ADD CONSTRAINT no_seven CHECK (n IS DISTINCT FROM 7)"
NO_RULE = "ALTER TABLE a DROP CONSTRAINT no_seven"
KINDS = ("INT32", "VARCHAR:30")
RUNS = 10


class Version(NamedTuple):
    """A version of a row: its values by column, and the CSNs of its begin and end."""

    values: dict[str, Any]
    begin: str
    end: str | None = None


class Table:
    """A table of the source: its columns with their kinds, its rows by key, and all versions of each."""

    def __init__(self, columns: dict[str, str]) -> None:
        self.columns = columns
        self.now: dict[int, dict[str, Any]] = {}
        self.versions: dict[int, list[Version]] = {}

    def ended(self, csn: str, touched: set[int]) -> None:
        """A transaction with this CSN has touched these keys."""
        for key in touched:
            own = self.versions.setdefault(key, [])
            if own and own[-1].end is None:
                own[-1] = own[-1]._replace(end=csn)
            if key in self.now:
                own.append(Version(dict(self.now[key]), csn))


class Source:
    """Tables of drawn transactions, which are written to a trail; rows of S.A that have 7 in N are refused."""

    def __init__(self, random: Random) -> None:
        self._random, self._number = random, 0
        self._may_be_refused = False
        self.tables = {name: Table({"ID": "INT64", "N": "INT16", "NAME": "VARCHAR:20"}) for name in ("S.A", "S.B")}
        self.trail = Trail({name: table.columns for name, table in self.tables.items()})

    def begin(self) -> None:
        """A row in each table, which the rule allows."""
        for name in self.tables:
            self._transaction([(name, "insert", 0)])
        self._may_be_refused = True

    def run(self, transactions: int) -> None:
        """So many transactions, with alterations between them."""
        for number in range(transactions):
            if number == transactions // 2:
                self.tables["S.NEW"] = Table({"ID": "INT64", "N": "INT32"})
                self.trail.create("S.NEW", self.tables["S.NEW"].columns)
            elif number == transactions // 3:
                self._alter(self._random.choice(["S.A", "S.B"]), "N", "INT64")
            elif self._random.random() < 0.1:
                name = self._random.choice([*self.tables])
                self._alter(name, f"C{number}", self._random.choice(KINDS))
            names = [*self.tables]
            ops = ["insert", "insert", "update", "update", "update", "delete", "move"]
            count = self._random.choice((1, 1, 2, 3, 6))
            draw = self._random.choice
            self._transaction([(draw(names), draw(ops), draw(range(1, 25))) for _ in range(count)])

    def _alter(self, name: str, column: str, kind: str) -> None:
        self.tables[name].columns[column] = kind
        self.trail.alter(name, self.tables[name].columns)

    def _transaction(self, steps: list[tuple[str, str, int]]) -> None:
        self._number += 1
        touched: dict[str, set[int]] = {}
        for at, (name, op, key) in enumerate(steps):
            is_only, is_first, is_last = len(steps) == 1, at == 0, at == len(steps) - 1
            self.trail.role = ONLY if is_only else FIRST if is_first else LAST if is_last else MIDDLE
            touched.setdefault(name, set()).update(self._step(name, op, key))
        for name, keys in touched.items():
            self.tables[name].ended(str(100 + self._number), keys)

    def _step(self, name: str, op: str, key: int) -> set[int]:
        """Write a change, of another operation where the row is there already, or is not."""
        table, trail = self.tables[name], self.trail
        free = next(number for number in range(100, 10_000) if number not in table.now)
        values = {column: self._value(kind, op) for column, kind in [*table.columns.items()][1:]}
        if key not in table.now:
            table.now[key] = {column: None if value is ... else value for column, value in values.items()}
            trail.insert(name, key, *table.now[key].values())
            return {key}
        if op == "delete":
            del table.now[key]
            trail.delete(name, key)
            return {key}
        after = free if op == "move" else key
        if op == "move":
            trail.move(name, (key,), (after, *values.values()))
        else:
            trail.update(name, key, *values.values())
        old = table.now.pop(key)
        table.now[after] = old | {column: value for column, value in values.items() if value is not ...}
        return {key, after}

    def _value(self, kind: str, op: str) -> Any:
        if op != "insert" and self._random.random() < 0.4:
            return ...
        number = self._random.choice([*range(7), *range(7), *range(8, 16), *range(8, 16), *[7] * self._may_be_refused])
        return f"text {number}" if kind.startswith("VARCHAR") else number

    def history(self, name: str, without: set[int]) -> list[tuple[Any, ...]]:
        """The rows of the history of a table, but those of some keys."""
        table = self.tables[name]
        rows = [
            (key, *(version.values.get(column) for column in [*table.columns][1:]), version.begin, version.end)
            for key, versions in table.versions.items()
            for version in versions
            if key not in without
        ]
        return sorted(rows, key=repr)


def _differences(place: Place, source: Source) -> tuple[list[str], int]:
    """How the histories in the target differ from those of the source, but for rows that wait; and how many wait."""
    noted: dict[str, set[int]] = {}
    count = 0
    for name, keys in place.query("SELECT table_name, row_keys FROM logdump_errors"):
        noted.setdefault(name, set()).update(int(json.loads(key)["ID"]) for key in json.loads(keys))
        count += 1
    different = []
    for name, table in source.tables.items():
        columns = ", ".join([*table.columns, "_valid_from_csn", "_valid_to_csn"])
        waiting = noted.get(name, set())
        rows = place.query(f"SELECT {columns} FROM {name.partition('.')[2]}")
        found = sorted((row for row in rows if row[0] not in waiting), key=repr)
        expected = source.history(name, waiting)
        if found != expected:
            different.append(f"{name}: {sorted({*found} ^ {*expected}, key=repr)[:8]}, {len(found)} {len(expected)}")
    return different, count


class Campaign:
    """A trail of drawn transactions, and a database in which the rule holds already; ``line`` runs a driver."""

    def __init__(self, place: Place, folder: Path, about: str, transactions: int) -> None:
        self.random = Random(about)
        self.place, self.source = place, Source(self.random)
        self.source.begin()
        logdump.apply(self.source.trail.write(folder), place.url, "S.*", once=True, **GIVEN)
        place.run(RULE)
        self.source.run(transactions)
        self.path = self.source.trail.write(folder)
        self.batch = str(max(self.path.stat().st_size // self.random.randint(4, 15), 300))

    def kill(self, driver: str, kills: int, *, retry: bool = False) -> str:
        """Apply, or retry, by processes of which so many are killed at drawn statements; return what they print."""
        given = json.dumps({**GIVEN, **({"retry": True} if retry else {})})
        words = [driver, str(self.path), self.place.url, "S.*", self.batch, str(kills), given]
        line = [sys.executable, "-m", "tests.logdump.spark.targets.killed_at", *words]
        done = subprocess.run(line, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def kill_spark(self, kills: int) -> int:
        """Apply by Spark, by processes of which some are killed after a drawn time; return how many were."""
        killed = 0
        while True:
            words = [str(self.path), self.place.url, "S.*", self.batch, json.dumps(GIVEN)]
            line = [sys.executable, "-m", "tests.logdump.spark.targets.killed", *words]
            with subprocess.Popen(line, stdout=subprocess.PIPE, start_new_session=True) as driver:
                assert driver.stdout is not None
                lines = self.random.randint(0, 2)
                if killed < kills and all(driver.stdout.readline() for _ in range(lines)):
                    time.sleep(self.random.random() * (8 if lines == 0 else 0.7))
                    os.killpg(driver.pid, signal.SIGKILL)
                driver.stdout.read()
            if driver.returncode != -signal.SIGKILL:
                assert driver.returncode == 0
                return killed
            killed += 1

    def end(self, told: str) -> int:
        """Hold the histories against the source, retry what is noted by killed processes; return how many waited."""
        different, noted = _differences(self.place, self.source)
        assert different == [], told
        self.place.run(NO_RULE)
        told += self.kill("in process", 2 if noted else 0, retry=True)
        assert _differences(self.place, self.source) == ([], 0), told
        return noted


@pytest.mark.parametrize("driver", part_of(DRIVERS, 0, 2))
def test_the_histories_are_those_of_the_source_whatever_is_killed(
    driver: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    place = postgresql_place(request.getfixturevalue("postgresql"))
    campaign = Campaign(place, tmp_path / "trail", driver, 14)
    campaign.end(campaign.kill(driver, 2))


@pytest.mark.slow
@pytest.mark.parametrize("number", range(RUNS))
@pytest.mark.parametrize("driver", DRIVERS)
def test_ten_long_campaigns(driver: str, number: int, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    place = postgresql_place(request.getfixturevalue("postgresql"))
    campaign = Campaign(place, tmp_path / "trail", f"{driver} {number} {SEED}", 300)
    told = campaign.kill(driver, 30)
    noted = campaign.end(told)
    sys.stderr.write(f"{driver} {number}: {told.count('killed')} kills, {noted} changes waited\n")
    assert noted


@pytest.mark.slow
@pytest.mark.spark
@pytest.mark.parametrize("number", range(RUNS))
def test_campaigns_of_spark_in_one_java(number: int, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """Drivers are killed, while the JVM stays; so a kill takes seconds, not the start of Spark."""
    place = postgresql_place(request.getfixturevalue("postgresql"))
    campaign = Campaign(place, tmp_path / "trail", f"java {number} {SEED}", 50)
    told = campaign.kill(JAVA, 7)
    noted = campaign.end(told)
    sys.stderr.write(f"java {number}: {told.count('killed')} kills, {noted} changes waited\n")


@pytest.mark.slow
@pytest.mark.spark
def test_spark_is_killed_with_its_java(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    place = postgresql_place(request.getfixturevalue("postgresql"))
    campaign = Campaign(place, tmp_path / "trail", f"with its java {SEED}", 30)
    kills = campaign.kill_spark(3)
    noted = campaign.end(f"{kills} kills")
    sys.stderr.write(f"spark: {kills} kills, {noted} changes waited\n")

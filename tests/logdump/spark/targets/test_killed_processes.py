"""Processes of ``apply`` that are killed at drawn moments: each change is applied once, and none is lost."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import logdump
from tests.logdump.spark.targets.bank import NAMES, batch_size, changes_of, differences, opened
from tests.logdump.spark.targets.direct import DRIVERS
from tests.logdump.spark.targets.places import mariadb_place, postgresql_place, sqlite_place
from tests.logdump.spark.targets.rows import Trail
from tests.searching import IS_LONG, Random, part_of
from tests.simulated.five_tables import bank_trail


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("base", part_of(["sqlite", "postgresql"], 0, 2))
def test_the_tables_are_those_of_the_source_whenever_a_process_is_killed(
    base: str, driver: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    trail = tmp_path / "trail"
    trail.mkdir()
    bank, extract = bank_trail(trail, 300 if IS_LONG else 12, seed=17, roll_chance=0.05)
    place = sqlite_place(tmp_path) if base == "sqlite" else postgresql_place(request.getfixturevalue("postgresql"))
    words = [driver, f"{trail}/sm*", place.url, ",".join(NAMES), batch_size(trail), "30" if IS_LONG else "3", "{}"]
    line = [sys.executable, "-m", "tests.logdump.spark.targets.killed_at", *words]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("killed")
    assert differences(bank, {name: place.rows(name) for name in NAMES}) == [], done.stdout
    [(changes,)] = place.query("SELECT sum(changes) FROM logdump_position")
    assert int(changes) == len(changes_of(trail)[0])
    [(csn,)] = place.query("SELECT max(csn) FROM logdump_position")
    assert csn == extract.csn


TABLE = json.dumps({"errors": "table"})
RULES = {
    "sqlite": (
        "CREATE TRIGGER thirds BEFORE INSERT ON events WHEN NEW.id % 3 = 0 BEGIN SELECT RAISE(ABORT, 'third'); END",
        "DROP TRIGGER thirds",
    ),
    "postgresql": (
        "ALTER TABLE events ADD CONSTRAINT thirds CHECK (id % 3 <> 0)",
        "ALTER TABLE events DROP CONSTRAINT thirds",
    ),
}


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("base", part_of(["sqlite", "postgresql"], 0, 2))
def test_what_is_refused_is_noted_once_whenever_a_process_is_killed(
    base: str, driver: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """Each change is applied once or noted, whatever is killed between the rows, what is noted and the position."""
    trail = tmp_path / "trail"
    trail.mkdir()
    bank, _ = bank_trail(trail, 300 if IS_LONG else 14, seed=19, roll_chance=0.05)
    place = sqlite_place(tmp_path) if base == "sqlite" else postgresql_place(request.getfixturevalue("postgresql"))
    rows, sources = changes_of(trail)
    with closing(place.target()) as target:
        opened(target, sources)
    begin, end = RULES[base]
    place.run(begin)
    words = [driver, f"{trail}/sm*", place.url, ",".join(NAMES), batch_size(trail), "30" if IS_LONG else "4", TABLE]
    line = [sys.executable, "-m", "tests.logdump.spark.targets.killed_at", *words]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    noted = place.query("SELECT rba, trail_file FROM logdump_errors")
    thirds = [row for row in rows.to_pylist() if row["_table"] == "BANK.EVENTS" and row["BANK.EVENTS"]["ID"] % 3 == 0]
    assert sorted(noted) == sorted((row["_rba"], row["_file"]) for row in thirds)
    [(changes,)] = place.query("SELECT sum(changes) FROM logdump_position")
    assert int(changes) + len(noted) == len(rows)
    place.run(end)
    assert logdump.retry(f"{trail}/sm*", place.url, [*NAMES]).rows == len(noted)
    assert differences(bank, {name: place.rows(name) for name in NAMES}) == []


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("base", part_of(["sqlite", "postgresql", "mariadb"], 0, 3))
def test_a_table_that_changes_is_that_of_the_source_whenever_a_process_is_killed(
    base: str, driver: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """Killed before and after ALTER TABLE, which is a transaction of its own in MariaDB, and at the position."""
    place = (
        sqlite_place(tmp_path)
        if base == "sqlite"
        else postgresql_place(request.getfixturevalue("postgresql"))
        if base == "postgresql"
        else mariadb_place(request.getfixturevalue("mariadb"))
    )
    random = Random(f"{driver} {base}")
    columns, rows = {"ID": "INT64", "A": "INT16"}, dict[int, dict[str, Any]]()
    trail = Trail({"S.T": columns})
    kinds = ("INT16", "INT64", "VARCHAR:30")
    for number in range(40):
        if number % 4 == 3:
            if number == 19 and base != "sqlite":
                columns["A"] = "INT64"
            else:
                columns[f"C{number}"] = kinds[number % 3]
            trail.alter("S.T", columns)
        names = [*columns][1:]
        values = ["text" if columns[name].startswith("V") else number for name in names]
        if number > 2 and random.random() < 0.4:
            key = random.randrange(number - 2)
            if key in rows:
                trail.update("S.T", key, *values)
                rows[key] |= dict(zip(names, values, strict=True))
                continue
        trail.insert("S.T", number, *values)
        rows[number] = dict(zip(names, values, strict=True))
    path = trail.write(tmp_path / "trail")
    words = [driver, str(path), place.url, "S.T", "600", "12" if IS_LONG else "5", '{"evolve": "add"}']
    line = [sys.executable, "-m", "tests.logdump.spark.targets.killed_at", *words]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("killed")
    names = [*columns]
    got = {row[0]: row[1:] for row in place.query(f"SELECT {', '.join(names)} FROM t")}
    assert got == {key: tuple(row.get(name) for name in names[1:]) for key, row in rows.items()}, done.stdout
    assert place.query("SELECT changes FROM logdump_position") == [(40,)]

"""Processes of ``apply`` that are killed at drawn moments, with truncates among moves, in each way of writing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.logdump.spark.targets.direct import DRIVERS
from tests.logdump.spark.targets.places import Place, mariadb_place, postgresql_place
from tests.logdump.spark.targets.rows import Trail
from tests.logdump.spark.targets.ways import COLUMNS, TABLE, WAYS, Model, Row, expected, found, transaction, write
from tests.searching import SEED, Random, part_of


def _campaign(place: Place, driver: str, way: str, folder: Path, *, transactions: int, kills: int, about: str) -> None:
    """Apply drawn transactions by processes that are killed, and hold what is there against the model."""
    random = Random(about)
    trail, model, rows = Trail({TABLE: COLUMNS}), Model(), dict[int, Row]()
    for number in range(transactions):
        steps = transaction(random, rows, truncates=0.3)
        write(trail, steps)
        model.transaction(str(101 + number), steps)
    path = trail.write(folder / "trail")
    batch = str(max(path.stat().st_size // random.randint(3, 12), 300))
    words = [driver, str(path), place.url, TABLE, batch, str(kills), json.dumps(WAYS[way])]
    line = [sys.executable, "-m", "tests.logdump.spark.targets.killed_at", *words]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("killed")
    assert found(place, way) == expected(model, way), done.stdout
    [(changes,)] = place.query("SELECT changes FROM logdump_position")
    assert int(changes) == len(model.changes)


CASES = [(driver, way) for driver in DRIVERS for way in WAYS]


@pytest.mark.parametrize(("driver", "way"), part_of(CASES, 0, 2))
def test_each_change_is_written_once_whenever_a_process_is_killed(
    driver: str, way: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    place = postgresql_place(request.getfixturevalue("postgresql"))
    _campaign(place, driver, way, tmp_path, transactions=25, kills=3, about=f"{driver} {way}")


@pytest.mark.slow
@pytest.mark.parametrize("base", ["postgresql", "mariadb"])
@pytest.mark.parametrize(("driver", "way"), CASES)
def test_each_change_is_written_once_by_long_trails_and_many_kills(
    driver: str, way: str, base: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    server = request.getfixturevalue(base)
    for number in range(3):
        place = postgresql_place(server) if base == "postgresql" else mariadb_place(server)
        folder = tmp_path / str(number)
        folder.mkdir()
        about = f"{driver} {way} {base} {number} {SEED}"
        _campaign(place, driver, way, folder, transactions=300, kills=25, about=about)

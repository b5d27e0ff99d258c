"""Publishers that are killed at drawn moments: each change is published at least once, and in order."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.logdump.spark.targets.bank import NAMES, batch_size
from tests.logdump.spark.targets.direct import DRIVERS
from tests.logdump.targets.kafka.brokers import Cluster, Sent, mock_cluster, tansu
from tests.logdump.targets.kafka.test_publish import exported, in_partitions, timeless
from tests.searching import IS_LONG, Random
from tests.simulated.five_tables import bank_trail

__all__ = ["tansu"]
TRANSACTIONS, KILLS = (300, "30") if IS_LONG else (30, "5")


@pytest.mark.parametrize("driver", DRIVERS)
def test_nothing_is_lost_or_overtaken_whenever_a_publisher_is_killed(
    driver: str, tansu: Cluster, tmp_path: Path
) -> None:
    topic = driver.replace(" ", "")
    given = {"topics": f"{topic}.{{table}}", "positions": f"{topic}.positions", "create": True}
    _publish(driver, tmp_path, tansu, given)
    _check(tmp_path, tansu, f"{topic}.")


@pytest.mark.slow
def test_nor_on_the_mock_cluster(tmp_path: Path) -> None:
    with mock_cluster(*NAMES, "logdump_position") as cluster:
        _publish("in process", tmp_path, cluster, {"format": "ogg"})
        _check(tmp_path, cluster, "", "ogg")


def _publish(driver: str, folder: Path, cluster: Cluster, given: dict[str, Any]) -> None:
    bank_trail(folder, TRANSACTIONS, seed=Random(driver).randrange(10**6), roll_chance=0.05)
    given = {"once": True, "batch": batch_size(folder, 8), "truncates": "write", **given}
    words = [driver, f"{folder}/sm*", cluster.url, KILLS, json.dumps(given)]
    line = [sys.executable, "-m", "tests.logdump.targets.kafka.killed_publish", *words]
    done = subprocess.run(line, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("killed")


def _check(folder: Path, cluster: Cluster, prefix: str, form: str = "debezium") -> None:
    wanted = exported(folder, form)
    for table in NAMES:
        sent = cluster.sent(f"{prefix}{table}")
        messages = wanted.get(table, [])
        of_parts = {
            part: [messages.index(timeless(message.value)) for message in own if message.value]
            for part, own in _own(sent)
        }
        assert sorted({number for numbers in of_parts.values() for number in numbers}) == [*range(len(messages))]
        for part, numbers in of_parts.items():
            own_numbers = sorted({*numbers})
            assert _goes_on(numbers, own_numbers), (table, part, numbers)


def _own(sent: list[Sent]) -> list[tuple[int, list[Sent]]]:
    return [*in_partitions(sent).items()]


def _goes_on(numbers: list[int], every: list[int]) -> bool:
    """Whether the numbers go up one by one, but for steps back from which they go up again, to the last one."""
    places = [every.index(number) for number in numbers]
    steps = itertools.pairwise(places)
    return not places or (
        places[0] == 0 and places[-1] == len(every) - 1 and all(after <= before + 1 for before, after in steps)
    )

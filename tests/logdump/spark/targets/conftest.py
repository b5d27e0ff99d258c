"""The targets, and ``apply`` without a JVM."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.logdump.spark.targets.direct import apply
from tests.logdump.spark.targets.places import place
from tests.searching import IS_LONG, Random

__all__ = ["apply", "place"]
_HERE = Path(__file__).parent


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """In the short form a test of each database by each driver runs with SQLite by one, with a server by the other.

    Which server and which driver it is, is drawn anew for each test in each run.
    """
    if IS_LONG:
        return
    left_out = {item for item in items if not _is_chosen(item) and item.path.parent == _HERE}
    config.hook.pytest_deselected(items=[*left_out])
    items[:] = [item for item in items if item not in left_out]


def _is_chosen(item: pytest.Item) -> bool:
    if not isinstance(item, pytest.Function) or not {"place", "apply"} <= set(item.fixturenames):
        return True
    given = dict(item.callspec.params)
    chosen = given.pop("place"), given.pop("apply")
    random = Random(f"{item.path.name} {item.originalname} {sorted(map(str, given.values()))}")
    drivers = random.sample(["in process", "spark"], 2)
    return chosen in (("sqlite", drivers[0]), (random.choice(["postgresql", "mariadb"]), drivers[1]))

"""GG_LAG and GG_LAG_HISTORY from a trail are what the target's own tables answer, whatever the ways and the clocks."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import pytest

from fixtures.flavour import MYSQL_21, ORACLE_12, Flavour
from fixtures.heartbeats import HEARTBEAT, HISTORY
from logdump.features.heartbeat.columns import lag, lag_history
from logdump.features.heartbeat.model import HeartbeatRow
from logdump.features.heartbeat.reading import HeartbeatReader
from tests.logdump.heartbeats.target import captured
from tests.searching import examples
from tests.simulated.heartbeat_trails import BEGUN, EPOCH, HeartbeatTrail
from tests.simulated.heartbeats import (
    LAG,
    LAG_HISTORY,
    Database,
    Row,
    asked,
    drawn_links,
)
from trailformat import TrailFile


def rows_of(path: Path, base: str = "GG_HEARTBEAT") -> list[HeartbeatRow]:
    with TrailFile(path) as trail:
        return [one for one in HeartbeatReader(base=base).rows(trail) if isinstance(one, HeartbeatRow)]


def plain(answer: Any, names: list[str]) -> Row:
    """The members of an answer as the simulation has them."""
    row: Row = {}
    for name in names:
        value = getattr(answer, name.lower())
        if isinstance(value, Decimal):
            value = float(value)
        if isinstance(value, datetime):
            value = round((value - EPOCH.replace(tzinfo=None)).total_seconds() * 10**6)
        row[name] = value
    return row


@pytest.mark.parametrize("flavour", [ORACLE_12, MYSQL_21], ids=lambda one: one.release)
@pytest.mark.parametrize("is_mutual", [True, False], ids=["both ways", "one way"])
@pytest.mark.parametrize("seed", range(examples(4)))
def test_the_history_of_lags_is_that_of_the_target(
    seed: int, is_mutual: bool, flavour: Flavour, tmp_path: Path
) -> None:
    random = Random(seed)
    for number, link in enumerate(drawn_links(random, [Database("EAST"), Database("WEST"), Database("NORTH")])):
        trail = HeartbeatTrail(tmp_path / f"hh{number:09}", flavour=flavour)
        path = captured(link, random, trail, is_mutual=is_mutual)
        expected = asked(link.target, LAG_HISTORY)
        assert all((one["outgoing_routine_lag"] is not None) == is_mutual for one in expected)
        assert [plain(one, list(expected[0])) for one in lag_history(rows_of(path))] == expected


@pytest.mark.parametrize("is_mutual", [True, False], ids=["both ways", "one way"])
@pytest.mark.parametrize("seed", range(examples(4)))
def test_the_lag_is_that_of_the_target_at_the_moment(seed: int, is_mutual: bool, tmp_path: Path) -> None:
    random = Random(seed)
    link = next(drawn_links(random, [Database("EAST"), Database("WEST")]))
    path = captured(link, random, HeartbeatTrail(tmp_path / "hb000000000"), is_mutual=is_mutual)
    at = random.randint(0, 10**9)
    expected = asked(link.target, LAG, at=at)
    assert all((one["outgoing_lag"] is not None) == is_mutual for one in expected)
    assert [plain(one, list(expected[0])) for one in lag(rows_of(path), lambda: BEGUN + at)] == expected


@pytest.mark.parametrize("seed", range(examples(3)))
def test_columns_count_by_their_names_whatever_their_order_and_case(seed: int, tmp_path: Path) -> None:
    random = Random(seed)
    link = next(drawn_links(random, [Database("EAST"), Database("WEST")]))
    key, *others = (name.lower() for name in HEARTBEAT)
    random.shuffle(others)
    history = random.sample(HISTORY, len(HISTORY))
    trail = HeartbeatTrail(tmp_path / "hb000000000", heartbeat=[key, *others], history=history, base="OPS.PULSE")
    path = captured(link, random, trail)
    expected = asked(link.target, LAG_HISTORY)
    assert [plain(one, list(expected[0])) for one in lag_history(rows_of(path, "ops.pulse"))] == expected


def test_tables_of_before_19c_lack_the_restart_and_nothing_else(tmp_path: Path) -> None:
    random = Random(1)
    link = next(drawn_links(random, [Database("EAST"), Database("WEST")]))
    path = captured(link, random, HeartbeatTrail(tmp_path / "hb000000000", history=HISTORY[:-4]))
    expected = asked(link.target, LAG_HISTORY)
    for row in expected:
        row.update(dict.fromkeys(name for name in row if "restart" in name or "oldest_open" in name or "lwm" in name))
    assert [plain(one, list(expected[0])) for one in lag_history(rows_of(path))] == expected

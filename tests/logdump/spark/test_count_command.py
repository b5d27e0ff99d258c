"""ENGINE SPARK: COUNT prints what it prints under the local engine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fixtures import TRAILS
from logdump.commands import REGISTRY
from logdump.events import JobProgress
from logdump.language.execute import run_line
from logdump.render.text import render
from logdump.session import Session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

FILES = sorted(path.name for path in TRAILS.iterdir())
ENGINE = "engine spark local[2,4]"


class Compared:
    """Two sessions that are told the same: one counts here, the other in Spark."""

    def __init__(self) -> None:
        self.local, self.spark = Session(), Session()
        self("timeoffset gmt")
        run(self.spark, ENGINE)

    def __call__(self, line: str) -> list[str]:
        """Run a line in both; returns what both print."""
        local, spark = run(self.local, line), run(self.spark, line)
        assert spark == local
        return local


def run(session: Session, line: str) -> list[str]:
    """What a line prints; the progress of jobs aside."""
    events = [event for event in run_line(session, REGISTRY, line) if not isinstance(event, JobProgress)]
    return [text for event in events for text in render(event, session.settings)]


@pytest.fixture
def both(spark: SparkSession) -> Iterator[Compared]:  # noqa: ARG001 - the one that is used
    sessions = Compared()
    yield sessions
    sessions.local.end()
    sessions.spark.end()


@pytest.mark.parametrize("name", FILES)
def test_every_fixture_is_counted_alike(both: Compared, name: str) -> None:
    both(f"open {TRAILS / name}; transhist 5; transreclimit 2; transbytelimit 300")
    assert "has" in both("count detail")[0]


def test_the_real_trail_is_counted_alike(both: Compared, evidence: Path) -> None:
    both(f"open {evidence / 'tr000000000'}")
    assert len(both("count detail")) > 10
    assert both("filter include iotype insert; count")[-2].startswith("Filtering matched")

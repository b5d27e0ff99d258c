"""SQL gives no rows of half a reading: stopped, damaged, a file that is no trail; of a missing one it says so first."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fixtures import TRAILS
from logdump.commands import REGISTRY
from logdump.features.sql import command as sql
from logdump.features.sql.model import RowsShown
from logdump.language.execute import run_line
from logdump.session.errors import ExitStatus
from logdump.session.events import Event, Failure, JobProgress, Notice
from tests.logdump.spark.engines import ENGINE, Told
from tests.logdump.test_partial import _damaged
from tests.searching import IS_LONG, in_turn
from tests.simulated import late_replication as late
from tests.simulated.heartbeat_trails import HeartbeatTrail

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

VIEWS = ("records", "restarts", "transactions")


@pytest.fixture
def told(spark: SparkSession, tmp_path: Path) -> Iterator[Told]:  # noqa: ARG001 - the one that SQL finds
    for number in (0, 1, 2):
        (tmp_path / f"at00000000{number}").write_bytes((TRAILS / f"at00000000{number}").read_bytes())
    opened = Told(f"{ENGINE}; open {tmp_path / 'at000000000'}")
    yield opened
    opened.session.end()


def run(told: Told, tmp_path: Path, view: str) -> list[Event]:
    told(f"sql over {tmp_path}/at00000000? select count(*) from {view}")
    return [event for event in told.events if not isinstance(event, JobProgress)]


@pytest.mark.parametrize(("view", "lacks"), in_turn(VIEWS, ["damage", "a file that is no trail"]))
def test_what_cannot_be_read_gives_no_rows(view: str, lacks: str, told: Told, tmp_path: Path) -> None:
    if lacks == "damage":
        _damaged(TRAILS, tmp_path, "at00000000?")
    else:
        (tmp_path / "at000000001").write_bytes(b"no trail at all")
    (failure,) = (event for event in run(told, tmp_path, view) if isinstance(event, Failure))
    assert failure.status is ExitStatus.BAD_DATA
    assert not [event for event in told.events if isinstance(event, RowsShown)]


@pytest.mark.parametrize("view", VIEWS if IS_LONG else ["transactions"])
def test_a_missing_file_is_said_first(view: str, told: Told, tmp_path: Path) -> None:
    (tmp_path / "at000000001").unlink()
    events = [event for event in run(told, tmp_path, view) if not isinstance(event, Notice) or event.status]
    first, shown = events
    assert isinstance(first, Notice)
    assert first == Notice(("Files missing at 1 place: this is partial, without a verdict.",), ExitStatus.BAD_DATA)
    assert isinstance(shown, RowsShown)


def test_it_shows_progress_from_before_spark_starts(told: Told, tmp_path: Path) -> None:
    events = list[Event]()
    for event in run_line(told.session, REGISTRY, f"sql over {tmp_path}/at00000000? select count(*) from records"):
        events.append(event)
    told_of = [event for event in events if isinstance(event, JobProgress)]
    assert events[0] == told_of[0] == JobProgress()
    assert len(told_of) > 1, "before it starts, and while the job runs"
    assert all(0 <= progress.done <= progress.tasks for progress in told_of)
    assert isinstance(events[-1], RowsShown)


def test_what_was_stopped_gives_no_rows(told: Told, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_: object) -> Iterator[Event]:
        yield JobProgress()
        raise KeyboardInterrupt

    monkeypatch.setattr(sql, "_results", stopped)
    with pytest.raises(KeyboardInterrupt):
        run(told, tmp_path, "records")
    monkeypatch.undo()
    events = told.events
    assert not [event for event in events if isinstance(event, RowsShown)]


def test_the_heartbeat_tables_are_those_that_params_names(told: Told, tmp_path: Path) -> None:
    trail = HeartbeatTrail(tmp_path / "pu000000000", base="OPS.PULSE")
    trail.insert(late.beat(0, 1.0), 0)
    path = trail.close()
    (tmp_path / "e.prm").write_text("EXTRACT e\nHEARTBEATTABLE OPS.PULSE\n")
    assert told(f"sql over {path} select count(*) n from heartbeats")[2].strip() == "0"
    told(f"params {tmp_path / 'e.prm'}")
    assert told(f"sql over {path} select count(*) n from heartbeats")[2].strip() == "1"

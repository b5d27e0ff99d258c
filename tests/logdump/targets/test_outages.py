"""How long a run waits for a target: each outage has the whole of its patience, and one that never ends has an end."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import logdump
from logdump.targets.database import DatabaseTarget
from logdump.targets.in_process import InProcess, apply_run
from logdump.targets.run import Outage, run_of
from logdump.targets.run_options import RunOptions
from logdump.targets.target import ApplyProgress, TargetLost
from tests.logdump.spark.targets.places import Place, sqlite_place
from tests.logdump.spark.targets.rows import Trail
from tests.searching import Random

Moment = tuple[str, float]
"""What an attempt reaches before the target is lost, and the seconds until then: closed, open, or a commit."""
PATIENCE = 60.0


class Clock:
    """A clock that goes on when an attempt says so, and while a run waits."""

    def __init__(self) -> None:
        self.now = 1000.0

    def wait(self, seconds: float) -> bool:
        self.now += seconds
        return False


def waited(moments: Sequence[Moment], monkeypatch: pytest.MonkeyPatch, folder: Path) -> tuple[int, bool]:
    """The number of outages of a run whose attempts are these, and whether it gets to its end."""
    trail = Trail({"S.T": {"ID": "INT64"}})
    options = RunOptions.of("*", {"patience": PATIENCE})
    run = run_of(InProcess(once=True), trail.write(folder / "a"), sqlite_place(folder).url, options)
    clock, left = Clock(), [*moments]
    monkeypatch.setattr("logdump.targets.run.time.monotonic", lambda: clock.now)
    monkeypatch.setattr(run, "_stop", threading.Event())
    monkeypatch.setattr(run._stop, "wait", clock.wait)

    def attempt() -> Iterator[ApplyProgress]:
        if not left:
            return
        kind, seconds = left.pop(0)
        run._is_open = kind != "closed"
        run._commits += kind == "commit"
        clock.now += seconds
        yield run.progress
        raise TargetLost("gone")

    outages = 0
    try:
        for step in run._through_outages(attempt):
            outages += isinstance(step, Outage)
    except TargetLost:
        return outages, False
    return outages, True


def test_each_outage_has_the_whole_patience(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    closed: list[Moment] = [("closed", 0.0)] * 45
    cases: list[tuple[list[Moment], tuple[int, bool]]] = [
        ([], (0, True)),
        ([("open", 5.0), *closed], (1, True)),
        ([("open", 5.0), *closed, *closed], (1, False)),
        ([("commit", 5.0), *closed, ("commit", 1.0), *closed], (2, True)),
        ([("commit", 5.0), *closed, ("open", 1.0), *closed], (2, True)),
        ([("commit", 5.0), *closed, ("open", 3600.0), *closed, ("open", 2.0), *closed], (3, True)),
        ([*[("commit", 1.0)] * 7, *closed, ("open", 1.0), *closed], (8, True)),
        ([("commit", 5.0), ("closed", 70.0), *closed], (1, False)),
    ]
    for moments, expected in cases:
        assert waited(moments, monkeypatch, tmp_path) == expected, moments


def test_a_target_that_is_lost_at_each_change_ends_the_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    random = Random()
    for _ in range(20):
        forever = [("open", random.choice((0.0, 1.0, 7.0))) for _ in range(1000)]
        outages, has_ended = waited(forever, monkeypatch, tmp_path)
        assert not has_ended
        assert outages < 10
        assert waited([("commit", 1.0)] * 300, monkeypatch, tmp_path) == (300, True)


@pytest.fixture
def noted(tmp_path: Path) -> tuple[Path, Place]:
    """A trail and a target with twelve changes that are noted, and are no longer refused."""
    place, trail = sqlite_place(tmp_path), Trail({"S.T": {"ID": "INT64", "NAME": "VARCHAR"}})
    place.run("CREATE TABLE t (id bigint PRIMARY KEY, name text CHECK (name <> 'bad'))")
    for number in range(12):
        trail.insert("S.T", number, "bad")
    path = trail.write(tmp_path / "a")
    assert logdump.apply(path, place.url, once=True, errors="table").refused == 12
    place.run("PRAGMA writable_schema = 1", "PRAGMA ignore_check_constraints = 1", "ALTER TABLE t RENAME TO old")
    place.run("CREATE TABLE t (id bigint PRIMARY KEY, name text)")
    return path, place


def test_a_retry_ends_after_the_current_transaction_and_goes_on(
    noted: tuple[Path, Place], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, place = noted
    stop, after = threading.Event(), Random().randrange(1, 11)
    commit, commits = DatabaseTarget.commit, 0

    def counted(target: DatabaseTarget, positions: Any) -> None:
        nonlocal commits
        commits += 1
        if commits == after:
            stop.set()
        commit(target, positions)

    monkeypatch.setattr(DatabaseTarget, "commit", counted)
    done = logdump.retry(path, place.url, stop=stop)
    assert (done.rows, done.refused) == (after, 12 - after)
    assert len(place.rows("S.T")) == after
    done = logdump.retry(path, place.url)
    assert (done.rows, done.refused) == (12 - after, 0)


def test_a_retry_survives_outages(noted: tuple[Path, Place], monkeypatch: pytest.MonkeyPatch) -> None:
    path, place = noted
    apply, calls, random = DatabaseTarget.apply, 0, Random()
    lost = {*random.sample(range(1, 14), 3)}

    def losing(target: DatabaseTarget, *given: Any, **more: Any) -> None:
        nonlocal calls
        calls += 1
        if calls in lost:
            raise TargetLost("gone")
        apply(target, *given, **more)

    monkeypatch.setattr(DatabaseTarget, "apply", losing)
    run = apply_run(path, place.url, patience=0.05)
    outages = [step for step in run.retries() if isinstance(step, Outage)]
    assert len(outages) >= 1
    assert (run.progress.rows, run.progress.refused) == (12, 0)
    assert len(place.rows("S.T")) == 12
    monkeypatch.setattr(DatabaseTarget, "open", lambda *_given: (_ for _ in ()).throw(TargetLost("gone")))
    with pytest.raises(TargetLost):
        logdump.retry(path, place.url, patience=0.0)

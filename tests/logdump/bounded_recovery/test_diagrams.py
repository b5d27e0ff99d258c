"""The three diagrams of the seed's example: what is persisted at n, n + 1 and n + 3000, and where a restart reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from logdump.features.bounded_recovery.checkpoints import BrCheckpoints
from logdump.features.bounded_recovery.model import (
    BeginSource,
    BrRestartShown,
    CheckpointShown,
    LongTransactionShown,
    RestartKind,
    TransactionInterval,
)
from logdump.session.events import Event
from tests.logdump.bounded_recovery.test_simulated import redo_of, survey
from tests.simulated.bounded_recovery import BEGUN, HOUR, INTERVAL, MINUTE, N_3000, N, diagrams, write_trail
from trailformat.transactions.redo_clock import RedoPlace


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_trail(tmp_path_factory.mktemp("br") / "br000000000", diagrams())


def checkpoint(events: list[Event], number: int) -> CheckpointShown:
    return next(event for event in events if isinstance(event, CheckpointShown) and event.number == number)


def restarted(path: Path, at: int, **options: object) -> BrRestartShown:
    events = survey(path, None, restart=BEGUN + at, **options)
    return next(event for event in events if isinstance(event, BrRestartShown))


def test_at_n_five_are_open_t27_and_t45_persisted_and_a_restart_reads_from_t801(path: Path) -> None:
    found = checkpoint(survey(path), N)
    assert (found.open, found.persisted, found.dirty, redo_of(found).xid) == (5, 2, 0, "9.9.801")


def test_at_n_plus_1_t45_is_written_anew(path: Path) -> None:
    assert checkpoint(survey(path), N + 1).dirty == 1


def test_without_a_transaction_that_is_not_persisted_the_checkpoint_itself_is_read_from(path: Path) -> None:
    found = checkpoint(survey(path), N + 1)
    assert (redo_of(found).time, redo_of(found).xid) == (found.time, None)


@pytest.mark.parametrize("after", [0, HOUR, 4 * HOUR - MINUTE])
def test_a_stop_between_n_and_n_plus_1_recovers_from_t801_of_n(after: int, path: Path) -> None:
    found = restarted(path, N * INTERVAL + after)
    assert (found.kind, found.with_br.start.xid, found.from_disk) == (RestartKind.BOUNDED, "9.9.801", 2)


def test_a_failure_while_n_plus_1_is_written_recovers_from_n_within_two_intervals(path: Path) -> None:
    found = restarted(path, (N + 1) * INTERVAL, fails=True)
    assert (found.checkpoint, found.with_br.start.xid) == (BEGUN + N * INTERVAL, "9.9.801")
    assert found.bound == 2 * INTERVAL > found.with_br.back


def test_without_br_it_would_read_from_t27(path: Path) -> None:
    assert restarted(path, N * INTERVAL + HOUR).without_br.start.xid == "9.9.27"


def test_at_n_plus_3000_t27_and_t45_alone_are_persisted_and_a_restart_reads_from_t208412(path: Path) -> None:
    found = checkpoint(survey(path), N + 3000)
    assert (found.open, found.persisted, redo_of(found).xid) == (4, 2, "9.9.208412")
    failed = restarted(path, N_3000 + 2 * HOUR)
    assert (failed.from_disk, failed.with_br.start.xid) == (2, "9.9.208412")


def test_a_transaction_that_is_open_for_24_hours_makes_a_restart_read_no_more_than_8(path: Path) -> None:
    found = restarted(path, 26 * HOUR)
    assert found.without_br.back > 24 * HOUR
    assert found.with_br.back < 8 * HOUR


def test_where_no_persisted_transaction_is_open_recovery_is_normal(path: Path) -> None:
    found = restarted(path, 3 * HOUR)
    assert (found.kind, found.with_br) == (RestartKind.NORMAL, found.without_br)
    assert (found.with_br.start.xid, found.from_disk) == ("9.9.27", 0)


def test_where_none_is_open_reading_goes_on_where_it_ended(path: Path) -> None:
    found = restarted(path, HOUR)
    assert (found.kind, found.with_br.back) == (RestartKind.READ_CHECKPOINT, 0)


def test_the_oldest_redo_log_that_is_needed_is_named_with_how_many_there_are(path: Path) -> None:
    found = restarted(path, N_3000 + 2 * HOUR, log_size=10**6)
    assert found.without_br.start.place is not None
    assert (found.without_br.start.place.log, found.without_br.logs) == (59, 2)
    assert found.without_br.bytes is not None


def test_long_running_are_those_open_for_longer_than_the_interval(path: Path) -> None:
    found = [event for event in survey(path) if isinstance(event, LongTransactionShown) and event.certain]
    assert {transaction.began.xid for transaction in found} == {
        f"9.9.{number}" for number in (27, 45, 801, 950, 1024, 208412, 208863)
    }


def _begun(xid: str, place: RedoPlace | None, begin: int = 0) -> TransactionInterval:
    """A transaction that is still open."""
    return TransactionInterval(None, xid, None, begin, BeginSource.GIVEN, None, place, None, None, 1, 1)


@pytest.mark.parametrize("is_turned", [False, True])
@pytest.mark.parametrize(
    ("places", "oldest"),
    [
        ((RedoPlace(7, 500), RedoPlace(7, 400)), "b"),
        ((RedoPlace(8, 1), RedoPlace(7, 900)), "b"),
        ((RedoPlace(7, 400), RedoPlace(7, 500)), "a"),
    ],
)
def test_of_two_that_begin_at_one_moment_the_one_whose_redo_comes_first_is_read_from(
    places: tuple[RedoPlace, RedoPlace], oldest: str, is_turned: bool
) -> None:
    checkpoints = BrCheckpoints(0, INTERVAL, INTERVAL)
    open_ones = [_begun(xid, place) for xid, place in zip("ab", places, strict=True)]
    for transaction in reversed(open_ones) if is_turned else open_ones:
        checkpoints.add(transaction)
    assert checkpoints.restart(0).xid == oldest


def _committed(xid: str, end: int, last: int) -> TransactionInterval:
    """A transaction whose last record is at that position of log 7."""
    place = RedoPlace(7, last)
    return TransactionInterval("1", xid, None, end, BeginSource.GIVEN, end, place, place, None, 1, 1)


@pytest.mark.parametrize("is_turned", [False, True])
def test_a_checkpoint_is_as_far_in_the_redo_as_the_farthest_commit_before_it(is_turned: bool) -> None:
    """Three commits between two checkpoints, then three whose redo was written before."""
    checkpoints = BrCheckpoints(0, INTERVAL, 5 * INTERVAL)
    places = (((1, 200), (2, 900), (3, 500)), ((1, 800), (2, 300), (3, 600)), ((1, 1000), (2, 700), (3, 950)))
    done = [
        _committed("a", number * INTERVAL + moment, place)
        for number, commits in enumerate(places)
        for moment, place in commits
    ]
    for transaction in reversed(done) if is_turned else done:
        checkpoints.add(transaction)
    reached = [checkpoints.restart(number).place for number in range(5)]
    assert [place.position if place is not None else None for place in reached] == [None, 900, 900, 1000, 1000]


def test_the_earlier_moment_counts_before_the_place() -> None:
    checkpoints = BrCheckpoints(HOUR, INTERVAL, HOUR + INTERVAL)
    for transaction in (
        _begun("late", RedoPlace(7, 1), 2),
        _begun("early", RedoPlace(9, 1), 1),
        _begun("later", None, 3),
    ):
        checkpoints.add(transaction)
    assert checkpoints.restart(0).xid == "early"

"""What BR tells of a simulated database is what its history says, worked out over plain lists."""

from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from logdump.features.bounded_recovery.checkpoints import MOST_CHECKPOINTS, BrCheckpoints, GivenBegin
from logdump.features.bounded_recovery.model import (
    BeginSource,
    BoundedRecoveryShown,
    BrIntervalShown,
    BrOptions,
    BrRestartShown,
    CheckpointShown,
    ClockState,
    LongTransactionShown,
    RedoStart,
    RestartKind,
    TransactionInterval,
)
from logdump.features.bounded_recovery.survey import BrSurvey
from logdump.session.events import Event
from tests.searching import Random, examples
from tests.simulated.bounded_recovery import BEGUN, HOUR, Worked, drawn_history, write_trail
from trailformat.trail.row_definitions import RowDefinitions
from trailformat.transactions.whole_trail import WholeTrail

History = tuple[Worked, ...]
INTERVAL = 4 * HOUR
FAR = 10**18


def read_anew(path: Path, history: History | None = None, **options: object) -> list[Event]:
    """The answer of BR; with a history the begins of all of its transactions are given."""
    given = {
        drawn.xid: GivenBegin(
            1, drawn.xid, BEGUN + drawn.begin, None if drawn.end is None else BEGUN + drawn.end, len(drawn.operations)
        )
        for drawn in history or ()
    }
    run = BrSurvey(WholeTrail.around(path), BrOptions(**{"first": BEGUN, **options}), given)  # type: ignore[arg-type]
    for _ in run.run(10**9):
        pass
    return list(run.events("it", RowDefinitions, is_partial=False))


survey = cache(read_anew)
"""The same about a trail that does not change any more."""


class At(NamedTuple):
    """A checkpoint: how many are open, how many persisted, and from when a restart reads."""

    number: int
    open: int
    persisted: int
    restart: int


def checkpoints_of(history: History, interval: int = INTERVAL) -> list[At]:
    """The same from the history alone."""
    last = max(drawn.end for drawn in history if drawn.end is not None and drawn.is_committed)
    found = []
    for number in range(last // interval + 1):
        time = number * interval
        is_open = [drawn for drawn in history if drawn.begin <= time < (FAR if drawn.end is None else drawn.end)]
        young = [drawn.begin for drawn in is_open if drawn.begin >= time - interval]
        if is_open:
            found.append(At(number, len(is_open), len(is_open) - len(young), min(young, default=time)))
    return found


def redo_of(shown: CheckpointShown) -> RedoStart:
    """From where a restart after a checkpoint reads, which a whole reading always tells."""
    assert shown.restart is not None
    return shown.restart


def shown_checkpoints(events: list[Event]) -> list[At]:
    shown = [event for event in events if isinstance(event, CheckpointShown)]
    return [
        At(checkpoint.number, checkpoint.open, checkpoint.persisted, redo_of(checkpoint).time - BEGUN)
        for checkpoint in shown
    ]


def restart(path: Path, history: History, at: int, **options: object) -> BrRestartShown:
    events = survey(path, history, restart=BEGUN + at, **options)
    return next(event for event in events if isinstance(event, BrRestartShown))


@pytest.fixture(scope="module", params=range(examples(3)))
def history(request: pytest.FixtureRequest) -> History:
    return tuple(drawn_history(Random(request.param), short=120))


@pytest.fixture(scope="module")
def path(history: History, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_trail(tmp_path_factory.mktemp("drawn") / "br000000000", history)


def test_with_the_begins_of_all_every_checkpoint_is_that_of_the_history(path: Path, history: History) -> None:
    assert shown_checkpoints(survey(path, history)) == checkpoints_of(history)


def test_without_them_every_true_begin_lies_between_its_bounds(path: Path, history: History) -> None:
    true = {drawn.xid: drawn.begin for drawn in history}
    # longer than nothing lists all but those that were committed at once
    found = [event for event in survey(path, longer=1) if isinstance(event, LongTransactionShown)]
    assert found
    for began in (event.began for event in found):
        assert began.source is BeginSource.REDO_CLOCK
        assert (began.low or 0) - BEGUN <= true[began.xid or ""] <= began.high - BEGUN


def test_a_transaction_that_is_long_for_certain_is_long(path: Path, history: History) -> None:
    lengths = {drawn.xid: drawn.end - drawn.begin for drawn in history if drawn.end is not None}
    found = [event for event in survey(path) if isinstance(event, LongTransactionShown)]
    assert all(lengths[long.began.xid or ""] > INTERVAL for long in found if long.certain)


def test_none_that_is_long_and_committed_is_left_out(path: Path, history: History) -> None:
    found = [event.began for event in survey(path) if isinstance(event, LongTransactionShown)]
    sure = {began.xid for began in found}
    for drawn in history:
        if (
            drawn.is_committed
            and drawn.end is not None
            and drawn.end - drawn.begin > INTERVAL
            and drawn.begin > 3 * HOUR
        ):
            assert drawn.xid in sure


def test_a_restart_reads_less_than_two_intervals_and_never_more_than_without_br(path: Path, history: History) -> None:
    for at in range(0, 30 * HOUR, 3 * HOUR + HOUR // 7):
        found = restart(path, history, at)
        assert 0 <= found.with_br.back < 2 * INTERVAL == found.bound
        assert found.with_br.back <= found.without_br.back
        assert found.with_br.start.time <= BEGUN + at


def test_without_br_a_restart_reads_from_the_oldest_open_transaction(path: Path, history: History) -> None:
    at = 17 * HOUR
    begins = [drawn.begin for drawn in history if drawn.begin <= at < (FAR if drawn.end is None else drawn.end)]
    assert restart(path, history, at).without_br.start.time - BEGUN == min(begins, default=at)


def test_what_is_captured_again_was_committed_between_the_start_and_the_restart(
    history: History, tmp_path: Path
) -> None:
    """One transaction at least is open at the restart, and one was rolled back before."""
    more = Worked(1001, (17 * HOUR,), 21 * HOUR), Worked(1002, (18 * HOUR,), 19 * HOUR, is_committed=False)
    history = (*history, *more)
    found = restart(write_trail(tmp_path / "br000000000", history), history, 20 * HOUR).without_br
    ended = [drawn for drawn in history if drawn.end is not None and found.start.time - BEGUN < drawn.end <= 20 * HOUR]
    again = [drawn for drawn in ended if drawn.is_committed]
    assert len(again) < len(ended)
    assert found.recaptured == len(again)


@pytest.mark.parametrize("interval", [HOUR // 3, HOUR, 4 * HOUR])
def test_the_mean_reach_is_that_of_all_moments(interval: int, path: Path, history: History) -> None:
    (found,) = (event for event in survey(path, history, compare=(interval,)) if isinstance(event, BrIntervalShown))
    starts = {checkpoint.number: checkpoint.restart for checkpoint in checkpoints_of(history, interval)}
    last = max(drawn.end for drawn in history if drawn.end is not None and drawn.is_committed)
    step = HOUR // 60
    reaches = [at - starts.get(at // interval, at // interval * interval) for at in range(step // 2, last, step)]
    assert found.mean == pytest.approx(sum(reaches) / len(reaches), rel=0.01)
    assert max(reaches) <= found.greatest <= max(reaches) + step


@pytest.mark.parametrize(("begin", "persisted"), [(4 * HOUR - 1, 1), (4 * HOUR, 0), (4 * HOUR + 1, 0)])
def test_what_is_open_for_exactly_an_interval_is_not_persisted_yet(begin: int, persisted: int, tmp_path: Path) -> None:
    history = (Worked(1, (begin,), 9 * HOUR), Worked(2, (10 * HOUR,), 10 * HOUR))
    path = write_trail(tmp_path / "br000000000", history)
    found = {event.number: event.persisted for event in survey(path, history) if isinstance(event, CheckpointShown)}
    assert found[2] == persisted
    shown = restart(path, history, 8 * HOUR)
    assert (shown.from_disk, shown.kind) == (persisted, RestartKind.BOUNDED if persisted else RestartKind.NORMAL)


def test_two_redo_threads_are_told_and_nothing_is_reckoned_from_them(tmp_path: Path) -> None:
    path = write_trail(tmp_path / "br000000000", drawn_history(Random(3), short=60, threads=2))
    events = survey(path)
    (whole,) = (event for event in events if isinstance(event, BoundedRecoveryShown))
    assert whole.clock is ClockState.MIXED
    assert set(whole.sources) == {BeginSource.NONE}


def test_transactions_that_come_twice_count_once(path: Path, tmp_path: Path) -> None:
    first, second = (tmp_path / f"br{number:09}" for number in range(2))
    shutil.copy(path, first)
    whole, *others = read_anew(first)
    shutil.copy(path, second)
    both, *same = read_anew(first)
    assert isinstance(whole, BoundedRecoveryShown)
    assert isinstance(both, BoundedRecoveryShown)
    assert both._replace(copies=0) == whole
    assert (both.copies, same) == (sum(whole.sources.values()), others)


def test_times_of_operations_tell_the_begin_where_the_trail_has_them(history: History, tmp_path: Path) -> None:
    path = write_trail(tmp_path / "br000000000", history, commit_times=False)
    true = {transaction.xid: transaction for transaction in history}
    for found in (event.began for event in survey(path) if isinstance(event, LongTransactionShown)):
        if found.source is BeginSource.OPERATIONS:
            assert found.high - BEGUN == true[found.xid or ""].begin


def test_thousands_of_transactions_open_at_thousands_of_checkpoints_are_summed_in_no_time() -> None:
    count, number = MOST_CHECKPOINTS, 5_000
    many = BrCheckpoints(0, 1, count - 1)
    for begin in range(number):
        many.add(TransactionInterval(None, None, None, begin, BeginSource.NONE, None, None, None, None, 1, 10))
    last = many.shown()[-1]
    assert (last.number, last.open, last.persisted, last.persisted_bytes) == (count - 1, number, number, 10 * number)

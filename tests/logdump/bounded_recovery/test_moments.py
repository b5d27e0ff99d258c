"""Boundaries in time, over whole numbers: what holds at a moment, tried at each one."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fixtures import TRAILS
from logdump.features.bounded_recovery.checkpoints import BrCheckpoints, GivenBegin, began
from logdump.features.bounded_recovery.model import BeginSource, FirstSource, TransactionInterval
from logdump.features.bounded_recovery.survey import FirstPass, from_heartbeats
from logdump.features.heartbeat.model import HeartbeatRow
from logdump.features.heartbeat.reading import HeartbeatReader
from logdump.session.errors import CommandError
from tests.searching import examples
from tests.simulated.bounded_recovery import HOUR, SECOND, Worked, write_trail
from tests.simulated.heartbeat_trails import HeartbeatTrail
from tests.simulated.late_replication import beat
from trailformat import TrailFile
from trailformat.records.record_header import RESTART_OK
from trailformat.trail.row_definitions import RowDefinitions
from trailformat.trail.sequence import FilePosition
from trailformat.transactions.extent import Extent, Restart
from trailformat.transactions.extents import transactions_of
from trailformat.transactions.whole_trail import WholeTrail

STEP = 8
"""Moments between two of the whole numbers that are drawn, so that what is open up to one is seen."""


def _open(begin: int, end: int | None) -> TransactionInterval:
    return TransactionInterval(None, None, None, begin, BeginSource.NONE, end, None, None, None, 1, 10)


def _reads_back(begin: int, end: int | None, at: int, checkpoints: BrCheckpoints) -> int:
    """How far back a restart at a moment reads because of one transaction: not once a checkpoint has it on disk."""
    number = (at - checkpoints.first) // checkpoints.interval
    time = checkpoints.first + number * checkpoints.interval
    is_open_now = begin <= at and (end is None or at < end)
    is_open_then = number >= 0 and begin <= time and (end is None or time < end)
    is_persisted = is_open_then and begin < time - checkpoints.interval
    return at - begin if (is_open_then and not is_persisted) or (is_open_now and begin > time) else 0


@given(
    begin=st.integers(0, 30),
    length=st.none() | st.integers(0, 25),
    interval=st.integers(1, 6),
    span=st.integers(0, 30),
)
@settings(max_examples=examples(300), deadline=None)
def test_the_reach_of_a_transaction_is_the_furthest_that_any_restart_reads_back(
    begin: int, length: int | None, interval: int, span: int
) -> None:
    begin, last = begin * STEP, span * STEP
    end = None if length is None else begin + length * STEP
    if begin > last or (end is not None and end > last):
        return
    checkpoints = BrCheckpoints(0, interval * STEP, last)
    furthest = max(_reads_back(begin, end, at, checkpoints) for at in range(last + 1))
    assert furthest <= checkpoints.reach(_open(begin, end)) <= furthest + 1


@given(times=st.lists(st.integers(0, 9), max_size=6), at=st.none() | st.integers(-1, 10))
@settings(max_examples=examples(60), deadline=None)
def test_the_first_checkpoint_is_at_the_last_restart_up_to_the_moment_asked_for(
    times: list[int], at: int | None
) -> None:
    """Also at one of that very moment."""
    path = TRAILS / "et000000000"
    found = FirstPass(WholeTrail.around(path), 0, at)
    for time in sorted(times):
        found.take(Restart(FilePosition(path, 0), RESTART_OK, time))
    known = [time for time in times if at is None or time <= at]
    first = found.first_checkpoint(None)
    assert (first and (first.time, first.source)) == ((max(known), FirstSource.RESTART) if known else None)


@pytest.mark.parametrize("early", [0, 1, SECOND - 1, HOUR])
@pytest.mark.parametrize("late", [None, 0, 1, SECOND - 1, SECOND, HOUR])
def test_a_begin_that_is_given_is_never_behind_the_commit(early: int, late: int | None, tmp_path: Path) -> None:
    """Clocks of whole seconds may have it up to a second too late; what is later is refused."""
    path = write_trail(tmp_path / "br000000000", [Worked(1, (HOUR,), 2 * HOUR), Worked(2, (3 * HOUR,) * 3, 4 * HOUR)])
    extents = [item for item in transactions_of(WholeTrail.around(path)) if isinstance(item, Extent)]
    assert len(extents) == 2
    for extent in extents:
        commit = extent.last_moment.time
        begin = commit - early if late is None else commit + late
        given_begin = GivenBegin(2, extent.transaction.xid or "", begin, None, 1)
        if late is not None and late >= SECOND:
            with pytest.raises(CommandError, match="begins after its commit"):
                began(extent, given_begin, None)
            continue
        found = began(extent, given_begin, None)
        assert (found.low, found.high, found.end) == (min(begin, commit), min(begin, commit), commit)


@pytest.mark.parametrize("off", [-1, 0, 1])
@pytest.mark.parametrize("which", range(3))
def test_what_was_observed_up_to_a_moment_is_that_of_the_moment_too(which: int, off: int, tmp_path: Path) -> None:
    """The restart position in the last heartbeat that was committed by then."""
    for number in range(3):
        trail = HeartbeatTrail(tmp_path / f"lt{number:09}", created=number * HOUR, behind=5 * number)
        row = beat(number * HOUR, 1.0) | {"INCOMING_EXTRACT_RESTART_CSN": f"{number}00"}
        trail.insert(row, number * HOUR)
        trail.close()
    whole = WholeTrail.around(tmp_path / "lt000000000")
    reader, committed = HeartbeatReader(), []
    for path in whole.paths:
        with TrailFile(path) as file:
            committed += [item.commit_time for item in reader.rows(file) if isinstance(item, HeartbeatRow)]
    told = from_heartbeats(whole, RowDefinitions, committed[which] + off, "GG_HEARTBEAT")
    last = which - (off < 0)
    assert (told and told.csn) == (f"{last}00" if last >= 0 else None)

"""The timeline with several of a kind: checkpoints, open transactions, beats, intervals, files, damage."""

from __future__ import annotations

from itertools import pairwise, permutations
from pathlib import Path

import numpy as np
import pytest

from fixtures import TRAILS
from logdump.features.heartbeat.model import Gap
from logdump.features.timeline.open_transactions import OpenTransactions, OpenTransactionsScan
from logdump.features.timeline.timeline import BeatPoint, Timeline, TimelineScan, WayTimeline, most_delayed
from logdump.features.timeline.volume import KINDS, ShapeColumn, TrailShape, Volume, VolumeInterval, VolumeSums
from logdump.parameters.in_use import ParametersInUse
from logdump.session.session import Session
from tests.searching import Random, examples
from tests.simulated.bounded_recovery import BEGUN, HOUR, Worked, write_trail
from tests.simulated.heartbeat_trails import HeartbeatTrail
from tests.simulated.late_replication import MINUTE, SECOND, beat
from trailformat import TrailFile
from trailformat.scan import RECORD, scan

INTERVAL = 4 * HOUR


def _worked(random: Random) -> list[Worked]:
    """Transactions that begin and end at half hours, so that some do so at a checkpoint or together."""
    worked = []
    for number in range(1, 9):
        begin, end = (half * HOUR // 2 for half in sorted(random.sample(range(49), 2)))
        worked.append(Worked(number, (begin, end), end))
    return worked


def _found(path: Path, parameters: ParametersInUse | None = None) -> OpenTransactions:
    session, run = Session(), OpenTransactionsScan(parameters)
    session.open(path)
    try:
        assert all(run.extend(session))
    finally:
        session.end()
    assert isinstance(run.answer, OpenTransactions)
    return run.answer


def _moments(worked: list[Worked]) -> list[int]:
    edges = {edge for transaction in worked for edge in (transaction.begin, transaction.end or 0)} | {
        k * INTERVAL for k in range(8)
    }
    return sorted(edge + off for edge in edges for off in (-1, 0, 1))


@pytest.mark.parametrize("case", range(examples(30, short=6)))
def test_the_checkpoint_before_a_moment_has_the_transactions_that_are_open_at_it(case: int, tmp_path: Path) -> None:
    """It restarts at the oldest begin of those that no checkpoint has written to disk, at its own time without one."""
    worked = _worked(Random(case))
    found = _found(write_trail(tmp_path / "br000000000", worked, commit_times=False))
    newest = max(transaction.end or 0 for transaction in worked)
    for moment in _moments(worked):
        times = [k * INTERVAL for k in range(8) if k * INTERVAL < moment and k * INTERVAL <= newest]
        shown = found.checkpoint_before(BEGUN + moment)
        assert (shown and shown.time) == (BEGUN + times[-1] if times else None)
        assert found.restart_before(BEGUN + moment) == (shown and shown.restart)
        if not times or shown is None:
            continue
        at = times[-1]
        opened = [transaction for transaction in worked if transaction.begin <= at < (transaction.end or 0)]
        fresh = [transaction for transaction in opened if transaction.begin >= at - INTERVAL]
        assert (shown.number, shown.open, shown.persisted) == (at // INTERVAL, len(opened), len(opened) - len(fresh))
        assert shown.restart is not None
        assert shown.restart.time == BEGUN + min((transaction.begin for transaction in fresh), default=at)


@pytest.mark.parametrize("case", range(examples(30, short=6)))
def test_without_checkpoints_the_oldest_long_transaction_that_is_open_at_the_moment_counts(
    case: int, tmp_path: Path
) -> None:
    (file := tmp_path / "ext.prm").write_text("EXTRACT ext\nBR BROFF\nEXTTRAIL lt\nTABLE *.*;\n")
    none, worked = ParametersInUse(), _worked(Random(case))
    found = _found(write_trail(tmp_path / "br000000000", worked, commit_times=False), none.having(none.read(file)))
    sure = {transaction.xid for transaction in worked if (transaction.end or 0) - transaction.begin > INTERVAL}
    assert {shown.began.xid for shown in found.transactions if shown.certain} == sure
    listed = {shown.began.xid for shown in found.transactions}
    in_order = sorted(
        (transaction for transaction in worked if transaction.xid in listed),
        key=lambda transaction: (transaction.begin, transaction.number),
    )
    assert [shown.began.xid for shown in found.transactions] == [transaction.xid for transaction in in_order]
    for moment in _moments(worked):
        opened = [transaction for transaction in in_order if transaction.begin <= moment <= (transaction.end or 0)]
        restart = found.restart_before(BEGUN + moment)
        assert (restart and restart.xid) == (opened[0].xid if opened else None)
    partial = found._replace(shown=found.shown._replace(is_partial=True))
    assert {partial.restart_before(BEGUN + moment) for moment in _moments(worked)} == {None}


def _way(points: list[tuple[int, int]], newest: int = 0) -> WayTimeline:
    beats = tuple(BeatPoint(time, rba, (None,) * 5) for time, rba in points)
    return WayTimeline("EAST", "WEST", ("EXT1",), len(points), beats, (), None, True, newest)


def _timeline(*ways: WayTimeline, volume: Volume | None = None) -> Timeline:
    return Timeline(9000, ways, 1000, volume, is_filtered=False)


@pytest.mark.parametrize("rbas", list(permutations((1100, 2200, 3300))))
def test_the_time_at_a_record_is_that_of_the_last_beat_in_the_trail_up_to_it(rbas: tuple[int, ...]) -> None:
    """Points are in the order of time, some in another one in the trail; before the first, the first counts."""
    points = list(zip((10, 20, 30), rbas, strict=True))
    by_rba = {rba: time for time, rba in points}
    intervals = tuple(sorted(VolumeInterval(time, 1, 1, rba) for time, rba in points))
    for shown in (_timeline(_way([]), _way(points)), _timeline(volume=Volume(0, 10, intervals))):
        number = len(shown.ways) - 1
        for rba in (0, 1099, 1100, 1101, 2199, 2200, 2201, 3299, 3300, 9999):
            before = max((at for at in by_rba if at <= rba), default=min(by_rba))
            assert shown.time_at(max(number, 0), rba) == by_rba[before], rba
    assert _timeline(_way([])).time_at(0, 5) is None


@pytest.mark.parametrize("newest", list(permutations((200, 500, 900))))
def test_the_age_of_the_newest_beat_is_that_of_the_path_with_the_newest(newest: tuple[int, ...]) -> None:
    assert _timeline(*(_way([], time) for time in newest)).newest_age == 100
    assert _timeline().newest_age is None


@pytest.mark.parametrize("delays", list(permutations((3, 9, 9))))
def test_of_several_points_with_the_greatest_delay_the_earliest_counts(delays: tuple[int, ...]) -> None:
    points = [BeatPoint(time, 100 - time, (None, None, None, None, delay)) for time, delay in enumerate(delays)]
    for order in permutations(points):
        assert most_delayed(list(order)).time == delays.index(9)


def test_a_delay_without_a_total_is_the_sum_of_the_known_hops() -> None:
    assert [BeatPoint(0, 0, lags).delay for lags in ((1, 2, None, 4, None), (1, 2, None, 4, 9), (None,) * 5)] == [
        7,
        9,
        0,
    ]


def _scanned(run: TimelineScan, path: Path) -> Timeline:
    session = Session()
    session.open(path)
    try:
        for _ in run.extend(session):
            pass
    finally:
        session.end()
    return run.timeline


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (0, 2, 1, 3), (3, 2, 1, 0), (1, 3, 0, 2)])
def test_the_beats_of_a_path_are_counted_and_the_newest_is_that_by_time(order: tuple[int, ...], tmp_path: Path) -> None:
    trail = HeartbeatTrail(tmp_path / "lt000000000")
    for minute in order:
        trail.insert(beat(minute * MINUTE, 1.0), 4 * MINUTE)
    (way,) = _scanned(TimelineScan(), trail.close()).ways
    assert (way.beats, way.newest - way.points[0].time) == (4, 3 * MINUTE)
    assert [point.time - way.points[0].time for point in way.points] == [minute * MINUTE for minute in range(4)]
    assert way.gaps == ()


@pytest.mark.parametrize("quiet", [0, 1, 2, 5])
def test_beats_that_are_overdue_are_the_last_gap(quiet: int, tmp_path: Path) -> None:
    """Minutes 0 to 3 without minute 2, then other transactions up to so many minutes later."""
    trail = HeartbeatTrail(tmp_path / "lt000000000")
    for minute in (0, 1, 3, 4, 5):
        trail.insert(beat(minute * MINUTE, 0.25), minute * MINUTE)
    trail.worked((5 + quiet) * MINUTE)
    (way,) = _scanned(TimelineScan(), trail.close()).ways
    overdue = [Gap(way.gaps[-1].after, None, quiet - 1, way.newest + quiet * MINUTE)] if quiet > 1 else []
    assert [(gap.beats, gap.end - way.newest) for gap in way.gaps] == [
        (1, -2 * MINUTE),
        *((gap.beats, gap.end - way.newest) for gap in overdue),
    ]


def _damaged(path: Path, places: tuple[int, ...]) -> Path:
    """A copy of a trail with the starts of some of its records made to zeros."""
    content = bytearray((TRAILS / "et000000000").read_bytes())
    with TrailFile(TRAILS / "et000000000") as trail:
        rbas = [record.rba for record in trail.records()]
    for place in places:
        content[rbas[place] : rbas[place] + 20] = bytes(20)
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("places", list(permutations(((), (6,), (6, 12)))))
def test_damage_is_counted_in_each_file_by_itself(places: tuple[tuple[int, ...], ...], tmp_path: Path) -> None:
    run = TimelineScan(keeps_volume=True)
    for number, of_file in enumerate(places):
        run.begin_file()
        _scanned(run, _damaged(tmp_path / f"et{number:09}", of_file))
        for _ in range(2):  # nothing is counted twice where a file is read on at its end
            _scanned(run, tmp_path / f"et{number:09}")
        assert run.lacks().damaged == sum(map(len, places[: number + 1]))


def test_a_half_record_at_the_end_is_damage_until_it_is_whole(tmp_path: Path) -> None:
    content, path, run = (TRAILS / "et000000000").read_bytes(), tmp_path / "et000000000", TimelineScan()
    with TrailFile(TRAILS / "et000000000") as trail:
        rbas = [record.rba for record in trail.records()]
    for before, after in pairwise(rbas[4:12]):
        for size in ((before + after) // 2, after):
            path.write_bytes(content[:size])
            assert _scanned(run, path).covered == (size if size == after else before)
            assert run.lacks().damaged == 0


@pytest.mark.parametrize("size", [1, 2, 5, 100])
def test_an_interval_begins_at_its_first_record_in_the_file_whatever_the_order_of_times(size: int) -> None:
    """Records of three minutes in turns: the first record of each is the one that stands first in the file."""
    sums, expected = VolumeSums(), dict[int, tuple[int, int, int]]()
    with TrailFile(TRAILS / "st000000000") as trail:
        begin: int | None = None
        turn = 0
        for batch in scan(trail, batch_size=size):
            rows = [row for row in range(len(batch)) if int(batch.kind[row]) == RECORD]
            times = np.array(batch.io_time)
            for row in rows:
                begin = int(batch.io_time[row]) if begin is None else begin
                starts = begin + (2, 0, 1)[turn % 3] * MINUTE
                turn += 1
                times[row] = starts
                records, length, rba = expected.get(starts, (0, 0, int(batch.rba[row])))
                expected[starts] = (records + 1, length + int(batch.record_length[row]), rba)
            batch.io_time = times
            sums.add(batch, range(len(batch)))
    shown = sums.volume()
    assert len(expected) == 3
    assert [(part.records, part.data_bytes, part.rba) for part in shown.intervals] == [
        expected[start] for start in sorted(expected)
    ]
    assert shown.origin % (60 * SECOND) == 0


@pytest.mark.parametrize("counts", list(permutations((0, 4, 4, 1))))
def test_the_kind_of_a_column_is_the_most_frequent_and_of_equal_ones_the_first(counts: tuple[int, ...]) -> None:
    column = ShapeColumn(0, 10, 5, counts)
    assert (column.kind, column.records) == (KINDS[counts.index(4)], 9)


def test_columns_are_of_equal_length_and_hold_what_begins_in_them() -> None:
    """Three kinds; the RBA of a column is the least of those in it, and the column of a record the last up to it."""
    inserts = Volume(
        0, 10, (VolumeInterval(0, 3, 1, 900), VolumeInterval(10, 1, 1, 100), VolumeInterval(40, 1, 1, 400))
    )
    updates = Volume(0, 10, (VolumeInterval(0, 5, 1, 700), VolumeInterval(30, 2, 1, 300)))
    deletes = Volume(0, 20, (VolumeInterval(20, 1, 1, 800), VolumeInterval(40, 1, 1, 350)))
    shape = TrailShape(9000, (inserts, updates, deletes, Volume(0, 10, ())))
    columns = shape.columns(3)
    assert [(column.start, column.end, column.rba, column.counts) for column in columns] == [
        (0, 20, 100, (4, 5, 0, 0)),
        (20, 40, 300, (0, 2, 1, 0)),
        (40, 60, 350, (1, 0, 1, 0)),
    ]
    expected = {0: None, 99: None, 100: 0, 299: 0, 300: 1, 349: 1, 350: 2, 9999: 2}
    assert {rba: shape.column_of(rba, columns) for rba in expected} == expected
    assert shape.columns(0) == TrailShape(0, ()).columns(3) == []

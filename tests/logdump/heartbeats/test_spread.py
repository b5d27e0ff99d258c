"""What is greatest, last and newest of several lags, beats and files, in whatever order they come."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest

from logdump.features.heartbeat.lags import Lags, Spread
from logdump.features.heartbeat.model import Beat, Direction, HeartbeatRow
from logdump.features.heartbeat.reading import HeartbeatReader
from logdump.tables.heartbeat_tables import Role
from tests.searching import Random, examples
from tests.simulated.heartbeat_trails import BEGUN, HeartbeatTrail
from tests.simulated.late_replication import MINUTE, beat
from trailformat import TrailFile
from trailformat.trail.sequence import FilePosition

HERE = Path("lt000000000")


@pytest.mark.parametrize("values", sorted(set(permutations((3, 9, 9, -1)))))
@pytest.mark.parametrize("late", [(), (0,), (3,), (1, 2), (2, 3), (0, 1, 2, 3)])
def test_the_greatest_value_is_at_its_first_place_and_the_last_is_the_last_that_is_not_late(
    late: tuple[int, ...], values: tuple[int, ...]
) -> None:
    spread = Spread()
    for at, value in enumerate(values):
        spread.add(value, FilePosition(HERE, at), is_late=at in late)
    shown = spread.summary()
    assert shown is not None
    in_time = [value for at, value in enumerate(values) if at == 0 or at not in late]
    assert (shown.greatest, shown.greatest_at.rba, shown.last) == (9, values.index(9), in_time[-1])
    assert (shown.values, shown.least, shown.median, shown.negative) == (4, -1, 3, 1)


def _beat(number: int, time: int, committed: int, hop: int | None) -> Beat:
    row = HeartbeatRow(Role.BEAT, "GG_HEARTBEAT", "INSERT", FilePosition(HERE, number), None, committed, "EAST", "WEST")
    return Beat(row, Direction.OUTGOING, time, hop, None, None, None, "EXT1", (), None)


@pytest.mark.parametrize("case", range(examples(60, short=20)))
def test_the_age_is_that_at_the_newest_moment_and_missing_beats_are_those_up_to_the_newest_commit(case: int) -> None:
    """Moments are the times of beats, of their hops and of their commits; the newest may be of any beat."""
    random, lags = Random(case), Lags()
    beats = [
        _beat(
            number,
            time * MINUTE,
            (time + random.choice((0, 0, 4, 9))) * MINUTE,
            random.choice((None, time * MINUTE + 7)),
        )
        for number, time in enumerate(random.sample(range(10), 6))
    ]
    for drawn_beat in beats:
        lags.add(drawn_beat)
    (path,) = lags.paths()
    newest = max(beats, key=lambda known_beat: known_beat.heartbeat_ts)
    moments = [
        moment
        for known_beat in beats
        for moment in (known_beat.heartbeat_ts, known_beat.extract_ts, known_beat.row.commit_time)
    ]
    assert lags.newest == max(moment for moment in moments if moment is not None)
    assert (path.last, path.age) == (newest, lags.newest - newest.heartbeat_ts)
    committed = max(known_beat.row.commit_time for known_beat in beats)
    assert path.interval is not None
    overdue = sum(
        2 * number * path.interval + path.interval < 2 * (committed - newest.row.commit_time) for number in range(1, 20)
    )
    at_end = [gap.beats for gap in path.gaps if gap.before is None]
    assert at_end == ([overdue] if overdue else [])


@pytest.mark.parametrize("order", list(permutations((0, 20, 5))))
@pytest.mark.parametrize("created", [0, 30])
def test_the_newest_time_is_that_of_all_files(created: int, order: tuple[int, ...], tmp_path: Path) -> None:
    """The header of the second file may be newer than any record."""
    reader, times = HeartbeatReader(), list[int]()
    for number, minute in enumerate(order):
        begun = created * MINUTE if number == 1 else 0
        trail = HeartbeatTrail(tmp_path / f"lt{number:09}", created=begun)
        for off in (2, 1):
            trail.insert(beat((minute + off) * MINUTE, 0.0), (minute + off) * MINUTE)
        with TrailFile(trail.close()) as file:
            times += [record.header.io_time for record in file.records() if not record.is_file_header]
            assert list(reader.rows(file))
        assert reader.io_time == max(times)
        assert reader.newest == max(*times, BEGUN + (created * MINUTE if number else 0))

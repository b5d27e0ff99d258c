"""A trail over time: the beats that HEARTBEAT shows, or the intervals that COUNT shows, whatever their number."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fixtures import TRAILS
from logdump.features.heartbeat.lags import HOPS
from logdump.features.timeline.timeline import MOST_POINTS, BeatPoint, PointSample, Timeline, TimelineScan, most_delayed
from logdump.features.timeline.volume import MOST_INTERVALS, Volume, VolumeInterval, VolumeSums
from logdump.notation.times import GMT
from logdump.session.session import Session
from logdump.tui.text.styled import UNICODE
from logdump.tui.text.timeline_text import timeline_page
from tests.logdump.commands.test_heartbeat import MINUTE, SECOND, objects
from tests.searching import Random
from tests.simulated.heartbeat_trails import target_trail
from trailformat import TrailFile
from trailformat.codec.timestamps import to_datetime
from trailformat.scan import scan

MOMENTS = [number * MINUTE for number in range(20) if number not in (4, 5, 11)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return target_trail(tmp_path / "hh000000000", MOMENTS)


def timeline_of(session: Session, timeline_scan: TimelineScan) -> Timeline:
    for _ in timeline_scan.extend(session):
        pass
    return timeline_scan.timeline


def timeline(path: Path) -> Timeline:
    session = Session()
    session.open(path)
    try:
        return timeline_of(session, TimelineScan())
    finally:
        session.close()


def time_of(moment: int) -> str:
    found = to_datetime(moment)
    assert found is not None
    return found.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def test_the_points_are_the_beats_of_heartbeat_history(path: Path) -> None:
    *beats, _ = objects(path, "heartbeat history")
    (way,) = timeline(path).ways
    assert [(time_of(point.time), *point.lags) for point in way.points] == [
        (beat["heartbeat_ts"], *(round(beat[hop] * SECOND) for hop in HOPS)) for beat in beats
    ]
    assert [point.rba for point in way.points] == [beat["rba"] for beat in beats]


def test_the_gaps_and_the_age_are_those_of_heartbeat(path: Path) -> None:
    _, *gaps = objects(path, "heartbeat gaps")
    _, lag = objects(path, "heartbeat")
    found = timeline(path)
    (way,) = found.ways
    assert [(time_of(gap.after.time), gap.beats) for gap in way.gaps] == [(gap["after"], gap["beats"]) for gap in gaps]
    assert (found.newest_age, way.missing) == (round(lag["age"] * SECOND), lag["missing"])


def test_a_file_that_grows_byte_for_byte_gives_what_the_whole_file_gives(path: Path, tmp_path: Path) -> None:
    data, random = path.read_bytes(), Random(5)
    grown = tmp_path / "gg000000000"
    grown.write_bytes(data[:1200])
    session, timeline_scan = Session(), TimelineScan()
    session.open(grown)
    for size in (*sorted(random.sample(range(1200, len(data)), 12)), len(data)):
        grown.write_bytes(data[:size])
        timeline_of(session, timeline_scan)
    session.close()
    assert timeline_scan.timeline == timeline(grown)


def test_of_many_beats_those_with_the_greatest_delay_are_kept() -> None:
    random, sample = Random(7), PointSample()
    points = [BeatPoint(at * MINUTE, at, (None,) * 4 + (random.randrange(10**9),)) for at in range(5 * MOST_POINTS)]
    for point in points:
        sample.add(point)
    kept = sample.points()
    assert len(kept) <= MOST_POINTS
    assert set(kept) <= set(points)
    assert most_delayed(kept) == most_delayed(points)


@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize("minutes", [1, 5])
def test_the_volume_is_that_of_count_interval(minutes: int) -> None:
    path = TRAILS / "et000000000"
    shown = [
        item for item in objects(path, f"count interval {minutes}") if item["type"] == "interval" and item["records"]
    ]
    sums = VolumeSums()
    with TrailFile(path) as trail:
        for batch in scan(trail, batch_size=4):
            sums.add(batch, range(len(batch)))
    volume = sums.volume()
    while volume.interval < minutes * MINUTE:
        volume = volume.at_most(volume.number - 1)
    assert volume.interval == minutes * MINUTE
    assert [(time_of(interval.start), interval.records, interval.data_bytes) for interval in volume.intervals] == [
        (item["start"], item["records"], item["data_bytes"]) for item in shown
    ]


def test_records_of_years_take_no_more_intervals_than_there_is_room_for() -> None:
    sums, random = VolumeSums(), Random(3)
    with TrailFile(TRAILS / "et000000000") as trail:
        (batch,) = scan(trail)
    for _ in range(100):
        batch.io_time = np.array([random.randrange(10**17) for _ in batch.io_time])
        sums.add(batch, range(len(batch)))
    intervals = sums.volume().intervals
    assert len(intervals) <= MOST_INTERVALS
    assert sum(interval.records for interval in intervals) == 100 * (len(batch) - 1)


def test_intervals_on_both_sides_of_the_first_record_are_never_one() -> None:
    before, after = VolumeInterval(-SECOND, 1, 1, 9), VolumeInterval(SECOND, 1, 1, 3)
    assert Volume(0, SECOND, (before, after)).at_most(1).number == 2


def test_rows_of_heartbeat_tables_that_do_not_decode_are_not_called_no_heartbeat(tmp_path: Path) -> None:
    content = bytearray((TRAILS / "yt000000000").read_bytes())
    middle = len(content) // 2
    content[middle : middle + 300] = bytes(300)
    (spoilt := tmp_path / "yt000000000").write_bytes(content)
    session, timeline_scan = Session(), TimelineScan()
    session.open(spoilt)
    found = timeline_of(session, timeline_scan)
    session.close()
    page = timeline_page(found, 0, None, (80, 20), GMT, UNICODE)
    assert "No heartbeat that decodes in this file" in "".join(piece[0] for piece in page.lines[0].pieces)


def test_a_way_with_heartbeats_has_no_volume(path: Path) -> None:
    assert timeline(path).volume is None

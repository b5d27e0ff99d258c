"""Local times that occur twice, where daylight saving ends: as beginnings and as ends of ranges, by zoneinfo."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from logdump.notation.times import GMT, LOCAL, parse_datetime
from tests.conftest import UseZone
from tests.logdump.line import Line
from tests.logdump.program import logdump
from tests.searching import Random, examples
from tests.trailformat.samples import row, trail_of
from trailformat.codec.timestamps import from_datetime

ZONES = ("America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "Australia/Sydney")


def changes(zone: ZoneInfo, year: int) -> list[datetime]:
    """The moments of a year at which clocks are set back."""
    start = datetime(year, 1, 1, tzinfo=UTC)
    hours = [start + timedelta(minutes=30 * number) for number in range(366 * 48)]
    offsets = [hour.astimezone(zone).utcoffset() or timedelta() for hour in hours]
    return [hour for hour, before, after in zip(hours[1:], offsets, offsets[1:], strict=False) if after < before]


def meant(wall: datetime, zone: ZoneInfo, *, is_end: bool) -> int:
    """What a local time is as the beginning or as the end of a range."""
    return from_datetime(wall.replace(tzinfo=zone, fold=int(is_end)).astimezone(UTC))


@pytest.mark.parametrize("name", ZONES)
def test_the_earlier_begins_and_the_later_ends(name: str, use_zone: UseZone) -> None:
    zone, random = ZoneInfo(name), Random(name)
    use_zone(name)
    for year in random.sample(range(2008, 2030), examples(22, short=3)):
        (change,) = changes(zone, year)
        for _ in range(20):
            moment = change + timedelta(minutes=random.randrange(-180, 180))
            wall = moment.astimezone(zone).replace(tzinfo=None)
            for is_end in (False, True):
                assert parse_datetime(str(wall), LOCAL, is_end=is_end) == meant(wall, zone, is_end=is_end), wall
    assert parse_datetime("2024-11-03 01:30", GMT, is_end=True) == parse_datetime("2024-11-03 01:30", GMT)


def _rows(path: Path, change: datetime) -> list[datetime]:
    """Write a row every ten minutes around a change."""
    moments = [change + timedelta(minutes=10 * number) for number in range(-18, 18)]
    trail_of(path.parent, *(row(io_time=from_datetime(moment), trans_ind=3) for moment in moments)).rename(path)
    return moments


@pytest.fixture(params=ZONES)
def zone(request: pytest.FixtureRequest, use_zone: UseZone) -> ZoneInfo:
    use_zone(request.param)
    return ZoneInfo(request.param)


def _number(lines: list[str]) -> int:
    return int(re.search(r"has (\d+) records?", "\n".join(lines))[1])  # type: ignore[index]


def test_every_command_that_takes_a_range_means_the_same(zone: ZoneInfo, tmp_path: Path) -> None:
    (change,) = changes(zone, 2024)
    path = tmp_path / "lt000000000"
    moments = _rows(path, change)
    random = Random(str(zone))
    walls = {moment.astimezone(zone).replace(tzinfo=None, fold=0) for moment in moments}
    for since, until in (sorted(random.sample(sorted(walls), 2)) for _ in range(examples(30, short=5))):
        line = Line()
        line(f"open {path}")
        begin, end = meant(since, zone, is_end=False), meant(until, zone, is_end=True)
        inside = [moment for moment in map(from_datetime, moments) if begin <= moment <= end]
        assert _number(line(f"count start {since}, end {until}")) == len(inside)
        line(f"filter clear; filter include starttime {since}; filter include endtime {until}; filter match all")
        assert _number(line("count")) == len(inside)
        line(f"filter clear; filter match any; position time {since}; next")
        assert line.rbas == [row().length * [*map(from_datetime, moments)].index(inside[0])]
        answer = logdump("list", str(path), "--since", str(since), "--until", str(until))
        assert len(answer.out.splitlines()) == len(inside)
        for sign in ("<=", "<", ">=", ">"):
            wall = begin if sign in ("<", ">=") else meant(since, zone, is_end=True)
            text = f"filter include value GGS_TRANS_TIMESTAMP {sign} '{since}'"
            line(f"filter clear; {text}")
            held = sum(eval(f"{moment} {sign} {wall}") for moment in map(from_datetime, moments))
            assert _number(line("count")) == held


@pytest.mark.parametrize("fraction", ["123456789", "123456", "1234567", "000000001"])
def test_decimals_beyond_those_of_a_trail_are_dropped(fraction: str) -> None:
    text = f"2024-03-14T09:30:00.{fraction}Z"
    micros = int(fraction.ljust(9, "0")[:6])
    expected = from_datetime(datetime(2024, 3, 14, 9, 30, 0, micros, tzinfo=UTC))
    assert parse_datetime(text, LOCAL) == parse_datetime(text, LOCAL, is_end=True) == expected

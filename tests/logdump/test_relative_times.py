"""Times that are counted from now, days by their names, and the zone beside the times of an answer."""

from __future__ import annotations

import shutil
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from logdump.notation.times import GMT, LOCAL, TimeOffset, format_timestamp, format_with_zone, parse_datetime
from tests.logdump.program import logdump
from tests.searching import Random
from trailformat.codec.timestamps import JULIAN_UNIX_EPOCH, from_datetime

NOW = 1_710_415_821_000_000 + JULIAN_UNIX_EPOCH
"""2024-03-14 11:30:21 GMT."""


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("-1h", "2024/03/14 10:30:21"),
        ("-90min", "2024/03/14 10:00:21"),
        ("-90m", "2024/03/14 10:00:21"),
        ("-30S", "2024/03/14 11:29:51"),
        ("-14d", "2024/02/29 11:30:21"),
        ("-2w", "2024/02/29 11:30:21"),
        ("today", "2024/03/14 00:00:00"),
        ("Yesterday", "2024/03/13 00:00:00"),
        ("yesterday 22:00", "2024/03/13 22:00:00"),
        ("today 02:13", "2024/03/14 02:13:00"),
    ],
)
def test_a_time_may_be_counted_from_now(text: str, shown: str) -> None:
    assert format_timestamp(parse_datetime(text, GMT, NOW), GMT)[:19] == shown


@pytest.mark.parametrize(
    "text", ["-1", "-h", "- 1 hour", "-1y", "1h", "tomorrow", "now", "yesterday 25:00", "yesterday-1h", "-"]
)
def test_what_is_no_such_time_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"time|exist"):
        parse_datetime(text, GMT, NOW)


def test_a_day_is_that_of_the_zone() -> None:
    zone = TimeOffset(13 * 60)  # it is the next day there
    assert format_timestamp(parse_datetime("yesterday 22:00", zone, NOW), zone)[:16] == "2024/03/14 22:00"


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata"])
def test_yesterday_is_the_day_before_on_the_calendar(zone: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """At every half hour of a year, whose days have 23 to 25 hours; by the calendar of zoneinfo."""
    of_zone = ZoneInfo(zone)
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        for half_hour in range(2 * 24 * 366):
            now = datetime(2024, 1, 1, tzinfo=UTC) + timedelta(minutes=30 * half_hour)
            day = now.astimezone(of_zone).date() - timedelta(1)
            noon = datetime(day.year, day.month, day.day, 12, tzinfo=of_zone)
            assert parse_datetime("yesterday 12:00", LOCAL, from_datetime(now)) == from_datetime(noon), now
    finally:
        monkeypatch.undo()
        time.tzset()


@pytest.mark.parametrize("words", [["--since", "-1h"], ["--since=-1h"], ["--until", "-1h", "--since", "-99999d"]])
@pytest.mark.parametrize("verb", ["list", "count", "show", "export", "tables", "transactions"])
def test_a_verb_takes_a_time_that_begins_with_a_minus(verb: str, words: list[str], trails: Path) -> None:
    answer = logdump(verb, str(trails / "et000000000"), *words)
    assert answer.status == 0, answer.err
    assert ("the trail goes" in answer.err) == ("--until" not in words)


def test_zones_are_said(monkeypatch: pytest.MonkeyPatch, trails: Path, tmp_path: Path) -> None:
    drawn = Random()
    for zone, summer in (("America/New_York", "-04:00"), ("Europe/Berlin", "+01:00"), ("Asia/Kolkata", "+05:30")):
        monkeypatch.setenv("TZ", zone)
        time.tzset()
        assert format_with_zone(NOW, LOCAL).endswith(f" local {summer}")
        shutil.copy(trails / "et000000000", tmp_path / "et000000000")
        for line in (["doctor", "."], ["list", ".", "--since", drawn.choice(["01:13", "2031-01-01"])]):
            monkeypatch.chdir(tmp_path)
            answer = logdump(*line)
            assert f" local {summer}" in answer.out + answer.err, (zone, line, answer)
    monkeypatch.undo()
    time.tzset()
    assert format_with_zone(NOW, GMT).endswith(" GMT")
    assert format_with_zone(NOW, TimeOffset(-90)).endswith(" GMT -01:30")

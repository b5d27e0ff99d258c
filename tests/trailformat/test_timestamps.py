from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.trailformat.strategies import I64
from trailformat import from_datetime, to_datetime
from trailformat.codec.timestamps import JULIAN_UNIX_EPOCH


@pytest.mark.parametrize(
    ("julian", "moment"),
    [
        (0x02F257BDDD5EC9B0, datetime(2016, 4, 28, 12, 10, 14, 246_832, UTC)),
        (211_976_584_185_800_569, datetime(2005, 3, 3, 4, 29, 45, 800_569, UTC)),
        (211_971_340_800_000_000, datetime(2005, 1, 1, 12, 0, 0, 0, UTC)),
        (JULIAN_UNIX_EPOCH, datetime(1970, 1, 1, tzinfo=UTC)),
    ],
)
def test_moments_of_the_manual_and_the_transcripts(julian: int, moment: datetime) -> None:
    assert to_datetime(julian) == moment
    assert from_datetime(moment) == julian


@given(st.datetimes(timezones=st.just(UTC)))
def test_to_datetime_is_the_inverse_of_from_datetime(moment: datetime) -> None:
    assert to_datetime(from_datetime(moment)) == moment


@given(I64)
def test_every_stored_number_is_a_moment_or_none(julian: int) -> None:
    moment = to_datetime(julian)
    assert moment is None or from_datetime(moment) == julian


def test_a_moment_outside_the_calendar_is_none() -> None:
    assert to_datetime(0) is None
    assert to_datetime(0x7FFFFFFFFFFFFFFF) is None


@pytest.mark.parametrize("zone", ["UTC", "America/New_York", "Asia/Kolkata"])
def test_a_naive_moment_is_taken_as_gmt(zone: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        found = from_datetime(datetime(1970, 1, 1))  # noqa: DTZ001
    finally:
        monkeypatch.undo()
        time.tzset()
    assert found == JULIAN_UNIX_EPOCH


def test_a_moment_of_another_zone_is_converted() -> None:
    korea = timezone(timedelta(hours=9))
    assert from_datetime(datetime(1970, 1, 1, 9, tzinfo=korea)) == JULIAN_UNIX_EPOCH

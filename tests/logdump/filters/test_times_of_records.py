from __future__ import annotations

from datetime import UTC, datetime

import pytest

from logdump.filters import FilterError, FilterSet, apply, show
from logdump.notation.times import TimeOffset
from trailformat import from_datetime

from .subjects import Subject, criterion, file_header, meets, subject


def at(hour: int, minute: int = 0) -> Subject:
    return subject(io_time=from_datetime(datetime(2024, 3, 1, hour, minute, tzinfo=UTC)))


def test_both_ends_are_included() -> None:
    assert [meets("STARTTIME 2024-03-01 09:00", at(hour)) for hour in (8, 9, 10)] == [False, True, True]
    assert [meets("ENDTIME 2024-03-01 09:00", at(hour)) for hour in (8, 9, 10)] == [True, True, False]


def test_the_text_may_stand_in_quotes_and_the_century_may_be_left_out() -> None:
    assert meets('STARTTIME "24-03-01 09:00:00"', at(9))


def test_the_time_is_that_of_timeoffset() -> None:
    filters = FilterSet()
    apply(filters, "STARTTIME 2024-03-01 09:00", TimeOffset.parse("GMT +01"))
    assert at(8).meets(filters)
    assert not at(7, 59).meets(filters)
    assert show(filters)[2] == "Starttime-0: 2024/03/01 08:00:00.000.000 GMT"


def test_a_file_header_has_no_io_time() -> None:
    assert not meets("STARTTIME 1970-01-01", file_header())


@pytest.mark.parametrize("text", ["", "yesterday", "2024-02-30", "9" * 10_000])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(FilterError, match=r"^STARTTIME: .{,150}Syntax: FILTER STARTTIME \[\[yy\]yy-mm-dd\]"):
        criterion(f"STARTTIME {text}")

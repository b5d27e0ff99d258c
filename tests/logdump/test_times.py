"""Times as Logdump shows and takes them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logdump.notation.times import (
    GMT,
    LOCAL,
    TimeOffset,
    begins_datetime,
    current_timestamp,
    format_timestamp,
    iso_time,
    parse_datetime,
)
from tests.conftest import UseZone
from trailformat.codec.timestamps import JULIAN_UNIX_EPOCH, from_datetime, to_datetime

CENTRAL_EUROPE = "CET-1CEST,M3.5.0,M10.5.0/3"
CALIFORNIA = "PST8PDT,M4.1.0,M10.5.0"
INDIA = "IST-5:30"


def julian(*fields: int) -> int:
    return from_datetime(datetime(*fields, tzinfo=UTC))  # type: ignore[misc, arg-type]


class TestTimeOffset:
    @pytest.mark.parametrize(
        ("words", "shown"),
        [
            ("LOCAL", "LOCAL"),
            ("local", "LOCAL"),
            ("GMT", "GMT"),
            (" gmt ", "GMT"),
            ("GMT -01", "GMT -01:00"),
            ("GMT + 9", "GMT +09:00"),
            ("gmt +09:30", "GMT +09:30"),
            ("GMT+5:45", "GMT +05:45"),
            ("GMT  -  0:30", "GMT -00:30"),
            ("GMT + 14:59", "GMT +14:59"),
            ("GMT - 14:59", "GMT -14:59"),
            ("GMT + 0", "GMT"),
        ],
    )
    def test_is_read_in_any_case_and_shown_as_env_prints_it(self, words: str, shown: str) -> None:
        offset = TimeOffset.parse(words)
        assert str(offset) == shown
        assert TimeOffset.parse(str(offset)) == offset

    @pytest.mark.parametrize(
        "words", ["", "UTC", "GMT 9", "GMT +", "GMT + 009", "GMT + 9:5", "GMT + x", "LOCAL 1", "+9"]
    )
    def test_other_words_are_refused_with_what_is_possible(self, words: str) -> None:
        with pytest.raises(ValueError, match="LOCAL, GMT, GMT \\+hh"):
            TimeOffset.parse(words)

    @pytest.mark.parametrize("words", ["GMT + 15", "GMT -99:00", "GMT + 9:60"])
    def test_offsets_beyond_14_59_are_refused(self, words: str) -> None:
        with pytest.raises(ValueError, match="up to 14:59"):
            TimeOffset.parse(words)

    def test_offsets_are_plain_values(self) -> None:
        assert TimeOffset.parse("LOCAL") == LOCAL
        assert TimeOffset.parse("GMT+0") == GMT
        assert TimeOffset(540).minutes == 540
        assert len({TimeOffset(540), TimeOffset.parse("GMT + 9")}) == 1


class TestFormatTimestamp:
    def test_milliseconds_dot_microseconds(self) -> None:
        assert format_timestamp(211_976_584_185_800_569, GMT) == "2005/03/03 04:29:45.800.569"
        assert format_timestamp(julian(2024, 1, 2, 3, 4, 5, 60_007), GMT) == "2024/01/02 03:04:05.060.007"

    @pytest.mark.parametrize(
        ("raw", "offset", "shown"),
        [
            ("02f257bddd5ec9b0", "GMT + 8", "2016/04/28 20:10:14.246.832"),
            ("02f316e85aabcf6c", "GMT + 9", "2022/12/26 15:03:45.978.220"),
            ("02f29daf3d9e3966", "GMT + 5:30", "2018/10/05 19:36:58.451.814"),
        ],
    )
    def test_the_transcripts(self, raw: str, offset: str, shown: str) -> None:
        assert format_timestamp(int(raw, 16), TimeOffset.parse(offset)) == shown

    def test_local_is_the_zone_of_the_machine(self, use_zone: UseZone) -> None:
        use_zone(INDIA)
        assert format_timestamp(julian(2018, 10, 5, 14, 6, 58), LOCAL) == "2018/10/05 19:36:58.000.000"

    def test_local_follows_daylight_saving_at_that_moment(self, use_zone: UseZone) -> None:
        use_zone(CENTRAL_EUROPE)
        assert format_timestamp(julian(2024, 1, 15, 12), LOCAL) == "2024/01/15 13:00:00.000.000"
        assert format_timestamp(julian(2024, 7, 15, 12), LOCAL) == "2024/07/15 14:00:00.000.000"
        assert format_timestamp(julian(2024, 3, 31, 0, 59, 59), LOCAL) == "2024/03/31 01:59:59.000.000"
        assert format_timestamp(julian(2024, 3, 31, 1), LOCAL) == "2024/03/31 03:00:00.000.000"

    def test_before_1970(self) -> None:
        assert format_timestamp(JULIAN_UNIX_EPOCH - 1, GMT) == "1969/12/31 23:59:59.999.999"

    def test_the_first_and_the_last_moment(self) -> None:
        assert format_timestamp(julian(1, 1, 1), GMT) == "0001/01/01 00:00:00.000.000"
        assert format_timestamp(julian(9999, 12, 31, 23, 59, 59, 999_999), GMT) == "9999/12/31 23:59:59.999.999"

    @pytest.mark.parametrize(
        ("value", "shown"),
        [
            (0, "x0000000000000000"),
            (-1, "xffffffffffffffff"),
            (2**63 - 1, "x7fffffffffffffff"),
            (-(2**63), "x8000000000000000"),
        ],
    )
    @pytest.mark.parametrize("offset", [GMT, LOCAL, TimeOffset(-899)])
    def test_a_value_without_a_date_is_shown_as_its_bits(self, value: int, shown: str, offset: TimeOffset) -> None:
        assert format_timestamp(value, offset) == shown

    def test_the_limits_are_those_of_the_zone(self) -> None:
        assert format_timestamp(julian(1, 1, 1), TimeOffset(-60)) == f"x{julian(1, 1, 1):016x}"
        assert format_timestamp(julian(9999, 12, 31, 23), TimeOffset(60)) == f"x{julian(9999, 12, 31, 23):016x}"

    def test_an_integer_of_any_size_does_no_harm(self) -> None:
        assert format_timestamp(1 << 200, GMT) == "x0000000000000000"
        assert format_timestamp(1 << 200, LOCAL) == "x0000000000000000"


class TestParseDatetime:
    @pytest.mark.parametrize(
        ("text", "fields"),
        [
            ("2011-01-27 14:33:57", (2011, 1, 27, 14, 33, 57)),
            ("2011-01-27 14:33", (2011, 1, 27, 14, 33)),
            ("2011-01-27 14", (2011, 1, 27, 14)),
            ("2011-01-27", (2011, 1, 27)),
            ("11-1-7 4:3:2", (2011, 1, 7, 4, 3, 2)),
            ("70-01-01", (1970, 1, 1)),
            ("99-12-31", (1999, 12, 31)),
            ("00-01-01", (2000, 1, 1)),
            ("69-01-01", (2069, 1, 1)),
            ("2024-02-29", (2024, 2, 29)),
            ("  2011-01-27   14:33:57 ", (2011, 1, 27, 14, 33, 57)),
            ("2011-01-27 14:33:57.5", (2011, 1, 27, 14, 33, 57, 500_000)),
            ("2011-01-27 14:33:57.000123", (2011, 1, 27, 14, 33, 57, 123)),
            ("2005/03/03 04:29:45.800.569", (2005, 3, 3, 4, 29, 45, 800_569)),
            ("2024-03-14T09:33", (2024, 3, 14, 9, 33)),
            ("2024-03-14t09:33:00.250000", (2024, 3, 14, 9, 33, 0, 250_000)),
        ],
    )
    def test_dates_and_times(self, text: str, fields: tuple[int, ...]) -> None:
        assert parse_datetime(text, GMT) == julian(*fields)

    def test_the_manuals_example(self) -> None:
        assert parse_datetime("2005-01-01 12:00:00", GMT) == 211_971_340_800_000_000

    @pytest.mark.parametrize(
        ("offset", "gmt"),
        [("GMT - 01", (2011, 1, 27, 15, 33, 57)), ("GMT + 9:30", (2011, 1, 27, 5, 3, 57))],
    )
    def test_the_argument_is_meant_in_the_offsets_zone(self, offset: str, gmt: tuple[int, ...]) -> None:
        assert parse_datetime("2011-01-27 14:33:57", TimeOffset.parse(offset)) == julian(*gmt)

    @pytest.mark.parametrize(
        "text",
        [
            "2024-03-14T09:33:00Z",
            "2024-03-14t09:33z",
            "2024-03-14 09:33:00 Z",
            "2024-03-14T09:33:00.000000Z",
            "2024-03-14T09:33:00+00:00",
            "2024-03-14T11:33:00+02:00",
            "2024-03-14 11:33+02",
            "2024-03-14T04:03:00-0530",
            "2024-03-13T18:34:00.000-14:59",
        ],
    )
    @pytest.mark.parametrize("offset", [GMT, LOCAL, TimeOffset(-899)])
    def test_a_zone_that_is_entered_goes_before_that_of_timeoffset(self, text: str, offset: TimeOffset) -> None:
        assert parse_datetime(text, offset) == julian(2024, 3, 14, 9, 33)

    @given(st.datetimes(timezones=st.just(UTC)))
    def test_what_our_json_writes_is_taken(self, moment: datetime) -> None:
        text = iso_time(from_datetime(moment))
        assert text is not None
        assert parse_datetime(text, TimeOffset(90)) == from_datetime(moment)

    def test_a_missing_date_is_today_in_the_offsets_zone(self, use_zone: UseZone) -> None:
        use_zone(CALIFORNIA)
        now = julian(2024, 6, 30, 23, 30)
        assert parse_datetime("8:15", GMT, now) == julian(2024, 6, 30, 8, 15)
        assert parse_datetime("8:15", TimeOffset.parse("GMT + 1"), now) == julian(2024, 7, 1, 7, 15)
        assert parse_datetime("8:15", LOCAL, now) == julian(2024, 6, 30, 15, 15)
        assert parse_datetime("8", GMT, now) == julian(2024, 6, 30, 8)

    def test_now_is_the_present_unless_given(self) -> None:
        days = [format_timestamp(current_timestamp(), GMT)[:10]]
        midnight = format_timestamp(parse_datetime("0", GMT), GMT)
        days.append(format_timestamp(current_timestamp(), GMT)[:10])
        assert midnight in [f"{day} 00:00:00.000.000" for day in days]

    def test_local_time_follows_daylight_saving_of_that_day(self, use_zone: UseZone) -> None:
        use_zone(CENTRAL_EUROPE)
        assert parse_datetime("2024-01-15 13:00", LOCAL) == julian(2024, 1, 15, 12)
        assert parse_datetime("2024-07-15 14:00", LOCAL) == julian(2024, 7, 15, 12)
        assert parse_datetime("2024-03-31 01:59:59", LOCAL) == julian(2024, 3, 31, 0, 59, 59)
        assert parse_datetime("2024-03-31 03:00", LOCAL) == julian(2024, 3, 31, 1)

    def test_a_local_time_that_occurs_twice_is_the_earlier_one(self, use_zone: UseZone) -> None:
        use_zone(CENTRAL_EUROPE)
        assert parse_datetime("2024-10-27 02:30", LOCAL) == julian(2024, 10, 27, 0, 30)

    def test_a_local_time_that_daylight_saving_skips_does_not_exist(self, use_zone: UseZone) -> None:
        use_zone(CENTRAL_EUROPE)
        with pytest.raises(ValueError, match="'2024-03-31 02:30' does not exist in local time"):
            parse_datetime("2024-03-31 02:30", LOCAL)
        assert parse_datetime("2024-03-31 02:30", GMT) == julian(2024, 3, 31, 2, 30)

    @pytest.mark.parametrize(
        ("text", "complaint"),
        [
            ("2024-02-30", "'2024-02-30' does not exist: the day is 1 to 29"),
            ("2023-02-29 10:00", "does not exist: the day is 1 to 28"),
            ("2024-13-01", "does not exist: the month is 1 to 12"),
            ("0000-01-01", "does not exist: the year is 1 to 9999"),
            ("25:00", "'25:00' does not exist: the hour is 0 to 23"),
            ("24:00", "does not exist: the hour is 0 to 23"),
            ("12:60", "does not exist: the minute is 0 to 59"),
            ("12:00:60", "does not exist: the second is 0 to 59"),
        ],
    )
    def test_times_that_do_not_exist(self, text: str, complaint: str) -> None:
        with pytest.raises(ValueError, match=complaint):
            parse_datetime(text, GMT, julian(2024, 1, 1))

    @pytest.mark.parametrize(
        ("text", "complaint"),
        [
            ("", "a time is"),
            ("   ", "a time is"),
            ("now", "a time is \\[\\[yy\\]yy-mm-dd\\] \\[hh"),
            ("now", "or ISO 8601"),
            ("2024-03-14T", "a time is"),
            ("T09:33", "a time is"),
            ("09:33Z", "a time is"),
            ("2024-03-14Z", "a time is"),
            ("2024-03-14T09:33:00+2", "a time is"),
            ("2024-03-14T09:33:00+15:00", "up to 14:59"),
            ("2024-03-14T09:33:00+02:60", "up to 14:59"),
            ("2024-01-01 12:00 GMT", "a time is"),
            ("12:00 2024-01-01", "a time is"),
            ("204-01-01", "a time is"),
            ("2024-01", "a time is"),
            ("2024-01/01", "a time is"),
            ("2024-001-01", "a time is"),
            ("12:00:00.1234567890", "a time is"),
            ("12:00:00.12.345", "a time is"),
            ("12:00.5", "a time is"),
            ("\u0661\u0662:00", "a time is"),
        ],
    )
    def test_other_text_is_refused_with_the_form(self, text: str, complaint: str) -> None:
        with pytest.raises(ValueError, match=complaint):
            parse_datetime(text, GMT)

    def test_there_is_no_today_without_a_calendar(self) -> None:
        with pytest.raises(ValueError, match="give a date"):
            parse_datetime("12:00", GMT, now=0)

    @given(
        st.datetimes(datetime(2, 1, 1), datetime(9998, 12, 31)),  # noqa: DTZ001 - hypothesis wants naive bounds
        st.integers(-899, 899),
    )
    def test_a_shown_time_can_be_pasted_back(self, moment: datetime, minutes: int) -> None:
        value = from_datetime(moment)
        offset = TimeOffset(minutes)
        assert parse_datetime(format_timestamp(value, offset), offset) == value

    def test_a_shown_local_time_can_be_pasted_back_unless_it_occurs_twice(self, use_zone: UseZone) -> None:
        use_zone(CENTRAL_EUROPE)
        repeated = range(julian(2024, 10, 27, 1), julian(2024, 10, 27, 2))
        for hour in range(366 * 24):
            value = julian(2024, 1, 1) + hour * 3_600_000_000
            expected = value - 3_600_000_000 if value in repeated else value
            assert parse_datetime(format_timestamp(value, LOCAL), LOCAL) == expected, to_datetime(value)


@pytest.mark.parametrize(
    "whole",
    ["2024-03-14 09:31:00.123456", "24-3-1 9", "2024/03/14 09:31:00.800.569", "2024-03-14T09:31:00+01:30", "09:31"],
)
def test_every_beginning_of_a_time_can_become_one(whole: str) -> None:
    assert [whole[:end] for end in range(len(whole)) if not begins_datetime(whole[:end])] == []


@pytest.mark.parametrize("text", ["x", "2024-13", "2024-02-30", "25:", "2024-03-14 here", "2024-03-14 09:31:60"])
def test_what_no_digit_can_mend_begins_no_time(text: str) -> None:
    assert not begins_datetime(text)

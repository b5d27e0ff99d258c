"""Dates, times and intervals."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, timezone

import pytest

from tests.trailformat.values.kinds import of
from trailformat import ByteOrder, Value, decode_value, make_column
from trailformat.values import Plain


def decoded(text: str, data_type: int = 192, charset: int = -1) -> Value:
    return decode_value(make_column(0, text.encode("latin-1")), of(data_type, charset=charset), ByteOrder.BIG)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1994-09-30:15:33:00", datetime(1994, 9, 30, 15, 33)),  # noqa: DTZ001 - it has no zone
        ("1999-12-31:00:00:00.000000", datetime(1999, 12, 31)),  # noqa: DTZ001 - it has no zone
        ("2024-03-14 09:30:00.5", datetime(2024, 3, 14, 9, 30, 0, 500000)),  # noqa: DTZ001 - it has no zone
        ("2024-03-14:09:30:00.123456000", datetime(2024, 3, 14, 9, 30, 0, 123456)),  # noqa: DTZ001 - it has no zone
        ("0001-01-01:00:00:00", datetime(1, 1, 1)),  # noqa: DTZ001 - it has no zone
        ("2022-12-22", date(2022, 12, 22)),
        ("09:30:00", time(9, 30)),
        ("2024-03-14:09:30:00 +09:00", datetime(2024, 3, 14, 9, 30, tzinfo=timezone(timedelta(hours=9)))),
        ("2024-03-14:09:30:00.000000-05:30", datetime(2024, 3, 14, 9, 30, tzinfo=timezone(timedelta(minutes=-330)))),
        ("2024-03-14:09:30:00 UTC", datetime(2024, 3, 14, 9, 30, tzinfo=UTC)),
    ],
)
def test_a_date_a_time_or_both(text: str, value: Plain) -> None:
    assert decoded(text) == Value(text.encode(), value)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("0000-00-00:00:00:00", "0000-00-00 00:00:00"),
        ("-4712-01-01:00:00:00", "-4712-01-01 00:00:00"),
        ("0044-03-15 BC", "0044-03-15 BC"),
        ("10000-01-01", "10000-01-01"),
        ("2023-02-30:00:00:00", "2023-02-30 00:00:00"),
        ("2024-03-14:24:00:00", "2024-03-14 24:00:00"),
        ("2024-03-14:09:30:60", "2024-03-14 09:30:60"),
        ("2024-03-14:09:30:00.123456789", "2024-03-14 09:30:00.123456789"),
        ("2024-03-14:09:30:00 Europe/Berlin", "2024-03-14 09:30:00 Europe/Berlin"),
        ("2024-03-14:09:30:00 +99:00", "2024-03-14 09:30:00 +99:00"),
        ("-infinity", "-infinity"),
        ("infinity", "infinity"),
    ],
)
def test_what_python_has_no_type_for_is_text(text: str, shown: str) -> None:
    value = decoded(text)
    assert (value.value, value.text, value.problem) == (shown, shown, None)


@pytest.mark.parametrize("text", ["", "soon", "2024", "14/03/2024", "2024-03-14:", "\xff\xff", "9" * 500])
def test_what_is_no_date_stays_bytes(text: str) -> None:
    value = decoded(text)
    assert str(value.problem).startswith("DATETIME: ")
    assert value.text == text.encode("latin-1").hex()


def test_a_date_from_zos_is_in_ebcdic() -> None:
    data = "1994-09-30:15:33:00".encode("cp037")
    value = decode_value(make_column(0, data), of(192, charset=1072), ByteOrder.BIG)
    assert value.text == "1994-09-30 15:33:00"


@pytest.mark.parametrize(
    ("data_type", "text", "value"),
    [
        (195, "+12", "12"),
        (197, "+01-02", "1-02"),
        (197, "-01-02", "-1-02"),
        (198, "-03", timedelta(days=-3)),
        (203, "01:02:03", timedelta(days=1, hours=2, minutes=3)),
        (207, "+03 04:05:06", timedelta(days=3, hours=4, minutes=5, seconds=6)),
        (212, "-03 04:05:06.500000", -timedelta(days=3, hours=4, minutes=5, seconds=6, milliseconds=500)),
        (212, "+03 04:05:06", timedelta(days=3, hours=4, minutes=5, seconds=6)),
        (212, "+03 04:05:06.000000001", "+03 04:05:06.000000001"),
        (208, "000001", timedelta(microseconds=1)),
        (198, "999999999999", "999999999999"),
    ],
)
def test_an_interval_by_its_fields(data_type: int, text: str, value: Plain) -> None:
    assert decoded(text, data_type) == Value(text.encode(), value)


@pytest.mark.parametrize(
    ("data_type", "text"), [(197, "12"), (212, "1-2"), (212, "soon"), (195, ""), (198, "1" * 99), (212, "\xff")]
)
def test_what_is_no_such_interval_stays_bytes(data_type: int, text: str) -> None:
    value = decoded(text, data_type)
    assert value.problem is not None
    assert value.value is None


def test_an_interval_is_shown_with_sign_days_and_time_of_day() -> None:
    assert decoded("-03 04:05:06.500000", 212).text == "-3 04:05:06.5"

"""Julian timestamps: signed 64-bit microseconds since noon, 1 January 4713 BC, in GMT.

    02 f2 57 bd dd 5e c9 b0   =  2016-04-28 12:10:14.246832 GMT

Checked on four Logdump transcripts and on the manual's COMPUTETIMESTAMP and INTERPRETTIMESTAMP examples.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

JULIAN_UNIX_EPOCH = 210_866_760_000_000_000
"""1970-01-01 00:00:00 GMT in Julian microseconds: 2440587.5 days."""
FIRST_TIME, LAST_TIME = JULIAN_UNIX_EPOCH - 62_135_596_800_000_000, JULIAN_UNIX_EPOCH + 253_402_300_799_999_999
"""The years 1 to 9999."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def to_datetime(julian: int) -> datetime | None:
    """The moment in GMT, or None when it lies outside the years 1 to 9999."""
    try:
        return _EPOCH + timedelta(microseconds=julian - JULIAN_UNIX_EPOCH)
    except OverflowError:
        return None


def from_datetime(moment: datetime) -> int:
    """Julian microseconds of an aware datetime (a naive one is taken as GMT)."""
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return (moment - _EPOCH) // _MICROSECOND + JULIAN_UNIX_EPOCH

"""Julian timestamps: signed 64-bit microseconds since noon, 1 January 4713 BC, in GMT.

    02 f2 57 bd dd 5e c9 b0   =  2016-04-28 12:10:14.246832 GMT

Checked on four Logdump transcripts and on the manual's COMPUTETIMESTAMP and INTERPRETTIMESTAMP examples.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from datetime import datetime, timedelta

Julian: TypeAlias = int
"""A moment, in Julian microseconds GMT."""
Microseconds: TypeAlias = int
"""A length of time."""
JULIAN_UNIX_EPOCH = 210_866_760_000_000_000
"""1970-01-01 00:00:00 GMT in Julian microseconds: 2440587.5 days."""
FIRST_TIME, LAST_TIME = JULIAN_UNIX_EPOCH - 62_135_596_800_000_000, JULIAN_UNIX_EPOCH + 253_402_300_799_999_999
"""First and last Julian microsecond of the years 1 to 9999."""


@cache
def _units() -> tuple[datetime, timedelta]:
    """1970-01-01 00:00:00 GMT, and a microsecond."""
    from datetime import UTC, datetime, timedelta  # noqa: PLC0415 - start-up is faster without

    return datetime(1970, 1, 1, tzinfo=UTC), timedelta(microseconds=1)


def to_datetime(julian: int) -> datetime | None:
    """Return the moment in GMT, or None outside of the years 1 to 9999."""
    epoch, microsecond = _units()
    try:
        return epoch + (julian - JULIAN_UNIX_EPOCH) * microsecond
    except OverflowError:
        return None


def from_datetime(moment: datetime) -> int:
    """Return the Julian microseconds of a datetime; a naive one is taken as GMT."""
    epoch, microsecond = _units()
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=epoch.tzinfo)
    return (moment - epoch) // microsecond + JULIAN_UNIX_EPOCH

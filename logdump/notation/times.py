"""Times as Logdump shows and accepts them: Julian microseconds in GMT to text and back, in the zone of TIMEOFFSET.

    211976584185800569   =   2005/03/03 04:29:45.800.569 GMT

Shown times are ``yyyy/mm/dd hh:mm:ss.mmm.uuu``, milliseconds dot microseconds (every transcript). Times in commands are
``[[yy]yy-mm-dd] [hh[:mm][:ss]]`` (manual COUNT, HELP 11.1), or ISO 8601 as our JSON writes them (ours). A trail has
GMT; LOCAL is the machine's zone, with its daylight saving at that moment.
"""

from __future__ import annotations

import re
import time
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from trailformat.codec.timestamps import JULIAN_UNIX_EPOCH, from_datetime, to_datetime

if TYPE_CHECKING:
    from collections.abc import Callable

_UNITS = ((86_400, "d"), (3600, "h"), (60, "min"))


def seconds_text(microseconds: int) -> str:
    """Return seconds with three decimals."""
    return f"{microseconds / 1_000_000:.3f}"


def duration_text(microseconds: int) -> str:
    """Return a duration in its two largest units, ``2 h 56 min``; below a minute in seconds."""
    seconds = abs(microseconds) // 1_000_000
    parts: list[str] = []
    for size, unit in _UNITS:
        if seconds >= size or parts:
            parts.append(f"{seconds // size} {unit}")
            seconds %= size
    return ("-" if microseconds < 0 else "") + (
        " ".join(parts[:2]) if parts else f"{seconds_text(abs(microseconds))} s"
    )


def span_text(microseconds: int) -> str:
    """Return a duration in its two largest units, without the second if it is 0: ``4 h``."""
    first, _, second = duration_text(microseconds).partition(" 0 ")
    return first if second and not second.startswith("s") else duration_text(microseconds)


_SECOND = 1_000_000
_MINUTE = 60 * _SECOND
_DAY_SECONDS = 86_400
_UNSIGNED_64 = 0xFFFF_FFFF_FFFF_FFFF

_OFFSET = r"GMT(?:\s*([+-])\s*([0-9]{1,2})(?::([0-9]{2}))?)?"
_DATE = r"(?P<year>[0-9]{4}|[0-9]{2})(?P<sep>[-/])(?P<month>[0-9]{1,2})(?P=sep)(?P<day>[0-9]{1,2})"
_FRACTION = r"(?P<fraction>[0-9]{3}\.[0-9]{3}|[0-9]{1,9})"
_CLOCK = rf"(?P<hour>[0-9]{{1,2}})(?::(?P<minute>[0-9]{{1,2}})(?::(?P<second>[0-9]{{1,2}})(?:\.{_FRACTION})?)?)?"
_ZONE = r"(?P<zone>[Zz]|[+-][0-9]{2}(?::?[0-9]{2})?)"
_DATE_AND_TIME = rf"{_DATE}(?:(?:\s+|[Tt]){_CLOCK}(?:\s*{_ZONE})?)?"

_BEFORE_NOW = re.compile(r"-\s*(?P<number>[0-9]{1,6})\s*(?P<unit>s|min|m|h|d|w)", re.IGNORECASE)
_UNIT_SECONDS = {"s": 1, "m": 60, "min": 60, "h": 3600, "d": _DAY_SECONDS, "w": 7 * _DAY_SECONDS}
_DAY_WORD = re.compile(rf"(?P<day_word>today|yesterday)(?:\s+{_CLOCK})?", re.IGNORECASE)

LOGDUMP_FORM: Final = "[[yy]yy-mm-dd] [hh[:mm][:ss]]"
TIME_FORMS: Final = f"{LOGDUMP_FORM} or ISO 8601, yyyy-mm-ddThh:mm:ss with Z or +hh:mm"
"""Forms in which a time may be entered: Logdump's, or ISO 8601."""


class TimeOffset(NamedTuple):
    """The zone of TIMEOFFSET: a fixed number of minutes ahead of GMT, or None for the machine's local time."""

    minutes: int | None

    @classmethod
    def parse(cls, words: str) -> TimeOffset:
        """Return the zone that TIMEOFFSET's argument names, in any case: LOCAL, GMT, GMT +/- hh[:mm] up to 14:59.

        Raises ValueError, with a reason. Source: manual TIMEOFFSET.
        """
        text = words.strip()
        if text.upper() == "LOCAL":
            return LOCAL
        match = re.fullmatch(_OFFSET, text, re.IGNORECASE)
        if match is None:
            raise ValueError(f"the time offset is LOCAL, GMT, GMT +hh[:mm] or GMT -hh[:mm], not {text!r}")
        sign, hours, minutes = match[1], int(match[2] or 0), int(match[3] or 0)
        if hours > 14 or minutes > 59:
            raise ValueError(f"an offset from GMT goes up to 14:59, not {hours:02}:{minutes:02}")
        total = 60 * hours + minutes
        return cls(-total if sign == "-" else total)

    def moment(self, text: str, *, is_end: bool = False) -> int:
        """Return the Julian microseconds of a time entered in this zone; see ``parse_datetime``."""
        return parse_datetime(text, self, is_end=is_end)

    def __str__(self) -> str:
        """The zone as ENV prints it: ``LOCAL``, ``GMT``, ``GMT -01:00``."""
        if self.minutes is None:
            return "LOCAL"
        if self.minutes == 0:
            return "GMT"
        hours, minutes = divmod(abs(self.minutes), 60)
        return f"GMT {'-' if self.minutes < 0 else '+'}{hours:02}:{minutes:02}"


_ENDS = ("", *"0 1 00 000 01 -01 /01 1-01 1/01 01-01 01/01 -01-01 /01/01 0-01-01 0/01/01".split())  # noqa: SIM905
"""Endings that complete a beginning of a time: one of these does if any can."""

LOCAL: Final = TimeOffset(None)
"""The machine's zone, Logdump's default."""

GMT: Final = TimeOffset(0)


def current_timestamp() -> int:
    """Return the current time in Julian microseconds, GMT."""
    return time.time_ns() // 1000 + JULIAN_UNIX_EPOCH


def format_timestamp(julian: int, offset: TimeOffset) -> str:
    """Return Julian microseconds as ``yyyy/mm/dd hh:mm:ss.mmm.uuu`` in a zone.

    A value outside the years 1 to 9999 in that zone is ``x`` and the 16 hex digits of its 64 bits.
    """
    return _shown_time(julian, offset, time.tzname)


def zone_text(offset: TimeOffset, julian: int) -> str:
    """Return the zone of a shown time: ``GMT``, ``GMT +01:00``, or the machine's at that time, ``local +01:00``."""
    if offset.minutes is not None:
        return str(offset)
    try:
        minutes = time.localtime((julian - JULIAN_UNIX_EPOCH) // _SECOND).tm_gmtoff // 60
    except (OverflowError, OSError):
        return "local"
    hours, minutes_over = divmod(abs(minutes), 60)
    return f"local {'-' if minutes < 0 else '+'}{hours:02}:{minutes_over:02}"


def format_with_zone(julian: int, offset: TimeOffset) -> str:
    """Return a time as ``format_timestamp`` does, with its zone after it: for the first time of an answer."""
    return f"{format_timestamp(julian, offset)} {zone_text(offset, julian)}"


@lru_cache
def _shown_time(julian: int, offset: TimeOffset, zone: tuple[str, str]) -> str:
    """Format a time in the machine's current ``zone``; cached, since the records of a transaction share one time."""
    seconds, fraction = divmod(julian - JULIAN_UNIX_EPOCH, _SECOND)
    shown = _shown_second(seconds, offset, zone)
    return f"{shown}.{fraction // 1000:03}.{fraction % 1000:03}" if shown else f"x{julian & _UNSIGNED_64:016x}"


@lru_cache
def _shown_second(seconds: int, offset: TimeOffset, _zone: tuple[str, str]) -> str | None:
    """Return Unix seconds as ``yyyy/mm/dd hh:mm:ss``; None outside the years 1 to 9999."""
    fields = _fields(seconds, offset)
    if fields is None:
        return None
    day = f"{fields.tm_year:04}/{fields.tm_mon:02}/{fields.tm_mday:02}"
    return f"{day} {fields.tm_hour:02}:{fields.tm_min:02}:{fields.tm_sec:02}"


def parse_datetime(text: str, offset: TimeOffset, now: int | None = None, *, is_end: bool = False) -> int:
    """Return the Julian microseconds, GMT, of a date, a time or both in a zone.

    Accepts Logdump's ``[[yy]yy-mm-dd] [hh[:mm][:ss]]``, with up to nine decimals of a second (a trail has six: the
    others are dropped), the format of shown times
    (``yyyy/mm/dd hh:mm:ss.mmm.uuu``), and ISO 8601, where ``Z`` or an offset after date and time takes precedence over
    the zone. Years 70 to 99 are 1970 to 1999, 00 to 69 are 2000 to 2069. A missing time is midnight; a missing date is
    the zone's today, at ``now`` in Julian microseconds (default: the present). A local time that the end of daylight
    saving repeats is the earlier of the two, or with ``is_end``, where it ends a range, the later.

    ``-90min``, ``-1h``, ``-2d`` (s, m or min, h, d, w) are counted back from ``now``; ``today`` and ``yesterday``
    are dates, with a time or without.

    Raises ValueError for text of another form and for a time that does not exist, such as 2024-02-30, 25:00 or a local
    time that the start of daylight saving skips.
    """
    from datetime import UTC, datetime  # noqa: PLC0415 - records are shown sooner without

    present = current_timestamp() if now is None else now
    if (before := _BEFORE_NOW.fullmatch(text.strip())) is not None:
        return present - int(before["number"]) * _UNIT_SECONDS[before["unit"].lower()] * _SECOND
    forms = (_DATE_AND_TIME, _CLOCK, _DAY_WORD)
    match = next((match for form in forms if (match := re.fullmatch(form, text.strip()))), None)
    if match is None:
        raise ValueError(f"a time is {TIME_FORMS}, not {text!r}")
    parts = match.groupdict()
    is_yesterday = (parts.get("day_word") or "").lower() == "yesterday"
    day = _date(parts) if "year" in parts else _today(offset, present, days_back=int(is_yesterday))
    clock = _time(parts)
    if wrong := _out_of_range(*day, *clock[:3]):
        raise ValueError(f"{text.strip()!r} does not exist: {wrong}")
    moment = datetime(*day, *clock, tzinfo=UTC)
    wall, minutes = from_datetime(moment), _zone(parts.get("zone"), offset)
    if minutes is not None:
        return wall - minutes * _MINUTE
    return _from_local(wall, text.strip(), max if is_end else min)


def has_date(text: str) -> bool:
    """Return True if an entered time has a date."""
    return re.fullmatch(_CLOCK, text.strip()) is None


def begins_datetime(text: str) -> bool:
    """Return True if further text could complete a date and time that exists."""
    for end in _ENDS:
        try:
            parse_datetime(text + end, GMT)
        except ValueError:
            continue
        return True
    return False


def _fields(seconds: int, offset: TimeOffset) -> time.struct_time | None:
    """Return the calendar fields of Unix seconds in a zone; None outside the years 1 to 9999."""
    try:
        fields = time.localtime(seconds) if offset.minutes is None else time.gmtime(seconds + 60 * offset.minutes)
    except (OverflowError, OSError):
        return None
    return fields if 1 <= fields.tm_year <= 9999 else None


def _today(offset: TimeOffset, now: int, *, days_back: int = 0) -> tuple[int, int, int]:
    """Return the date at a moment in a zone, or the date a number of days before it on the calendar."""
    from datetime import date, timedelta  # noqa: PLC0415 - records are shown sooner without

    fields = _fields((now - JULIAN_UNIX_EPOCH) // _SECOND, offset)
    if fields is None:
        raise ValueError(f"there is no today at {format_timestamp(now, offset)}; give a date")
    # a day of the calendar has 23 or 25 hours where daylight saving begins or ends
    try:
        day = date(fields.tm_year, fields.tm_mon, fields.tm_mday) - timedelta(days_back)
    except OverflowError:
        raise ValueError(f"there is no day before {format_timestamp(now, offset)}; give a date") from None
    return day.year, day.month, day.day


def _date(parts: dict[str, str]) -> tuple[int, int, int]:
    year = int(parts["year"])
    if len(parts["year"]) == 2:
        year += 1900 if year >= 70 else 2000
    return year, int(parts["month"]), int(parts["day"])


def _time(parts: dict[str, str | None]) -> tuple[int, int, int, int]:
    """Return hour, minute, second and microsecond."""
    hour, minute, second = (int(parts[name] or 0) for name in ("hour", "minute", "second"))
    return hour, minute, second, int((parts["fraction"] or "0").replace(".", "").ljust(6, "0")[:6])


def _out_of_range(year: int, month: int, day: int, hour: int, minute: int, second: int) -> str:
    """Return what is wrong with a date and time, such as ``the day is 1 to 29``; empty if it exists."""
    from calendar import monthrange  # noqa: PLC0415 - records are shown sooner without

    # Python's own sentences differ from release to release
    fields = (("year", year, 1, 9999), ("month", month, 1, 12), ("hour", hour, 0, 23), ("minute", minute, 0, 59))
    for name, value, first, last in (*fields, ("second", second, 0, 59)):
        if not first <= value <= last:
            return f"the {name} is {first} to {last}"
    days = monthrange(year, month)[1]
    return "" if 1 <= day <= days else f"the day is 1 to {days}"


def _zone(text: str | None, offset: TimeOffset) -> int | None:
    """Return the minutes ahead of GMT, as entered or else of ``offset``; None for local time."""
    if text is None:
        return offset.minutes
    return 0 if text in "Zz" else TimeOffset.parse(f"GMT {text[:3]}:{text[3:].lstrip(':') or '00'}").minutes


def _from_local(wall: int, text: str, choose: Callable[[list[int]], int]) -> int:
    """Return GMT of a local time, whose offset is the one in force a day before or a day after; ``choose`` of two."""
    seconds, fraction = divmod(wall - JULIAN_UNIX_EPOCH, _SECOND)
    try:
        guesses = [seconds - time.localtime(seconds + day).tm_gmtoff for day in (-_DAY_SECONDS, _DAY_SECONDS)]
        moments = [guess for guess in guesses if guess + time.localtime(guess).tm_gmtoff == seconds]
    except (OverflowError, OSError):
        raise ValueError(f"{text!r} is beyond what this machine's local time covers") from None
    if not moments:
        raise ValueError(f"{text!r} does not exist in local time: daylight saving skips it")
    return choose(moments) * _SECOND + fraction + JULIAN_UNIX_EPOCH


@lru_cache
def iso_time(julian: int) -> str | None:
    """Return Julian microseconds as ``2024-03-14T09:31:00.000000Z``; None outside the years 1 to 9999."""
    moment = to_datetime(julian)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ").rjust(27, "0") if moment else None

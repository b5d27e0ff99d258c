"""A column of every data type, and the values that hypothesis chooses for it."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from typing import NamedTuple

from hypothesis import strategies as st

from tests.trailformat.samples import column
from trailformat import ColumnDefinition
from trailformat.values import Plain


class Kind(NamedTuple):
    """A column and what may stand in it."""

    definition: ColumnDefinition
    values: st.SearchStrategy[Plain]


def of(data_type: int, size: int = 40, *, scale: int = 0, sub: int = 0, charset: int = -1) -> ColumnDefinition:
    """A column of this type and internal length."""
    return column(
        f"C{data_type}",
        data_type=data_type,
        internal_length=size,
        external_length=size,
        scale=scale,
        sub_data_type=sub,
        charset=charset,
        native_type=0,
    )


TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20)
LATIN = st.text(st.characters(max_codepoint=255), max_size=20)
WESTERN = st.text(bytes(range(256)).decode("cp1252", "ignore"), max_size=20)
BYTES = st.binary(max_size=40)
DECIMALS = st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**30), max_value=10**30, places=6)
DOUBLES = st.floats(allow_nan=False)
TANDEM = st.floats(min_value=-1e70, max_value=1e70, allow_subnormal=False).filter(lambda number: abs(number) > 1e-70)
DATES = st.dates()
TIMES = st.times()
MOMENTS = st.datetimes()
ZONES = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
ZONED = st.datetimes(timezones=ZONES)
SECONDS = st.integers(-(10**9), 10**9)
MICROSECONDS = st.integers(-(10**15), 10**15).map(lambda size: timedelta(microseconds=size))


def integers(bits: int, *, signed: bool = True) -> st.SearchStrategy[Plain]:
    """All integers of so many bits."""
    return st.integers(-(1 << bits - 1), (1 << bits - 1) - 1) if signed else st.integers(0, (1 << bits) - 1)


def scaled(digits: int, scale: int, *, signed: bool = True) -> st.SearchStrategy[Plain]:
    """All decimals of so many digits, ``scale`` of them behind the point."""
    most = 10**digits - 1
    return st.integers(-most if signed else 0, most).map(lambda number: Decimal(f"{number}e-{scale}"))


def intervals(seconds: int) -> st.SearchStrategy[Plain]:
    """Intervals of whole units of so many seconds."""
    return st.integers(-(10**5), 10**5).map(lambda count: timedelta(seconds=count * seconds))


MONTHS = st.tuples(st.sampled_from(["", "-"]), st.integers(0, 999), st.integers(0, 11)).map(
    lambda parts: f"{parts[0]}{parts[1]}-{parts[2]:02d}"
)
COUNTS = st.tuples(st.sampled_from(["", "-"]), st.integers(0, 999)).map(lambda parts: f"{parts[0]}{parts[1]}")
_DAY, _HOUR, _MINUTE = 86_400, 3_600, 60

KINDS: dict[str, Kind] = {
    "VARCHAR": Kind(of(64), TEXT),
    "VARCHAR of a number": Kind(of(64, 50, sub=2), DECIMALS),
    "VARCHAR of bytes": Kind(of(64, sub=4), BYTES),
    "VARCHAR in UTF-16": Kind(of(64, sub=1), TEXT),
    "VARCHAR in windows-1252": Kind(of(64, charset=1003), WESTERN),
    "VARCHAR in EBCDIC": Kind(of(64, charset=1072), LATIN),
    "VARCHAR in CESU-8": Kind(of(64, charset=8), TEXT),
    "VARCHAR UPSHIFT": Kind(of(65), TEXT),
    "DOUBLE VARCHAR": Kind(of(66), TEXT),
    "INT16": Kind(of(130, 2), integers(16)),
    "UINT16": Kind(of(131, 2), integers(16, signed=False)),
    "INT32": Kind(of(132, 4), integers(32)),
    "UINT32": Kind(of(133, 4), integers(32, signed=False)),
    "INT64": Kind(of(134, 8), integers(64)),
    "INT64 with a scale": Kind(of(134, 8, scale=2), scaled(18, 2)),
    "UINT64": Kind(of(135, 8), integers(64, signed=False)),
    "TANDEM DOUBLE": Kind(of(141, 8), TANDEM),
    "DOUBLE": Kind(of(143, 8), DOUBLES),
    "DECIMAL UNSIGNED": Kind(of(150, 9, scale=2), scaled(9, 2, signed=False)),
    "DECIMAL LSS": Kind(of(151, 10, scale=2), scaled(9, 2)),
    "DECIMAL LSE": Kind(of(152, 9, scale=2), scaled(9, 2)),
    "DECIMAL TSS": Kind(of(153, 10), st.integers(-(10**9) + 1, 10**9 - 1)),
    "DECIMAL TSE": Kind(of(154, 9, scale=9), scaled(9, 9)),
    "DECIMAL PACKED": Kind(of(189, 5, scale=2), scaled(9, 2)),
    "DATETIME VARYING": Kind(of(191), MOMENTS),
    "DATETIME": Kind(of(192), MOMENTS),
    "DATETIME of a date": Kind(of(192, 10), DATES),
    "DATETIME of a time": Kind(of(192, 8), TIMES),
    "DATETIME with a zone": Kind(of(192, 32), ZONED),
    "INTERVAL YEAR": Kind(of(195), COUNTS),
    "INTERVAL MONTH": Kind(of(196), COUNTS),
    "INTERVAL YEAR TO MONTH": Kind(of(197), MONTHS),
    "INTERVAL DAY": Kind(of(198), intervals(_DAY)),
    "INTERVAL HOUR": Kind(of(199), intervals(_HOUR)),
    "INTERVAL DAY TO HOUR": Kind(of(200), intervals(_HOUR)),
    "INTERVAL MINUTE": Kind(of(201), intervals(_MINUTE)),
    "INTERVAL HOUR TO MINUTE": Kind(of(202), intervals(_MINUTE)),
    "INTERVAL DAY TO MINUTE": Kind(of(203), intervals(_MINUTE)),
    "INTERVAL SECOND": Kind(of(204), intervals(1)),
    "INTERVAL MINUTE TO SECOND": Kind(of(205), intervals(1)),
    "INTERVAL HOUR TO SECOND": Kind(of(206), intervals(1)),
    "INTERVAL DAY TO SECOND": Kind(of(207), intervals(1)),
    "INTERVAL SECOND TO FRACTION": Kind(of(209), MICROSECONDS),
    "INTERVAL MINUTE TO FRACTION": Kind(of(210), MICROSECONDS),
    "INTERVAL HOUR TO FRACTION": Kind(of(211), MICROSECONDS),
    "INTERVAL DAY TO FRACTION": Kind(of(212), MICROSECONDS),
}
"""By name. Those that lose something on the way, blanks at the end or digits, have tests of their own."""

LOSSY = {0, 1, 2, 140, 142, 208}
UNKNOWN = {155, 156}
EXAMPLES: tuple[Plain, ...] = (
    "text",
    b"\1\2",
    1,
    1.5,
    Decimal("1.50"),
    date(2024, 3, 14),
    time(9, 30),
    datetime(2024, 3, 14, 9, 30, tzinfo=UTC),
    timedelta(days=1),
    None,
)
"""One of each type that a value may have."""

"""Values of columns as images have them, good and bad, for every way in which arrays are made."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from functools import cache
from typing import Any

from hypothesis import strategies as st

from trailformat import ByteOrder

KINDS: dict[str, dict[str, Any]] = {
    "CHAR": {"data_type": 0, "sub_data_type": 5},
    "VARCHAR": {"data_type": 64, "sub_data_type": 5},
    "NUMBER": {"data_type": 64, "sub_data_type": 2},
    "NUMBER(9,2) as text": {"data_type": 64, "sub_data_type": 3, "scale": 2},
    "NUMBER(9,2) as CHAR": {"data_type": 0, "sub_data_type": 3, "scale": 2},
    "NUMBER in EBCDIC": {"data_type": 64, "sub_data_type": 2, "charset": 1072},
    "NUMBER(9,2) in Latin-1": {"data_type": 64, "sub_data_type": 3, "scale": 2, "charset": 1003},
    "NUMBER(9,40) as text": {"data_type": 64, "sub_data_type": 3, "scale": 40},
    "CHAR(4)": {"data_type": 0, "sub_data_type": 5, "internal_length": 4},
    "RAW(4)": {"data_type": 0, "sub_data_type": 4, "internal_length": 4},
    "VARCHAR in windows-1252": {"data_type": 64, "sub_data_type": 5, "charset": 1003},
    "VARCHAR in UTF-16": {"data_type": 64, "sub_data_type": 1},
    "VARCHAR in EBCDIC": {"data_type": 64, "sub_data_type": 5, "charset": 1072},
    "RAW": {"data_type": 64, "sub_data_type": 4},
    "INT16": {"data_type": 130, "scale": 0, "sub_data_type": 0},
    "INT32": {"data_type": 132, "scale": 0, "sub_data_type": 0},
    "UINT16": {"data_type": 131, "scale": 0, "sub_data_type": 0},
    "UINT64": {"data_type": 135, "scale": 0, "sub_data_type": 0},
    "INT64, scale 2": {"data_type": 134, "scale": 2, "sub_data_type": 0},
    "INT64, scale 19": {"data_type": 134, "scale": 19, "sub_data_type": 0},
    "UINT32, scale 3": {"data_type": 133, "scale": 3, "sub_data_type": 0},
    "scale 99": {"data_type": 134, "scale": 99, "sub_data_type": 0},
    "DOUBLE": {"data_type": 143, "sub_data_type": 0},
    "REAL": {"data_type": 142, "sub_data_type": 0},
    "DECIMAL": {"data_type": 154, "scale": 2, "sub_data_type": 0},
    "DATE": {"data_type": 192, "least_significant": 2, "sub_data_type": 0},
    "TIMESTAMP": {"data_type": 192, "least_significant": 6, "sub_data_type": 0},
    "TIMESTAMP WITH TIME ZONE": {"data_type": 192, "least_significant": 6, "native_type": 188},
    "DATETIME with a length": {"data_type": 191, "least_significant": 6, "sub_data_type": 0},
    "TIME": {"data_type": 192, "most_significant": 3, "least_significant": 5},
    "INTERVAL": {"data_type": 212, "sub_data_type": 0},
    "unknown": {"data_type": 999},
}
_NUMBERS = st.one_of(*(st.binary(min_size=size, max_size=size) for size in (2, 4, 8)))
_ZONES = st.integers(-1439, 1439).map(lambda minutes: timezone(timedelta(minutes=minutes)))


def _zoned(moment: datetime) -> bytes:
    """A moment and its offset, a blank between them."""
    text = moment.isoformat(sep=":")
    return f"{text[:-6]} {text[-6:]}".encode()


_TEXTS = st.one_of(
    st.text(max_size=9).map(str.encode),
    st.decimals(allow_nan=False, allow_infinity=False).map(lambda number: str(number).encode()),
    st.decimals(-(10**20), 10**20, places=2).map(lambda number: f"{number:f}".encode()),
    st.from_regex(r"-?[0-9]{0,19}\.?[0-9]{0,3}", fullmatch=True).map(str.encode),
    st.datetimes().map(lambda moment: moment.isoformat(sep=":").encode()),
    st.datetimes(timezones=_ZONES).map(_zoned),
    st.datetimes().map(lambda moment: moment.isoformat(sep=" ", timespec="seconds").encode() + b".123456000"),
    st.dates().map(lambda day: day.isoformat().encode()),
    st.times().map(lambda clock: clock.isoformat().encode()),
    st.sampled_from(
        [
            b"2024-02-30:10:00:00",
            b"2024-03-14:10:00:00.1234567",
            b"2023-02-29",
            b"-0044-03-15:00:00:00",
            b"2024-03-14 10:00:00 +05:30",
            b"2024-03-14 10:00:00+05:30",
            b"2024-03-14 10:00:00 +24:00",
            b"2024-03-14 10:00:00 *05:30",
            b"2024-03-14 10:00:00.123456 +05:60",
            b"0001-01-01 00:00:00 +00:01",
            b"9999-12-31 23:59:59 -00:01",
            b"2024-03-14:24:00:00",
            b"0000-00-00",
            b"1900-02-29",
            b"2000-02-29",
            b"2024-03-14:10:00:00.",
            b"1e400",
        ]
    ),
    st.binary(max_size=24),
)
_INDICATORS = st.sampled_from([b"\0\0"] * 9 + [b"\xff\xff", b"\0\1", b""])


@cache
def raw_values(order: ByteOrder) -> st.SearchStrategy[bytes]:
    """Bytes of a column, its indicator first."""
    prefixed = _TEXTS.map(lambda text: order.encode(len(text), 2) + text)
    return st.builds(bytes.__add__, _INDICATORS, st.one_of(_NUMBERS, _TEXTS, prefixed))

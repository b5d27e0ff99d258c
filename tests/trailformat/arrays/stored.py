"""Values of columns as images have them, good and bad, for every way in which arrays are made."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from trailformat import ByteOrder

KINDS: dict[str, dict[str, Any]] = {
    "CHAR": {"data_type": 0, "sub_data_type": 5},
    "VARCHAR": {"data_type": 64, "sub_data_type": 5},
    "NUMBER": {"data_type": 64, "sub_data_type": 2},
    "NUMBER(9,2) as text": {"data_type": 64, "sub_data_type": 3, "scale": 2},
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
    "TIME": {"data_type": 192, "most_significant": 3, "least_significant": 5},
    "INTERVAL": {"data_type": 212, "sub_data_type": 0},
    "unknown": {"data_type": 999},
}
_NUMBERS = st.one_of(*(st.binary(min_size=size, max_size=size) for size in (2, 4, 8)))
_TEXTS = st.one_of(
    st.text(max_size=9).map(str.encode),
    st.decimals(allow_nan=False, allow_infinity=False).map(lambda number: str(number).encode()),
    st.datetimes().map(lambda moment: moment.isoformat(sep=":").encode()),
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


def raw_values(order: ByteOrder) -> st.SearchStrategy[bytes]:
    """A value with its indicator."""
    prefixed = _TEXTS.map(lambda text: order.encode(len(text), 2) + text)
    return st.builds(bytes.__add__, _INDICATORS, st.one_of(_NUMBERS, _TEXTS, prefixed))

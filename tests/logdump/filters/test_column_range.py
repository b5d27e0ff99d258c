from __future__ import annotations

import pytest

from logdump.filters import FilterError
from logdump.filters.column_range import ColumnRange, parse_column_range


def test_both_ends_are_included_and_counted_from_zero() -> None:
    assert parse_column_range("0:3").cut(b"abcdefgh") == b"abcd"


def test_a_single_number_is_one_byte() -> None:
    assert parse_column_range("5") == ColumnRange(5, 5)
    assert ColumnRange(5, 5).cut(b"abcdefgh") == b"f"


def test_it_prints_as_show_filter_does() -> None:
    assert str(parse_column_range("0:231")) == "Col 0:231"


def test_short_data_is_cut_short() -> None:
    assert ColumnRange(6, 9).cut(b"abcdefgh") == b"gh"
    assert ColumnRange(60, 90).cut(b"abcdefgh") == b""


@pytest.mark.parametrize("text", ["3:1", "", ":", "1:", ":1", "a:b", "-1:3", "99999999999"])
def test_what_is_no_range_is_refused(text: str) -> None:
    with pytest.raises(FilterError, match="range"):
        parse_column_range(text)

from __future__ import annotations

import pytest

from logdump.filters import FilterError
from logdump.filters.needle import ColumnRange, Needle, parse_column_range


def test_both_ends_are_included_and_counted_from_zero() -> None:
    needle = Needle(b"ab", parse_column_range("0:3"))
    assert [start for start in range(-1, 6) if needle.lies_inside(start, 8)] == [0, 1, 2]


def test_a_single_number_is_one_byte() -> None:
    assert parse_column_range("5") == ColumnRange(5, 5)
    assert [start for start in range(9) if Needle(b"a", ColumnRange(5, 5)).lies_inside(start, 8)] == [5]


def test_it_prints_as_show_filter_does() -> None:
    assert str(parse_column_range("0:231")) == "Col 0:231"


def test_nothing_lies_behind_short_data() -> None:
    assert [start for start in range(9) if Needle(b"ab", ColumnRange(5, 9)).lies_inside(start, 8)] == [5, 6]
    assert [start for start in range(99) if Needle(b"ab", ColumnRange(60, 90)).lies_inside(start, 8)] == []


@pytest.mark.parametrize("text", ["3:1", "", ":", "1:", ":1", "a:b", "-1:3", "99999999999"])
def test_what_is_no_range_is_refused(text: str) -> None:
    with pytest.raises(FilterError, match="range"):
        parse_column_range(text)

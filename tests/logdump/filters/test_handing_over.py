"""A filter as statements, which make the same filter elsewhere."""

from __future__ import annotations

import pytest

from logdump.filters import OPTIONS, FilterSet, Option, apply
from logdump.notation.times import GMT, TimeOffset

from .subjects import filters
from .test_filter_set import REFUSED

TAKEN = [option for option in OPTIONS if option.keyword not in REFUSED]


def again(made: FilterSet) -> FilterSet:
    """The filter that its statements make where times are GMT."""
    other = FilterSet()
    for statement in made.statements():
        apply(other, statement, GMT)
    return other


@pytest.mark.parametrize("option", TAKEN, ids=[option.keyword for option in TAKEN])
def test_every_option(option: Option) -> None:
    example = option.example
    made = filters(f"INCLUDE {example}", f"EXCLUDE {example}", "EXCLUDE MATCH ALL")
    assert again(made) == made


def test_times_are_moments_whatever_the_zone() -> None:
    made = FilterSet()
    apply(made, "STARTTIME 2024-03-14 09:31:00.000123", TimeOffset(-150))
    assert made.statements()[1] == "INCLUDE STARTTIME 2024/03/14 12:01:00.000.123"
    assert again(made) == made


def test_an_empty_filter() -> None:
    assert again(FilterSet()) == FilterSet()

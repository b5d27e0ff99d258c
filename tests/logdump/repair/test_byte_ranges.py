"""Ranges of bytes are what they hold."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from logdump.features.repair.file_survey import ByteRange, ByteRanges
from tests.searching import examples

GIVEN = st.lists(st.tuples(st.integers(0, 30), st.integers(1, 6)).map(lambda one: ByteRange(one[0], sum(one))))


@given(parts=GIVEN, rba=st.integers(0, 40), stop=st.integers(0, 40))
@settings(max_examples=examples(60), deadline=None)
def test_ranges_that_overlap_are_one(parts: list[ByteRange], rba: int, stop: int) -> None:
    held = {at for one in parts for at in range(*one)}
    ranges = ByteRanges(parts)
    assert [at for one in ranges for at in range(*one)] == sorted(held)
    assert all(one.stop < other.start for one, other in pairwise(ranges))
    assert ranges.size == len(held)
    assert (ranges.at(rba) is not None) == (rba in held)
    assert ranges.after(rba) == next((one for one in ranges if one.start >= rba), None)
    assert ranges.before(rba) == next((one for one in reversed(list(ranges)) if one.start < rba), None)
    assert [at for one in ranges.outside(rba, stop) for at in range(*one)] == sorted(set(range(rba, stop)) - held)

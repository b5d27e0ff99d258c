"""Transactions that have moved, found by parts of a trail: those that DIFF takes for moved."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from logdump.features.diff.comparison import longest_common
from logdump.spark.comparison.moved import bounds_of, moves, out_of_order


def found(order: list[int], cuts: list[int]) -> dict[int, int]:
    """What has moved: transaction 0 stands first in ``a``, and at ``order[0]`` in ``b``; ``a`` is cut in stretches."""
    ends = [0, *sorted(cuts), len(order)]
    stretches = [(number, range(*cut)) for number, cut in enumerate(pairwise(ends)) if cut[0] < cut[1]]
    bounds = bounds_of((number, *_ends([order[a] for a in part])) for number, part in stretches)
    pairs = [(number, a, order[a]) for number, part in stretches for a in part]
    return dict(moves(sorted(out_of_order(bounds, pairs))))


def _ends(places: list[int]) -> tuple[int, int]:
    return min(places), max(places)


@given(order=st.integers(0, 12).flatmap(lambda n: st.permutations(range(n))), cuts=st.lists(st.integers(0, 12)))
def test_they_are_those_of_diff_wherever_the_trail_is_cut(order: list[int], cuts: list[int]) -> None:
    in_b = sorted(range(len(order)), key=order.__getitem__)
    staying = {a for a, _ in longest_common(range(len(order)), in_b)}
    assert set(found(order, [min(cut, len(order)) for cut in cuts])) == set(range(len(order))) - staying


def test_it_is_told_over_how_many_others_they_have_moved() -> None:
    assert found([3, 0, 1, 2, 4], [2]) == {0: 3}
    assert found([1, 2, 3, 0, 4], [2]) == {3: -3}

"""The alignment of streams: as long as it can be, whatever stands in them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logdump.features.diff.comparison import Alignment, longest_common

TEXTS = st.text("abc", max_size=12)


def _longest(a: str, b: str) -> int:
    """The length of a longest common subsequence, by the table of all prefixes."""
    lengths = [0] * (len(b) + 1)
    for char in a:
        above = list(lengths)
        for at, other in enumerate(b, 1):
            lengths[at] = above[at - 1] + 1 if char == other else max(above[at], lengths[at - 1])
    return lengths[-1]


@given(TEXTS, TEXTS)
def test_no_common_subsequence_is_longer(a: str, b: str) -> None:
    assert len(longest_common(a, b)) == _longest(a, b)


@given(TEXTS, TEXTS)
def test_the_pairs_are_equal_and_rise(a: str, b: str) -> None:
    pairs = longest_common(a, b)
    assert [a[at] for at, _ in pairs] == [b[at] for _, at in pairs]
    assert all(len(set(side)) == len(pairs) and sorted(side) == list(side) for side in zip(*pairs, strict=True))


@given(TEXTS, TEXTS, st.integers(1, 5))
def test_stretches_hold_all_items_of_both_in_order_however_few_are_looked_at(a: str, b: str, most: int) -> None:
    stretches = list(Alignment(iter(a), iter(b), str, most))
    assert "".join(char for stretch in stretches for char in stretch.a) == a
    assert "".join(char for stretch in stretches for char in stretch.b) == b


def test_what_comes_earlier_by_its_order_stands_alone_however_long_it_is() -> None:
    a, b = [*range(1, 4), *range(50, 60)], list(range(1, 60))
    alignment = Alignment(iter(a), iter(b), int, 4, int)
    assert sum(len(stretch.pairs) for stretch in alignment) == len(a)
    assert not alignment.is_lost


@pytest.mark.parametrize(("a", "b"), [("19", "21349"), ("21349", "19")])
def test_what_one_stream_has_already_is_kept_until_the_other_has_been_read_as_far(a: str, b: str) -> None:
    stretches = list(Alignment(iter(a), iter(b), str, 4))
    assert "".join(stretch.a[at] for stretch in stretches for at, _ in stretch.pairs) == "19"

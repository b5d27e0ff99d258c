"""Strings in one array are what lists of Python say of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trailformat import BadData
from trailformat.arrays import Strings, are_unequal
from trailformat.arrays.arrow import arrow_strings

TEXTS = st.lists(st.none() | st.text(max_size=9))


@given(texts=TEXTS, data=st.data())
def test_strings_are_taken_replaced_and_joined_as_in_a_list(texts: list[str | None], data: st.DataObject) -> None:
    strings = Strings.of(texts)
    assert strings.to_list() == arrow_strings(strings).to_pylist() == texts
    numbers = data.draw(st.lists(st.integers(0, len(texts) - 1)) if texts else st.just([]))
    taken = strings.take(np.array(numbers, np.int64))
    assert taken.to_list() == [texts[number] for number in numbers]
    rows = sorted(set(numbers))
    others = data.draw(st.lists(st.none() | st.text(max_size=9), min_size=len(rows), max_size=len(rows)))
    expected = list(texts)
    for row, other in zip(rows, others, strict=True):
        expected[row] = other
    replaced = strings.replaced(np.array(rows, np.int64), Strings.of(others))
    assert replaced.to_list() == expected
    assert Strings.joined([strings, taken, Strings.nulls(2)]).to_list() == [*texts, *taken.to_list(), None, None]


@given(texts=st.lists(st.sampled_from(["", "a", "b", "ab", "煎茶"])))
def test_distinct_strings_stand_once_in_the_order_of_their_first_places(texts: list[str]) -> None:
    distinct, numbers = Strings.of(texts).distinct()
    assert distinct == [*dict.fromkeys(text.encode() for text in texts)]
    assert [distinct[number].decode() for number in numbers.tolist()] == texts
    mask = Strings.of([*texts, None]).are_in([b"a", "煎茶".encode(), b""])
    assert mask.tolist() == [text in ("a", "煎茶", "") for text in [*texts, None]]


@pytest.mark.parametrize(
    "stored",
    [
        [b"abc", "煎".encode()],
        [],
        [b""],
        ["煎".encode()[:1], "煎".encode()[1:]],
        [b"\xff"],
        [b"\xed\xa0\x80"],
        [b"\xc0\x80"],
    ],
)
def test_each_string_is_a_text_or_none_is(stored: list[bytes]) -> None:
    def is_text(one: bytes) -> bool:
        try:
            one.decode()
        except UnicodeDecodeError:
            return False
        return True

    assert Strings.of(stored).are_utf_8() == all(map(is_text, stored))


@given(
    pairs=st.lists(
        st.binary(min_size=1, max_size=5).flatmap(
            lambda one: st.tuples(st.just(one), st.binary(min_size=len(one), max_size=len(one)))
        )
    )
)
def test_runs_of_bytes_are_compared_byte_by_byte(pairs: list[tuple[bytes, bytes]]) -> None:
    data = np.frombuffer(b"".join(old + new for old, new in pairs), np.uint8)
    sizes = np.array([len(old) for old, _ in pairs], np.int64)
    starts = 2 * (np.cumsum(sizes) - sizes)
    assert are_unequal(data, (starts, starts + sizes), sizes).tolist() == [old != new for old, new in pairs]


def test_more_bytes_than_offsets_count_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trailformat.arrays.strings.MOST_BYTES", 5)
    assert Strings.of(["abc", "de"]).nbytes == 5
    with pytest.raises(BadData, match="too much text for one array"):
        Strings.of(["abc", "def"])

from __future__ import annotations

import contextlib
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trailformat import BadData, CannotWrite
from trailformat.records.record import UserTokens, build_user_tokens, parse_user_tokens

TEXT = st.binary(max_size=20).filter(lambda text: b"\0" not in text)
PAIRS = st.lists(st.tuples(TEXT, TEXT), max_size=6).map(tuple)


@given(PAIRS)
def test_pairs_come_back_as_they_were(pairs: UserTokens) -> None:
    data = build_user_tokens(pairs)
    assert parse_user_tokens(data) == pairs
    assert build_user_tokens(parse_user_tokens(data)) == data


def test_name_and_value_end_with_a_nul() -> None:
    assert build_user_tokens([(b"TKN-HOST", b"samovar")]) == b"TKN-HOST\0samovar\0"


def test_an_empty_value_is_a_value() -> None:
    assert parse_user_tokens(b"TKN-EMPTY\0\0") == ((b"TKN-EMPTY", b""),)


@pytest.mark.parametrize("data", [b"TKN-HOST", b"TKN-HOST\0", b"TKN-HOST\0samovar", b"\0", b"a\0b\0c\0"])
def test_text_without_its_nul_is_bad_data(data: bytes) -> None:
    with pytest.raises(BadData, match="user token is not terminated"):
        parse_user_tokens(data)


@pytest.mark.parametrize("pair", [(b"a\0", b"b"), (b"a", b"\0b")])
def test_a_nul_inside_cannot_be_written(pair: tuple[bytes, bytes]) -> None:
    with pytest.raises(CannotWrite, match="cannot hold a NUL"):
        build_user_tokens([pair])


@pytest.mark.parametrize("data", [b"x" * 4_000_000, bytes(2_000_000)], ids=["no NUL", "all NUL"])
def test_megabytes_take_no_more_than_a_moment(data: bytes) -> None:
    begin = time.perf_counter()
    with contextlib.suppress(BadData):
        parse_user_tokens(data)
    assert time.perf_counter() - begin < 5

from __future__ import annotations

import contextlib
import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.trailformat.samples import BOTH
from tests.trailformat.strategies import ORDERS, TOKENS
from trailformat import BadData, BadToken, ByteOrder, CannotWrite, Token, make_token, spec
from trailformat.codec import layout, tokens
from trailformat.codec.tokens import (
    GGS_TOKENS,
    MOST_PARTS,
    RECORD_TOKENS,
    UNSET,
    WIDE,
    build_token,
    build_tokens,
    is_wide,
    parse_tokens,
    token_name,
    token_places,
    walk_tokens,
)
from trailformat.records.record import UserTokens, build_user_tokens, parse_user_tokens


@pytest.mark.parametrize(("letter", "name"), [("G", "Record Header"), ("H", "GHDR"), ("Z", "Record Trailer")])
def test_record_tokens_have_the_names_that_logdump_prints(letter: str, name: str) -> None:
    assert token_name(RECORD_TOKENS, ord(letter)) == name


@pytest.mark.parametrize(("letter", "name"), [("L", "LOGCSN"), ("6", "TRANID"), ("R", "ORAROWID"), ("t", "ORATAG")])
def test_ggs_tokens_have_the_names_that_logdump_prints(letter: str, name: str) -> None:
    assert token_name(GGS_TOKENS, ord(letter)) == name


def test_an_id_means_another_thing_at_another_level() -> None:
    assert token_name(RECORD_TOKENS, ord("D")) == "Data"
    assert token_name(GGS_TOKENS, ord("D")) == "DDL"


@pytest.mark.parametrize("token_id", [0x00, 0x7E, 0xFF])
def test_an_unknown_id_has_no_name(token_id: int) -> None:
    assert token_name(GGS_TOKENS, token_id) == ""


TEXT = st.binary(max_size=20).filter(lambda text: b"\0" not in text)
PAIRS = st.lists(st.tuples(TEXT, TEXT), max_size=6).map(tuple)


@given(PAIRS)
def test_pairs_come_back_as_they_were(pairs: UserTokens) -> None:
    assert parse_user_tokens(build_user_tokens(pairs)) == pairs


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


@pytest.mark.parametrize("data", [b"x" * 1_000_000, bytes(500_000)], ids=["no NUL", "all NUL"])
def test_a_megabyte_takes_no_more_than_a_moment(data: bytes) -> None:
    begin = time.perf_counter()
    with contextlib.suppress(BadData):
        parse_user_tokens(data)
    assert time.perf_counter() - begin < 5


LOGCSN = bytes.fromhex("4c00000a37383234313337383332")


@given(TOKENS, ORDERS)
def test_parsing_what_was_built_gives_the_tokens(tokens: tuple[Token, ...], order: ByteOrder) -> None:
    data = build_tokens(tokens, order)
    assert len(data) == sum(token.header_size + len(token.payload) for token in tokens)
    assert parse_tokens(data, order) == tokens


@given(TOKENS, ORDERS)
def test_tokens_cut_anywhere_are_those_of_the_layout(tokens: tuple[Token, ...], order: ByteOrder) -> None:
    whole = build_tokens(tokens, order)
    for size in range(len(whole) + 1):
        data = whole[:size]
        try:
            parsed = list(layout.parse_all(spec.token(order.value), data, BadToken, "token", most=MOST_PARTS))
        except BadToken as error:
            with pytest.raises(BadToken, match=re.escape(str(error))):
                parse_tokens(data, order)
            with pytest.raises(BadToken, match="token does not fit"):
                list(token_places(data, 0, size, order))
        else:
            tokens = tuple(Token(token.id, token.info, token.payload) for token in parsed)
            assert parse_tokens(data, order) == tokens
            places = token_places(data, 0, size, order)
            assert tuple(Token(token, info, data[at : at + length]) for token, info, at, length in places) == tokens


@given(TOKENS, ORDERS, st.integers(0, 20), st.integers(0, 9))
def test_the_walk_counts_from_its_origin_and_says_where_it_ends(
    tokens: tuple[Token, ...], order: ByteOrder, before: int, most: int
) -> None:
    data = bytes(before) + build_tokens(tokens, order) + b"behind"
    places, end = walk_tokens(data, before, len(data) - 6, order, before, most)
    walked = tokens[:most]
    assert [(token, info) for token, info, _, _ in places] == [(token.id, token.info) for token in walked]
    assert [data[before + at : before + at + size] for _, _, at, size in places] == [token.payload for token in walked]
    assert end == before + len(build_tokens(walked, order))


def test_the_walk_ends_behind_a_token_that_runs_past_its_end() -> None:
    assert walk_tokens(b"L\0\0\1aT\0\0\5ab", 0, 11, ByteOrder.BIG) == ([(0x4C, 0, 4, 1), (0x54, 0, 9, 5)], 14)


def test_a_token_is_id_info_length_payload() -> None:
    assert parse_tokens(LOGCSN, ByteOrder.BIG) == (Token(0x4C, 0, b"7824137832"),)


def test_the_length_is_in_file_order() -> None:
    assert build_token(Token(0x4C, 0, b"ab"), ByteOrder.BIG) == b"L\0\0\2ab"
    assert build_token(Token(0x4C, 0, b"ab"), ByteOrder.LITTLE) == b"L\0\2\0ab"


@pytest.mark.parametrize(("order", "length"), [(ByteOrder.BIG, b"\0\0\0\2"), (ByteOrder.LITTLE, b"\2\0\0\0")])
def test_info_bit_40_makes_the_length_four_bytes(order: ByteOrder, length: bytes) -> None:
    assert build_token(Token(0x30, WIDE, b"ab"), order) == b"\x30\x40" + length + b"ab"


def test_info_ff_is_the_unset_mark_and_not_a_wide_length() -> None:
    token = Token(0x39, UNSET, bytes(8))
    assert token.is_unset
    assert not token.is_wide
    assert build_token(token, ByteOrder.BIG) == b"\x39\xff\0\x08" + bytes(8)


@pytest.mark.parametrize(("info", "wide"), [(0, False), (1, False), (0x40, True), (0x41, True), (0xFF, False)])
def test_wide_is_told_by_info(info: int, *, wide: bool) -> None:
    assert is_wide(info) is wide


@pytest.mark.parametrize("order", BOTH)
def test_an_unknown_id_is_kept(order: ByteOrder) -> None:
    token = Token(0xFE, 0x83, b"?")
    assert parse_tokens(build_token(token, order), order) == (token,)


def test_no_bytes_are_no_tokens() -> None:
    assert parse_tokens(b"", ByteOrder.BIG) == ()


@pytest.mark.parametrize("cut", range(1, len(LOGCSN)))
def test_a_token_cut_anywhere_is_a_bad_token(cut: int) -> None:
    with pytest.raises(BadToken, match=f"token at byte 0 does not fit into the {cut} bytes around it"):
        parse_tokens(LOGCSN[:cut], ByteOrder.BIG)


def test_a_wide_length_of_gigabytes_is_a_bad_token_at_once() -> None:
    with pytest.raises(BadToken):
        parse_tokens(b"\x30\x40\xff\xff\xff\xffabc", ByteOrder.BIG)


def test_more_tokens_than_there_can_be_are_a_bad_token(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (MOST_PARTS, walk_tokens.__defaults__) == (65_536, (0, 65_536))
    monkeypatch.setattr(tokens, "MOST_PARTS", 50)
    monkeypatch.setattr(walk_tokens, "__defaults__", (0, 50))
    assert len(parse_tokens(bytes(4 * 50), ByteOrder.BIG)) == 50
    with pytest.raises(BadToken, match="at most 50"):
        parse_tokens(bytes(4 * 51), ByteOrder.BIG)


def test_make_token_takes_a_letter_or_a_number() -> None:
    assert make_token("L", b"1") == make_token(0x4C, b"1") == Token(0x4C, 0, b"1")


def test_make_token_turns_wide_where_the_payload_needs_it() -> None:
    assert make_token("D", bytes(0xFFFF)).info == 0
    assert make_token("D", bytes(0x10000), info=1).info == WIDE | 1


@pytest.mark.parametrize(
    "token", [Token(0x30, 0, bytes(0x10000)), Token(0x100, 0, b""), Token(0x30, -1, b"")], ids=["long", "id", "info"]
)
def test_a_token_that_does_not_fit_cannot_be_written(token: Token) -> None:
    with pytest.raises(CannotWrite):
        build_token(token, ByteOrder.BIG)

from __future__ import annotations

import pytest
from hypothesis import given

from tests.trailformat.strategies import TOKENS
from trailformat import (
    BadToken,
    ByteOrder,
    CannotWrite,
    FileHeader,
    Token,
    make_file_header,
    make_file_header_record,
)
from trailformat.codec.tokens import UNSET, build_tokens
from trailformat.records.file_header import GROUPS, SIGNATURE, Value, build_file_header, parse_file_header

BIG = ByteOrder.BIG
TRAIL_INFO: dict[str, Value] = {
    "Signature": SIGNATURE,
    "Compatibility": 5,
    "Charset": 0x20000000,
    "CreationTime": 211_971_340_800_000_000,
    "URI": "uri:samovar::u01",
    "URIHistory": ("uri:one", "uri:two"),
    "FileName": "dirdat/lt000000000",
    "MultiPart": 1,
    "Seqno": 7,
    "FileSize": -1,
    "FirstCSN": "41882317",
    "BITFLAGS": 4,
}
DATABASE_INFO: dict[str, Value] = {"Vendor": 7, "Name": "TEADB", "DbObjMetadata": bytes.fromhex("10141411")}


def header(**trail_info: Value) -> FileHeader:
    return make_file_header({"TrailInfo": trail_info})


def raw_token(token: Token, group: int = 0x30) -> FileHeader:
    return parse_file_header(build_tokens([Token(group, 0, build_tokens([token], BIG))], BIG))


@pytest.mark.parametrize("name", TRAIL_INFO)
def test_every_kind_of_value_comes_back_as_it_was(name: str) -> None:
    value = TRAIL_INFO[name]
    parsed = parse_file_header(build_file_header(header(**{name: value})))
    assert parsed.get("TrailInfo", name) == value


def test_the_five_groups_have_the_names_that_logdump_prints() -> None:
    assert [group.name for group in GROUPS.values()] == [
        "TrailInfo",
        "MachineInfo",
        "DatabaseInfo",
        "ProducerInfo",
        "ContinunityInfo",
    ]


def test_building_what_was_parsed_gives_the_bytes() -> None:
    data = build_file_header(make_file_header({"TrailInfo": TRAIL_INFO, "DatabaseInfo": DATABASE_INFO}))
    assert build_file_header(parse_file_header(data)) == data


@given(TOKENS, TOKENS)
def test_any_tokens_in_any_group_are_built_again(known: tuple[Token, ...], unknown: tuple[Token, ...]) -> None:
    groups = [Token(0x30, 0, build_tokens(known, BIG)), Token(0x7F, 1, build_tokens(unknown, BIG))]
    data = build_tokens(groups, BIG)
    assert build_file_header(parse_file_header(data)) == data


@given(TOKENS)
def test_every_token_has_a_value_whatever_its_bytes(tokens: tuple[Token, ...]) -> None:
    for group in GROUPS:
        parsed = parse_file_header(build_tokens([Token(group, 0, build_tokens(tokens, BIG))], BIG))
        assert [token.value is None for token in parsed.groups[0].tokens] == [token.is_unset for token in tokens]


def test_groups_and_tokens_stand_in_the_order_of_their_ids() -> None:
    made = make_file_header({"DatabaseInfo": {"Name": "X", "Vendor": 7}, "TrailInfo": {"Seqno": 1, "Compatibility": 5}})
    assert [group.name for group in made.groups] == ["TrailInfo", "DatabaseInfo"]
    assert [token.name for token in made.groups[0].tokens] == ["Compatibility", "Seqno"]


def test_a_value_that_is_not_set_is_none() -> None:
    made = header(FileSize=None, LastCSN=None)
    assert made.get("TrailInfo", "FileSize") is None
    assert [token.token.info for token in made.groups[0].tokens] == [UNSET, UNSET]
    assert [len(token.token.payload) for token in made.groups[0].tokens] == [8, 129]


def test_a_value_that_is_absent_is_none() -> None:
    assert header(Seqno=1).get("TrailInfo", "URI") is None
    assert header(Seqno=1).get("MachineInfo", "Sysname") is None


def test_a_csn_takes_129_bytes_padded_with_zeros() -> None:
    payload = header(FirstCSN="42").groups[0].tokens[0].token.payload
    assert payload == b"\x0242" + bytes(126)


def test_a_token_with_an_unknown_id_has_no_name_and_its_bytes_as_value() -> None:
    (token,) = raw_token(Token(0x42, 0, b"??")).groups[0].tokens
    assert (token.name, token.value) == ("", b"??")


def test_a_group_with_an_unknown_id_has_no_name() -> None:
    group = raw_token(Token(0x30, 0, b"??"), group=0x7F).groups[0]
    assert group.name == ""


@pytest.mark.parametrize(
    "token",
    [
        Token(0x31, 0, b"\0"),
        Token(0x34, 0, b"\0\x09short"),
        Token(0x3A, 0, b"\xff" * 129),
        Token(0x35, 0, b"\x36\0\0\0"),
    ],
    ids=["number", "text", "CSN", "history"],
)
def test_a_payload_that_does_not_decode_is_its_own_value(token: Token) -> None:
    assert raw_token(token).groups[0].tokens[0].value == token.payload


def test_bytes_of_a_text_that_are_no_utf_8_are_escaped() -> None:
    assert raw_token(Token(0x34, 0, b"\0\2\xe9u")).get("TrailInfo", "URI") == "\\xe9u"


@pytest.mark.parametrize("data", [b"\x30\0\0\x09short", b"\x30\0\0\5\x31\0\0\x08x"], ids=["group", "token"])
def test_a_token_that_runs_past_its_container_is_a_bad_token(data: bytes) -> None:
    with pytest.raises(BadToken):
        parse_file_header(data)


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"TrailInfos": {"Seqno": 1}}, "a file header has no TrailInfos"),
        ({"TrailInfo": {"Sequence": 1}}, "TrailInfo has no Sequence"),
        ({"TrailInfo": {"Seqno": -1}}, "Seqno cannot be written"),
        ({"TrailInfo": {"Seqno": "1"}}, "Seqno cannot be written"),
        ({"TrailInfo": {"URI": 5}}, "URI cannot be written"),
        ({"TrailInfo": {"URI": "\ud800"}}, "URI cannot be written"),
        ({"TrailInfo": {"FirstCSN": "9" * 129}}, "FirstCSN cannot be written"),
    ],
    ids=["group", "name", "range", "type", "text", "surrogate", "CSN"],
)
def test_an_unknown_name_and_a_value_that_does_not_fit_cannot_be_written(
    values: dict[str, dict[str, Value]], problem: str
) -> None:
    with pytest.raises(CannotWrite, match=problem):
        make_file_header(values)


def test_the_record_of_a_header_is_f_and_big_endian() -> None:
    record = make_file_header_record(header(Seqno=1))
    assert record.raw == b"F\0\0\x14" + b"\x30\0\0\x08" + b"\x38\0\0\4\0\0\0\1" + b"Z\0\0\x14"
    assert record.build() == record.raw


def test_what_a_header_says_of_its_file_is_none_where_it_is_not_set() -> None:
    times = {"CreationTime": None, "FirstIOTime": 5, "LastIOTime": None}
    header = make_file_header({"TrailInfo": {"Seqno": 7, "FirstCSN": "41882317", "LastCSN": "", **times}})
    assert (header.seqno, header.created, header.first_time, header.last_time) == (7, None, 5, None)
    assert (header.first_csn, header.last_csn) == ("41882317", None)


def test_the_unique_name_of_the_database_follows_its_time_zone() -> None:
    """Releases from 21c on write the token; its id is inferred."""
    made = make_file_header({"DatabaseInfo": {"Name": "TEADB", "DbTimeZone": "GMT", "DbUniqueName": "TEADB_STBY"}})
    assert made.get("DatabaseInfo", "DbUniqueName") == "TEADB_STBY"
    [group] = made.groups
    assert [token.token.id for token in group.tokens] == [0x31, 0x3D, 0x3E]

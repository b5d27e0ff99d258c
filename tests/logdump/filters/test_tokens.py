from __future__ import annotations

import pytest

from logdump.filters import FilterError, Needs
from trailformat import Token, make_token
from trailformat.records.record import build_user_tokens

from .subjects import Subject, broken, criterion, file_header, meets, subject

ROWID = b"AAAHeaAAFAAAAOAAAA"
FIRST = subject(
    tokens=[
        make_token("R", ROWID + b"\0\x01"),
        make_token("L", b"1332816"),
        make_token("6", b"10.2.2016"),
        make_token("t", b"", info=1),
    ],
    csn="1332816",
    xid="10.2.2016",
)
LATER = subject(tokens=[make_token("R", ROWID)], csn="1332816", xid="10.2.2016")
DDL = subject(tokens=[make_token("D", b"test\0ogg_test\0UNKNOWNVERSION\0N\0")])
USER = subject(user_tokens=build_user_tokens([(b"TK-HOST", b"db01"), (b"TK-LAG", b"12"), (b"Ort", "Köln".encode())]))


class TestGgsToken:
    @pytest.mark.parametrize("name", ["ORAROWID", "orarowid", "R", "x52", "0x52", '"R"'])
    def test_a_token_is_named_or_given_by_its_id(self, name: str) -> None:
        assert meets(f"GGSTOKEN {name}", FIRST)
        assert not meets(f"GGSTOKEN {name}", DDL)

    def test_a_name_alone_asks_whether_the_record_carries_the_token(self) -> None:
        for name in ("LOGCSN", "TRANID", "ORATAG"):
            assert meets(f"GGSTOKEN {name}", FIRST)
            assert not meets(f"GGSTOKEN {name}", LATER)

    @pytest.mark.parametrize("one", [FIRST, LATER], ids=["first", "later"])
    def test_logcsn_and_tranid_have_the_value_of_the_transaction(self, one: Subject) -> None:
        assert meets("GGSTOKEN TRANID 10.2.2016", one)
        assert meets("GGSTOKEN TRANID = 10.2.2016", one)
        assert meets("GGSTOKEN x36 10.2.2016", one)
        assert not meets("GGSTOKEN TRANID 10.2.2017", one)
        assert meets("GGSTOKEN LOGCSN >= 999999", one)
        assert meets("GGSTOKEN L 1332816", one)

    def test_other_tokens_compare_with_their_text(self) -> None:
        assert meets(f"GGSTOKEN ORAROWID {ROWID.decode()}", FIRST)
        assert not meets("GGSTOKEN ORAROWID AAAHea", FIRST)
        assert meets('GGSTOKEN ORATAG = ""', FIRST)

    def test_one_of_several_texts_is_enough(self) -> None:
        assert meets("GGSTOKEN DDL ogg_test", DDL)
        assert not meets("GGSTOKEN DDL ogg", DDL)
        assert not meets("GGSTOKEN DDL <> ogg_test", DDL)

    @pytest.mark.parametrize(
        ("payload", "texts"),
        [(b"test\0N\0", ["test", "N"]), (b"\0test", ["", "test"]), (b"TAX\0", ["TAX"]), (b"test\n\0\0", ["test\n"])],
    )
    def test_texts_stand_between_nuls_and_none_stands_behind_the_last(self, payload: bytes, texts: list[str]) -> None:
        one = subject(tokens=[make_token("D", payload)])
        asked = ["", "test", "N", "TAX", "TA", "test\n"]
        assert [text for text in asked if meets(f'GGSTOKEN DDL = "{text}"', one)] == sorted(texts, key=asked.index)

    def test_unequal_needs_the_token(self) -> None:
        assert meets("GGSTOKEN ORATAG <> 00", FIRST)
        assert not meets("GGSTOKEN ORATAG <> 00", LATER)
        assert not meets("GGSTOKEN TRANID <> 1.1.1", subject())

    def test_what_it_decodes_depends_on_the_token(self) -> None:
        assert criterion("GGSTOKEN TRANID 1.1.1").needs is Needs.TRANSACTION
        assert criterion("GGSTOKEN TRANID").needs is Needs.TOKENS
        assert criterion("GGSTOKEN DDL test").needs is Needs.TOKENS

    @pytest.mark.parametrize(
        ("option", "message"),
        [
            ("GGSTOKEN", "the name of a token is missing"),
            ("GGSTOKEN >= 5", "the name of a token is missing"),
            ("GGSTOKEN ROWID", "no token 'ROWID'; write ORAROWID, LOGCSN, TRANID, ORATAG, DDL or an id as x52"),
            ("GGSTOKEN VAMSEQID", "the id of token VAMSEQID is not known"),
            ("GGSTOKEN TRANID >=", "a value is missing"),
            ("GGSTOKEN TRANID a b", "more than one word"),
            ("GGSTOKEN LOGCSN abc", "'abc' is not a CSN"),
        ],
    )
    def test_what_is_no_token_is_refused(self, option: str, message: str) -> None:
        with pytest.raises(FilterError, match=message):
            criterion(option)


class TestUserToken:
    @pytest.mark.parametrize(
        "option",
        [
            "USERTOKEN TK-HOST",
            "USERTOKEN tk-host",
            'USERTOKEN "TK-HOST"',
            "USERTOKEN TK-HOST db01",
            "USERTOKEN TK-HOST=db01",
            'USERTOKEN TK-HOST "db01"',
            "USERTOKEN TK-HOST <> db02",
            "USERTOKEN TK-LAG > 9",
            "USERTOKEN TK-LAG 12.0 =",
            "USERTOKEN Ort Köln",
        ],
    )
    def test_a_token_that_is_there(self, option: str) -> None:
        assert meets(option, USER)

    @pytest.mark.parametrize(
        "option",
        [
            "USERTOKEN TK",
            "USERTOKEN TK-HOST DB01",
            "USERTOKEN TK-HOST <> db01",
            "USERTOKEN TK-LAG < 9",
            "USERTOKEN TK-USER <> x",
        ],
    )
    def test_a_token_that_is_not_there(self, option: str) -> None:
        assert not meets(option, USER)


def test_tokens_that_do_not_decode_meet_nothing() -> None:
    damaged = subject(user_tokens=b"no NUL")
    assert not meets("USERTOKEN TK-HOST", damaged)
    assert not meets("GGSTOKEN ORAROWID", broken())
    assert not meets("GGSTOKEN ORAROWID", file_header())


def test_bytes_that_are_no_text_are_written_as_escapes() -> None:
    assert meets(r"GGSTOKEN ORATAG \xff", subject(tokens=[Token(ord("t"), 0, b"\xff")]))

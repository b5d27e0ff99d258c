from __future__ import annotations

from datetime import UTC, datetime

import pytest

from logdump.filters import FilterSet, Needs, apply, show
from logdump.notation.times import TimeOffset
from trailformat import Token, from_datetime, make_token
from trailformat.changes.csn import CsnKey, csn_key
from trailformat.records.record import build_user_tokens

from .subjects import Subject, broken, criterion, file_header, meets, subject

ORACLE, WRAPPED = "7824137832", "1.3529170536"
MYSQL = "000000000000000000004:000000000001095"
POSTGRESQL = "00000000/05002818"
SQL_SERVER = "00000d7e:0000036b:01bd"


@pytest.mark.parametrize(
    ("text", "kind", "parts"),
    [
        (ORACLE, "number", (7824137832,)),
        (WRAPPED, "number", (7824137832,)),
        ("0.2623161", "number", (2623161,)),
        ("65535.4294967295", "number", (281474976710655,)),
        ("0x2806b7", "number", (2623159,)),
        (MYSQL, "MySQL position", (4, 1095)),
        ("4:1095", "MySQL position", (4, 1095)),
        ("binlog.000004:1095", "MySQL position", (4, 1095)),
        (POSTGRESQL, "PostgreSQL LSN", (0, 0x05002818)),
        ("0/5002818", "PostgreSQL LSN", (0, 0x05002818)),
        (SQL_SERVER, "SQL Server LSN", (3454, 875, 445)),
        ("0Xd7e:36b:1bd", "SQL Server LSN", (3454, 875, 445)),
        ("0000003454:0000000875:00445", "SQL Server LSN", (3454, 875, 445)),
    ],
)
def test_every_database_writes_its_csn_its_own_way(text: str, kind: str, parts: tuple[int, ...]) -> None:
    assert csn_key(text) == CsnKey(kind, parts)


@pytest.mark.parametrize(
    "text", ["", "abc", "1.2.3", "1:2:3", "1/2/3", "65536.0", "70000.1", "0.4294967296", "٣", "9" * 300]
)
def test_anything_else_is_no_csn(text: str) -> None:
    assert csn_key(text) is None


def test_numbers_compare_as_numbers() -> None:
    late = subject(csn="10000")
    assert meets("CSN > 9999", late)
    assert meets("LOGCSN 9999 <", subject(csn="998"))
    assert meets("CSN 10000", late)
    assert meets("CSN 0.10000", late)


def test_positions_compare_by_file_first() -> None:
    filtered_record = subject(csn=MYSQL)
    assert meets("CSN 4:1095", filtered_record)
    assert meets("CSN > 3:999999", filtered_record)
    assert meets("CSN < binlog.000004:1096", filtered_record)


def test_postgresql_compares_as_hexadecimal() -> None:
    assert meets("CSN >= 0/9", subject(csn="00000000/0000000A"))
    assert meets("CSN > 0/FFFFFFFF", subject(csn="00000001/00000000"))


def test_csns_of_different_kinds_are_different_and_nothing_else() -> None:
    filtered_record = subject(csn=MYSQL)
    for operator in ("=", "<", "<=", ">", ">="):
        assert not meets(f"CSN {operator} 7824137832", filtered_record)
    assert meets("CSN <> 7824137832", filtered_record)


def test_a_record_outside_transactions_meets_nothing() -> None:
    assert not meets("CSN > 0", subject())
    assert not meets("CSN <> 0", subject())


def at(hour: int, minute: int = 0) -> Subject:
    return subject(io_time=from_datetime(datetime(2024, 3, 1, hour, minute, tzinfo=UTC)))


def test_both_ends_are_included() -> None:
    assert [meets("STARTTIME 2024-03-01 09:00", at(hour)) for hour in (8, 9, 10)] == [False, True, True]
    assert [meets("ENDTIME 2024-03-01 09:00", at(hour)) for hour in (8, 9, 10)] == [True, True, False]


def test_the_text_may_stand_in_quotes_and_the_century_may_be_left_out() -> None:
    assert meets('STARTTIME "24-03-01 09:00:00"', at(9))


def test_the_time_is_that_of_timeoffset() -> None:
    filters = FilterSet()
    apply(filters, "STARTTIME 2024-03-01 09:00", TimeOffset.parse("GMT +01"))
    assert at(8).meets(filters)
    assert not at(7, 59).meets(filters)
    assert show(filters)[2] == "Starttime-0: 2024/03/01 08:00:00.000.000 GMT"


def test_a_file_header_has_no_io_time() -> None:
    assert not meets("STARTTIME 1970-01-01", file_header())


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

    @pytest.mark.parametrize("filtered_record", [FIRST, LATER], ids=["first", "later"])
    def test_logcsn_and_tranid_have_the_value_of_the_transaction(self, filtered_record: Subject) -> None:
        assert meets("GGSTOKEN TRANID 10.2.2016", filtered_record)
        assert meets("GGSTOKEN TRANID = 10.2.2016", filtered_record)
        assert meets("GGSTOKEN x36 10.2.2016", filtered_record)
        assert not meets("GGSTOKEN TRANID 10.2.2017", filtered_record)
        assert meets("GGSTOKEN LOGCSN >= 999999", filtered_record)
        assert meets("GGSTOKEN L 1332816", filtered_record)

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
        filtered_record = subject(tokens=[make_token("D", payload)])
        asked = ["", "test", "N", "TAX", "TA", "test\n"]
        assert [text for text in asked if meets(f'GGSTOKEN DDL = "{text}"', filtered_record)] == sorted(
            texts, key=asked.index
        )

    def test_unequal_needs_the_token(self) -> None:
        assert meets("GGSTOKEN ORATAG <> 00", FIRST)
        assert not meets("GGSTOKEN ORATAG <> 00", LATER)
        assert not meets("GGSTOKEN TRANID <> 1.1.1", subject())

    def test_what_it_decodes_depends_on_the_token(self) -> None:
        assert criterion("GGSTOKEN TRANID 1.1.1").needs is Needs.TRANSACTION
        assert criterion("GGSTOKEN TRANID").needs is Needs.TOKENS
        assert criterion("GGSTOKEN DDL test").needs is Needs.TOKENS


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

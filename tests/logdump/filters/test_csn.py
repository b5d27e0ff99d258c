from __future__ import annotations

import pytest

from logdump.filters import FilterError
from trailformat.changes.csn import CsnKey, csn_key

from .subjects import criterion, meets, subject

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
    one = subject(csn=MYSQL)
    assert meets("CSN 4:1095", one)
    assert meets("CSN > 3:999999", one)
    assert meets("CSN < binlog.000004:1096", one)


def test_postgresql_compares_as_hexadecimal() -> None:
    assert meets("CSN >= 0/9", subject(csn="00000000/0000000A"))
    assert meets("CSN > 0/FFFFFFFF", subject(csn="00000001/00000000"))


def test_csns_of_different_kinds_are_different_and_nothing_else() -> None:
    one = subject(csn=MYSQL)
    for operator in ("=", "<", "<=", ">", ">="):
        assert not meets(f"CSN {operator} 7824137832", one)
    assert meets("CSN <> 7824137832", one)


def test_a_record_outside_transactions_meets_nothing() -> None:
    assert not meets("CSN > 0", subject())
    assert not meets("CSN <> 0", subject())


@pytest.mark.parametrize("text", ["CSN", "CSN >=", "CSN abc", "CSN 1 2", "LOGCSN 3454:875:445"])
def test_a_filter_without_a_csn_is_refused(text: str) -> None:
    with pytest.raises(FilterError, match=r"^CSN: .*Syntax: FILTER CSN \| LogCSN"):
        criterion(text)

from __future__ import annotations

import pytest

from logdump.filters import FilterError

from .subjects import broken, criterion, file_header, meets, subject


@pytest.mark.parametrize("keyword", ["RECTYPE", "IOTYPE", "rectype"])
@pytest.mark.parametrize(
    ("types", "io_type"),
    [
        ("5", 5),
        ("Insert", 5),
        ("insert", 5),
        ("3, 5", 5),
        ("Delete,Insert", 3),
        ("DDL", 160),
        ("DDLOP", 160),
        ("ddl_op", 160),
        ("PKUpdate", 115),
        ("GGSKeyFieldComp", 115),
        ("SQL/MX DDL OP", 89),
        ('"SQL/MX DDL OP", 5', 89),
        ("99", 99),
    ],
)
def test_a_type_is_a_number_or_a_name(keyword: str, types: str, io_type: int) -> None:
    one = criterion(f"{keyword} {types}")
    assert subject(io_type=io_type).meets(one)
    assert not subject(io_type=116).meets(one)


def test_a_file_header_has_no_type_and_a_broken_record_none_that_can_be_read() -> None:
    assert not meets("RECTYPE 5", file_header())
    assert not meets("RECTYPE 5", broken())


@pytest.mark.parametrize(
    ("types", "message"),
    [
        ("Inserts", "no record type 'Inserts'; nearest: Insert"),
        ("Metdata", "nearest: Metadata"),
        ("FileCreat", "no record type 'FileCreat'; nearest: FileCreate, FileRename, FilePurge\\. Syntax"),
        ("xyzzy", "SHOW RECTYPE lists them"),
        ("256", "no record type '256'"),
        ("-1", "no record type"),
        ("9" * 5000, "no record type"),
        ("5 MATCH ALL", "each criterion needs its own FILTER"),
        ("", "a value is missing"),
    ],
)
def test_an_unknown_type_is_refused_with_the_nearest_names(types: str, message: str) -> None:
    with pytest.raises(FilterError, match=message):
        criterion(f"RECTYPE {types}")

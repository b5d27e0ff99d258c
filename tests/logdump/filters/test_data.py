from __future__ import annotations

import pytest

from logdump.filters.name_criteria import TableName
from trailformat import ByteOrder

from .subjects import broken, criterion, file_header, meets, subject


@pytest.mark.parametrize(
    ("option", "name"),
    [
        ("FILENAME HR.REGIONS", "HR.REGIONS"),
        ("FILENAME hr.regions", "HR.REGIONS"),
        ("FILENAME hr.*", "HR.REGIONS"),
        ("FILE sales.res*", "SALES.RESULTS"),
        ("filename fin.act?", "FIN.ACT1"),
        ("FILENAME hr.jobs, hr.regions", "HR.REGIONS"),
        ('FILENAME "hr.regions"', "HR.REGIONS"),
        ('FILENAME "a, b.c", hr.jobs', "A, B.C"),
        ("FILENAME $QA01.QAESRC.ACCT*", "$QA01.QAESRC.ACCTN"),
        ("FILENAME $QA01.QASRC.ACCT*", "\\TRILL.$QA01.QASRC.ACCTN"),
        ("FILENAME \\TRILL.$QA01.*", "\\TRILL.$QA01.QASRC.ACCTN"),
        ("ANSINAME HR.REGIONS", "HR.REGIONS"),
        ("ANSINAME CAT.HR.REGIONS, HR.JOBS", "CAT.HR.REGIONS"),
    ],
)
def test_a_name_that_is_meant(option: str, name: str) -> None:
    assert meets(option, subject(name))


@pytest.mark.parametrize(
    ("option", "name"),
    [
        ("FILENAME REGIONS", "HR.REGIONS"),
        ("FILENAME hr.region?", "HR.REGION"),
        ("FILENAME \\OTHER.$QA01.*", "\\TRILL.$QA01.QASRC.ACCTN"),
        ("ANSINAME hr.regions", "HR.REGIONS"),
        ("ANSINAME HR.*", "HR.REGIONS"),
    ],
)
def test_a_name_that_is_not_meant(option: str, name: str) -> None:
    assert not meets(option, subject(name))


def test_a_record_without_a_name_meets_no_pattern() -> None:
    assert not meets("FILENAME *", subject(""))
    assert not meets("FILENAME *", file_header())


def test_names_inside_quotes_of_their_own_stay_as_they_are() -> None:
    assert meets('FILENAME "Hr"."Regions"', subject('"Hr"."Regions"'))


def test_thirty_two_names_are_allowed() -> None:
    names = [f"hr.t{number}" for number in range(32)]
    assert meets(f"FILENAME {','.join(names)}", subject("HR.T31"))


@pytest.mark.parametrize(
    ("patterns", "name", "fits"),
    [
        (("hr.*",), "HR.REGIONS", True),
        (("oe.*", "hr.regions"), "HR.REGIONS", True),
        (("HR",), "HR.REGIONS", False),
        (("*",), "", True),
        (("$qa01.*",), "\\TRILL.$QA01.QASRC.ACCTN", False),
    ],
)
def test_file_of_count_takes_any_name_as_it_is(patterns: tuple[str, ...], name: str, fits: bool) -> None:
    assert TableName(patterns).fits(name) is fits


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
    condition = criterion(f"{keyword} {types}")
    assert subject(io_type=io_type).meets(condition)
    assert not subject(io_type=116).meets(condition)


def test_a_file_header_has_no_type_and_a_broken_record_none_that_can_be_read() -> None:
    assert not meets("RECTYPE 5", file_header())
    assert not meets("RECTYPE 5", broken())


DENVER = subject(data=b"\0\0\0\x06Denver, Colorado/US")


class TestHex:
    @pytest.mark.parametrize(
        "option",
        [
            'HEX "4BF6"',
            'HEX "0000 4bf6"',
            "HEX 4BF6",
            "HEX 0x4BF6",
            "HEX %H4BF6",
            'HEX "00004BF6" 0:3',
            'HEX "4BF6" 2:3',
            "HEX 4BF6 0:231",
            "HEX 4B 2",
            'HEX "FFFF", "4BF6"',
            'HEX "FFFF" 0:1, "4BF6" 2:3',
        ],
    )
    def test_bytes_that_are_there(self, option: str) -> None:
        assert meets(option, subject(data=bytes.fromhex("00004BF60000")))

    @pytest.mark.parametrize("option", ['HEX "4BF7"', "HEX 4BF6 0:2", "HEX 4B 3", "HEX 4BF6 90:99"])
    def test_bytes_that_are_not_there(self, option: str) -> None:
        assert not meets(option, subject(data=bytes.fromhex("00004BF60000")))


class TestString:
    @pytest.mark.parametrize(
        "option",
        [
            'STRING "Denver"',
            "STRING Denver",
            "STRING 'Denver'",
            "STRING /Denver/",
            "STRING /Denver/ 0:231",
            'STRING "Denver" 4:9',
            'STRING "Denver, Colorado"',
            'STRING "Colorado/US"',
            "STRING D 4",
            'STRING BOTH "DENVER"',
            "STRING BOTH /denver/ 0:20",
            'STRING B,"denver"',
            'STRING B, "denver" 4:9',
            'STRING "Boulder", "Denver"',
            'STRING "Boulder" 0:8, B,"DENVER"',
            'STRING "Boulder" B,"DENVER" 4:20',
            'STRING "Boulder" "Denver"',
            'STRING ,"Denver"',
        ],
    )
    def test_text_that_is_there(self, option: str) -> None:
        assert meets(option, DENVER)

    @pytest.mark.parametrize(
        "option",
        [
            'STRING "denver"',
            'STRING "Denver" 0:8',
            'STRING B,"boulder", "denver"',
            "STRING Denver* ",
        ],
    )
    def test_text_that_is_not_there(self, option: str) -> None:
        assert not meets(option, DENVER)

    def test_a_doubled_quote_is_a_quote(self) -> None:
        assert meets('STRING "5"" pipe"', subject(data=b'5" pipe'))
        assert meets("STRING 'it''s'", subject(data=b"it's"))

    def test_text_is_sought_as_utf8(self) -> None:
        assert meets("STRING Zürich", subject(data="Zürich".encode()))

    def test_the_word_both_itself_stands_in_quotes(self) -> None:
        assert meets('STRING "BOTH"', subject(data=b"BOTH"))


class TestIntegers:
    @pytest.mark.parametrize(
        ("option", "found"),
        [
            ("INT16 258", "0102"),
            ("INT16 0x0102", "0102"),
            ("INT16 -2", "fffe"),
            ("INT16 65534", "fffe"),
            ("INT32 107", "0000006b"),
            ("INT64 4294967302", "0000000100000006"),
        ],
    )
    @pytest.mark.parametrize("order", ByteOrder)
    def test_found_at_any_offset_big_endian(self, option: str, found: str, order: ByteOrder) -> None:
        for before in range(3):
            assert meets(option, subject(data=bytes([0x77] * before) + bytes.fromhex(found) + b"\x77", order=order))

    def test_found_in_the_order_of_a_little_endian_file_too(self) -> None:
        data = b"\x02\x01"
        assert meets("INT16 258", subject(data=data, order=ByteOrder.LITTLE))
        assert not meets("INT16 258", subject(data=data))


@pytest.mark.parametrize("option", ["HEX 00", "STRING a", "INT16 0", "SYSKEY 0"])
def test_a_record_without_data_meets_nothing(option: str) -> None:
    assert not meets(option, subject())
    assert not meets(option, file_header())
    assert not meets(option, broken())

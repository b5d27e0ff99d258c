from __future__ import annotations

import pytest

from logdump.filters import FilterError
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


def test_thirty_two_names_are_allowed_and_no_more() -> None:
    names = [f"hr.t{number}" for number in range(33)]
    assert meets(f"FILENAME {','.join(names[:32])}", subject("HR.T31"))
    with pytest.raises(FilterError, match="33 values, at most 32"):
        criterion(f"FILENAME {','.join(names)}")


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("FILENAME", "a value is missing"),
        ("FILENAME a,,b", "a value is missing"),
        ("FILENAME a,", "a value is missing"),
        ('FILENAME "a', "not closed"),
        ('FILENAME ""', "1 to 1024 characters"),
        ("FILENAME a b", "separate names with commas"),
        ("FILENAME hr.* RECTYPE 5", "each criterion needs its own FILTER"),
        (f"FILENAME {'a' * 2000}", "1 to 1024 characters"),
    ],
)
def test_what_is_no_list_of_names_is_refused(option: str, message: str) -> None:
    with pytest.raises(FilterError, match=f"^FILENAME: .*{message}.*Syntax: FILTER FILENAME <template>"):
        criterion(option)


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

    @pytest.mark.parametrize(
        ("option", "message"),
        [
            ("HEX", "a value is missing"),
            ("HEX 4BF", "two digits make a byte"),
            ("HEX zz", "'zz' is not a hex string"),
            ('HEX ""', "a value is empty"),
            ('HEX "0x"', "a hex string is missing"),
            ('HEX "4BF6', "cannot read"),
            ("HEX 4BF6 0001 0:3", "unexpected"),
            ("HEX 4BF6 5", r"2 bytes cannot be found in Col 5:5; write 5:6 or more"),
            ("HEX 4BF6 3:1", "ends before it starts"),
            ("HEX 4BF6,", "a value is missing"),
            (f"HEX {'00' * 4001}", "at most 4000"),
            (f"HEX {','.join(['00'] * 33)}", "at most 32"),
        ],
    )
    def test_what_is_no_hex_is_refused(self, option: str, message: str) -> None:
        with pytest.raises(FilterError, match=message):
            criterion(option)


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
        with pytest.raises(FilterError, match="a value is missing"):
            criterion("STRING BOTH")

    @pytest.mark.parametrize(
        ("option", "message"),
        [
            ("STRING", "a value is missing"),
            ("STRING New York", "a value with blanks must be in quotes"),
            ('STRING "New York', "cannot read"),
            ('STRING ""', "a value is empty"),
            ("STRING //", "a value is empty"),
            ('STRING "a",', "a value is missing"),
            ('STRING "Denver" 0:3', "6 bytes cannot be found in Col 0:3; write 0:5 or more"),
            ('STRING "Denver" 0:', "not a column range"),
            ("STRING \ud800", "is not text"),
        ],
    )
    def test_what_is_no_text_is_refused(self, option: str, message: str) -> None:
        with pytest.raises(FilterError, match=message):
            criterion(option)


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

    @pytest.mark.parametrize(
        "option", ["INT16", "INT16 65536", "INT16 -32769", "INT32 4294967296", "INT64 0x1ffffffffffffffff", "INT16 > 5"]
    )
    def test_what_does_not_fit_is_refused(self, option: str) -> None:
        with pytest.raises(FilterError, match=r"missing|outside|not a whole number|more than one word"):
            criterion(option)


@pytest.mark.parametrize("option", ["HEX 00", "STRING a", "INT16 0", "SYSKEY 0"])
def test_a_record_without_data_meets_nothing(option: str) -> None:
    assert not meets(option, subject())
    assert not meets(option, file_header())
    assert not meets(option, broken())

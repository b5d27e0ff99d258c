from __future__ import annotations

import pytest

from logdump.filters import FilterError
from trailformat import ByteOrder

from .subjects import broken, criterion, file_header, meets, subject

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

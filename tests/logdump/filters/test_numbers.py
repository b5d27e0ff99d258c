from __future__ import annotations

import pytest

from .subjects import broken, file_header, meets, subject


@pytest.mark.parametrize(
    "option",
    [
        "RBA 2014",
        "RBA >= 2014",
        "RBA 2015 <",
        "RBA 0x7de",
        "RECLEN 4",
        "RECLEN > 3",
        "RECLEN 4 >=",
        "RECLEN>3",
        "AUDITRBA 519",
        "AUDITRBA 519 ==",
        "AUDITRBA NE 520",
        "TRANSIND 2",
        "TRANSIND >= 2",
        "TRANSIND LAST",
        "TRANSIND end",
        "TRANSIND <> FIRST",
        "SYSKEYLEN 0",
        "UNDOFLAG 1",
        "UNDOFLAG > 0",
    ],
)
def test_a_number_of_the_record_is_compared(option: str) -> None:
    record = subject(data=b"abcd", rba=2014, audit_rba=519, trans_ind=2, undo_flag=1)
    other = subject(data=b"a", rba=2016, audit_rba=520, trans_ind=0, syskey_len=4)
    assert meets(option, record)
    assert not meets(option, other) or ">= 2014" in option


@pytest.mark.parametrize(
    ("word", "number"), [("FIRST", 0), ("MIDDLE", 1), ("LAST", 2), ("END", 2), ("ONLY", 3), ("WHOLE", 3)]
)
def test_words_for_the_place_in_the_transaction(word: str, number: int) -> None:
    assert [meets(f"TRANSIND {word}", subject(trans_ind=place)) for place in range(4)].index(True) == number


class TestSyskey:
    def test_it_is_the_first_bytes_of_the_data_big_endian(self) -> None:
        assert meets("SYSKEY 4294967302", subject(data=bytes.fromhex("0000000100000006 ffff"), syskey_len=8))
        assert meets("SYSKEY 5", subject(data=b"\5\6", syskey_len=1))
        assert meets("SYSKEY >= 0xffffffff", subject(data=b"\xff\xff\xff\xff\0", syskey_len=4))

    def test_a_record_without_a_key_meets_nothing(self) -> None:
        assert not meets("SYSKEY 0", subject(data=bytes(8)))
        assert not meets("SYSKEY <> 5", subject(data=b"\0", syskey_len=4))
        assert not meets("SYSKEY <> 5", subject(data=bytes(200), syskey_len=200))


def test_a_file_header_has_a_place_and_a_length_and_nothing_else() -> None:
    header = file_header()
    assert meets("RBA 0", header)
    assert meets(f"RECLEN {header.record.length - 8}", header)
    assert not meets("TRANSIND <> 9", header)


def test_a_broken_record_meets_no_comparison_not_even_unequal() -> None:
    assert not meets("AUDITRBA <> 0", broken())

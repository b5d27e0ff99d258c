from __future__ import annotations

from logdump.filters import FilterSet, show

from .subjects import filters, subject

FIRST_EXAMPLE = """\
Data filters are ENABLED
Include  Match ALL
Filename-0 : $QA01.QAESRC.ACCT*
HEX-0      : ( 4), Col 0:3
0000 4BF6
Exclude  Match ANY"""

SECOND_EXAMPLE = """\
Data filters are ENABLED
Include  Match ALL
Rectypes   : Delete
Filename-0 : hr.regions
Exclude  Match ANY"""


def test_the_first_example_of_the_manual() -> None:
    made = filters("INCLUDE FILENAME $QA01.QAESRC.ACCT*", 'INCLUDE HEX "00004BF6" 0:3', "MATCH ALL")
    assert "\n".join(show(made)) == FIRST_EXAMPLE


def test_the_second_example_of_the_manual_in_either_order_of_entry() -> None:
    for statements in (("FILENAME hr.regions", "RECTYPE 3"), ("RECTYPE Delete", "FILENAME hr.regions")):
        assert "\n".join(show(filters(*statements, "MATCH ALL"))) == SECOND_EXAMPLE


def test_an_empty_filter() -> None:
    assert show(FilterSet()) == ["Data filters are ENABLED", "Include  Match ANY", "Exclude  Match ANY"]
    assert show(filters("OFF"))[0] == "Data filters are DISABLED"


def test_every_option() -> None:
    made = filters(
        "RECTYPE 3, 5",
        "IOTYPE 160",
        "ANSINAME HR.REGIONS, HR.JOBS",
        'STRING "Denver" 0:231, B,"boulder"',
        f"HEX {'ab' * 21}, FF 7",
        "INT16 -1",
        "INT32 107",
        "INT64 107",
        "STARTTIME 2024-03-01 09:00",
        "ENDTIME 2024-03-01 10:00",
        "CSN 4881201 >=",
        "GGSTOKEN TRANID 10.2.2016",
        "GGSTOKEN x99",
        "USERTOKEN TK-HOST NE db01",
        "RBA > 5",
        "RECLEN > 6",
        "AUDITRBA 519",
        "TRANSIND LAST",
        "SYSKEY 4294967302",
        "SYSKEYLEN > 0",
        "UNDOFLAG 1",
    )
    assert show(made)[2:-1] == [
        "Rectypes   : Delete, Insert",
        "IOtypes    : DDLOP",
        "Ansiname-0 : HR.REGIONS, HR.JOBS",
        'STRING-0   : ( 6), Col 0:231, "Denver"',
        '           : ( 7), "boulder", any case',
        "HEX-0      : (21)",
        "ABAB ABAB ABAB ABAB ABAB ABAB ABAB ABAB ABAB ABAB",
        "AB",
        "           : ( 1), Col 7:7",
        "FF",
        "INT16-0    : -1",
        "INT32-0    : 107",
        "INT64-0    : 107",
        "Starttime-0: 2024/03/01 09:00:00.000.000 GMT",
        "Endtime-0  : 2024/03/01 10:00:00.000.000 GMT",
        "CSN-0      : >= 4881201",
        "GGSToken-0 : TRANID = 10.2.2016",
        "GGSToken-1 : x99",
        "UserToken-0: TK-HOST <> db01",
        "RBA-0      : > 5",
        "Reclen-0   : > 6",
        "AuditRBA-0 : = 519",
        "TransInd-0 : = 2",
        "Syskey-0   : = 4294967302",
        "SyskeyLen-0: > 0",
        "UndoFlag-0 : = 1",
    ]


def test_numbers_run_through_both_sets_and_the_first_rectypes_has_none() -> None:
    made = filters("EXCLUDE FILENAME b", "INCLUDE FILENAME a", "RECTYPE 3", "RECTYPE 5", "EXCLUDE RECTYPE 10")
    assert show(made)[1:] == [
        "Include  Match ANY",
        "Rectypes   : Delete",
        "Rectypes-1 : Insert",
        "Filename-0 : a",
        "Exclude  Match ANY",
        "Rectypes-2 : Update",
        "Filename-1 : b",
    ]


def test_control_characters_never_reach_the_terminal() -> None:
    lines = show(filters("FILENAME a\x1b[2J", 'STRING "\x07"'))
    assert all(line.isprintable() for line in lines)
    assert "Filename-0 : a\\x1b[2J" in lines


def test_quotes_are_doubled_bytes_that_are_no_text_escaped_and_hex_grouped_from_the_left() -> None:
    made = filters('STRING "5"" pipe"', "STRING \udcff", "HEX aabbcc")
    assert subject(data=b"\xff").meets(made)
    assert show(made)[2:-1] == [
        'STRING-0   : ( 7), "5"" pipe"',
        r'STRING-1   : ( 1), "\udcff"',
        "HEX-0      : ( 3)",
        "AABB CC",
    ]

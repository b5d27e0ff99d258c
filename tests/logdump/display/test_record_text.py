from __future__ import annotations

import pytest

from logdump.session.settings import Detail, Level, Release
from tests.logdump.display.records import a_record, lines_of
from trailformat import (
    ByteOrder,
    Record,
    TableEntry,
    make_column,
    make_file_header,
    make_file_header_record,
    make_token,
)
from trailformat.records.columns import PieceHeader, build_columns, build_piece
from trailformat.records.file_header import SIGNATURE
from trailformat.records.record import build_user_tokens
from trailformat.records.record_header import LARGE_OBJECT, PK_UPDATE, RECORD_FRAGMENT, UNIFIED_UPDATE


@pytest.fixture
def record() -> Record:
    values = {
        "TrailInfo": {"Signature": SIGNATURE, "CreationTime": 0x02F21EF1CCA9B9C9, "FileSize": None},
        "ContinunityInfo": {"RecoveryMode": 1},
    }
    return make_file_header_record(make_file_header(values))  # type: ignore[arg-type]


def groups(lines: list[str]) -> list[str]:
    return [line for line in lines if line.startswith("GroupID")]


def tokens(lines: list[str]) -> list[str]:
    return [line for line in lines if line.startswith("TokenID")]


def test_the_file_header_is_shown_by_its_creation_time(record: Record) -> None:
    assert lines_of(record)[:3] == [
        "",
        f"2014/05/06 17:11:49.461.449 FileHeader           Len {record.length - 8:>5} RBA 0",
        "Name: *FileHeader*",
    ]


def test_there_is_no_header_block_before_it(record: Record) -> None:
    assert lines_of(record, ghdr=True) == lines_of(record)


@pytest.mark.parametrize(
    ("release", "fileheader", "is_blank"),
    [
        (Release.R11_1, Level.OFF, True),
        (Release.R12_1, Level.OFF, True),
        (Release.R12_1, Level.DETAIL, False),
        (Release.R12_3, Level.OFF, False),
        (Release.R21_3, Level.OFF, False),
    ],
)
def test_up_to_12_1_a_blank_line_ends_the_data_of_a_header(
    record: Record, release: Release, fileheader: Level, *, is_blank: bool
) -> None:
    lines = lines_of(record, release=release, fileheader=fileheader)
    assert (lines[-1] == "") is is_blank
    assert lines[-2] != ""


@pytest.mark.parametrize(
    ("fileheader", "detail", "shows_groups", "shows_tokens"),
    [
        (Level.OFF, Detail.DATA, False, False),
        (Level.ON, Detail.OFF, False, False),
        (Level.ON, Detail.ON, False, False),
        (Level.ON, Detail.DATA, True, False),
        (Level.DETAIL, Detail.OFF, True, True),
        (Level.DETAIL, Detail.DATA, True, True),
    ],
)
def test_groups_and_tokens_are_shown_when_switched_on(
    record: Record, fileheader: Level, detail: Detail, shows_groups: bool, shows_tokens: bool
) -> None:
    shown = lines_of(record, fileheader=fileheader, detail=detail)
    assert bool(groups(shown)) is shows_groups
    assert bool(tokens(shown)) is shows_tokens


def test_a_group_is_dumped_with_its_own_token_and_each_token_without(record: Record) -> None:
    shown = lines_of(record, fileheader=Level.DETAIL)
    start = shown.index("GroupID x34 '4' ContinunityInfo  Info x00  Length    8")
    assert shown[start - 1] == ""
    assert shown[start + 1 :] == [
        f" {'3400 0008 3000 0004 0000 0001':<49} | 4...0.......",
        "TokenID x30 '0' RecoveryMode     Info x00  Length    4",
        f" {'0000 0001':<49} | ....",
    ]


def test_a_value_that_is_not_set_has_info_ff(record: Record) -> None:
    assert "TokenID x39 '9' FileSize         Info xff  Length    8" in lines_of(record, fileheader=Level.DETAIL)


def test_values_shows_what_is_set_in_a_header_under_detail_alone() -> None:
    values = {"CreationTime": 0x02F21EF1CCA9B9C9, "FileName": "a\x1b[2J", "Seqno": 7, "FileSize": None, "LastCSN": "12"}
    header = make_file_header_record(make_file_header({"TrailInfo": values, "DatabaseInfo": {"Vendor": 7}}))  # type: ignore[dict-item]
    plain, shown = (lines_of(header, fileheader=Level.DETAIL, values=values_on) for values_on in (False, True))
    assert shown[: len(plain)] == plain
    assert shown[len(plain) :] == [
        "Values of the file header at RBA 0",
        "   TrailInfo       CreationTime     2014/05/06 17:11:49.461.449",
        "   TrailInfo       FileName         a\\x1b[2J",
        "   TrailInfo       Seqno            7",
        "   TrailInfo       LastCSN          12",
        "   DatabaseInfo    Vendor           7 ORACLE",
    ]
    for level in (Level.OFF, Level.ON):
        assert not [line for line in lines_of(header, fileheader=level, values=True) if "Values" in line]


def test_reclen_cuts_groups_but_not_tokens(record: Record) -> None:
    shown = lines_of(record, fileheader=Level.DETAIL, reclen=4)
    assert shown[3].startswith(" 3000 00")
    assert f" {'4747 0d0a 544c 0a0d':<49} | GG..TL.." in shown


COLUMNS = build_columns([make_column(0, b"\0\4leaf"), make_column(300, None)], ByteOrder.BIG)
HOSTILE = "\x1b[31mTEA\x07\u202e"


def test_the_record_line_pads_the_type_to_20_and_the_length_to_5() -> None:
    line = lines_of(a_record(COLUMNS))[1]
    assert line == "2016/04/28 12:10:14.246.832 Insert               Len    18 RBA 0"


def test_a_blank_line_comes_before_the_record_line_with_and_without_its_header() -> None:
    assert lines_of(a_record())[0] == ""
    with_header = lines_of(a_record(), ghdr=True)
    assert with_header[9] == ""
    assert with_header[0] == "_" * 67


@pytest.mark.parametrize(
    ("release", "partition"),
    [("11.1", "12"), ("12.1", "12"), ("12.3", "12"), ("19.1", "x0c"), ("21.3", "x0c")],
)
def test_the_partition_is_spelled_as_in_its_release(release: str, partition: str) -> None:
    image = lines_of(a_record(name=1), release=Release(release))[3]
    assert image == f"{'After  Image:':<58}Partition {partition}   G  s"


@pytest.mark.parametrize(("trans_ind", "letter"), [(0, "b"), (1, "m"), (2, "e"), (3, "s"), (9, "?")])
def test_the_image_line_ends_with_the_place_in_the_transaction(trans_ind: int, letter: str) -> None:
    assert lines_of(a_record(trans_ind=trans_ind))[3].endswith(f"G  {letter}")


def test_a_before_image_says_so() -> None:
    assert lines_of(a_record(before_after=ord("B")))[3].startswith("Before Image:")


@pytest.mark.parametrize(
    ("release", "expected"),
    [
        ("11.1", "Column   300 (x012c), Len     2 (x0002)"),
        ("19.1", "Column   300 (x012c), Len     2 (x0002)"),
        ("21.3", "Column 300 (0x012c), Length 2 (0x0002)."),
    ],
)
def test_a_column_line_is_spelled_as_in_its_release(release: str, expected: str) -> None:
    assert lines_of(a_record(COLUMNS), detail=Detail.ON, release=Release(release))[-1] == expected


def test_detail_data_dumps_every_column_detail_on_none() -> None:
    named = [line for line in lines_of(a_record(COLUMNS), detail=Detail.ON)[5:] if not line.startswith("Column")]
    dumped = [line for line in lines_of(a_record(COLUMNS), detail=Detail.DATA)[5:] if not line.startswith("Column")]
    assert named == []
    assert [line.strip().split("  ")[0] for line in dumped] == ["0000 0004 6c65 6166", "ffff"]


def test_a_key_update_lists_keys_then_columns() -> None:
    keys = build_columns([make_column(0, b"a")], ByteOrder.BIG)
    record = a_record(len(keys).to_bytes(2, "big") + keys + keys, io_type=PK_UPDATE)
    assert lines_of(record, detail=Detail.ON)[5:] == [
        "Before Image          Len     9 (x00000009)",
        "KeyLen     7 (x00000007)",
        "KeyCol     0 (x0000), Len     3 (x0003)",
        "",
        "After Image           Len     7 (x00000007)",
        "Column     0 (x0000), Len     3 (x0003)",
    ]


def test_a_unified_update_lists_both_images() -> None:
    columns = build_columns([make_column(1, b"a")], ByteOrder.BIG)
    record = a_record(len(columns).to_bytes(4, "big") + columns + columns, io_type=UNIFIED_UPDATE)
    shown = lines_of(record, detail=Detail.ON)[5:]
    assert shown[:2] == ["Before Image          Len    11 (x0000000b)", "BeforeColumnLen     7 (x00000007)"]
    assert shown[2] == shown[-1] == "Column     1 (x0001), Len     3 (x0003)"


@pytest.mark.parametrize(("reclen", "lines"), [(0, 0), (1, 1), (20, 1), (21, 2), (140, 7), (1000, 50)])
def test_reclen_cuts_the_dump_of_the_data(reclen: int, lines: int) -> None:
    shown = lines_of(a_record(bytes(1000)), reclen=reclen)[4:]
    assert len(shown) == lines
    assert sum(len(line.split("|")[1]) - 1 for line in shown) == reclen


def test_nothing_from_a_trail_reaches_the_terminal_raw() -> None:
    tokens = build_user_tokens([(HOSTILE.encode(), HOSTILE.encode())])
    shown = lines_of(a_record(HOSTILE.encode(), name=HOSTILE, user_tokens=tokens), usertoken=Level.DETAIL)
    assert all(line.isprintable() for line in shown)
    assert shown[2] == r"Name: \x1b[31mTEA\x07\u202e"
    assert shown[-1] == rf"{shown[2][6:]:<20}: {shown[2][6:]}"


def test_a_resolved_name_is_escaped_too() -> None:
    entry = TableEntry(0, 7, HOSTILE, None)
    assert lines_of(a_record(name=7), entry)[2] == r"Name: \x1b[31mTEA\x07\u202e  (TDR Index: 7)"


def test_an_index_without_definition_leaves_the_name_empty() -> None:
    assert lines_of(a_record(name=7))[2] == "Name:   (TDR Index: 7)"


def test_an_unknown_type_is_shown_by_its_number() -> None:
    assert " Type 99              Len     3 " in lines_of(a_record(b"abc", io_type=99))[1]


def test_a_piece_of_a_large_object_is_shown_as_bytes() -> None:
    record = a_record(b"piece", io_type=LARGE_OBJECT, continued=1, rec_count=4)
    shown = lines_of(record, ghdr=True, detail=Detail.DATA)
    assert "Continued  :     Y  (x01)     RecCount   :     4  (x04)" in shown
    assert shown[-1] == f" {'7069 6563 65':<49} | piece"


@pytest.mark.parametrize(
    "record",
    [
        a_record(COLUMNS[:-1], continued=1),
        a_record(COLUMNS[-1:], io_type=RECORD_FRAGMENT),
        a_record(COLUMNS[:-1]),
        a_record(COLUMNS, partition=0),
    ],
    ids=["cut", "fragment", "damaged", "full image"],
)
def test_data_that_is_no_column_list_is_shown_as_bytes_alone(record: Record) -> None:
    assert lines_of(record, detail=Detail.DATA) == lines_of(record)


@pytest.mark.parametrize("release", Release)
def test_up_to_12_1_a_blank_line_ends_data_that_no_columns_and_no_tokens_follow(release: Release) -> None:
    is_old = release in (Release.R11_1, Release.R12_1)
    record = a_record(COLUMNS, tokens=(make_token("L", b"1"),), user_tokens=b"A\0b\0")
    assert (lines_of(record, release=release)[-1] == "") == is_old
    assert lines_of(record, release=release, ggstoken=Level.ON).count("") == 2
    assert lines_of(record, release=release, usertoken=Level.ON).count("") == 2
    assert lines_of(record, release=release, detail=Detail.ON).count("") == 1
    assert lines_of(a_record(), release=release).count("") == 1


PIECE = build_piece(PieceHeader(3, 3, 4, 4000, 6100), bytes(2000), ByteOrder.BIG)


def test_a_lob_piece_says_under_ghdr_which_it_is() -> None:
    record = a_record(PIECE, io_type=LARGE_OBJECT, continued=1, rec_count=4)
    assert lines_of(record, ghdr=True)[-1] == "Column 3, LOB fragment 3 of 4"
    assert not [line for line in lines_of(record, detail=Detail.DATA) if "LOB" in line]


def test_a_lob_piece_that_does_not_tell_its_number_has_no_such_line() -> None:
    record = a_record(b"text", io_type=LARGE_OBJECT, rec_count=4)
    assert not [line for line in lines_of(record, ghdr=True) if "LOB" in line]


def test_metadata_that_does_not_decode_is_shown_as_bytes() -> None:
    shown = lines_of(a_record(b"no tdr", io_type=170, orig_node=2, partition=0), ghdr=True)
    assert shown[-2:] == ["Name: TEA.LEAVES", f" {'6e6f 2074 6472':<49} | no tdr"]
    assert any(line.startswith("DDR/TDR index:   (") for line in shown)


def test_the_blocks_come_in_logdumps_order() -> None:
    record = a_record(COLUMNS, tokens=(make_token("L", b"1"),), user_tokens=b"A\0b\0")
    levels = dict.fromkeys(("headertoken", "usertoken", "ggstoken"), Level.ON)
    shown = lines_of(record, None, ghdr=True, detail=Detail.ON, **levels)
    starts = ("TokenID x47", "____", "2016/", "Name:", "After", " 0000", "Column", "User tokens:", "GGS tokens:")
    places = [next(at for at, line in enumerate(shown) if line.startswith(start)) for start in starts]
    assert places == sorted(places)

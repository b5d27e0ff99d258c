from __future__ import annotations

import pytest

from logdump.session.settings import Detail, Level, Release
from tests.logdump.display.records import lines_of
from trailformat import Record, make_file_header, make_file_header_record
from trailformat.records.file_header import SIGNATURE


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


def test_reclen_cuts_groups_but_not_tokens(record: Record) -> None:
    shown = lines_of(record, fileheader=Level.DETAIL, reclen=4)
    assert shown[3].startswith(" 3000 00")
    assert f" {'4747 0d0a 544c 0a0d':<49} | GG..TL.." in shown

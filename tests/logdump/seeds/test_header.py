"""Seed 001, rows 21 to 42: what a record consists of, and each field of its header as a session and JSON show it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.logdump.commands.test_params import objects
from tests.logdump.line import Line
from tests.trailformat.samples import IO_TIME, header, row, trail_of
from trailformat import Images, make_column, make_record
from trailformat.records.record import build_user_tokens
from trailformat.records.record_header import DELETE, UNIFIED_UPDATE, UPDATE

FIELDS = [
    ("001-25 UndoFlag", {"undo_flag": 0}, "UndoFlag   :     .  (x00)", ("undo_flag", 0)),
    ("001-25 UndoFlag", {"undo_flag": 1}, "UndoFlag   :     .  (x01)", ("undo_flag", 1)),
    ("001-26 RecLength", {}, "RecLength  :    10  (x000a)", ("record_length", 10)),
    ("001-27 IOType", {"io_type": DELETE, "before_after": 0x42}, "IOType     :     3  (x03)", ("io_type", 3)),
    ("001-27 IOType", {"io_type": UPDATE}, "IOType     :    10  (x0a)", ("io_type", 10)),
    *(
        (f"001-28 TransInd {number}", {"trans_ind": number}, f"TransInd   :     .  (x0{number})", ("trans_ind", number))
        for number in range(4)
    ),
    ("001-29 SyskeyLen", {"syskey_len": 4}, "SyskeyLen  :     4  (x04)", ("syskey_length", 4)),
    ("001-30 AuditRBA", {"audit_rba": 108_466}, "AuditRBA   :     108466", ("audit_rba", 108_466)),
    ("001-31 Continued N", {"continued": 0}, "Continued  :     N  (x00)", ("continued", 0)),
    ("001-31 Continued Y", {"continued": 1}, "Continued  :     Y  (x01)", ("continued", 1)),
    ("001-32 Partition", {"partition": 4}, "Partition  :     .  (x04)", ("partition", 4)),
    ("001-32 Partition", {"partition": 15, "io_type": 200}, "Partition  :     .  (x0f)", ("partition", 15)),
    ("001-33 BeforeAfter A", {}, "BeforeAfter:     A  (x41)", ("before_after", "A")),
    ("001-33 BeforeAfter B", {"before_after": 0x42}, "BeforeAfter:     B  (x42)", ("before_after", "B")),
    (
        "001-34 IO Time",
        {"io_time": IO_TIME + 1_000_000},
        "IO Time    : 2016/04/28 12:10:15.246.832",
        ("time", "2016-04-28T12:10:15.246832Z"),
    ),
    ("001-35 OrigNode", {"orig_node": 0}, "OrigNode   :     0  (x00)", ("orig_node", 0)),
    ("001-36 FormatType R", {"format_type": 0x52}, "FormatType :     R  (x52)", ("format_type", "R")),
    ("001-36 FormatType F", {"format_type": 0x46}, "FormatType :     F  (x46)", ("format_type", "F")),
    ("001-37 Incomplete", {"incomplete": 1}, "Incomplete :     .  (x01)", ("incomplete", 1)),
    ("001-38 AuditPos", {"audit_pos": 21_682_924}, "AuditPos   : 21682924", ("audit_pos", "21682924")),
    ("001-39 RecCount", {"rec_count": 3}, "RecCount   :     3  (x03)", ("rec_count", 3)),
]


@pytest.mark.parametrize(("fields", "shown", "member"), [one[1:] for one in FIELDS], ids=[one[0] for one in FIELDS])
def test_a_field_of_the_header_is_shown_by_ghdr_and_in_json(
    fields: dict[str, Any], shown: str, member: tuple[str, Any], line: Line, tmp_path: Path
) -> None:
    path = trail_of(tmp_path, row(b"leaf", **fields))
    said = line(f"open {path}; ghdr on; n")
    assert any(shown in one for one in said), said
    (found,) = [one for one in objects(f"open {path}", "n") if one["type"] == "record"]
    assert found[member[0]] == member[1]


def test_a_record_whose_header_does_not_begin_with_e_is_bad_and_the_next_one_is_named(
    line: Line, tmp_path: Path
) -> None:
    good = row()
    path = trail_of(tmp_path, good, row(hdr_ind=0), good)
    said = line(f"open {path}; ghdr on; n")
    assert any("Hdr-Ind    :     E  (x45)" in one for one in said)
    said = line("n")
    assert any("expected Hdr-Ind x45 'E', found x00" in one for one in said)
    assert any(f"Next good header at RBA {2 * good.length}" in one for one in said)


def test_unified_records_are_after_images_with_both(trails: Path) -> None:
    found = objects(f"open {trails / 'et000000000'}", f"filter include iotype {UNIFIED_UPDATE}", "n")
    (record,) = [one for one in found if one["type"] == "record"]
    assert record["before_after"] == "A"
    assert record["before"]
    assert record["after"]


def test_records_of_a_transaction_have_times_of_their_own(tmp_path: Path) -> None:
    times = [IO_TIME, IO_TIME, IO_TIME + 2_000_000]
    rows = [row(io_time=time, trans_ind=place) for time, place in zip(times, (0, 1, 2), strict=True)]
    path = trail_of(tmp_path, *rows)
    found = [one["julian_time"] for one in objects(f"open {path}", "n 3") if one["type"] == "record"]
    assert found == [str(one) for one in times]


def test_a_record_has_header_data_and_user_tokens_which_are_shown_in_this_order(line: Line, tmp_path: Path) -> None:
    data = Images(None, (make_column(0, b"leaf"),))
    path = trail_of(tmp_path, make_record(header(), data, (), build_user_tokens([(b"TEA", b"green")])))
    said = line(f"open {path}; ghdr on; detail data; usertoken detail; n")
    places = [
        next(number for number, one in enumerate(said) if text in one)
        for text in (
            "Hdr-Ind",
            "Insert               Len    10 RBA 0",
            "Name: TEA.LEAVES",
            "0000 0006 0000 6c65 6166",
            "green",
        )
    ]
    assert places == sorted(places)
    plain = line("ghdr off; detail off; usertoken off; pos 0; n")
    assert not any("Hdr-Ind" in one or "green" in one for one in plain)


def test_the_data_area_tells_time_type_length_place_table_and_bytes(line: Line, tmp_path: Path) -> None:
    path = trail_of(tmp_path, row(), row(b"bud", "TEA.BUDS", io_type=DELETE, before_after=0x42))
    said = line(f"open {path}; n 2")
    first, second = [one for one in said if " RBA " in one]
    assert first.split()[2:] == ["Insert", "Len", "10", "RBA", "0"]
    assert second.split()[2:] == ["Delete", "Len", "9", "RBA", str(row().length)]
    assert [one.split("  ")[0] for one in said if one.startswith("Name:")] == ["Name: TEA.LEAVES", "Name: TEA.BUDS"]
    assert any("0000 0005 0000 6275 64" in one for one in said)
    assert [one.split(" Image")[0].strip() for one in said if " Image:" in one] == ["After", "Before"]

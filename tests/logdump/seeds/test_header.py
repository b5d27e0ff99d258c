"""Seed 001, rows 21 to 42: what a record consists of, and each field of its header as a session and JSON show it.

Seed 001, rows 52 to 69: each type of record by number and name, as NEXT, SFT, FILTER, COUNT and JSON have it.
Statements of the seeds that need a trail of their own: values that are not set, what a rollback leaves, sizes.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from logdump.features.bounded_recovery.model import LongTransactionShown
from logdump.features.compression.model import Compression, CompressionShown
from tests.logdump.commands.test_params import objects
from tests.logdump.line import Line
from tests.simulated.bounded_recovery import HOUR, Worked, iso, write_trail
from tests.trailformat.samples import IO_TIME, header, row, trail_of
from trailformat import Images, make_column, make_file_header, make_file_header_record, make_record
from trailformat.records.file_header import SIGNATURE, TRAIL_INFO
from trailformat.records.record import build_user_tokens
from trailformat.records.record_header import DELETE, UNIFIED_UPDATE, UPDATE

TYPES = {
    "001-52": {1: "Abort", 2: "Commit", 4: "EndRollBack", 6: "Prepared", 7: "TMF-Shutdown", 8: "TransBegin"},
    "001-52 end": {9: "TransRelease"},
    "001-53": {3: "Delete"},
    "001-54": {5: "Insert"},
    "001-55": {10: "Update"},
    "001-56": {11: "UpdateComp"},
    "001-57": {12: "FileAlter", 13: "FileCreate", 14: "FilePurge", 16: "FileRename"},
    "001-58": {15: "FieldComp"},
    "001-59": {17: "AuxPointer", 18: "NetworkCommit", 19: "NetworkAbort"},
    "001-60": {90: "GGSSQLCol", 100: "GGSPurgedata", 101: "GGSPurgeFile", 102: "GGSCreateFile", 103: "GGSAlterFile"},
    "001-60 end": {104: "GGSRenameFile", 105: "GGSSetmode", 106: "GGSChangeLabel", 107: "GGSControl"},
    "001-61": {115: "GGSPKUpdate", 117: "GGSKeyFieldComp32"},
    "001-62": {116: "LargeObject"},
    "001-63": {132: "SequenceOp"},
    "001-64": {134: "GGSUnifiedUpdate", 135: "GGSUnifiedPKUpdate"},
    "001-65": {160: "DDLOP"},
    "001-66": {161: "RecordFragment"},
    "001-67": {200: "GGSBulkio"},
    "001-68": {201: "GGSFileClose", 202: "GGSLoggerTS", 203: "GGSExtractTS", 204: "GGSCollectTS"},
    "001-68 end": {249: "LoggerAddedStats", 250: "LibOpenTrace", 251: "LibCloseTrace", 252: "LoggerOpenTrace"},
    "001-68 last": {253: "LoggerCloseTrace", 254: "LoggerAddedInfo"},
    "001-69": {205: "GGSComment"},
}
COUNTED_AS = {160: "DDL"}
"""Names that COUNT has of its own, as in Oracle's transcript of 11.1."""
ALL = [(number, name) for types in TYPES.values() for number, name in types.items()]


@pytest.fixture
def every_type(line: Line, tmp_path: Path) -> Line:
    """A session with a trail of one record of each type open."""
    line(f"open {trail_of(tmp_path, *(row(io_type=number) for number, _ in ALL))}")
    return line


@pytest.mark.parametrize("types", TYPES.values(), ids=TYPES)
def test_a_type_has_its_name_in_every_answer(types: dict[int, str], every_type: Line) -> None:
    size = row().length
    for number, name in types.items():
        rba = size * [io_type for io_type, _ in ALL].index(number)
        for command in (f"sft {name}", f"sft {number}", f"filter include iotype {name}; n"):
            said = every_type(f"filter clear; pos 0; ghdr on; {command}")
            assert any(f"IOType     : {number:>5}  (x{number:02x})" in text for text in said), command
            assert any(f" {name} " in text and text.endswith(f" RBA {rba}") for text in said), command
        said = every_type("count")
        assert any(text.split() == [COUNTED_AS.get(number, name), "1"] for text in said)
        every_type("filter clear")


def test_json_has_number_and_name_of_every_type(tmp_path: Path) -> None:
    path = trail_of(tmp_path, *(row(io_type=number) for number, _ in ALL))
    found = [item for item in objects(f"open {path}", f"n {len(ALL)}") if item["type"] == "record"]
    assert [(item["io_type"], item["io_type_name"]) for item in found] == ALL


def test_show_rectype_lists_every_type(line: Line) -> None:
    listed = " ".join(line("show rectype")).split()
    assert [name for _, name in ALL if name not in listed] == []


def test_a_type_that_no_list_has_is_shown_by_its_number(line: Line, tmp_path: Path) -> None:
    said = line(f"open {trail_of(tmp_path, row(io_type=222))}; n; count")
    assert any("Type 222 " in text and text.endswith(" RBA 0") for text in said)


UNSET = {field.name: field.size for field in TRAIL_INFO.values() if field.size and field.name != "Signature"}


@pytest.mark.parametrize("name", UNSET)
def test_a_token_without_a_value_has_its_default_bytes_and_is_null(name: str, line: Line, tmp_path: Path) -> None:
    header = make_file_header({"TrailInfo": {"Signature": SIGNATURE, name: None}})
    path = trail_of(tmp_path, make_file_header_record(header), row())
    said = line(f"open {path}; fileheader detail; n")
    (shown,) = [text for text in said if text.startswith("TokenID") and f" {name} " in text]
    assert shown.split("Info ")[1].split() == ["xff", "Length", str(UNSET[name])]
    (found,) = [item for item in objects(f"open {path}", "n") if item["type"] == "file_header"]
    assert set(found["trail_info"].values()) == {SIGNATURE.hex(), None}


@pytest.mark.parametrize("version", [1, 4, 6])
def test_compatibility_is_that_of_the_header_as_getenv_returns_it(version: int, line: Line, tmp_path: Path) -> None:
    header = make_file_header({"TrailInfo": {"Signature": SIGNATURE, "Compatibility": version}})
    path = trail_of(tmp_path, make_file_header_record(header), row())
    (found,) = [item for item in objects(f"open {path}", "n") if item["type"] == "file_header"]
    assert found["trail_info"]["compatibility"] == version
    said = line(f"open {path}; fileheader detail; n")
    place = next(number for number, text in enumerate(said) if " Compatibility " in text)
    assert said[place + 1].split()[0] == f"{version:04x}"


def test_what_is_rolled_back_is_in_no_trail_and_what_is_committed_is_open_until_then(
    line: Line, tmp_path: Path
) -> None:
    history = [
        Worked(2, (HOUR, 2 * HOUR), 9 * HOUR),
        Worked(3, (HOUR,), 8 * HOUR, is_committed=False),
        Worked(4, (HOUR,), None),
        *(Worked(10 + number, (number * HOUR // 2,), number * HOUR // 2) for number in range(22)),
    ]
    committed, rolled_back, left_open = (transaction.xid for transaction in history[:3])

    def long(command: str) -> dict[str | None, int | None]:
        line(command)
        found = [transaction.began for transaction in line.events if isinstance(transaction, LongTransactionShown)]
        return {transaction.xid: transaction.end for transaction in found}

    path = tmp_path / "begins.csv"
    path.write_text(f"xid,begin,end\n{rolled_back},{iso(HOUR)},{iso(8 * HOUR)}\n{left_open},{iso(HOUR)},\n")
    line(f"open {write_trail(tmp_path / 'br000000000', history)}")
    assert set(long("br longer 3h")) == {committed}
    with_begins = long(f"br longer 3h begins {path}")
    assert set(with_begins) == {committed, rolled_back, left_open}
    assert with_begins[left_open] is None


@pytest.mark.parametrize("options", ["level 1", "level 9 threshold 0", "level 6 block 400", "level 6 flush commit"])
def test_compression_changes_no_byte_of_the_trail_and_its_size_is_that_of_its_records(options: str, shop: Line) -> None:
    path = shop.session.trail.path
    before = path.read_bytes()
    shop(f"compress {options}")
    (shown,) = [event for event in shop.events if isinstance(event, CompressionShown)]
    sizes = {compression.bytes for compression in shop.events if isinstance(compression, Compression)}
    assert shown.surveyed.records == len(list(shop.session.trail.records()))
    assert sizes == {shown.surveyed.bytes} == {len(before)}
    assert path.read_bytes() == before


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


@pytest.mark.parametrize(
    ("fields", "shown", "member"), [field[1:] for field in FIELDS], ids=[field[0] for field in FIELDS]
)
def test_a_field_of_the_header_is_shown_by_ghdr_and_in_json(
    fields: dict[str, Any], shown: str, member: tuple[str, Any], line: Line, tmp_path: Path
) -> None:
    path = trail_of(tmp_path, row(b"leaf", **fields))
    said = line(f"open {path}; ghdr on; n")
    assert any(shown in text for text in said), said
    (found,) = [item for item in objects(f"open {path}", "n") if item["type"] == "record"]
    assert found[member[0]] == member[1]


def test_a_record_whose_header_does_not_begin_with_e_is_bad_and_the_next_one_is_named(
    line: Line, tmp_path: Path
) -> None:
    good = row()
    path = trail_of(tmp_path, good, row(hdr_ind=0), good)
    said = line(f"open {path}; ghdr on; n")
    assert any("Hdr-Ind    :     E  (x45)" in text for text in said)
    said = line("n")
    assert any("expected Hdr-Ind x45 'E', found x00" in text for text in said)
    assert any(f"Next good header at RBA {2 * good.length}" in text for text in said)


def test_unified_records_are_after_images_with_both(trails: Path) -> None:
    found = objects(f"open {trails / 'et000000000'}", f"filter include iotype {UNIFIED_UPDATE}", "n")
    (record,) = [item for item in found if item["type"] == "record"]
    assert record["before_after"] == "A"
    assert record["before"]
    assert record["after"]


def test_records_of_a_transaction_have_times_of_their_own(tmp_path: Path) -> None:
    times = [IO_TIME, IO_TIME, IO_TIME + 2_000_000]
    rows = [row(io_time=time, trans_ind=place) for time, place in zip(times, (0, 1, 2), strict=True)]
    path = trail_of(tmp_path, *rows)
    found = [item["julian_time"] for item in objects(f"open {path}", "n 3") if item["type"] == "record"]
    assert found == [str(time) for time in times]


def test_a_record_has_header_data_and_user_tokens_which_are_shown_in_this_order(line: Line, tmp_path: Path) -> None:
    data = Images(None, (make_column(0, b"leaf"),))
    path = trail_of(tmp_path, make_record(header(), data, (), build_user_tokens([(b"TEA", b"green")])))
    said = line(f"open {path}; ghdr on; detail data; usertoken detail; n")
    places = [
        next(number for number, shown_line in enumerate(said) if text in shown_line)
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
    assert not any("Hdr-Ind" in text or "green" in text for text in plain)


def test_the_data_area_tells_time_type_length_place_table_and_bytes(line: Line, tmp_path: Path) -> None:
    path = trail_of(tmp_path, row(), row(b"bud", "TEA.BUDS", io_type=DELETE, before_after=0x42))
    said = line(f"open {path}; n 2")
    first, second = [text for text in said if " RBA " in text]
    assert first.split()[2:] == ["Insert", "Len", "10", "RBA", "0"]
    assert second.split()[2:] == ["Delete", "Len", "9", "RBA", str(row().length)]
    assert [text.split("  ")[0] for text in said if text.startswith("Name:")] == ["Name: TEA.LEAVES", "Name: TEA.BUDS"]
    assert any("0000 0005 0000 6275 64" in text for text in said)
    assert [text.split(" Image")[0].strip() for text in said if " Image:" in text] == ["After", "Before"]

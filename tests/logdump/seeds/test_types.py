"""Seed 001, rows 52 to 69: each type of record by number and name, as NEXT, SFT, FILTER, COUNT and JSON have it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.logdump.commands.test_params import objects
from tests.logdump.line import Line
from tests.trailformat.samples import row, trail_of

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
        rba = size * [one for one, _ in ALL].index(number)
        for command in (f"sft {name}", f"sft {number}", f"filter include iotype {name}; n"):
            said = every_type(f"filter clear; pos 0; ghdr on; {command}")
            assert any(f"IOType     : {number:>5}  (x{number:02x})" in one for one in said), command
            assert any(f" {name} " in one and one.endswith(f" RBA {rba}") for one in said), command
        said = every_type("count")
        assert any(one.split() == [COUNTED_AS.get(number, name), "1"] for one in said)
        every_type("filter clear")


def test_json_has_number_and_name_of_every_type(tmp_path: Path) -> None:
    path = trail_of(tmp_path, *(row(io_type=number) for number, _ in ALL))
    found = [one for one in objects(f"open {path}", f"n {len(ALL)}") if one["type"] == "record"]
    assert [(one["io_type"], one["io_type_name"]) for one in found] == ALL


def test_show_rectype_lists_every_type(line: Line) -> None:
    listed = " ".join(line("show rectype")).split()
    assert [name for _, name in ALL if name not in listed] == []


def test_a_type_that_no_list_has_is_shown_by_its_number(line: Line, tmp_path: Path) -> None:
    said = line(f"open {trail_of(tmp_path, row(io_type=222))}; n; count")
    assert any("Type 222 " in one and one.endswith(" RBA 0") for one in said)

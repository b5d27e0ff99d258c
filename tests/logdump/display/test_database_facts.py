"""What is said of the database of a trail: its unique name, and how it stores names."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fixtures.capture import Capture
from fixtures.flavour import ORACLE_12
from logdump.display.values_text import case_lines
from tests.logdump.line import Line
from tests.logdump.program import logdump
from trailformat import TrailWriter, make_file_header

HEADER = make_file_header(
    {
        "TrailInfo": {"Compatibility": 7, "FirstCSN": "41882317"},
        "DatabaseInfo": {"Vendor": 7, "Name": "TEADB", "DbUniqueName": "TEADB_STBY"},
    }
)


@pytest.fixture
def trail(tmp_path: Path) -> Path:
    """A trail of 21c, whose header has the unique name of its database, and a DDR."""
    path = tmp_path / "un000000000"
    with TrailWriter(path, file_header=HEADER, order=ORACLE_12.order) as writer:
        Capture(writer, ORACLE_12).database()
    return path


def test_the_unique_name_tells_two_standbys_of_one_database_apart(trail: Path) -> None:
    assert "DbUniqueName" in logdump("-c", f"fileheader detail; open {trail}; n").out
    assert "database TEADB_STBY" in logdump("info", str(trail)).out
    assert "Source       database ORACLE, name TEADB, unique name TEADB_STBY" in logdump("doctor", str(trail)).out
    told = json.loads(logdump("doctor", str(trail), "--format", "jsonl").out.splitlines()[-1])
    assert told["database_unique_name"] == "TEADB_STBY"
    files = map(json.loads, logdump("info", str(trail), "--format", "jsonl").out.splitlines())
    assert "TEADB_STBY" in {each.get("database_unique_name") for each in files}


def test_values_say_how_names_are_stored_and_the_definition_has_the_bytes_alone(trail: Path, line: Line) -> None:
    plain = line(f"open {trail}; n 9")
    assert not any("without quotes" in text for text in plain)
    shown = line("values on; pos 0; n 9")
    assert any(text.startswith("Names of kinds 1 to 12: without quotes stored in upper case") for text in shown)


@pytest.mark.parametrize(
    ("cases", "lines"),
    [
        ("14" * 16, ["Names: without quotes stored in upper case, in quotes case-sensitive"]),
        ("22" * 16, ["Names: without quotes stored in lower case, in quotes stored in lower case"]),
        (
            "14" * 2 + "11" + "04" * 2,
            [
                "Names of kinds 1 to 2: without quotes stored in upper case, in quotes case-sensitive",
                "Names of kind 3: without quotes case-sensitive, in quotes case-sensitive",
                "Names of kinds 4 to 5: without quotes stored in upper case, in quotes not case-sensitive",
            ],
        ),
        ("58", ["Names: without quotes unknown (8), in quotes unknown (5)"]),
        ("", []),
    ],
)
def test_each_half_of_a_byte_has_its_meaning(cases: str, lines: list[str]) -> None:
    assert [*case_lines(bytes.fromhex(cases))] == lines

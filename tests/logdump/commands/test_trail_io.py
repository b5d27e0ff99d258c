"""BIO, BULKIOSTATS, TRAILFORMAT, SAVEFILECOMMENT, PRINTMXCOLUMNINFO."""

from __future__ import annotations

import pytest

from tests.logdump.line import Line


def test_bio_is_remembered(line: Line) -> None:
    assert line("bio") == ["LargeBlock I/O is On, Blocksize 57344"]
    assert line("bio off; bio block 8192; bio") == ["LargeBlock I/O is Off, Blocksize 8192"]
    assert line("bio on; bio") == ["LargeBlock I/O is On, Blocksize 8192"]


@pytest.mark.parametrize("arguments", ["block", "block 0", "block x", "block 1 2", "perhaps"])
def test_bio_checks_its_arguments(line: Line, arguments: str) -> None:
    assert line(f"bio {arguments}")[0].startswith("BIO: ")
    assert line("bio") == ["LargeBlock I/O is On, Blocksize 57344"]


def test_bulkiostats_tells_that_there_are_no_block_reads(line: Line) -> None:
    assert line("bulkiostats")[0] == "Physical reads 0, logical reads 0, current read time 0, average read time 0"
    assert "memory-mapped" in line("bulkiostats")[1]


def test_the_trail_format_is_new_and_stays_so(line: Line) -> None:
    assert line("trailformat new; trailformat") == ["TRAILFORMAT is NEW"]
    assert line("trailformat old") == [
        "TRAILFORMAT OLD: the format from before release 6.0 is not supported; it stays NEW."
    ]
    assert len(line.failures) == 1


def test_savefilecomment_is_off_until_it_is_switched_on(line: Line) -> None:
    assert line("savefilecomment") == ["SAVEFILECOMMENT is OFF"]
    assert line("savefilecomment on; savefilecomment") == ["SAVEFILECOMMENT is ON"]


@pytest.mark.parametrize("arguments", ["", "on", "off"])
def test_printmxcolumninfo_is_accepted_and_says_that_it_does_nothing(line: Line, arguments: str) -> None:
    assert line(f"printmxcolumninfo {arguments}") == [
        "PRINTMXCOLUMNINFO has no effect here: it is about SQL/MX on NonStop."
    ]
    assert line.failures == []

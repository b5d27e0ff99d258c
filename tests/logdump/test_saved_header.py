"""What the file header of a saved trail tells: its own name, number and beginning, not how another file ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from fixtures import TRAILS
from tests.logdump.line import Line
from trailformat import TrailFile
from trailformat.records.file_header import Value

OLD, SHOP = TRAILS / "ot000000", TRAILS / "et000000000"


def _told(path: Path, *names: str) -> list[Value]:
    """Values of TrailInfo."""
    with TrailFile(path) as trail:
        header = trail.file_header
    assert header is not None
    return [header.get("TrailInfo", name) for name in names]


def test_it_begins_with_the_first_row_and_its_end_is_not_known(line: Line, tmp_path: Path) -> None:
    names = ("FirstCSN", "FirstIOTime", "FileSize", "LastCSN", "LastIOTime")
    assert _told(OLD, *names) == ["41882317", 212577168600000000, 4096, "41882385", 212577168900000000]
    line(f"open {OLD}; pos 1742; save {tmp_path / 'xx000000007'}")
    assert _told(tmp_path / "xx000000007", *names) == ["41882368", 212577168840000000, None, None, None]


@pytest.mark.parametrize("before", ["pos 1261", "filter include filename no.such"], ids=["a definition", "nothing"])
def test_where_no_row_is_first_the_beginning_is_not_known(before: str, shop: Line, tmp_path: Path) -> None:
    shop(f"{before}; save {tmp_path / 'xx000000007'}")
    assert _told(tmp_path / "xx000000007", "FirstCSN", "FirstIOTime") == [None, None]


def test_the_rest_is_as_in_the_source(shop: Line, tmp_path: Path) -> None:
    shop(f"pos 3391; save {tmp_path / 'xx000000007'}")
    names = ("Signature", "Compatibility", "Charset", "CreationTime", "URI", "MultiPart", "BITFLAGS")
    assert _told(tmp_path / "xx000000007", *names) == _told(SHOP, *names)


@pytest.mark.parametrize(("name", "seqno"), [("xx000000007", 7), ("xx000012", 12), ("saved", 0)])
def test_its_number_is_that_in_its_name(name: str, seqno: int, shop: Line, tmp_path: Path) -> None:
    shop(f"save {tmp_path / name}")
    assert _told(tmp_path / name, "FileName", "Seqno") == [str(tmp_path / name), seqno]


def test_its_first_time_is_the_one_that_committs_gives(shop: Line, tmp_path: Path) -> None:
    shop(f"pos 1811; save {tmp_path / 'xx000000007'} committs 212577168000000000")
    assert _told(tmp_path / "xx000000007", "FirstCSN", "FirstIOTime") == ["41882317", 212577168000000000]

"""Walking over the rows of a file: the same rows in either direction, and from any byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from fixtures import TRAILS
from logdump.tui.reading.rows import ListRow, RowKind, RowReader
from tests.searching import some_trails
from trailformat import TrailFile

NAMES = some_trails((path.name for path in TRAILS.iterdir() if path.is_file()), __name__)


def forwards(walk: RowReader) -> list[ListRow]:
    row: ListRow | None = walk.at(0)
    found = []
    while row is not None:
        found.append(row)
        row = walk.after(row)
    return found


def backwards(walk: RowReader, end: int) -> list[ListRow]:
    found = [walk.at(end)]
    while (row := walk.before(found[-1].rba)) is not None:
        found.append(row)
    return found[::-1]


@pytest.mark.parametrize("name", NAMES)
def test_back_and_forth_are_the_same_rows(name: str) -> None:
    with TrailFile(TRAILS / name) as trail:
        assert backwards(RowReader(trail), trail.size) == forwards(RowReader(trail))


@pytest.mark.parametrize("name", NAMES)
def test_rows_lie_end_to_end_up_to_the_size_of_the_file(name: str) -> None:
    with TrailFile(TRAILS / name) as trail:
        rows = forwards(RowReader(trail))
        assert [row.rba for row in rows] == [0, *(row.end for row in rows[:-1])]
        assert rows[-1] == ListRow(RowKind.END, trail.size, 0)


@pytest.mark.parametrize("name", ["et000000000", "gt000000000", "ct000000000", "fl000000000"])
def test_every_byte_leads_to_the_row_that_holds_it(name: str) -> None:
    with TrailFile(TRAILS / name) as trail:
        walk = RowReader(trail)
        rows = forwards(walk)
        for row in rows[:-1]:
            assert walk.containing(row.rba) == walk.containing(row.end - 1) == row


def test_damage_is_one_row_up_to_the_next_good_header() -> None:
    with TrailFile(TRAILS / "gt000000000") as trail:
        (bad,) = [row for row in forwards(RowReader(trail)) if row.kind is RowKind.BAD]
        assert trail.next_good_header(bad.rba) == bad.end
        assert bad.problem.startswith("no record starts here")


def test_half_a_record_at_the_end_is_a_row() -> None:
    with TrailFile(TRAILS / "ct000000000") as trail:
        assert forwards(RowReader(trail))[-2].kind is RowKind.PARTIAL


def test_a_name_that_would_take_a_scan_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("logdump.tui.reading.rows.NEAR", 0)
    with TrailFile(TRAILS / "et000000000") as trail:
        row = RowReader(trail).at(1811)
        assert (row.table, row.table_index) == ("", 1)


def test_a_file_that_grows_has_more_rows(tmp_path: Path) -> None:
    whole = (TRAILS / "et000000000").read_bytes()
    path = tmp_path / "et000000000"
    path.write_bytes(whole[:2008])
    with TrailFile(path) as trail:
        walk = RowReader(trail)
        assert walk.at(2008).kind is RowKind.END
        path.write_bytes(whole)
        assert walk.at(2008).kind is RowKind.RECORD

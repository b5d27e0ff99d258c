"""The rows of a filter are those that NEXT stops at, and damage."""

from __future__ import annotations

from pathlib import Path

import pytest

from fixtures import TRAILS
from logdump.filters import FilterSet
from logdump.filters.statement import apply
from logdump.notation.times import GMT
from logdump.session.session import Session
from logdump.tui.reading.rows import ListRow, Matches, MatchingRows, RowKind, RowReader
from tests.logdump.line import Line
from trailformat import TrailFile


def filters(*statements: str) -> FilterSet:
    found = FilterSet()
    for one in statements:
        apply(found, one, GMT)
    return found


def extend(found: Matches, trail: TrailFile) -> None:
    """Look through the file as the thread behind the list does, which has a session of its own."""
    session = Session()
    session.open(trail.path)
    list(found.extend(session))
    session.close()


def matches(trail: TrailFile, *statements: str) -> Matches:
    found = Matches(filters(*statements))
    extend(found, trail)
    return found


@pytest.mark.parametrize("statement", ["include filename TEAHOUSE.TEAS", "include rectype 5", "exclude csn > 41882385"])
def test_they_are_those_that_next_stops_at(line: Line, statement: str) -> None:
    line(f"open {TRAILS / 'et000000000'}")
    line(f"filter {statement}")
    stops = []
    while " RBA " in "".join(line("next")):
        stops.append(line.session.cursor.current)
    with TrailFile(TRAILS / "et000000000") as trail:
        assert matches(trail, statement).rbas.tolist() == stops


def test_no_filter_hides_damage() -> None:
    with TrailFile(TRAILS / "gt000000000") as trail:
        found = matches(trail, "include filename NOBODY.*")
        assert [RowReader(trail).at(rba).kind for rba in found.rbas] == [RowKind.BAD]
        assert found.records == 0


def test_a_file_that_grows_is_looked_through_from_where_it_ended(tmp_path: Path) -> None:
    whole = (TRAILS / "et000000000").read_bytes()
    path = tmp_path / "et000000000"
    path.write_bytes(whole[:2100])
    with TrailFile(path) as trail:
        found = matches(trail, "include rectype 5")
        path.write_bytes(whole)
        extend(found, trail)
        assert found.rbas.tolist() == matches(trail, "include rectype 5").rbas.tolist()


def walked(rows: MatchingRows) -> list[ListRow]:
    row: ListRow | None = rows.containing(0)
    found = []
    while row is not None:
        found.append(row)
        row = rows.after(row)
    return found


def test_the_rows_go_both_ways_and_end_with_the_file() -> None:
    with TrailFile(TRAILS / "et000000000") as trail:
        found = matches(trail, "include filename TEAHOUSE.SALES")
        rows = MatchingRows(RowReader(trail), found, trail.size)
        there = walked(rows)
        assert [row.rba for row in there] == [*found.rbas, trail.size]
        assert rows.before(there[2].rba) == there[1]
        assert rows.before(there[0].rba) is None


def test_rows_that_are_not_found_yet_are_waited_for() -> None:
    with TrailFile(TRAILS / "et000000000") as trail:
        found = Matches(filters("include rectype 5"))
        rows = MatchingRows(RowReader(trail), found, trail.size)
        assert rows.containing(0) == ListRow(RowKind.MORE, 0, 0)
        assert rows.after(rows.containing(0)) is None

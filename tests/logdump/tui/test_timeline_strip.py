"""The strip over the list: the file over time, and a stretch of it as a filter."""

from __future__ import annotations

from pathlib import Path

import pytest

from fixtures import TRAILS
from logdump.features.timeline.volume import KINDS, ShapeScan
from logdump.filters import CriterionSet, FilterSet
from logdump.filters.name_criteria import FileName
from logdump.filters.time_criteria import EndTime, StartTime
from logdump.session.session import Session
from logdump.tui.keys.time_range import TimeRange
from logdump.tui.panes.shape_strip import ShapeStrip
from logdump.tui.reading.rows import RowKind
from tests.logdump.tui.drive import WIDE, Screen, drive, rba_of
from trailformat import Record, TrailFile

TALL = (200, 50)


def records_of(name: str) -> list[Record]:
    """The records of a sample but its file header."""
    with TrailFile(TRAILS / name) as trail:
        return [record for record in trail.records() if not record.is_file_header]


def strip_of(screen: Screen) -> str:
    strip = screen.app.query_one(ShapeStrip)
    return "".join(text for text, _ in strip._pieces())


def test_the_records_of_a_file_by_what_they_do() -> None:
    session = Session()
    session.open(TRAILS / "et000000000")
    scan = ShapeScan()
    assert [*scan.extend(session)] == [session.trail.size]
    columns = scan.shape.columns(10)
    session.end()
    assert [sum(counts) for counts in zip(*(column.counts for column in columns), strict=True)] == [7, 8, 3, 3]
    assert columns[0].kind == KINDS[0]
    assert columns[1].start == columns[0].end
    assert scan.shape.column_of(5400, columns) == 9


@pytest.mark.parametrize("width", [1, 2, 80, 300])
def test_columns_hold_every_record_whatever_their_number(width: int) -> None:
    session = Session()
    session.open(TRAILS / "st000000000")
    scan = ShapeScan()
    assert [*scan.extend(session)]
    columns = scan.shape.columns(width)
    session.end()
    assert len(columns) == width
    assert sum(column.records for column in columns) == sum(column.records for column in scan.shape.columns(7))


def test_a_tall_screen_has_the_strip_and_a_key_shows_it_elsewhere() -> None:
    async def tall(screen: Screen) -> None:
        assert strip_of(screen).strip()

    async def wide(screen: Screen) -> None:
        assert not screen.app.query_one(ShapeStrip).display
        await screen.press("Z")
        assert screen.app.query_one(ShapeStrip).display
        await screen.press("Z")
        assert not screen.app.query_one(ShapeStrip).display
        assert screen.app.focused is screen.app.records

    drive(tall, "at000000000", TALL)
    drive(wide, "et000000000", WIDE, place="records")


def test_restarts_and_damage_have_signs() -> None:
    async def restarts(screen: Screen) -> None:
        assert "\u2573" in strip_of(screen)

    async def damage(screen: Screen) -> None:
        assert "!" in strip_of(screen)

    drive(restarts, "at000000000", TALL)
    drive(damage, "gt000000000", TALL)


def test_enter_goes_to_the_first_record_of_a_column() -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("Z", "right", "right", "right", "enter")
        assert rba_of(screen) == 3069

    drive(steps, "et000000000", WIDE, place="records")


def test_a_stretch_becomes_a_filter_and_escape_takes_it_back() -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("Z", "right", "right", "right", "space", "right", "right", "enter")
        shown = [row.rba for row in screen.app.records._page.rows]
        assert shown == [3069, 3260, 3391, 3522, 5453]
        await screen.press("escape")
        assert not screen.app.model.state.filter_text
        assert screen.app.focused is screen.app.records

    drive(steps, "et000000000", WIDE, place="records")


def statements(screen: Screen) -> list[str]:
    """What the filter of the session consists of."""
    return sorted((screen.app.session.filters_in_use or FilterSet()).statements())


def records_shown(screen: Screen) -> list[int]:
    """The RBAs of the records in the list, which has room for all."""
    return [row.rba for row in screen.app.records._page.rows if row.kind is RowKind.RECORD]


def times_of_range(screen: Screen) -> list[range]:
    """The times of the column under the cursor, and of the one at which a range begins."""
    strip = screen.app.query_one(ShapeStrip)
    columns = [strip._columns[index] for index in (strip._at, strip._from) if index is not None]
    return [range(column.start, column.end) for column in columns]


@pytest.mark.parametrize("name", ["et000000000", "at000000001"])
def test_a_range_stays_at_its_records_when_the_terminal_gets_another_width(name: str) -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("Z", *["right"] * 3, "space", *["right"] * 20, "left")
        times = {record.rba: record.header.io_time for record in records_of(name)}
        ends = [min(time for time in times.values() if time in part) for part in times_of_range(screen)]
        for width in (60, 200, 81, 47, 120):
            await screen.resize(width, 36)
            columns = times_of_range(screen)
            assert [end in column for end, column in zip(ends, columns, strict=True)] == [True, True]
        await screen.press("enter")
        assert {*records_shown(screen)} == {
            rba for rba, time in times.items() if min(ends) <= time < max(columns[0].stop, columns[1].stop)
        }

    drive(steps, name, WIDE, place="records")


FILTERS = {
    "none": "",
    "one criterion": "include filename TEAHOUSE.TEAS",
    "MATCH ANY": "include filename TEAHOUSE.SALES; filter include rectype insert",
    "MATCH ALL": "include filename TEAHOUSE.TEAS; filter include rectype insert; filter match all",
    "what is left out": "exclude filename TEAHOUSE.SALES; filter exclude rectype update",
    "bounds of its own": "starttime 2024-03-14 09:31:30; filter include filename TEAHOUSE.TEAS; filter match all",
    "a bound or a table": "endtime 2024-03-14 09:32:30; filter include filename TEAHOUSE.TEAS",
    "both sets": "include filename TEAHOUSE.SALES; filter rectype update; filter exclude rectype insert; filter exclude"
    " match all",
}
"""The filter of the user before a range of the strip."""


@pytest.mark.parametrize("name", FILTERS)
def test_a_range_is_within_the_filter_and_leaves_it_as_it_was(name: str) -> None:
    """One range after the other, of which the second is not within the first."""

    async def steps(screen: Screen) -> None:
        if FILTERS[name]:
            await screen.type(f"filter {FILTERS[name]}")
        before, own = records_shown(screen), statements(screen)
        times = {record.rba: record.header.io_time for record in records_of("et000000000")}
        await screen.press("escape", "Z", *["left"] * 20, *["right"] * 2)
        for keys in (["right"] * 2, ["right"] * 3):
            await screen.press("space", *keys)
            columns = times_of_range(screen)
            start, end = min(column.start for column in columns), max(column.stop for column in columns)
            await screen.press("enter")
            assert records_shown(screen) == [rba for rba in before if start <= times.get(rba, -1) < end]
        await screen.press("escape")
        assert records_shown(screen) == before
        assert statements(screen) == own

    drive(steps, "et000000000", WIDE, place="records")


def test_a_range_holds_its_first_moment_and_not_the_one_after_it() -> None:
    tables = [FileName((name,)) for name in ("A.B", "A.C")]
    plain = TimeRange.added(None, 100, 200)
    either = TimeRange.added(FilterSet(include=CriterionSet([*tables])), 100, 200)
    assert isinstance(plain, TimeRange)
    assert isinstance(either, TimeRange)
    assert plain.after.include.criteria == [StartTime(100), EndTime(199)]
    assert (either.after.include.criteria, either.after.exclude.criteria) == (tables, [EndTime(99), StartTime(200)])


def test_a_filter_that_cannot_have_a_range_says_so_and_stays() -> None:
    cannot = {
        "filename TEAHOUSE.TEAS; filter off": "The filter is off",
        "filename TEAHOUSE.TEAS; filter rectype insert; filter exclude rba 0; filter exclude rba 1; "
        "filter exclude match all": "A range cannot be added",
    }

    async def steps(screen: Screen) -> None:
        for line, told in cannot.items():
            await screen.type(f"filter clear; filter on; filter {line}")
            before = records_shown(screen)
            await screen.press("escape", "Z", "right", "space", "right", "enter")
            assert told in screen.text
            assert records_shown(screen) == before
            await screen.press("escape", "escape")
            assert records_shown(screen) == before

    drive(steps, "et000000000", WIDE, place="records")


def test_a_filter_that_the_user_has_changed_since_the_range_is_the_users() -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("Z", "right", "space", "right", "right", "enter")
        await screen.type("filter clear; filter starttime 2024-03-14 09:32:00")
        before = records_shown(screen)
        await screen.press("escape", "Z", "escape")
        assert records_shown(screen) == before
        await screen.press("Z", "right", "space", "right", "right", "enter", "escape")
        assert records_shown(screen) == before

    drive(steps, "et000000000", WIDE, place="records")


def test_the_cursor_of_the_strip_stays_at_its_record_when_the_file_grows(tmp_path: Path) -> None:
    growing, data = tmp_path / "et000000000", (TRAILS / "et000000000").read_bytes()
    growing.write_bytes(data[:3522])

    async def steps(screen: Screen) -> None:
        await screen.press("Z", *["right"] * 20)
        for size in (4635, 4989, len(data)):
            growing.write_bytes(data[:size])
            screen.app._poll()
            await screen.settle()
        await screen.press("enter")
        assert rba_of(screen) == 3391

    drive(steps, growing, WIDE, place="records")

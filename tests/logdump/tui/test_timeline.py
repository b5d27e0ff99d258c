"""The page of a file over time: the numbers of HEARTBEAT HISTORY, the way to the record, gaps, and volume without.

The strip over the list: the file over time, and a stretch of it as a filter.
"""

from __future__ import annotations

import re
from contextlib import ExitStack
from pathlib import Path

import pytest

from fixtures import TRAILS
from logdump.features.heartbeat.model import BeatPlace, Gap
from logdump.features.timeline.timeline import BeatPoint, WayTimeline
from logdump.features.timeline.volume import KINDS, ShapeScan
from logdump.filters import CriterionSet, FilterSet
from logdump.filters.name_criteria import FileName
from logdump.filters.time_criteria import EndTime, StartTime
from logdump.notation.times import GMT, iso_time
from logdump.session.session import Session
from logdump.tui.keys.time_range import TimeRange
from logdump.tui.model.model import TIMELINE
from logdump.tui.panes.one_line import OneLine
from logdump.tui.panes.shape_strip import ShapeStrip
from logdump.tui.panes.timeline_pane import TimelinePane
from logdump.tui.reading.rows import RowKind
from logdump.tui.text.appearance import Appearance
from logdump.tui.text.plot import Band, Plot, PlotPoint, plot_lines
from logdump.tui.text.styled import ASCII, UNICODE
from logdump.tui.text.timeline_text import lag_plot
from tests.hostile import nasty, raw_characters
from tests.logdump.commands.test_heartbeat import MINUTE, objects
from tests.logdump.tui.conftest import Golden
from tests.logdump.tui.drive import NARROW, WIDE, Screen, drive, rba_of
from tests.logdump.tui.stepped import Stepped
from tests.logdump.tui.test_harmless import characters
from tests.logdump.tui.test_records import SIZES
from tests.short_folder import short_folder
from tests.simulated import late_replication as late
from tests.simulated.heartbeat_trails import HeartbeatTrail, target_trail
from trailformat import Record, TrailFile
from trailformat.trail.sequence import FilePosition

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
    assert [sum(counts) for counts in zip(*(one.counts for one in columns), strict=True)] == [7, 8, 3, 3]
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
    assert sum(one.records for one in columns) == sum(one.records for one in scan.shape.columns(7))


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


MOMENTS = [number * MINUTE for number in range(20) if number not in (4, 5, 11)]
_BAR = re.compile("[▁▂▃▄▅▆▇█]")


@pytest.fixture(scope="module")
def path() -> Path:
    return target_trail(short_folder() / "hh000000000", MOMENTS)


def pane(screen: Screen) -> TimelinePane:
    return screen.app.query_one(TimelinePane)


def test_the_lag_of_each_hop_with_its_gaps(path: Path, golden: Golden) -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("escape", "l")
        golden("timeline-80x24", screen.text)

    drive(steps, path)


def test_the_record_that_enter_opens_is_the_beat_under_the_cursor(path: Path) -> None:
    *beats, _ = objects(path, "heartbeat history")
    expected = {beat["rba"]: f"total lag {beat['total_lag']:.3f} s" for beat in beats}
    seen = []

    async def steps(screen: Screen) -> None:
        await screen.press("escape", "G", "l")
        for keys in ((), ("left", "pageup"), ("right",)):
            screen.app.model.show_page(TIMELINE)
            pane(screen).focus()
            await screen.press(*keys)
            told = " ".join(screen.lines(TIMELINE))
            await screen.press("enter")
            rba = rba_of(screen)
            assert f"RBA {rba}: " in told
            assert expected[rba] in told
            assert any("GGADMIN.GG_HEARTBEAT" in one for one in screen.lines("detail"))
            seen.append(rba)

    drive(steps, path)
    assert seen == [beats[-1]["rba"], beats[-3]["rba"], beats[-2]["rba"]]


def test_e_explains_the_lag_at_the_point_under_the_cursor(path: Path) -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("escape", "G", "l")
        await screen.press("left", "left")
        point = pane(screen).point
        assert point is not None
        await screen.press("e")
        entry = screen.app.mode.transcript.entries[-1]
        assert entry.line == f"EXPLAIN LAG AT {iso_time(point.time)}"
        assert any(one.startswith("No significant lag: ") for one in entry.lines())
        assert any(f"(RBA {point.rba} of hh000000000)" in one for one in entry.lines())

    drive(steps, path)


@SIZES
def test_l_takes_the_keyboard_starts_at_the_record_of_the_list_and_goes_with_it(
    size: tuple[int, int], path: Path
) -> None:
    *beats, _ = objects(path, "heartbeat history")

    async def steps(screen: Screen) -> None:
        app = screen.app
        await screen.type(f"pos {beats[8]['rba']}")
        await screen.press("escape")
        before = app.query_one("#footer", OneLine).text
        await screen.press("l")
        assert pane(screen).has_focus
        assert "explain" in (footer := app.query_one("#footer", OneLine).text)
        assert footer != before
        assert (found := pane(screen).point) is not None
        assert found.rba == beats[8]["rba"]
        await screen.press("e")
        assert app.mode.transcript.entries[-1].line == f"EXPLAIN LAG AT {iso_time(found.time)}"
        await screen.press("escape")
        assert pane(screen).has_focus, "Esc leads back to where the question was asked"
        assert pane(screen).point == found
        await screen.type(f"pos {beats[3]['rba']}")
        assert (found := pane(screen).point) is not None
        assert found.rba == beats[3]["rba"]
        await screen.press("escape", "l", "left", "l")
        assert pane(screen).point == found
        await screen.press("escape")
        assert app.records.has_focus
        assert app.query_one("#footer", OneLine).text == before

    drive(steps, path, size)


def test_the_cursor_changes_no_bar_and_is_marked_below_them() -> None:
    points = tuple(PlotPoint(at, at + 1, at, at, (value,)) for at, value in enumerate((100, 50, None)))
    plot = Plot((Band("", str, 50, 100),), points, frozenset(), ("begin", "end"))
    plain = bars([100, 50, None], 4)
    for cursor in range(3):
        lines = plot_lines(plot, cursor, 30, 4, UNICODE)
        *shown, axis = ([(text, style) for text, style in one.pieces[1:]] for one in lines)
        assert [(text, style) for one in shown for text, style in one if style == "cursor"] == []
        texts = ["".join(text for text, _ in one).replace(UNICODE.divider, " ").rstrip() for one in shown]
        assert texts == plain
        assert all(UNICODE.divider not in text for one in shown for text, style in one if style != "dim")
        (at,) = (at for at, (_, style) in enumerate(axis) if style == "cursor")
        assert (sum(len(text) for text, _ in axis[:at]), axis[at][0]) == (cursor, "beg"[cursor])


def test_the_cursor_on_the_newest_beat_stays_on_the_newest(path: Path, tmp_path: Path) -> None:
    growing, data = tmp_path / "hh000000000", path.read_bytes()
    growing.write_bytes(data[: len(data) - 3000])

    async def newest(screen: Screen) -> bool:
        growing.write_bytes(data)
        screen.app._poll()
        await screen.settle()
        point = pane(screen).point
        growing.write_bytes(data[: len(data) - 3000])
        return point is not None and point.rba == objects(path, "heartbeat history")[-2]["rba"]

    async def on_the_newest(screen: Screen) -> None:
        await screen.press("escape", "l", *["right"] * 20)
        assert await newest(screen)

    async def on_another(screen: Screen) -> None:
        await screen.press("escape", "l", *["right"] * 20, "left")
        assert not await newest(screen)

    async def at_a_record(screen: Screen) -> None:
        await screen.press("escape", "G", "k", "l")
        assert not await newest(screen)

    for steps in (on_the_newest, on_another, at_a_record):
        drive(steps, growing)


def test_e_explains_a_restart_at_the_record_under_the_cursor(path: Path) -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("escape", "down", "down", "e")
        entry = screen.app.mode.transcript.entries[-1]
        assert entry.line == f"EXPLAIN RESTART AT 0 {rba_of(screen)}"
        assert any(one.startswith("Safe: ") for one in entry.lines())

    drive(steps, path)


def test_e_says_that_a_file_without_a_number_names_no_place(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "beats.trail"
    copy.write_bytes(path.read_bytes())

    async def steps(screen: Screen) -> None:
        await screen.press("escape", "e")
        assert "There is no seqno here: EXPLAIN RESTART AT <seqno> <rba>" in screen.text

    drive(steps, copy)


def test_a_click_on_a_bar_puts_the_cursor_there(path: Path) -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("escape", "l")
        region = pane(screen).region
        await screen.pilot.click(offset=(region.right - 1, region.y + 4))
        await screen.settle()
        newest = pane(screen).point
        await screen.pilot.click(offset=(region.x + 22, region.y + 4))
        await screen.settle()
        assert pane(screen).point != newest
        assert pane(screen).has_focus
        left, points = region.x + pane(screen)._page.left, pane(screen)._page.points
        for column in (points[0].first, points[0].end - 1):
            await screen.press("right")
            await screen.pilot.click(offset=(left + column, region.y + 4))
            await screen.settle()
            assert pane(screen).point == points[0]

    drive(steps, path)


def test_each_way_has_a_plot_of_its_own(tmp_path: Path) -> None:
    path = target_trail(tmp_path / "hh000000000", MOMENTS[:3], ("REP1", "REP2"))

    async def steps(screen: Screen) -> None:
        await screen.press("escape", "G", "l")
        first = pane(screen).whole_text
        assert "way 1/2" in screen.text
        await screen.press("down")
        assert "way 2/2" in screen.text
        assert pane(screen).whole_text != first

    drive(steps, path)


def test_without_heartbeats_the_volume_is_shown_and_leads_to_the_first_record_of_an_interval(golden: Golden) -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("escape", "G", "l", "left", "pageup", "left")
        golden("timeline-volume-80x24", screen.text)
        told = screen.text
        await screen.press("enter")
        assert f" RBA {rba_of(screen)}: records" in told

    drive(steps)


def test_the_filter_chooses_what_is_drawn(path: Path) -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("escape", "l")
        await screen.type("filter exclude filename *HEARTBEAT*")
        assert "No heartbeat that passes the filter" in screen.text
        await screen.press("escape", "F")
        assert "17 beats" in screen.text

    drive(steps, path)


def test_the_volume_is_that_of_the_filter_that_a_line_puts_in_place_of_another() -> None:
    """Each of them looks for as many bytes as the one before."""
    data = [record.data for record in records_of("et000000000")]

    async def steps(screen: Screen) -> None:
        await screen.press("escape", "l")
        for text in (b"ASS0", b"SEN0", b"GYO0", b"ASS0"):
            await screen.type(f"filter clear all; filter include hex {text.hex()}")
            timeline = screen.app.model.timeline
            assert timeline is not None
            assert timeline.volume is not None
            counts = [interval.records for interval in timeline.volume.intervals]
            assert sum(counts) == sum(text in content for content in data)

    drive(steps)


def test_beats_that_come_are_drawn(path: Path, tmp_path: Path) -> None:
    growing, data = tmp_path / "hh000000000", path.read_bytes()
    growing.write_bytes(data[: len(data) - 3000])

    async def steps(screen: Screen) -> None:
        await screen.press("escape", "l")
        assert "17 beats" not in screen.text
        growing.write_bytes(data)
        screen.app._poll()
        await screen.settle()
        assert "17 beats" in screen.text

    drive(steps, growing)


def test_it_is_drawn_anew_for_another_size_and_keeps_its_cursor(path: Path) -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("escape", "G", "l")
        await screen.press("left", "left")
        before = pane(screen).point
        for size in ((20, 5), (200, 50)):
            await screen.resize(*size)
            assert max(len(one) for one in screen.text.splitlines()) <= size[0]
        after = pane(screen).point
        assert before is not None
        assert after is not None
        assert before.rba == after.rba

    drive(steps, path, WIDE)


def test_plain_characters_are_enough(path: Path) -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("escape", "l")
        assert screen.text.isascii()
        assert "Total lag" in screen.text

    drive(steps, path, appearance=Appearance(glyphs=ASCII))


def test_the_screen_does_not_wait_for_it(path: Path) -> None:
    session = Session()
    session.open(path)
    with ExitStack() as ends:
        ends.callback(session.end)
        stepped = Stepped(session, NARROW)
        ends.callback(stepped.close)
        stepped.run(lambda: stepped.app.enter("open"))
        stepped.threads.hold_work(TIMELINE)
        stepped.run(lambda: stepped.app.model.show_page(TIMELINE))
        assert any("The file is being read" in one for one in stepped.painted())
        stepped.run(lambda: stepped.app.enter("pos last"))
        assert stepped.app.model.row is not None
        assert stepped.app.model.row.rba > 0
        stepped.run(lambda: stepped.threads.release(TIMELINE))
        assert any("17 beats" in one for one in stepped.painted())


def test_names_of_processes_are_harmless(tmp_path: Path) -> None:
    path = target_trail(tmp_path / "hh000000000", MOMENTS[:3], (nasty("rep"),))

    async def steps(screen: Screen) -> None:
        await screen.press("escape", "l")
        assert "rep" in screen.text
        assert raw_characters(characters(screen)) == []

    drive(steps, path, WIDE)


def bars(values: list[int | None], height: int) -> list[str]:
    """The rows of a plot of one band, a column for each value, without its label."""
    known = [value for value in values if value is not None]
    points = tuple(PlotPoint(at, at + 1, at, at, (value,)) for at, value in enumerate(values))
    plot = Plot((Band("", str, min(known), max(known)),), points, frozenset(), ("", ""))
    lines = plot_lines(plot, 0, 3 * len(values), height, UNICODE)
    return [one.text[len(one.pieces[0][0]) :].replace(UNICODE.divider, " ").rstrip() for one in lines[:-1]]


@pytest.mark.parametrize(
    ("values", "height", "rows"),
    [
        ([0, 50, 100], 2, ["▁▄█"]),
        ([0, 50, 100], 3, ["  █", "▁██"]),
        ([0, 0, 0], 2, ["▁▁▁"]),
        ([100, None, 100], 2, ["█ █"]),
        ([-50, 0, 50], 2, ["▁▄█"]),
        ([-50, -50], 2, ["▁▁"]),
    ],
)
def test_a_bar_is_as_high_as_its_value(values: list[int | None], height: int, rows: list[str]) -> None:
    assert bars(values, height) == rows


def test_a_missing_beat_is_marked_even_where_a_column_holds_many() -> None:
    position = FilePosition(Path("hh"), 0)
    beats = tuple(BeatPoint(at * MINUTE, at, (at, None, None, None, at)) for at in range(1000) if at != 500)
    after, before = (BeatPlace(minute * MINUTE, position, minute * MINUTE) for minute in (499, 501))
    gap = Gap(after, before, 1, before.time)
    plot = lag_plot(WayTimeline("EAST", "WEST", (), 999, beats, (gap,), MINUTE, True, 999 * MINUTE), 100, GMT)
    assert len(plot.gaps) == 1
    assert len(plot.points) < 100
    assert {point.rba for point in plot.points} <= {beat.rba for beat in beats}


@pytest.mark.parametrize("file", ["GLOBALS globals", "ext1.prm"])
def test_the_heartbeat_tables_are_those_that_params_names(file: str, tmp_path: Path) -> None:
    trail = HeartbeatTrail(tmp_path / "pu000000000", base="OPS.PULSE")
    trail.insert(late.beat(0, 1.0), 0)
    path = trail.close()
    name = file.split(maxsplit=1)[0]
    (tmp_path / name).write_text(
        "HEARTBEATTABLE OPS.PULSE\n" if "GLOBALS" in file else "EXTRACT e\nHEARTBEATTABLE OPS.PULSE\n"
    )

    async def steps(screen: Screen) -> None:
        await screen.press("escape", "l")
        assert "No heartbeat in this file" in screen.text
        await screen.type(f"params {tmp_path}/{file}")
        await screen.press("escape", "l")
        assert "1 beat" in screen.text

    drive(steps, path)

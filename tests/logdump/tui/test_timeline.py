"""The page of a file over time: the numbers of HEARTBEAT HISTORY, the way to the record, gaps, and volume without."""

from __future__ import annotations

import re
from contextlib import ExitStack
from pathlib import Path

import pytest

from logdump.features.heartbeat.model import BeatPlace, Gap
from logdump.features.timeline.timeline import BeatPoint, WayTimeline
from logdump.notation.times import GMT, iso_time
from logdump.session.session import Session
from logdump.tui.model.model import TIMELINE
from logdump.tui.panes.one_line import OneLine
from logdump.tui.panes.timeline_pane import TimelinePane
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
from tests.logdump.tui.test_timeline_strip import records_of
from tests.short_folder import short_folder
from tests.simulated import late_replication as late
from tests.simulated.heartbeat_trails import HeartbeatTrail, target_trail
from trailformat.trail.sequence import FilePosition

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
            assert any("GGADMIN.GG_HEARTBEAT" in line for line in screen.lines("detail"))
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
        assert any(line.startswith("No significant lag: ") for line in entry.lines())
        assert any(f"(RBA {point.rba} of hh000000000)" in line for line in entry.lines())

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
        *shown, axis = ([(text, style) for text, style in line.pieces[1:]] for line in lines)
        assert [(text, style) for pieces in shown for text, style in pieces if style == "cursor"] == []
        texts = ["".join(text for text, _ in pieces).replace(UNICODE.divider, " ").rstrip() for pieces in shown]
        assert texts == plain
        assert all(UNICODE.divider not in text for pieces in shown for text, style in pieces if style != "dim")
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
        assert any(line.startswith("Safe: ") for line in entry.lines())

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
            assert max(len(line) for line in screen.text.splitlines()) <= size[0]
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
        assert any("The file is being read" in text for text in stepped.painted())
        stepped.run(lambda: stepped.app.enter("pos last"))
        assert stepped.app.model.row is not None
        assert stepped.app.model.row.rba > 0
        stepped.run(lambda: stepped.threads.release(TIMELINE))
        assert any("17 beats" in text for text in stepped.painted())


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
    return [line.text[len(line.pieces[0][0]) :].replace(UNICODE.divider, " ").rstrip() for line in lines[:-1]]


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

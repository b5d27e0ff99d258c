"""What the screen begins and ends with: the first record of data, the day of a record, the question before the end."""

from __future__ import annotations

from pathlib import Path

import pytest

from logdump.notation.times import GMT, format_timestamp
from logdump.tui.panes.overlays import LeaveScreen
from tests.logdump.tui.drive import Screen, drive, rba_of, trails
from tests.searching import Random, examples
from tests.trailformat.samples import IO_TIME, row, trail_of
from trailformat import TrailFile
from trailformat.records.record_header import ONLY

HOUR = 3_600_000_000


def test_the_cursor_of_a_new_session_begins_on_the_first_record_of_data() -> None:
    async def steps(screen: Screen) -> None:
        assert rba_of(screen) == 1811  # after the file header and the definitions at 1130 and 1261
        assert screen.app.model.rba == 1811
        await screen.press("n")
        assert rba_of(screen) == 2008
        await screen.type("pos 0")
        assert rba_of(screen) == 0

    drive(steps, finds_data=True, place="records")


def test_a_position_of_the_first_line_stays() -> None:
    async def steps(screen: Screen) -> None:
        assert rba_of(screen) == 2722

    drive(steps, first=f"timeoffset gmt; open {trails() / 'et000000000'}; pos 2722", finds_data=True)


def _trail(folder: Path, draw: Random) -> Path:
    """A trail of rows over several days, some of which begin right before midnight."""
    times, time = [], IO_TIME
    for _ in range(60):
        time += draw.choice([1000, 1000, HOUR, 30 * HOUR])
        times.append(time)
    times[30:] = [time + 48 * HOUR for time in times[30:]]  # at least one day begins within
    return trail_of(folder, *(row(name="TEA.LEAVES", io_time=time, trans_ind=ONLY) for time in times))


@pytest.mark.parametrize("seed", range(examples(3)))
def test_a_line_says_the_day_where_it_changes_and_the_heading_that_of_the_cursor(seed: int, tmp_path: Path) -> None:
    draw = Random(seed)
    path = _trail(tmp_path, draw)
    with TrailFile(path) as trail:
        days = {str(record.rba): format_timestamp(record.header.io_time, GMT)[:10] for record in trail.records()}

    async def steps(screen: Screen) -> None:
        seen: set[str] = set()
        before: str | None = None
        for _ in range(len(days)):
            lines = screen.text.splitlines()[1:8]
            heading, shown, day = lines[0], lines[1:], ""
            here = str(rba_of(screen))
            assert heading.endswith(days.get(here, heading))
            assert sum(line.startswith("▶") for line in shown) == 1
            for line in shown:
                words = line.strip("▶ ┃│").split()
                if words[:1] == ["──"] and words[1][:4].isdigit():
                    day = words[1]
                    seen.add(day)
                elif words and words[0] in days:
                    assert not day or days[words[0]] == day
                    assert before is None or day or days[words[0]] == before
                    before = days[words[0]]
            before = None
            await screen.press("j")
        assert seen == set(days.values()) - {next(iter(days.values()))}

    drive(steps, path, place="records")


@pytest.mark.parametrize("seed", range(examples(2)))
def test_a_click_below_the_line_of_a_day_goes_to_the_row_that_is_there(seed: int, tmp_path: Path) -> None:
    draw = Random(seed)
    path = _trail(tmp_path, draw)

    async def steps(screen: Screen) -> None:
        for _ in range(4):
            await screen.press(*["pagedown"] * draw.randrange(3))
            region = screen.app.records.region
            lines = screen.text.splitlines()
            rows = {
                y: int(lines[y].strip("▶ ").split()[0])
                for y in range(region.y + 1, region.bottom)
                if lines[y].strip("▶ ").split()[0].isdigit()
            }
            y = draw.choice(list(rows))
            await screen.pilot.click(offset=(3, y))
            await screen.settle()
            assert rba_of(screen) == rows[y]

    drive(steps, path, place="records")


@pytest.mark.parametrize("line", ["filter include rectype 5", "mark a", "nothing"])
def test_q_asks_if_something_would_be_lost(line: str) -> None:
    async def steps(screen: Screen) -> None:
        if line == "nothing":
            await screen.press("q")
            assert screen.app.model.is_over
            return
        await screen.type(line)
        screen.app.records.focus()
        await screen.press("q")
        assert isinstance(screen.app.screen, LeaveScreen)
        assert ("Rectypes Insert" if "filter" in line else "1 mark").lower() in screen.text.lower()
        await screen.press("escape")
        assert not isinstance(screen.app.screen, LeaveScreen)
        assert not screen.app.model.is_over
        await screen.press("q", "q")
        assert screen.app.model.is_over

    drive(steps, place="records")

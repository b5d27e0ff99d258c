"""The files of a trail as one list: over their ends with the keys of the list, one row for each crossing."""

from __future__ import annotations

from pathlib import Path

import pytest

from logdump.session.settings import Across
from logdump.tui.panes.row_text import end_text
from logdump.tui.reading.state import NeighbourFiles
from tests.logdump.test_across import records, split, trail_of
from tests.logdump.tui.drive import Screen, drive, rba_of
from trailformat import TrailFile

ACROSS = "timeoffset gmt; ghdr on; detail data; across on"


def opened(path: Path) -> str:
    return f"open {path}; {ACROSS}"


def record_of(screen: Screen) -> bytes | None:
    """The bytes of the record under the cursor; None at the end of a file."""
    rba = rba_of(screen)
    assert rba is not None
    with TrailFile(screen.app.session.trail.path) as trail:
        record = trail.record_at(rba) if rba < trail.size else None
    return record.raw if record is not None else None


async def met(screen: Screen, key: str) -> list[bytes]:
    """The records under the cursor while a key is pressed until nothing moves any more."""
    found, before = [record_of(screen)], None
    while before != (before := (screen.app.session.trail.path, rba_of(screen))):
        screen.app.simulate_key(key)
        await screen.rest()
        found.append(record_of(screen))
    return [raw for raw in found[:-1] if raw is not None]


@pytest.fixture
def cut(tmp_path: Path) -> tuple[Path, list[Path]]:
    """A trail in one file, and the same in three."""
    whole = trail_of("big", tmp_path)
    (folder := tmp_path / "cut").mkdir()
    return whole, split(whole, (4, 9), folder)


def test_down_meets_the_records_of_all_files_in_their_order_and_up_the_other_way(cut: tuple[Path, list[Path]]) -> None:
    whole, paths = cut
    expected = [record.raw for record in records(whole)]

    async def steps(screen: Screen) -> None:
        await screen.press("escape")
        assert await met(screen, "j") == expected
        assert screen.app.session.trail.path == paths[-1]
        assert await met(screen, "k") == expected[::-1]

    drive(steps, paths[0], first=opened(paths[0]))


def test_with_a_filter_down_goes_on_to_the_next_record_that_passes_and_up_back(cut: tuple[Path, list[Path]]) -> None:
    whole, paths = cut
    with TrailFile(whole) as trail:
        expected = [record.raw for record in trail.records() if trail.name_of(record).endswith("TEAS")]

    async def steps(screen: Screen) -> None:
        await screen.type("filter include filename *.TEAS")
        await screen.press("escape")
        assert await met(screen, "j") == expected
        assert await met(screen, "k") == expected[::-1]

    drive(steps, paths[0], first=opened(paths[0]))


def test_a_page_goes_over_the_end_of_a_file_as_far_as_within_it(cut: tuple[Path, list[Path]]) -> None:
    _, paths = cut

    async def steps(screen: Screen) -> None:
        await screen.press("escape", "pagedown")
        down = screen.app.records._height - 1
        assert (screen.app.session.trail.path, record_of(screen)) == (paths[1], records(paths[1])[down - 5].raw)

    drive(steps, paths[0], first=opened(paths[0]))


def test_next_reads_on_behind_the_row_that_the_cursor_has_crossed_to(cut: tuple[Path, list[Path]]) -> None:
    _, paths = cut

    async def steps(screen: Screen) -> None:
        await screen.press("escape", "G", "j", "n")
        assert record_of(screen) == records(paths[1])[1].raw

    drive(steps, paths[0], first=opened(paths[0]))


def test_the_rows_of_both_files_stand_around_the_crossing(cut: tuple[Path, list[Path]]) -> None:
    _, paths = cut

    async def steps(screen: Screen) -> None:
        await screen.press("escape", "G")
        before = [line[1:-1].rstrip() for line in screen.text.splitlines()[2:8]]
        await screen.press("j", "k")
        assert [line[1:-1].rstrip() for line in screen.text.splitlines()[2:8]] == before
        at = next(at for at, text in enumerate(before) if "end of nh000000; next file: nh000001" in text)
        assert 0 < at < len(before) - 1

    drive(steps, paths[0], first=opened(paths[0]))


async def end_of(screen: Screen) -> str:
    await screen.press("escape", "G")
    return next(line for line in screen.text.splitlines() if "── end" in line)


def test_a_click_on_a_row_of_the_next_file_goes_there(cut: tuple[Path, list[Path]]) -> None:
    _, paths = cut

    async def steps(screen: Screen) -> None:
        await screen.press("escape", "G")
        page, own = screen.app.records._page, screen.app.records
        below = [nth for nth in range(len(page.below)) if own._line_of(len(page.rows) + nth) < own.region.height - 1]
        nth = below[-1]
        wanted = page.below[nth].rba
        y = own.region.y + 1 + own._line_of(len(page.rows) + nth)
        assert y < own.region.bottom
        await screen.pilot.click(offset=(4, y))
        await screen.settle()
        assert screen.app.session.trail.path == paths[1]
        assert rba_of(screen) == wanted

    drive(steps, paths[0], first=opened(paths[0]))


def test_a_mark_is_not_shown_at_the_same_rba_of_the_next_file(cut: tuple[Path, list[Path]]) -> None:
    _, paths = cut

    async def steps(screen: Screen) -> None:
        await screen.press("escape", "home")
        own = screen.app.records
        await screen.press("m", "q", "G")
        page = own._page
        row = own.row
        below = [nth for nth, list_row in enumerate(page.below) if list_row.rba == 0]
        assert row is not None
        assert own.marks == {0: "q"}
        y = own.region.y + 1 + own._line_of(len(page.rows) + below[0])
        assert screen.text.splitlines()[y].split()[0] == "0"

    drive(steps, paths[0], first=opened(paths[0]))


@pytest.mark.parametrize(
    ("across", "missing", "text"),
    [
        (Across.OFF, None, "end of nh000000; next file: nh000002 - ACROSS ON (A) reads on"),
        (Across.ON, None, "end of nh000000; next file: nh000002"),
        (Across.ON, "nh000001", "end; nh000001 is missing - ACROSS GAPS reads on in nh000002"),
        (Across.GAPS, "nh000001", "end of nh000000; next file: nh000002"),
    ],
)
def test_the_end_of_a_file_names_the_next_one_and_what_reads_on(across: Across, missing: str | None, text: str) -> None:
    neighbours = NeighbourFiles(after=Path("nh000002"), missing_after=Path(missing) if missing else None)
    assert end_text("nh000000", neighbours, across) == text


@pytest.mark.parametrize(("across", "number"), [("on", 0), ("gaps", 2)])
def test_down_stays_at_the_end_where_nothing_reads_on(across: str, number: int, cut: tuple[Path, list[Path]]) -> None:
    _, paths = cut
    paths[1].unlink()

    async def steps(screen: Screen) -> None:
        await screen.type(f"across {across}")
        await screen.press("escape", "G", "j")
        assert screen.app.session.trail.path == paths[number]

    drive(steps, paths[0], first=opened(paths[0]))


def test_the_end_names_a_file_that_comes_while_it_is_shown(cut: tuple[Path, list[Path]]) -> None:
    _, paths = cut
    content = paths[2].read_bytes()
    paths[2].unlink()

    async def steps(screen: Screen) -> None:
        assert "end of file" in await end_of(screen)
        paths[2].write_bytes(content)
        screen.app._poll()
        await screen.settle()
        assert "next file: nh000002" in await end_of(screen)

    drive(steps, paths[1], first=opened(paths[1]))


def test_a_next_file_that_cannot_be_opened_is_told_and_the_cursor_stays(cut: tuple[Path, list[Path]]) -> None:
    _, paths = cut
    paths[1].write_bytes(b"no trail at all, whatever its name")

    async def steps(screen: Screen) -> None:
        await screen.press("escape", "G", "j")
        assert screen.app.session.trail.path == paths[0]
        last = screen.app.mode.transcript.last
        assert last is not None
        assert str(last.output[0]).startswith(f"Error: {paths[1]}")

    drive(steps, paths[0], first=opened(paths[0]))


def test_the_files_of_the_trail_are_listed_with_what_is_missing_and_enter_opens_one(
    cut: tuple[Path, list[Path]],
) -> None:
    _, paths = cut
    paths[1].unlink()

    async def steps(screen: Screen) -> None:
        await screen.press("escape", "T")
        lines = [line[1:].split() for line in screen.text.splitlines()[2:5]]
        assert lines[1] == ["nh000001", "is", "missing"]
        assert [lines[0][:2], lines[2][:2]] == [
            [f"{star}{path.name}", f"{path.stat().st_size:,}"] for star, path in (("*", paths[0]), ("", paths[2]))
        ]
        await screen.press("j", "enter", "j", "enter")
        assert screen.app.session.trail.path == paths[2]

    drive(steps, paths[0], first=opened(paths[0]))


def test_two_quotes_lead_back_to_the_file_from_which_a_mark_was_gone_to(cut: tuple[Path, list[Path]]) -> None:
    _, paths = cut

    async def steps(screen: Screen) -> None:
        await screen.press("escape", "j", "m", "a", "G", "j", "j")
        place = screen.app.session.trail.path, rba_of(screen)
        await screen.press("apostrophe", "a", "apostrophe")
        await screen.pilot.press("'")
        await screen.settle()
        assert (screen.app.session.trail.path, rba_of(screen)) == place

    drive(steps, paths[0], first=opened(paths[0]))


def test_keys_faster_than_files_are_opened_are_all_obeyed(cut: tuple[Path, list[Path]]) -> None:
    _, paths = cut

    async def steps(screen: Screen) -> None:
        await screen.press("escape", "G")
        for key in "j" * 12:
            screen.app.simulate_key(key)
        await screen.settle()
        assert record_of(screen) == records(paths[2])[5].raw

    drive(steps, paths[0], first=opened(paths[0]))


def test_keys_that_waited_for_a_file_are_obeyed_once(cut: tuple[Path, list[Path]]) -> None:
    _, paths = cut

    async def steps(screen: Screen) -> None:
        await screen.press("escape", "G")
        for key in "jjj":
            screen.app.simulate_key(key)
        await screen.settle()
        assert record_of(screen) == records(paths[1])[2].raw
        for _ in range(3):
            screen.app.records._read_again()
            await screen.settle()
        assert record_of(screen) == records(paths[1])[2].raw
        await screen.press("j")
        assert record_of(screen) == records(paths[1])[3].raw

    drive(steps, paths[0], first=opened(paths[0]))

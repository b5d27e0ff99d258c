"""The pages of the lower pane, the link between field and bytes, and the output of commands.

A page is what a full walk has at that place.
"""

from __future__ import annotations

import time

import pytest

from fixtures import TRAILS
from logdump.tui.panes.record_pane import HexPane, RecordPane
from logdump.tui.panes.text_pane import changed_cells
from logdump.tui.reading.rows import Page, PageRequest, RowReader, read_page
from logdump.tui.reading.screen_mode import ScreenMode
from logdump.tui.text.styled import line
from tests.logdump.tui.conftest import Golden
from tests.logdump.tui.drive import NARROW, WIDE, Screen, drive
from tests.logdump.tui.test_record_list import forwards
from tests.logdump.tui.test_records import SIZES
from tests.searching import in_turn
from trailformat import TrailFile


def page(trail: TrailFile, wanted: PageRequest) -> Page:
    return read_page(RowReader(trail), wanted, trail.size)


@pytest.mark.parametrize(
    ("around", "name"), in_turn([1, 4, 100], ["et000000000", "gt000000000", "st000000000", "hl000000000"])
)
def test_a_page_is_a_part_of_the_walk(name: str, around: int) -> None:
    with TrailFile(TRAILS / name) as trail:
        rbas = [row.rba for row in forwards(RowReader(trail))]
        for at, rba in enumerate(rbas):
            found = page(trail, PageRequest(rba, 0, around))
            assert [row.rba for row in found.rows] == rbas[max(0, at - around) : at + around + 1]
            assert found.rows[found.at].rba == rba
            assert (found.is_first, found.is_last) == (at <= around, at + around >= len(rbas) - 1)


def test_a_step_moves_over_rows_and_stops_at_the_ends() -> None:
    with TrailFile(TRAILS / "et000000000") as trail:
        rbas = [row.rba for row in forwards(RowReader(trail))]
        assert [page(trail, PageRequest(rbas[3], step)).rows[3 + step].rba for step in (-2, 2)] == [rbas[1], rbas[5]]
        last = page(trail, PageRequest(rbas[3], 1000))
        assert (last.rows[last.at].rba, last.is_last) == (trail.size, True)


def test_the_end_needs_no_walk_from_the_beginning() -> None:
    with TrailFile(TRAILS / "et000000000") as trail:
        found = page(trail, PageRequest(None, 0, 2))
        assert (found.rows[found.at].rba, found.is_first, found.is_last) == (trail.size, False, True)


def test_the_csn_of_the_first_record_stands_on_the_whole_transaction() -> None:
    with TrailFile(TRAILS / "et000000000") as trail:
        csns = {row.rba: row.csn for row in page(trail, PageRequest(0)).rows}
        assert {csns[rba] for rba in (1811, 2008, 2722, 2892)} == {"41882317"}
        assert csns[2170] is None
        assert csns[3069] == "41882334"


def underlined(screen: Screen) -> str:
    """The bytes that the hex page underlines, as hex."""
    pane = screen.app.query_one(HexPane)
    pieces = [piece for at in range(pane.count) for piece in pane.line_at(at).pieces]
    return "".join(text for text, look in pieces if look.endswith("+field")).replace(" ", "")


def current_line(screen: Screen) -> str:
    """The line of the detail that stands for a field."""
    pane = screen.app.pages.page("detail")
    assert isinstance(pane, RecordPane)
    return pane.lines[pane.current].text


def test_the_other_pages(golden: Golden) -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("escape", "j", "j", "j", "h")
        golden("page-h-80x24", screen.text)
        await screen.press("o")
        assert "─[o tokens]─" in screen.text
        assert "TokenID x52 'R' ORAROWID         Info x00  Length   20" in screen.text
        await screen.press("i")
        assert "─[i file header]─" in screen.text
        assert "TrailInfo       FirstCSN         41882317" in screen.text

    drive(steps)


def test_a_line_of_the_detail_leads_to_its_bytes() -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("escape", "j", "j", "j", "enter")
        while not current_line(screen).startswith("Column 1 "):
            await screen.press("j")
        await screen.press("h")
        assert underlined(screen) == "000100140000001053656e6368612046756b616d75736869"
        assert "Column 1, 24 bytes at RBA 1872" in screen.text

    drive(steps)


def test_bytes_lead_to_their_line_of_the_detail() -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("escape", "j", "j", "j", "h", "enter")
        while "IO Time" not in screen.app.query_one(HexPane).where:
            await screen.press("right")
        assert underlined(screen) == "02f339cf01566d00"
        await screen.press("d")
        assert "IO Time" in current_line(screen)

    drive(steps)


def test_the_field_stays_when_another_record_comes() -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("escape", "j", "j", "j", "h", "enter", "right", "right", "escape", "j")
        assert "Partition = x0c, 1 byte at RBA 2017" in screen.text

    drive(steps)


def test_the_margin_can_be_switched_off_and_leaves_what_line_mode_prints() -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("escape", "j", "j", "j", "enter", *["j"] * 10)
        assert "TEA_CODE = 'SEN01'" in screen.text
        await screen.press("N")
        assert "TEA_CODE = " not in screen.text

    drive(steps, size=WIDE)


@SIZES
def test_the_first_key_scrolls_a_text_that_is_longer_than_its_pane(size: tuple[int, int]) -> None:
    async def steps(screen: Screen) -> None:
        app = screen.app
        for name, key in in_turn(("output", "detail", "tokens", "header"), ("pagedown", "j", "space", "down")):
            await screen.type("pos 1811; help")
            app.model.field = ""
            app.model.show_page(name)
            page = app.pages.shown
            page.focus()
            page.scroll_to_line(0)
            await screen.settle()
            await screen.press(key)
            step = 1 if key in ("j", "down") else page.height - 1
            assert page.top == max(0, min(page.count - page.height, step)), (name, key)

    drive(steps, size=size)


def test_every_line_of_a_page_becomes_current_and_stays_visible() -> None:
    async def steps(screen: Screen) -> None:
        page = screen.app.pages.page("detail")
        assert isinstance(page, RecordPane)
        await screen.press("escape", "j", "j", "j", "enter")
        seen = [page.current]
        for key in ["j"] * page.count + ["k"] * page.count + ["pagedown", "pageup", "pageup"]:
            screen.app.simulate_key(key)
            await screen.rest()
            seen.append(page.current)
            assert page.top <= page.current < page.top + page.height
        last = page.count - 1
        assert seen[: last + 1] == [*range(page.count)]
        assert seen[last + 2 : 2 * last + 2] == [*range(last - 1, -1, -1)]
        page.scroll_to_line(page.count)
        await screen.press("k")
        assert page.top == page.count - page.height - 1, "the wheel has moved the text: keys go on from there"

    drive(steps)


@SIZES
def test_without_a_trail_each_page_says_so(size: tuple[int, int]) -> None:
    async def steps(screen: Screen) -> None:
        for keys in ("l", "lj", "t", "x", "T"):
            await screen.press("escape", *keys)
            assert "being read" not in screen.text, keys
            pane = screen.app.focused
            assert pane is not None
            lines = screen.text.splitlines()[pane.region.y : pane.region.bottom]
            assert any("No trail is open. OPEN <filename> opens one." in text for text in lines), keys

    drive(steps, size=size, first="timeoffset gmt")


def test_the_strip_counts_one_line_as_one() -> None:
    async def steps(screen: Screen) -> None:
        await screen.type("find " + "x" * 200)
        entry = screen.app.mode.transcript.entries[-1]
        assert entry.printed == 1
        assert screen.app.log_strip._entry(entry)[0].text.endswith("   (1 line)")
        await screen.type("safe")
        assert "(2 lines)" in screen.text

    drive(steps)


def test_a_long_answer_comes_into_the_output_pane_until_escape() -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("escape", "c")
        assert "─[output] Esc goes back ─" in screen.text
        assert "Total Data Bytes              3584" in screen.text
        assert "Logdump 2 >COUNT DETAIL   (69 lines)" in screen.text
        await screen.press("escape")
        assert screen.app.model.page == "detail"

    drive(steps)


def test_a_long_answer_that_comes_before_the_panes_are_laid_out_is_in_the_output_pane_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    submit = ScreenMode.submit

    def submit_and_wait(mode: ScreenMode, line: str, **options: bool) -> None:
        submit(mode, line, **options)
        while not mode.is_idle:
            time.sleep(0.001)

    monkeypatch.setattr(ScreenMode, "submit", submit_and_wait)

    async def steps(screen: Screen) -> None:
        assert screen.app.model.page == "output"

    drive(steps, first="help")


def test_a_short_answer_stays_in_the_strip() -> None:
    async def steps(screen: Screen) -> None:
        await screen.type("reclen 100")
        assert screen.app.model.page == "detail"
        assert "Logdump 2 >reclen 100\nReclen set to 100" in screen.text

    drive(steps)


def test_several_records_come_into_the_output_pane_and_the_cursor_stands_on_the_last() -> None:
    async def steps(screen: Screen) -> None:
        await screen.type("next 4")
        assert screen.app.model.page == "output"
        row = screen.app.records.row
        assert row is not None
        assert row.rba == 1811

    drive(steps)


def test_the_lower_pane_alone() -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("escape", "backslash")
        assert not screen.app.records.region
        await screen.press("backslash")
        assert screen.app.records.region

    drive(steps)


@pytest.mark.parametrize("is_lower", [False, True], ids=["list", "page"])
def test_keys_give_the_pane_with_the_keyboard_more_room_and_less(is_lower: bool) -> None:
    async def steps(screen: Screen) -> None:
        app = screen.app
        upper, lower = app.query_one("#upper"), app.pages
        this, other = (lower, upper) if is_lower else (upper, lower)
        await screen.press("escape", *["enter"] * is_lower)
        heights = [this.region.height]
        for key in ("plus", "plus", "plus"):
            await screen.press(key)
            heights.append(this.region.height)
        first, large, alone, last = heights
        assert first < large < alone == last
        assert not other.region.height
        for height in (large, first):
            await screen.press("underscore")
            assert this.region.height == height
        await screen.press("underscore")
        assert 0 < this.region.height < first

    drive(steps)


def test_what_is_wanted_beside_a_pane_that_is_alone_is_shown() -> None:
    async def steps(screen: Screen) -> None:
        app = screen.app
        await screen.press("escape", "plus", "plus", "c")  # an answer
        assert app.pages.region.height
        await screen.press("escape", "plus", "plus", "enter")
        assert app.pages.region.height
        await screen.press("plus", "plus", "t")
        assert app.query_one("#upper").region.height

    drive(steps)


def test_without_a_trail_the_list_has_all_room_and_there_is_no_side_pane() -> None:
    async def steps(screen: Screen) -> None:
        assert not screen.app.pages.region.height
        assert not screen.app.query_one("#sidebar").region.width
        await screen.type("help")
        assert screen.app.pages.region.height

    drive(steps, first="timeoffset gmt", size=(120, 36))


def test_the_text_of_the_pane_is_copied_without_the_margin() -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("escape", "j", "j", "j", "Y")
        copied = screen.app.clipboard
        assert copied == "".join(f"{text}\n" for text in screen.lines("detail"))
        await screen.press("y")
        assert screen.app.clipboard == "1811"

    drive(steps, size=NARROW)


def test_control_characters_of_the_data_never_reach_the_screen() -> None:
    async def steps(screen: Screen) -> None:
        for _ in range(12):
            for key in "dhoi":
                await screen.press(key)
                assert all(text.isprintable() for text in screen.text.splitlines())
            await screen.press("escape", "j")

    assert b"\x1b" in (TRAILS / "ut000000000").read_bytes()
    drive(steps, "ut000000000", size=WIDE)


@pytest.mark.parametrize(
    ("old", "new", "cells"),
    [("same", "same", (0, 0)), ("", "", (0, 0)), ("abc", "axc", (1, 2)), ("ab", "abcd", (2, 4)), ("abcd", "", (0, 4))],
)
def test_the_cells_in_which_two_lines_differ(old: str, new: str, cells: tuple[int, int]) -> None:
    assert changed_cells(line(old), line(new)) == cells


def test_the_letter_of_a_mark_may_follow_at_once() -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("escape", "j", "j")
        for key in ("m", "a", "k", "apostrophe", "a"):
            screen.app.simulate_key(key)
        await screen.settle()
        entered = [entry.line for entry in screen.app.mode.transcript.entries]
        assert entered[1:] == ["MARK a", "POSITION MARK a"]

    drive(steps)

"""The filter: which rows the list shows, and what the title says of it."""

from __future__ import annotations

from pathlib import Path

from fixtures import TRAILS
from logdump.tui.reading.messages import FilePolled
from tests.logdump.tui.drive import Screen, drive
from tests.logdump.tui.test_records import rba_of

DEFINITIONS = Path(__file__).parents[2] / "transcripts" / "obey" / "teahouse.def"


def test_the_list_shows_the_records_that_pass() -> None:
    async def steps(screen: Screen) -> None:
        await screen.type("filter include filename TEAHOUSE.SALES")
        assert "FILTER 8: Filename TEAHOUSE.SALES" in screen.text
        assert [one.split()[2] for one in screen.text.splitlines()[3:8]] == ["│", "└", "└", "┌", "└"]
        assert all(" SALES " in one for one in screen.text.splitlines()[2:8])

    drive(steps)


def test_next_and_the_cursor_agree_about_the_rows() -> None:
    async def steps(screen: Screen) -> None:
        await screen.type("filter include rectype 15")
        stops = []
        for _ in range(3):
            await screen.type("n")
            stops.append(rba_of(screen))
        await screen.press("escape", "home")
        seen = []
        for _ in range(3):
            seen.append(rba_of(screen))
            await screen.press("j")
        assert seen == stops

    drive(steps)


def test_two_terms_stand_in_the_title_and_one_can_be_cleared() -> None:
    async def steps(screen: Screen) -> None:
        await screen.type("filter include rectype 5; filter include filename TEAHOUSE.TEAS; filter match all")
        assert "FILTER 4: Rectypes Insert and Filename TEAHOUSE.TEAS" in screen.text
        await screen.type("filter clear rectype")
        assert "FILTER 12: Filename TEAHOUSE.TEAS" in screen.text
        await screen.press("escape", "F")
        assert "FILTER off" in screen.text

    drive(steps, size=(120, 36))


def test_a_filter_that_nothing_passes_says_how_to_go_on() -> None:
    async def steps(screen: Screen) -> None:
        await screen.type("filter include filename NOBODY.*")
        assert "No record passes the filter. FILTER CLEAR ALL (F) shows all records again." in screen.text
        assert screen.app.pages.shown.count == 0
        await screen.press("escape", "F")
        assert rba_of(screen) == 0

    drive(steps)


def test_damage_stays_visible_under_any_filter() -> None:
    async def steps(screen: Screen) -> None:
        await screen.type("filter include filename NOBODY.*")
        assert "! bad record" in screen.text

    drive(steps, "gt000000000")


def test_records_that_are_added_pass_the_filter_too(tmp_path: Path) -> None:
    whole = (TRAILS / "et000000000").read_bytes()
    path = tmp_path / "et000000000"
    path.write_bytes(whole[:2008])

    async def steps(screen: Screen) -> None:
        await screen.type("filter include rectype 5")
        assert "FILTER 1:" in screen.text
        path.write_bytes(whole)
        screen.app.post_message(
            FilePolled(path, screen.app.model.summary.size, len(whole), is_gone=False, following=None)
        )
        await screen.settle()
        assert "FILTER 7:" in screen.text

    drive(steps, path)


def test_the_list_reads_values_by_the_definitions_of_a_file() -> None:
    async def steps(screen: Screen) -> None:
        await screen.type("filter include value STOCK_KG > 0")
        assert "FILTER 0" in screen.text
        await screen.type(f"sourcedefs {DEFINITIONS}")
        assert "FILTER 5" in screen.text
        await screen.type("sourcedefs off")
        assert "FILTER 0" in screen.text

    drive(steps, "ot000000", size=(120, 36))

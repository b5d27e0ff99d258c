"""Damaged, empty and encrypted files: content like any other."""

from __future__ import annotations

from pathlib import Path

import pytest

from fixtures import TRAILS
from tests.logdump.tui.conftest import Golden
from tests.logdump.tui.drive import Screen, drive, rba_of


def test_damage_is_a_row_that_one_can_stand_on(golden: Golden) -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("escape")
        while "▶" not in next((line for line in screen.text.splitlines() if "! bad" in line), ""):
            await screen.press("j")
        golden("damage-80x24", screen.text)

    drive(steps, "gt000000000")


def test_scanning_for_a_header_leads_past_it() -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("escape")
        while "▶" not in next((line for line in screen.text.splitlines() if "! bad" in line), ""):
            await screen.press("j")
        bad = rba_of(screen)
        assert bad is not None
        await screen.press("b")
        assert rba_of(screen) == screen.app.session.trail.next_good_header(bad)

    drive(steps, "gt000000000")


@pytest.mark.parametrize("name", ["ct000000000", "fl000000000", "mt000000000", "bt000000000"])
def test_every_kind_of_damage_can_be_walked_over(name: str) -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("escape", "G")
        before = None
        while rba_of(screen) != before:
            before = rba_of(screen)
            await screen.press("k")
        assert before == 0

    drive(steps, name)


def test_half_a_record_at_the_end_says_so() -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("escape", "G")
        assert "partial record" in screen.text
        assert "It may be still being written: NEXT tries again." in screen.lines("detail")

    drive(steps, "ct000000000")


def test_a_file_with_nothing_but_its_header() -> None:
    async def steps(screen: Screen) -> None:
        assert "  1 rec  " in screen.text
        assert "The file has no record yet. w follows it as it grows." in screen.text

    drive(steps, "ht000000000")


def test_an_empty_file_is_no_trail(tmp_path: Path) -> None:
    path = tmp_path / "lt000000000"
    path.touch()

    async def steps(screen: Screen) -> None:
        assert "the file is empty" in "\n".join(screen.app.mode.transcript.entries[0].lines())
        assert "No trail is open. OPEN <filename> opens one." in screen.text

    drive(steps, path)


def test_a_file_of_zeroes_behind_the_header_is_one_row(tmp_path: Path) -> None:
    path = tmp_path / "et000000000"
    path.write_bytes((TRAILS / "et000000000").read_bytes()[:2008] + bytes(100_000))

    async def steps(screen: Screen) -> None:
        await screen.press("escape", "G", "k")
        assert rba_of(screen) == 2008
        assert "100000 bytes" in screen.text

    drive(steps, path)


def test_the_title_counts_damage_and_a_key_leads_from_one_place_to_the_next() -> None:
    async def steps(screen: Screen) -> None:
        assert "1 damaged place (!)" in screen.text
        for _ in range(2):
            await screen.press("exclamation_mark")
            assert rba_of(screen) == 3522
            assert "Next good header at RBA 3631" in screen.text
        await screen.press("b")
        assert rba_of(screen) == 3631

    async def without(screen: Screen) -> None:
        await screen.press("exclamation_mark")
        assert "No finding in this trail." in screen.text

    drive(steps, "gt000000000", place="records")
    drive(without, place="records")

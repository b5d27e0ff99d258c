"""Tables, transactions and marks."""

from __future__ import annotations

import pytest

from tests.logdump.tui.conftest import Golden
from tests.logdump.tui.drive import WIDE, Screen, drive
from tests.logdump.tui.test_records import SIZES, rba_of


@SIZES
@pytest.mark.parametrize("key", ["t", "x"])
def test_the_panes_over_the_list(size: tuple[int, int], key: str, golden: Golden) -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("escape", key)
        golden(f"choices-{key}-{size[0]}x{size[1]}", screen.text)

    drive(steps, size=size)


def test_a_table_becomes_the_filter() -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("escape", "t", "j", "plus")
        assert screen.app.mode.transcript.entries[-1].line == 'FILTER INCLUDE FILENAME "TEAHOUSE.SALES"'
        assert "FILTER 8: Filename TEAHOUSE.SALES" in screen.text

    drive(steps)


def test_a_transaction_leads_to_its_begin_and_end() -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("escape", "x", "enter")
        assert rba_of(screen) == 3987
        await screen.press("x", "e")
        assert rba_of(screen) == 4427

    drive(steps)


def test_transactions_are_sorted_by_bytes_then_records_then_duration() -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("escape", "x", "r", "enter")
        assert screen.app.mode.transcript.entries[-1].line == "POS 1811"

    drive(steps)


def test_a_transaction_that_has_not_ended_is_marked(golden: Golden) -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("escape", "x")
        golden("open-transaction-120x36", screen.text)
        assert "(open)" in screen.text

    drive(steps, "st000000000", size=WIDE)


def test_a_mark_is_set_listed_and_gone_back_to() -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("escape", "j", "j", "m", "a", "G")
        assert "a  1261" in screen.text
        await screen.press("apostrophe", "a")
        assert rba_of(screen) == 1261
        assert screen.app.mode.transcript.entries[-1].line == "POSITION MARK a"

    drive(steps, size=WIDE)


def test_two_quotes_lead_back() -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("escape", "j", "m", "a", "j", "j", "apostrophe", "a")
        app = screen.app
        app.simulate_key("apostrophe")
        await screen.settle()
        await screen.pilot.press("'")
        await screen.settle()
        assert rba_of(screen) == 1811

    drive(steps)


def test_a_letter_that_is_no_mark_goes_nowhere_and_says_so() -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("escape", "j", "apostrophe", "z")
        assert rba_of(screen) == 1130
        last = screen.app.mode.transcript.last
        assert last is not None
        assert last.printed

    drive(steps)

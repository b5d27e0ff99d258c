"""Keys that find a place: text, transactions, the same table, the safe position."""

from __future__ import annotations

import pytest

from tests.logdump.tui.conftest import Golden
from tests.logdump.tui.drive import Screen, drive
from tests.logdump.tui.test_records import rba_of


@pytest.mark.parametrize(
    ("keys", "line", "rba"),
    [
        (("pos 2008", "right_square_bracket"), "SFNT", 3069),
        (("pos 3260", "left_square_bracket"), "TRANSACTION PREVIOUS", 3069),
        (("pos 2008", "right_curly_bracket"), "SAMETABLE NEXT", 3069),
        (("pos 3069", "left_curly_bracket"), "SAMETABLE PREVIOUS", 2008),
    ],
    ids=["transaction", "transaction before", "table", "table before"],
)
def test_a_key_leads_to_another_record(keys: tuple[str, str], line: str, rba: int) -> None:
    async def steps(screen: Screen) -> None:
        await screen.type(keys[0])
        await screen.press("escape", keys[1])
        assert screen.app.mode.transcript.entries[-1].line == line
        assert rba_of(screen) == rba

    drive(steps)


def test_a_text_is_found_and_looked_for_on_and_back() -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("escape", "slash")
        assert screen.app.prompt.value == "find "
        await screen.type("find SEN01")
        found = [rba_of(screen)]
        for key in ("greater_than_sign", "less_than_sign"):
            await screen.press("escape", key)
            found.append(rba_of(screen))
        assert found[0] == found[2] == 1811
        assert found[1] is not None
        assert found[1] > 1811

    drive(steps)


@pytest.mark.parametrize("line", ["find HEX 53454e3031", "find TEAHOUSE.TEAS.TEA_CODE = SEN01"])
def test_bytes_and_values_are_found(line: str) -> None:
    async def steps(screen: Screen) -> None:
        await screen.type(line)
        assert rba_of(screen) == 1811

    drive(steps)


def test_what_is_not_there_leaves_the_cursor_where_it_is() -> None:
    async def steps(screen: Screen) -> None:
        await screen.type("pos 2008")
        await screen.type("find nowhere")
        assert rba_of(screen) == screen.app.session.cursor.current == 2008

    drive(steps)


def test_the_safe_position_in_the_middle_of_a_transaction(golden: Golden) -> None:
    async def steps(screen: Screen) -> None:
        await screen.type("pos 2008")
        await screen.press("escape", "a")
        golden("safe-80x24", screen.text)
        assert rba_of(screen) == 2008

    drive(steps)

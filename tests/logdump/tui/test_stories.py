"""The questions for which people open a trail: keys from the first screen at 80x24, and the answer that they see."""

from __future__ import annotations

import pytest

from tests.logdump.tui.drive import Screen, drive, trails

STORIES = {
    "where may Replicat restart": ("at000000000", "g", "2722\n", "a", "EXTSEQNO 0, EXTRBA 3691"),
    "where is a CSN": ("et000000000", "g", "csn 41882402\n", "▶   3987"),
    "where is a time": ("et000000000", "g", "time 2024-03-14 09:35:00\n", "▶   3629"),
    "what did this change": ("et000000000", "g", "3522\n", "STOCK_KG  BIGINT      260      310      *"),
    "what is in here": ("et000000000", "t", "▶TEAHOUSE.TEAS"),
    "where is the damage": ("gt000000000", "!", "Next good header at RBA 3631"),
    "what is after the damage": ("gt000000000", "!", "b", "▶   3631"),
    "which transactions are large": ("et000000000", "x", "▶     3987    4427       3     384"),
    "where is this value": ("et000000000", "/", "STOCK_KG = 310\n", "▶   3522"),
    "who changed this row": ("et000000000", "g", "3522\n", "R", "ASS01→ASS09"),
    "which definition is in force": ("et000000000", "g", "3522\n", "S", "K  TEA_CODE  VARCHAR(6)"),
    "whose is this piece of a LOB": ("kt000000000", "g", "1980\n", "L", "▶   1811"),
    "where does the transaction begin": ("et000000000", "g", "2722\n", "B", "▶   1811"),
    "where does it end": ("et000000000", "g", "2722\n", "E", "▶   2892"),
    "cut out a piece": ("et000000000", "g", "2722\n", "s", ">save"),
    "which files has the trail": ("at000000000", "T", "at000000002          2,983"),
    "read on over the files": ("at000000000", "A", "G", "end of at000000000; next file: at000000001"),
    "copy the evidence": ("et000000000", "Y", "et000000000"),
    "which release and source": ("et000000000", "oracle  rel 12.2"),
    "how late is it": ("yt000000000", "l", "7 beats every 60.000 s, 4 missing"),
    "watch it grow": ("et000000000", "w", "FOLLOW"),
}
"""The trail, the keys (what is typed into the prompt ends with Enter), and what the screen then shows."""
_NAMES = {"!": "exclamation_mark", "/": "slash"}


@pytest.mark.parametrize("trail", sorted({trail for trail, *_ in STORIES.values()}))
def test_the_answers_come_with_three_keys_from_the_first_screen(trail: str) -> None:
    wrong = []

    async def steps(screen: Screen) -> None:
        for question, (name, *keys, answer) in STORIES.items():
            if name != trail:
                continue
            screen.app.model.upper = "records"
            screen.app.enter(f"filter clear all; across off; open {name}; pos 0")
            screen.app.records.focus()
            screen.app.model.show_page("values")
            await screen.settle()
            for key in keys:
                if key.endswith("\n"):
                    screen.app.prompt.insert_text_at_cursor(key.strip())
                    await screen.press("enter")
                else:
                    await screen.press(_NAMES.get(key, key))
            if answer not in screen.text:
                wrong.append((question, screen.text))

    drive(steps, trails() / trail, place="records", page="values")
    assert wrong == []

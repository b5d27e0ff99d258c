"""Keys that come in one read, over a slow line or from a macro: each acts where the keys before it have led."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from textual._xterm_parser import XTermParser

from fixtures import TRAILS
from logdump.tui.keys.keys import KEYS, Area
from tests.logdump.tui.drive import NARROW, Screen, drive, rba_of
from tests.logdump.tui.terminal import terminal
from tests.searching import in_turn

CHARACTERS = {"colon": ":", "slash": "/"}
BEGINNINGS = [
    (CHARACTERS.get(key.keys, key.keys), key.types) for key in KEYS if key.types or key.id in ("prompt", "save")
]
"""The keys that open the prompt, and what they write into it."""


async def feed(screen: Screen, burst: str) -> None:
    """Give the characters of one read to the view, as Textual's driver does."""
    driver = screen.app._driver
    assert driver is not None
    for message in XTermParser().feed(burst):
        driver.process_message(message)
    await screen.rest()


def entered(screen: Screen) -> list[str]:
    """The lines that were entered after the first one."""
    return [entry.line for entry in screen.app.mode.transcript.entries if entry.prompt][1:]


async def go_to(screen: Screen, page: str) -> None:
    """Put the keyboard into the records, a pane over them, or a page below."""
    app = screen.app
    app.prompt.begin()
    app.model.upper = "records"
    app.records.focus()
    if page == "tables":
        app.action_show_choices(page)
    elif page != "records":
        app.model.show_page(page)
        app.pages.shown.focus()
    await screen.rest()


@pytest.mark.parametrize("size", [NARROW, (20, 5)], ids="{0[0]}x{0[1]}".format)
def test_text_at_once_after_a_key_that_opens_the_prompt(size: tuple[int, int]) -> None:
    found, expected = [], []

    async def steps(screen: Screen) -> None:
        for page, (key, written) in in_turn(("records", "detail", "hex", "timeline", "tables"), BEGINNINGS):
            await go_to(screen, page)
            await feed(screen, f"{key}recovery 2722 x")
            found.append((page, key, screen.app.prompt.value))
            expected.append((page, key, f"{written or ('save ' if key == 's' else '')}recovery 2722 x"))
        assert [line for line in entered(screen) if not line.startswith("POS")] == []

    drive(steps, size=size)
    assert found == expected


PASTED = "\x1b[200~pos 2722\x1b[201~"
BURSTS: dict[str, tuple[str, Callable[[Screen], bool]]] = {
    "a line, and keys after it": ("g2722\r", lambda screen: rba_of(screen) == 2722),
    "two lines": ("g2722\rpos 3069\r", lambda screen: entered(screen) == ["pos 2722", "pos 3069"]),
    "a paste, and Enter": (f":{PASTED}\r", lambda screen: rba_of(screen) == 2722),
    "an empty line leads to the records": (":\rjjj", lambda screen: rba_of(screen) == 1811),
    "Tab leads on": (":\t\t:x", lambda screen: screen.app.prompt.value.endswith("x")),
    "a pane, a choice, and a line": (
        "x\r:y",
        lambda screen: screen.app.prompt.value == "y" and len(entered(screen)) == 1,
    ),
    "a pane, and a line": ("x:pos 9", lambda screen: screen.app.prompt.value == "pos 9"),
    "a mark and its letter": ("jjma", lambda screen: [mark.name for mark in screen.app.model.state.marks] == ["a"]),
    "help, out of it, and a row": ("?qjj", lambda screen: rba_of(screen) == 1261),
    "the palette, a command, and its words": (
        "\x10bounded\rlog x",
        lambda screen: screen.app.prompt.value == "BR log x",
    ),
    "two pages": ("hd:x", lambda screen: (screen.app.model.page, screen.app.prompt.value) == ("detail", "x")),
}


@pytest.mark.parametrize("name", BURSTS)
def test_every_key_of_a_burst_acts_where_the_keys_before_it_have_led(name: str) -> None:
    burst, is_done = BURSTS[name]

    async def steps(screen: Screen) -> None:
        await screen.press("escape")
        await feed(screen, burst)
        assert is_done(screen), (screen.text, entered(screen))

    drive(steps)


@pytest.mark.parametrize("area", [Area.RECORDS, Area.PROMPT])
def test_a_burst_of_many_keys_is_taken_whole(area: Area) -> None:
    text = "".join(chr(97 + at % 26) for at in range(120))

    async def steps(screen: Screen) -> None:
        if area is Area.RECORDS:
            await screen.press("escape")
        await feed(screen, f"{':' if area is Area.RECORDS else ''}{text}")
        assert screen.app.prompt.value == text

    drive(steps)


def test_bursts_at_a_terminal() -> None:
    written = {
        ":recovery": "recovery",
        "g2722": "pos 2722",
        "/text": "find text",
        "ffilename x": "filter include filename x",
    }
    with terminal("--tui", str(TRAILS / "et000000000")) as screen:
        screen.read("Logdump 2 >")
        screen.press(b"\x1b")
        for burst, line in written.items():
            screen.press(burst.encode(), until=line)
            screen.press(b"\x15")  # Ctrl+U
            screen.press(b"\x1b")

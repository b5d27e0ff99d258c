"""The README's picture of the full-screen view: ``docs/tui.svg``, of a trail of the fixtures."""

from __future__ import annotations

import asyncio
import re

from fixtures import TRAILS
from logdump.line.history_file import KeptHistory
from logdump.notation.times import GMT
from logdump.session.session import Session
from logdump.tui.app import TrailApp
from logdump.tui.text.appearance import Appearance
from logdump.tui.text.themes import THEMES
from scripts.marked import ROOT

PICTURE = ROOT / "docs" / "tui.svg"
_SIZE = (120, 36)
_KEYS = ("escape", *"jjjjjjjjjjjjjj", "h", "right", "right", "right")
"""To the update of a row, then to its bytes with the fields in their colours."""


async def _svg() -> str:
    session = Session()
    session.settings.time_offset = GMT
    app = TrailApp(session, f"open {TRAILS / 'et000000000'}", KeptHistory(None), Appearance(theme=THEMES["dark"]))
    async with app.run_test(size=_SIZE) as pilot:
        await _rest(app)
        for key in _KEYS:
            await pilot.press(key)
            await _rest(app)
        picture = app.export_screenshot(title="logdump --tui dirdat/et000000000")
    session.end()
    return picture


async def _rest(app: TrailApp) -> None:
    """Wait until every thread is done and its results are painted."""
    for _ in range(3):
        await asyncio.sleep(0.05)
        while not app.is_quiet:
            await asyncio.sleep(0.01)


def picture() -> str:
    """The picture, the same on every machine."""
    text = asyncio.run(_svg()).replace(str(TRAILS.parents[1]), "/home/me/logdump")
    return re.sub(r"terminal-[0-9]+", "terminal", text)


def main() -> None:
    """Write the picture."""
    PICTURE.write_text(picture(), encoding="utf-8")


if __name__ == "__main__":
    main()

"""The pictures of the full-screen view in README and docs, of trails of the fixtures: ``docs/tui*.svg``."""

from __future__ import annotations

import asyncio
import re
from typing import NamedTuple

from fixtures import TRAILS
from logdump.line.history_file import KeptHistory
from logdump.notation.times import GMT
from logdump.session.session import Session
from logdump.tui.app import TrailApp
from logdump.tui.text.appearance import Appearance
from logdump.tui.text.themes import THEMES
from scripts.marked import ROOT


class Picture(NamedTuple):
    """A picture: its name in docs, the trail that is opened, the lines that are entered and the keys after them."""

    name: str
    trail: str
    lines: tuple[str, ...]
    keys: tuple[str, ...]
    size: tuple[int, int] = (110, 30)


PICTURES = (
    Picture("tui.svg", "at000000000", ("pos 3491",), ("escape",)),
    Picture("tui-timeline.svg", "yt000000000", ("pos 4628",), ("escape", "l"), (110, 34)),
    Picture("tui-diff.svg", "et000000000", (f"diff {TRAILS / 'et000000000'} {TRAILS / 'mt000000000'}",), ("escape",)),
)


async def _svg(picture: Picture) -> str:
    session = Session()
    session.settings.time_offset = GMT
    line = f"open {TRAILS / picture.trail}"
    app = TrailApp(session, line, KeptHistory(None), Appearance(theme=THEMES["dark"]))
    async with app.run_test(size=picture.size) as pilot:
        await _rest(app)
        for line in picture.lines:
            app.enter(line)
            await _rest(app)
        for key in picture.keys:
            await pilot.press(key)
            await _rest(app)
        shown = app.export_screenshot(title=f"logdump --tui dirdat/{picture.trail}")
    session.end()
    return shown


async def _rest(app: TrailApp) -> None:
    """Wait until every thread is done and its results are painted."""
    for _ in range(3):
        await asyncio.sleep(0.05)
        while not app.is_quiet:
            await asyncio.sleep(0.01)


def picture(one: Picture) -> str:
    """The picture, the same on every machine."""
    text = asyncio.run(_svg(one)).replace(str(TRAILS.parents[1]), "/home/me/logdump")
    return re.sub(r"terminal-[0-9]+", "terminal", text)


def main() -> None:
    """Write the pictures."""
    for one in PICTURES:
        (ROOT / "docs" / one.name).write_text(picture(one), encoding="utf-8")


if __name__ == "__main__":
    main()

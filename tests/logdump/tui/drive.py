"""Driving the view: keys in, the screen as text out, and waiting until every thread is done."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import re
import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path

from textual.pilot import Pilot

from fixtures import TRAILS
from logdump.line.history_file import KeptHistory
from logdump.notation.times import GMT
from logdump.session.session import Session
from logdump.tui.app import TrailApp
from logdump.tui.keys.kept_choices import KeptChoices
from logdump.tui.reading.start_page import StartPlace
from logdump.tui.text.appearance import Appearance
from tests.logdump.tui.resting import come_to_rest, lay_out, resize
from tests.short_folder import short_folder

NARROW, WIDE = (80, 24), (120, 36)
SWITCHES = "timeoffset gmt; ghdr on; detail data; ggstoken detail; usertoken detail"

_SHORT = "/tmp"
_PATH = re.compile(r"^(.*?(?:Current LogTrail is|LogTrail|Error:|(?:^|│)in) )/.*$", re.MULTILINE)
"""A path, whose length differs between machines, and what stands behind it."""


class Screen:
    """A running view and what a user can do to it."""

    def __init__(self, app: TrailApp, pilot: Pilot[None]) -> None:
        self.app = app
        self.pilot = pilot

    async def press(self, *keys: str) -> None:
        """Press keys, then wait until all is done that they began."""
        for key in keys:
            if len(key) == 1 and self.app.focused is self.app.prompt:
                await self.pilot.press(key)
            else:
                self.app.simulate_key(key)
            await self.settle()

    async def type(self, line: str) -> None:
        """Put a line into the prompt and enter it."""
        self.app.prompt.focus()
        self.app.prompt.begin(line)
        await self.press("enter")

    async def resize(self, width: int, height: int) -> None:
        """Give the terminal another size, then wait until all is laid out for it."""
        await resize(self.pilot, width, height)
        await self.settle()

    async def settle(self) -> None:
        """Wait until all is done and every pane has its place; whoever asks for the text paints it."""
        await lay_out(self.app, self.rest)

    async def rest(self) -> None:
        """Wait until every thread and every message is done, whatever is painted."""
        await come_to_rest(lambda: self.app.is_quiet or self.app.mode.is_asking)

    @property
    def text(self) -> str:
        """The screen as text, without what differs between machines."""
        strips = self.app.screen._compositor.render_strips()
        text = "\n".join(strip.text.rstrip() for strip in strips) + "\n"
        return _PATH.sub(r"\1<path>", text)

    def lines(self, name: str) -> list[str]:
        """What a pane of text holds."""
        return [line.text for line in self.app.pages.page(name).lines]


Steps = Callable[[Screen], Awaitable[None]]


@functools.cache
def trails() -> Path:
    """A copy of the fixtures with a short path: a long one is wrapped on the screen."""
    return Path(shutil.copytree(TRAILS, short_folder() / "t"))


def _own(appearance: Appearance | None) -> Appearance:
    """An appearance whose choices no other app of this process changes."""
    given = appearance or Appearance()
    return given if given.choices is not Appearance().choices else given._replace(choices=KeptChoices(None))


def drive(
    steps: Steps,
    trail: str | Path = "et000000000",
    size: tuple[int, int] = NARROW,
    *,
    first: str | None = None,
    appearance: Appearance | None = None,
    until: Callable[[Screen], bool] | None = None,
    session: Session | None = None,
    notices: bool = False,
    page: str = "detail",
    place: str = "prompt",
    start: StartPlace | None = None,
    finds_data: bool = False,
) -> None:
    """Run the view of a trail (of the fixtures, unless it is a path) and take these steps in it.

    They begin when all is done, or when ``until`` says so, on ``page`` and with the keyboard in
    ``place``; ``notices`` shows the notifications.
    """
    session = session or Session()
    session.settings.time_offset = GMT
    path = trail if isinstance(trail, Path) else trails() / trail
    app = TrailApp(
        session,
        f"open {path.name}; {SWITCHES}" if first is None else first,
        KeptHistory(None),
        _own(appearance),
        start,
        finds_data=finds_data,
    )
    app.model.show_page(page)

    async def run() -> None:
        async with app.run_test(size=size, notifications=notices) as pilot:
            screen = Screen(app, pilot)
            if until is None:
                await screen.settle()
            while until is not None and not until(screen):
                await pilot.pause(0.001)
            app.query_one(f"#{place}").focus()
            assert screen.text  # a line that a step changes, and that nobody paints anew, stays as it is now
            await steps(screen)
            assert screen.text
            app.file.close()
            app.mode.close()
            for _ in range(3):
                await pilot.pause(0.001)

    try:
        # by its name, so that no path of a machine stands on the screen
        with contextlib.chdir(path.parent) if first is None else contextlib.nullcontext():
            asyncio.run(run())
    finally:
        session.end()


def rba_of(screen: Screen) -> int | None:
    row = screen.app.records.row
    return row.rba if row else None

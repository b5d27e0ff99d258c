"""When a view has come to rest: nothing can go on by itself but what waits for a timer."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

from textual.app import App
from textual.pilot import Pilot
from textual.screen import Screen

_LONGEST = 60.0
"""Seconds after which a view that is still busy hangs."""
_BETWEEN_LOOKS = 0.0005


async def come_to_rest(are_threads_idle: Callable[[], bool]) -> None:
    """Wait until no thread works and no task of the loop can go on.

    A thread puts its message into the loop before it is idle. So when the threads are idle and the loop has nothing
    ready beside this task, every message has been handled, and so has whatever came of it, however slow the machine is.
    """
    loop = asyncio.get_running_loop()
    ready = loop._ready  # type: ignore[attr-defined]
    deadline = time.monotonic() + _LONGEST
    await asyncio.sleep(0)
    while not (is_idle := are_threads_idle()) or ready:
        assert time.monotonic() < deadline, "the view does not come to rest"
        await asyncio.sleep(0 if is_idle else _BETWEEN_LOOKS)


async def lay_out(app: App[Any], rest: Callable[[], Awaitable[None]]) -> None:
    """Rest, and have the screen do what it leaves to a timer of Textual, until it has nothing left to do."""
    deadline = time.monotonic() + _LONGEST
    await rest()
    while _waits(app.screen):
        assert time.monotonic() < deadline, "the view never has its places"
        app.screen._on_timer_update()
        await rest()


def _waits(screen: Screen[Any]) -> bool:
    """Whether a screen has something to lay out, to paint, or to call when its timer is due."""
    if screen.app._batch_count:
        return False
    return bool(
        screen._layout_required
        or screen._scroll_required
        or screen._repaint_required
        or screen._recompose_required
        or screen._dirty_widgets
        or screen._callbacks
    )


async def resize(pilot: Pilot[None], width: int, height: int) -> None:
    """Give the terminal another size, which Textual takes once a moment has brought no further one: here at once."""
    await pilot.resize_terminal(width, height)
    pilot.app._check_resize()

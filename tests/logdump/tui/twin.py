"""A twin of a view: composed anew on the same model and data. Where it differs, a pane has missed a change."""

from __future__ import annotations

import asyncio
import copy
import sys
from collections.abc import Awaitable, Callable
from contextvars import Context
from pathlib import Path
from types import SimpleNamespace

from textual import events
from textual.app import ComposeResult

from logdump.tui.app import TrailApp
from logdump.tui.model.model import Model, Part
from logdump.tui.panes.choice_pane import ChoicePane
from logdump.tui.panes.side_by_side_pane import SideBySidePane
from logdump.tui.panes.text_pane import TextPane
from logdump.tui.panes.timeline_pane import TimelinePane
from logdump.tui.text.appearance import HarmlessApp
from tests.logdump.tui.resting import come_to_rest, lay_out

PARTS = {name: part for name, part in vars(Model).items() if isinstance(part, Part)}
"""The parts of the model by their names."""

Rest = Callable[[], Awaitable[None]]


class _Twin(TrailApp):
    """A view that starts no thread and runs no line."""

    CSS_PATH = str(Path(sys.modules[TrailApp.__module__].__file__ or "").with_name("layout.tcss"))

    def __init__(self, original: TrailApp) -> None:
        HarmlessApp.__init__(self, original.appearance)
        self.session = original.session
        self.mode = original.mode
        self.file = SimpleNamespace(ask_record=lambda *_: None, ask_page=lambda *_: None)  # type: ignore[assignment]
        self.model = copy.copy(original.model)
        self.model._observers, self.model._changed = [], set()

    def compose(self) -> ComposeResult:
        """The panes, which wait for ever: no answer comes, however long it takes to paint them."""
        yield from super().compose()
        self.pages._empty_shown = lambda: None  # type: ignore[method-assign]

    def on_mount(self, event: events.Mount) -> None:  # type: ignore[override]
        """Begin nothing."""
        event.prevent_default()

    def on_unmount(self, event: events.Unmount) -> None:  # type: ignore[override]
        """End nothing: the threads are the original's."""
        event.prevent_default()


def _take_data(twin: TrailApp, original: TrailApp) -> None:
    """What threads have brought, and what each pane alone knows: where it is scrolled to."""
    _copy(original.records, twin.records, "_listing", "_page", "_cursor", "_top", "_needs")
    with twin.model.changing():
        for part in PARTS.values():
            if part is not Model.questions:  # which is no state: it leads the keyboard to the prompt
                twin.model.announce(part)
    _copy(original.model, twin.model, "place", "pane", "offers")
    timeline = twin.query_one(TimelinePane)
    _copy(original.query_one(TimelinePane), timeline, "way", "moment", "is_at_record", "has_transactions", "bar", "top")
    timeline.draw()
    _copy(original.query_one(SideBySidePane), twin.query_one(SideBySidePane), "cursor")
    twin.query_one(SideBySidePane).draw()
    drawn = TimelinePane | SideBySidePane
    for page in (text_pane for text_pane in original.pages.query(TextPane) if not isinstance(text_pane, drawn)):
        other = twin.pages.page(page.id or "")
        _copy(page, other, "lines", "top", "current", "shows_margin", "text", "_picked")
        other._wrap()
        other.refresh()
        other.post_message(TextPane.Scrolled())
    for pane in original.query(ChoicePane):
        _copy(pane, twin.query_one(f"#{pane.id}"), "_cursor", "_top")
    twin.query_one("#shape").set_classes(original.query_one("#shape").classes)
    _copy(original.query_one("#shape"), twin.query_one("#shape"), "_at", "_from")
    twin.query_one("#main").set_classes(original.query_one("#main").classes)
    twin.prompt.value = original.prompt.value


def _copy(source: object, other: object, *names: str) -> None:
    for name in names:
        if hasattr(source, name):
            setattr(other, name, getattr(source, name))


async def painted(app: TrailApp, rest: Rest) -> list[str]:
    """The lines of the screen when all is painted, what is typed left out."""
    await lay_out(app, rest)
    lines = [strip.text.rstrip() for strip in app.screen._compositor.render_strips()]
    at = app.prompt.region
    return [line[: at.x] if y == at.y and at.height else line for y, line in enumerate(lines)]


def painted_anew(original: TrailApp) -> list[str]:
    """The lines of the twin."""

    async def paint() -> list[str]:
        twin = _Twin(original)
        async with twin.run_test(size=original.size):
            if original.focused is not None:
                twin.query_one(f"#{original.focused.id}").focus()

            async def rest() -> None:
                await come_to_rest(lambda: True)

            await rest()
            _take_data(twin, original)
            return await painted(twin, rest)

    return Context().run(asyncio.run, paint())

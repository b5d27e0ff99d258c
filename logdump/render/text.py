"""Any event, as the lines that Logdump prints."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from logdump.events import CountShown, Event, Failure, Notice, RecordShown, Text
from logdump.render.count_text import count_lines
from logdump.render.record_text import record_lines
from logdump.settings import Settings


def _own_lines(event: Text | Notice | Failure, _settings: Settings) -> Iterator[str]:
    return iter(event.lines)


_RENDERERS: dict[type, Callable[[Any, Settings], Iterator[str]]] = {
    Text: _own_lines,
    Notice: _own_lines,
    Failure: _own_lines,
    RecordShown: record_lines,
    CountShown: count_lines,
}


def render(event: Event, settings: Settings) -> Iterator[str]:
    """The lines of ``event``."""
    return _RENDERERS[type(event)](event, settings)

"""The text of the detail pane: what NEXT prints of the record at an RBA, byte for byte."""

from __future__ import annotations

from logdump.commands import REGISTRY
from logdump.events import Event, Failure, Notice, Progress
from logdump.language.execute import run_command
from logdump.render.text import render
from logdump.session import Session
from logdump.settings import OutputFormat
from logdump.tui.text import Line, line


def detail_lines(session: Session, rba: int) -> list[Line]:
    """What NEXT prints at ``rba`` in this session, which stands there and has no filter; narration looks different."""
    session.cursor.is_backwards = False
    session.cursor.move(rba)
    lines = []
    for event in run_command(session, REGISTRY, "NEXT"):
        if not isinstance(event, Progress):
            look = "warn" if isinstance(event, Failure | Notice) else ""
            lines += [line(text, look) for text in _rendered(event, session)]
    return lines


def _rendered(event: Event, session: Session) -> list[str]:
    if session.settings.format is OutputFormat.JSONL:
        from logdump.render import json_lines  # noqa: PLC0415 - json is loaded for those who ask for it

        return list(json_lines.render(event, session.settings))
    return list(render(event, session.settings))

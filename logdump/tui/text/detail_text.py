"""The text of the detail pane: what NEXT prints of the record at an RBA, byte for byte; then what DDL makes of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from logdump.commands import REGISTRY
from logdump.display.text import render
from logdump.language.execute import run_commands
from logdump.session.events import Event, Failure, Notice, Progress
from logdump.session.session import Session
from logdump.session.settings import OutputFormat
from logdump.tui.text.ddl_lines import ddl_lines
from logdump.tui.text.line_fields import with_fields
from logdump.tui.text.margin import with_margin
from logdump.tui.text.record_fields import fields_of
from logdump.tui.text.styled import Line, line
from trailformat import TrailError


def detail_lines(session: Session, rba: int) -> list[Line]:
    """The lines that NEXT prints at ``rba`` in a session without a filter, narration in another style."""
    session.cursor.is_backwards = False
    session.cursor.move(rba)
    lines = []
    for event in run_commands(session, REGISTRY, "NEXT"):
        if not isinstance(event, Progress):
            style = "warn" if isinstance(event, Failure | Notice) else ""
            lines += [line(text, style) for text in _rendered(event, session)]
    return list(_explained(session, rba, lines))


def _explained(session: Session, rba: int, lines: list[Line]) -> Iterator[Line]:
    """The same lines, with their fields and margins where the record decodes."""
    try:
        record = session.trail.record_at(rba)
        if record is None or session.settings.format is OutputFormat.JSONL:
            return iter(lines)
        explained = with_margin(with_fields(lines, fields_of(record, session.settings)), record, session)
        return chain(explained, ddl_lines(session, record))
    except TrailError:
        return iter(lines)


def _rendered(event: Event, session: Session) -> Sequence[str]:
    if session.settings.format is OutputFormat.JSONL:
        from logdump.display import json_lines  # noqa: PLC0415 - json is loaded for those who ask for it

        return json_lines.render(event, session.settings)
    return render(event, session.settings)

"""The pages of tokens and of the file header: the blocks that HEADERTOKEN, GGSTOKEN, USERTOKEN and FILEHEADER print."""

from __future__ import annotations

from collections.abc import Iterator

from logdump.display.record_text import file_header_lines
from logdump.display.token_text import ggs_token_lines, header_token_lines, user_token_lines
from logdump.notation.text import escape
from logdump.notation.times import format_timestamp
from logdump.session.session import Session
from logdump.session.settings import Level, Settings
from logdump.tui.text.styled import Line, line
from trailformat import Record, TrailError
from trailformat.records.file_header import VENDORS


def _with_everything(settings: Settings) -> Settings:
    levels = dict.fromkeys(("headertoken", "ggstoken", "usertoken", "fileheader"), Level.DETAIL)
    return Settings(**{**vars(settings), **levels})


def token_lines(session: Session, rba: int) -> list[Line]:
    """Every token of the record at ``rba``, as Logdump prints them under DETAIL."""
    settings = _with_everything(session.settings)
    try:
        record = session.trail.record_at(rba)
        return [line(text) for text in _blocks(record, settings)] if record is not None else []
    except TrailError as error:
        return [line(str(error), "warn")]


def _blocks(record: Record, settings: Settings) -> Iterator[str]:
    yield from header_token_lines(record, settings)
    if not record.is_file_header:
        yield from user_token_lines(record, settings)
        yield from ggs_token_lines(record, settings)


def header_lines(session: Session, _rba: int) -> list[Line]:
    """The file header, as FILEHEADER DETAIL has it printed."""
    header = session.trail.file_header
    if header is None:
        return [line("This file has no file header: it is from before release 10, or its header is damaged.", "warn")]
    record = session.trail.record_at(0)
    if record is None:
        return []
    shown = list(file_header_lines(record, _with_everything(session.settings)))
    return [*_meaning(session), *(line(text) for text in shown)]


def _meaning(session: Session) -> Iterator[Line]:
    """The values of the file header, in front of its bytes."""
    header = session.trail.file_header
    for group in header.groups if header is not None else ():
        for token in group.tokens:
            value = token.value
            if value is not None and not isinstance(value, bytes):
                yield from _value_lines(group.name, token.name, value, session.settings)


def _value_lines(group: str, name: str, value: int | str | tuple[str, ...], settings: Settings) -> Iterator[Line]:
    if name.endswith("Time") and isinstance(value, int):
        text = format_timestamp(value, settings.time_offset)
    elif name == "Vendor" and isinstance(value, int):
        text = f"{value} {VENDORS.get(value, '')}"
    else:
        text = ", ".join(value) if isinstance(value, tuple) else str(value)
    label = f"{group:<15} {name:<16} "
    for part in text.splitlines() or [""]:
        yield Line(((label, "dim"), (escape(part), "")))
        label = " " * len(label)

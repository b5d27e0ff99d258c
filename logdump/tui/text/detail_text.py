"""The text of the detail pane: what NEXT prints of the record at an RBA, byte for byte; then what DDL makes of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from logdump.commands import REGISTRY
from logdump.display.text import render
from logdump.display.values_text import column_name, value_text
from logdump.language.execute import run_commands
from logdump.notation.text import cut_to
from logdump.parameters.in_use import ParametersInUse
from logdump.session.events import Event, Failure, Notice, Progress
from logdump.session.session import Session
from logdump.session.settings import Detail, OutputFormat
from logdump.tui.text.record_fields import RecordField, fields_of
from logdump.tui.text.styled import Line, line
from trailformat import ColumnChange, Record, TrailError, Value, change_of
from trailformat.changes.transactions import place_of
from trailformat.records.io_types import DDL_OP

_POSITIONS = ("begins its transaction", "inside its transaction", "ends its transaction", "the whole transaction")
_LONGEST = 60


def with_margin(lines: Iterable[Line], record: Record, session: Session) -> Iterator[Line]:
    """The lines with what is known of the fields that they show, where each of them is shown first."""
    notes = dict(_notes(record, session))
    for one in lines:
        found = [notes.pop(name) for name in one.fields if name in notes]
        yield one._replace(margin=tuple((note, "") for note in found)) if found else one


def _notes(record: Record, session: Session) -> Iterator[tuple[str, str]]:
    """A remark for each field that there is something to say about, by its name."""
    if record.is_file_header:
        return
    place = place_of(record)
    if place is not None and place < len(_POSITIONS):
        yield "TransInd", _POSITIONS[place]
    yield from _columns(record, session)


def _columns(record: Record, session: Session) -> Iterator[tuple[str, str]]:
    """Name and value of each column in the record; after a change, what it was before, wherever that stands."""
    try:
        images = record.images
    except TrailError:
        return
    change = change_of(session.trail, record, session.row_definitions, session.cursor.transactions)
    if images is None or change is None:
        return
    changed = {column.index: column for column in change.columns}
    labels = (" before", " after") if images.prefix_size else ("", "")
    for column in images.before or ():
        yield f"Column {column.index}{labels[0]}", _named(changed[column.index], changed[column.index].before)
    for column in images.after or ():
        one = changed[column.index]
        was = f"   was {_text(one.before)}" if one.is_changed else ""
        yield f"Column {column.index}{labels[1]}", _named(one, one.after) + was


def _named(column: ColumnChange, value: Value | None) -> str:
    return f"{column_name(column)} = {_text(value)}"


def _text(value: Value | None) -> str:
    return cut_to(value_text(value), _LONGEST)


_LABEL = re.compile(
    r"(Hdr-Ind|Partition|UndoFlag|BeforeAfter|RecLength|IO Time|IOType|OrigNode|TransInd|FormatType"
    r"|SyskeyLen|Incomplete|AuditRBA|AuditPos|Continued|RecCount) *:"
)
_DEFINITION_INDEX = "DDR/TDR index:"
_COLUMN = re.compile(r"(?:Column|KeyCol) +([0-9]+) \(")
_TOKEN = re.compile(r"TokenID x[0-9a-f]{2} '.' ")


def with_fields(lines: Iterable[Line], fields: list[RecordField]) -> Iterator[Line]:
    """The lines of a record's display, each with the names of the fields that it shows."""
    columns = iter([field.name for field in fields if field.kind == "column"])
    tokens = iter([field.name for field in fields if field.kind == "token"])
    data = "Data" if any(field.kind == "data" for field in fields) else ""
    current = ""
    for one in lines:
        text = one.text
        if _COLUMN.match(text):
            current = next(columns, "")
        elif _TOKEN.match(text):
            current = next(tokens, "")
        elif not text.startswith(" "):
            current = ""
        elif not current:
            current = data
        names = [current] if current else list(_fields_in(text))
        yield one._replace(fields=tuple(names))


def _fields_in(text: str) -> Iterator[str]:
    """The fields of a line of the GHDR block, or of the lines about the record."""
    if _DEFINITION_INDEX in text:
        yield "AuditRBA"
    yield from _LABEL.findall(text)
    if text.startswith("Name:"):
        yield "Name"
    elif text.startswith(("After  Image:", "Before Image:")):
        yield from ("BeforeAfter", "Partition", "TransInd")


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


def ddl_lines(session: Session, record: Record) -> Iterator[Line]:
    """The lines below what NEXT prints; none of a record that is no DDL, and where no parameter file is in use."""
    parameters = session.kept(ParametersInUse)
    if parameters is None or record.is_file_header or record.header.io_type != DDL_OP:
        return
    from logdump.features.ddl.evaluation import evaluate  # noqa: PLC0415 - where parameter files are in use
    from logdump.features.ddl.statement import subject_of_record  # noqa: PLC0415
    from logdump.features.ddl.text import evaluation_lines  # noqa: PLC0415

    shows_steps = session.settings.detail is not Detail.OFF
    for result in evaluate(subject_of_record(session.trail, record), parameters.for_trail(session.trail.path)):
        yield line("")
        first, *others = evaluation_lines(result._replace(shows_steps=shows_steps), session.settings)
        yield line(first, "strong")
        yield from (line(text, "dim") for text in others)

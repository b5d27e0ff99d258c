"""A record on its way to the screen: what its file says about it, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator

from logdump.events import Event, Notice, RecordShown
from logdump.session import Session
from logdump.settings import Detail
from trailformat import DatabaseDefinition, Record, TableDefinition, TrailError
from trailformat.file_header import VENDORS


def show_record(session: Session, record: Record) -> Iterator[Event]:
    """The record, then a notice for each thing in it that does not make sense."""
    if record.is_file_header:
        yield RecordShown(record)
        return
    table = session.trail.table_of(record)
    definition, problems = _definition(record)
    yield RecordShown(record, table, definition, _vendor(session) if definition else "")
    if record.table_index is not None and table is None:
        problems.append(f"no table definition {record.table_index} before it: the name is not known")
    if _is_not_utf8(record):
        problems.append("the name is not UTF-8: shown with its bytes escaped")
    if session.settings.detail is not Detail.OFF:
        problems += _image_problems(record)
    for problem in problems:
        yield Notice((f"{record.path}, RBA {record.rba}: {problem}",))


def _definition(record: Record) -> tuple[DatabaseDefinition | TableDefinition | None, list[str]]:
    try:
        return record.metadata, []
    except TrailError as error:
        return None, [f"the definition does not decode: {error.problem}"]


def _vendor(session: Session) -> str:
    header = session.trail.file_header
    vendor = header.get("DatabaseInfo", "Vendor") if header else None
    if not isinstance(vendor, int):
        return ""
    return VENDORS.get(vendor, str(vendor))


def _is_not_utf8(record: Record) -> bool:
    if record.header.name_is_index:
        return False
    try:
        record.header.name_field.split(b"\0", 1)[0].decode()
    except UnicodeDecodeError:
        return True
    return False


def _image_problems(record: Record) -> list[str]:
    try:
        _ = record.images
    except TrailError as error:
        return [f"the columns do not decode: {error.problem}"]
    return []

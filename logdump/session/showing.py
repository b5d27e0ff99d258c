"""A record on its way to the screen: what its file says about it, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from logdump.session.events import Addition, Bad, Event, Notice, RecordShown
from logdump.session.exit_status import ExitStatus
from logdump.session.session import Session
from logdump.session.settings import Detail, Level, Settings
from trailformat import DatabaseDefinition, Record, TableDefinition, TrailError
from trailformat.records.io_types import LARGE_OBJECT, RECORD_FRAGMENT


def show_record(session: Session, record: Record) -> Iterator[Event]:
    """The record, then a notice for each thing in it that does not make sense.

    Where Ctrl+C comes before the record is there to be shown, it is the next one again.
    """
    if record.is_file_header:
        yield RecordShown(record)
        yield from _notices(record, _problem("the groups do not decode", lambda: record.file_header))
        return
    try:
        shown, problems = _shown(session, record)
    except KeyboardInterrupt:
        session.cursor.stand_before(record)
        raise
    yield shown
    if session.settings.values:
        yield Addition(shown)
    if record.table_index is not None and shown.table is None:
        problems.append(f"no table definition {record.table_index} before it: the name is not known")
    if _is_not_utf8(record):
        problems.append("the name is not UTF-8: shown with its bytes escaped")
    yield from _notices(record, problems + _content_problems(record, session.settings))
    yield from _cut_columns(record, session.settings)


def _shown(session: Session, record: Record) -> tuple[RecordShown, list[str]]:
    """The record with what is known of it, and what of that does not decode."""
    definition, problems = _definition(record)
    table = session.trail.table_of(record)
    shown = RecordShown(record, table, definition, _vendor(session) if definition else "")
    shown, broken = _parts(session, shown)
    return _with_values(session, shown), problems + broken


def _cut_columns(record: Record, settings: Settings) -> Iterator[Event]:
    """A remark in the place of the column list of a record that is cut; VALUES has the columns of the whole."""
    if settings.detail is Detail.OFF or settings.values or settings.shows_everything or not record.header.continued:
        return
    if _problem("", lambda: record.images):
        remark = "the columns go on in the record fragments that follow: VALUES ON shows the whole"
        yield Notice((str(TrailError(remark, path=record.path, rba=record.rba)),), ExitStatus.OK)


def _parts(session: Session, shown: RecordShown) -> tuple[RecordShown, list[str]]:
    """The record with its place among the parts of a larger one, or with the fragments behind it."""
    settings, record = session.settings, shown.record
    if not settings.shows_everything and not settings.values:
        return shown, []
    if record.header.io_type not in (LARGE_OBJECT, RECORD_FRAGMENT) and not record.header.continued:
        return shown, []
    from trailformat.changes.segments import whole_record  # noqa: PLC0415 - few records are parts of another

    columns = session.row_definitions.of(record).table
    shown = shown._replace(segment=session.cursor.segments.of(record), columns=columns)
    try:
        return shown._replace(whole=whole_record(session.trail, record)), []
    except TrailError as error:
        return shown, [error.problem]


def _with_values(session: Session, shown: RecordShown) -> RecordShown:
    """What only VALUES and a reader of the whole record want to know: columns, the change, the transaction."""
    record, settings = shown.record, session.settings
    if not settings.values and not settings.shows_everything:
        return shown
    from trailformat.changes.row_changes import change_of  # noqa: PLC0415 - records are shown sooner without

    known = session.row_definitions.of(record)
    transaction = session.cursor.transactions.of(record)
    change = change_of(session.trail, record, session.row_definitions, session.cursor.transactions)
    return shown._replace(columns=known.table, transaction=transaction, change=change, charset=known.charset)


def _notices(record: Record, problems: list[str]) -> Iterator[Event]:
    for problem in problems:
        error = TrailError(problem, path=record.path, rba=record.rba)
        yield Notice((str(error),), bad=Bad(error, record.length))


def _definition(record: Record) -> tuple[DatabaseDefinition | TableDefinition | None, list[str]]:
    try:
        return record.metadata, []
    except TrailError as error:
        return None, [f"the definition does not decode: {error.problem}"]


def _vendor(session: Session) -> str:
    header = session.trail.file_header
    return header.vendor if header else ""


def _is_not_utf8(record: Record) -> bool:
    if record.header.name_is_index:
        return False
    try:
        record.header.name_field.split(b"\0", 1)[0].decode()
    except UnicodeDecodeError:
        return True
    return False


def _content_problems(record: Record, settings: Settings) -> list[str]:
    """What does not decode of the parts that are shown; columns that go on in the next record are cut, not wrong."""
    problems = []
    if (settings.shows_everything or settings.detail is not Detail.OFF) and not record.header.continued:
        problems += _problem("the columns do not decode", lambda: record.images)
    if settings.shows_everything or settings.ggstoken is not Level.OFF:
        problems += _problem("the GGS tokens do not decode", lambda: record.gg_tokens)
    return problems


def _problem(what: str, decode: Callable[[], object]) -> list[str]:
    try:
        decode()
    except TrailError as error:
        return [f"{what}: {error.problem}"]
    return []
